//! A game in progress whose rules are in another process.
//!
//! A session knows what the program said about its position. The process holds one position at a
//! time, that of the session that asked last; another session brings it to its own position first,
//! by the shortest way that the program knows: more steps, `undo`, or `new` and all steps again.

mod own;
mod process;

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use games::kit::text::shown;
use games::perft::{Perft, PerftRequest};
use games::playout::{PlayoutBudget, PlayoutRequest, PlayoutResults};
use games::session::{End, MoveError, Tally, UndoError, by_steps, wrong_count};
use games::{Actor, BrokenRules, Rng, Seat, Session, ToMove, View};
use protocol::ModelError;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::game::steps::{canonical, json_text, play_request};
use crate::game::{ProgramRules, Start};
use crate::position::{Extra, Legal, Position};
use crate::program::connection::SetUp;

/// A game in progress.
pub(crate) struct ProgramSession {
    rules: Arc<ProgramRules>,
    start: Start,
    /// The same for all sessions that go back to one `new`.
    number: u64,
    /// The steps since the start, as `play` takes them.
    steps: Vec<Arc<str>>,
    position: Arc<Position>,
    /// The position before each step that can be taken back.
    before: Vec<Arc<Position>>,
}

impl ProgramSession {
    /// A session that begins like this; the inner error is the program's, if it refuses that.
    pub(crate) fn open(
        rules: &Arc<ProgramRules>,
        start: Start,
    ) -> Result<Result<Self, ModelError>, BrokenRules> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let body = rules.new_request(&start, None, &["state"]);
        let seats = rules.seats();
        let opened = rules.program.with_connection(|connection| {
            connection.set_up = None;
            let read = |text: &str| Position::read(text, Some(seats))?.listed();
            let opened = connection.ask(&body, read)?;
            if opened.is_ok() {
                connection.set_up = Some(SetUp {
                    start: number,
                    max_plies: None,
                    steps: Vec::new(),
                });
            }
            Ok(opened)
        })?;
        Ok(opened.map(|position| ProgramSession {
            rules: rules.clone(),
            start,
            number,
            steps: Vec::new(),
            position: Arc::new(position),
            before: Vec::new(),
        }))
    }

    /// Asks for an extra of this position, and notes that it was wanted.
    fn extra(&self, extra: Extra) -> Result<Position, BrokenRules> {
        let words: Vec<&str> = Extra::words(extra as u8).collect();
        let body = format!("\"op\":\"get\",\"want\":[\"{}\"]", words.join("\",\""));
        let seats = self.seats();
        self.held(None, |connection| {
            connection.demand(&body, |text| {
                let position = Position::read(text, Some(seats))?;
                if position.ply == self.ply() && position.to_move == self.to_move() {
                    Ok(position)
                } else {
                    Err("says something else about a position than before".to_owned())
                }
            })
        })
    }

    fn ask_for(&self, extra: Extra) {
        self.position.asked.fetch_or(extra as u8, Ordering::Relaxed);
    }

    /// The legal choices, which the next step will bring along, too.
    fn wanted_legal(&self) -> Result<&Legal, BrokenRules> {
        self.ask_for(Extra::Legal);
        self.legal_once()
    }

    /// The legal choices, asked for once.
    fn legal_once(&self) -> Result<&Legal, BrokenRules> {
        if let Some(legal) = self.position.legal.get() {
            return Ok(legal);
        }
        let legal = self.extra(Extra::Legal)?.legal.into_inner();
        let legal = legal.ok_or_else(|| self.lacks("legal"))?;
        Ok(self.position.legal.get_or_init(|| legal))
    }

    /// The state, as the program says it now.
    pub(crate) fn state_again(&self) -> Result<Value, BrokenRules> {
        self.tree(&self.state_now()?)
    }

    fn state_now(&self) -> Result<Arc<str>, BrokenRules> {
        let state = self.extra(Extra::State)?.state.into_inner();
        state.ok_or_else(|| self.lacks("state"))
    }

    /// A state that the program gave.
    fn tree(&self, state: &str) -> Result<Value, BrokenRules> {
        serde_json::from_str(state).map_err(|_| self.lacks("state"))
    }

    /// The state, as the program said it when it was first asked.
    fn state_once(&self) -> Result<Arc<str>, BrokenRules> {
        self.ask_for(Extra::State);
        if let Some(state) = self.position.state.get() {
            return Ok(state.clone());
        }
        let state = self.state_now()?;
        Ok(self.position.state.get_or_init(|| state).clone())
    }

    /// True if the program plays a text here, listed or not.
    pub(crate) fn accepts(&self, text: &str) -> Result<bool, BrokenRules> {
        let step = json_text(text);
        let body = play_request(std::slice::from_ref(&step), []);
        self.held(None, |connection| {
            let played = connection.ask(&body, |_| Ok(()))?;
            if played.is_ok() {
                // Where that leads is not known.
                connection.set_up = None;
            }
            Ok(played.is_ok())
        })
    }

    pub(crate) fn program(&self) -> &crate::program::RulesProgram {
        &self.rules.program
    }

    /// The error of an answer that lacks a part.
    fn lacks(&self, what: &str) -> BrokenRules {
        BrokenRules::new(format!(
            "the rules program `{}` gives no `{what}`, which was wanted",
            self.rules.program.name()
        ))
    }

    /// Extras that were wanted of this position or the last ones, one a seat, and that the program has:
    /// not every seat may want the same. Moves are compared with what is legal, so that is always
    /// wanted, unless the program promises to refuse all else by itself.
    fn wanted(&self) -> u8 {
        let can = self.rules.program.can;
        let mut has = Extra::State as u8 | Extra::Legal as u8;
        for (extra, can) in [
            (Extra::Key, can.key),
            (Extra::View, can.view),
            (Extra::Scores, can.scores),
        ] {
            has |= if can { extra as u8 } else { 0 };
        }
        let others = self
            .before
            .iter()
            .rev()
            .take(self.seats().saturating_sub(1));
        let asked = others.fold(
            self.position.asked.load(Ordering::Relaxed),
            |asked, earlier| asked | earlier.asked.load(Ordering::Relaxed),
        );
        let always = if can.strict { 0 } else { Extra::Legal as u8 };
        asked & has | always
    }

    /// The choices of a step as `play` takes them, as JSON.
    fn step(&self, choices: &[&str]) -> Arc<str> {
        if let [mv] = choices {
            return json_text(mv);
        }
        let by_actor = self.to_move().actors().zip(choices);
        let by_actor = by_actor.map(|(actor, mv)| (actor.key(), json!(mv)));
        Arc::from(Value::Object(by_actor.collect::<Map<_, _>>()).to_string())
    }

    /// A random move as the game draws it where it is built in, if the program is this very one: a
    /// prefix must not change what a seed brings.
    fn drawn_as_built_in(&self, seat: Seat, rng: &mut Rng) -> Option<String> {
        let rules = self.rules.built_in()?;
        let state = self.state().ok()?;
        rules.load(&state).ok()?.random_move(seat, rng).ok()?
    }

    /// Makes a step; the inner error is the contradiction that it is if the program refuses what it has
    /// listed.
    fn make(
        &self,
        step: &Arc<str>,
        count: usize,
    ) -> Result<Result<Arc<Position>, BrokenRules>, BrokenRules> {
        let is_hidden = self.rules.is_hidden();
        let wanted = self.wanted();
        let want = Extra::words(wanted).chain(is_hidden.then_some("sees"));
        let body = play_request(std::slice::from_ref(step), want);
        let (seats, ply) = (self.seats(), self.ply());
        self.held(None, |connection| {
            let played = connection.ask(&body, |text| {
                let mut position = Position::read(text, Some(seats))?;
                if wanted & Extra::Legal as u8 != 0 {
                    position = position.listed()?;
                }
                let expected = ply.saturating_add(count as u32);
                if position.ply != expected {
                    let said = position.ply;
                    return Err(format!(
                        "says that {said} plies were made, but {expected} were"
                    ));
                }
                if is_hidden && position.sees.last().is_none_or(|sees| sees.len() != seats) {
                    return Err("gives no `sees` for each seat, which were wanted".to_owned());
                }
                Ok(Arc::new(position))
            })?;
            match played {
                Ok(position) => {
                    if let Some(held) = &mut connection.set_up {
                        held.steps.push(step.clone());
                    }
                    Ok(Ok(position))
                }
                Err(error) => {
                    // Not every program keeps its position when it refuses a step.
                    connection.set_up = None;
                    let what = format!("lists {step} among the legal moves, and refuses it");
                    Ok(Err(connection.refused(&what, &error)))
                }
            }
        })
    }

    /// Compares the choices of a step with what is legal.
    fn check_step(&mut self, choices: &[&str]) -> Result<(), MoveError> {
        for (actor, text) in self.to_move().actors().zip(choices) {
            match actor {
                Actor::Seat(seat) => self.check_move(seat, text)?,
                Actor::Chance => {
                    let chances = &self.legal_once()?.chances;
                    if !chances.iter().any(|(outcome, _)| outcome == text) {
                        return Err(MoveError::NoOutcome {
                            text: shown(text),
                            outcomes: chances.len(),
                        });
                    }
                }
            }
        }
        Ok(())
    }
}

impl Session for ProgramSession {
    fn seats(&self) -> usize {
        self.rules.seats()
    }

    fn ply(&self) -> u32 {
        self.position.ply
    }

    fn to_move(&self) -> ToMove {
        self.position.to_move
    }

    fn each_legal(&mut self, seat: Seat, take: &mut dyn FnMut(&str)) -> Result<(), BrokenRules> {
        if self.to_move().includes(seat)
            && let Some(moves) = self.wanted_legal()?.of(seat)
        {
            moves.iter().for_each(take);
        }
        Ok(())
    }

    fn chances(&self) -> Vec<(String, f64)> {
        let legal = self.position.legal.get();
        legal.map_or_else(Vec::new, |legal| legal.chances.clone())
    }

    fn random_move(&mut self, seat: Seat, rng: &mut Rng) -> Result<Option<String>, BrokenRules> {
        if !self.to_move().includes(seat) {
            return Ok(None);
        }
        if let Some(mv) = self.drawn_as_built_in(seat, rng) {
            return Ok(Some(mv));
        }
        let moves = self.wanted_legal()?.of(seat);
        Ok(moves.map(|moves| moves[rng.index(moves.len())].to_owned()))
    }

    fn check_move(&mut self, seat: Seat, text: &str) -> Result<(), MoveError> {
        let moves = self.legal_once()?.of(seat);
        if moves.is_some_and(|moves| moves.iter().any(|mv| mv == text)) {
            return Ok(());
        }
        Err(MoveError::Illegal {
            text: shown(text),
            seat,
            role: self.rules.roles()[seat].clone(),
            legal: moves.map_or(0, |moves| moves.len() as u64),
        })
    }

    fn play_step(&mut self, choices: &[&str]) -> Result<(), MoveError> {
        let to_move = self.to_move();
        if choices.len() != to_move.count() || to_move.is_over() {
            return Err(wrong_count(to_move, choices));
        }
        // What a seat plays alone is left to a program that promises to judge it, unless the list is there.
        if self.position.legal.get().is_some() {
            self.check_step(choices)?;
        }
        let step = self.step(choices);
        let position = match self.make(&step, choices.len())? {
            Ok(position) => position,
            Err(contradiction) => {
                self.check_step(choices)?;
                return Err(contradiction.into());
            }
        };
        self.before
            .push(std::mem::replace(&mut self.position, position));
        self.steps.push(step);
        // Who acts not alone has to be known with what they can choose from.
        if self.to_move().alone().is_none() && !self.to_move().is_over() {
            self.wanted_legal()?;
        }
        Ok(())
    }

    fn played(&self) -> usize {
        self.before.len()
    }

    fn undo(&mut self, count: usize) -> Result<(), UndoError> {
        let left = UndoError::remaining(self.played(), count)?;
        if let Some(position) = self.before.drain(left..).next() {
            self.position = position;
            self.steps.truncate(self.steps.len() - count);
        }
        Ok(())
    }

    fn state(&self) -> Result<Value, BrokenRules> {
        self.tree(&self.state_once()?)
    }

    fn state_text(&self) -> Result<Option<Arc<str>>, BrokenRules> {
        self.state_once().map(Some)
    }

    fn observation(&self, seat: Seat) -> Result<Value, BrokenRules> {
        #[derive(Deserialize)]
        struct Observation {
            observation: Value,
        }

        if !self.rules.is_hidden() {
            return self.state();
        }
        let body = format!("\"op\":\"get\",\"as\":{seat},\"want\":[\"observation\"]");
        let observed = self.held(None, |connection| {
            connection.demand(&body, |text| {
                serde_json::from_str::<Observation>(text)
                    .map_err(|error| format!("gives no observation that can be read ({error})"))
            })
        })?;
        Ok(observed.observation)
    }

    fn sees(&self) -> &[Vec<Value>] {
        self.position.sees.last().map_or(&[], Vec::as_slice)
    }

    fn tally(&self) -> Result<Tally, BrokenRules> {
        self.ask_for(Extra::Scores);
        if let Some(tally) = self.position.tally.get() {
            return Ok(tally.clone());
        }
        let tally = if self.rules.program.can.scores {
            let tally = self.extra(Extra::Scores)?.tally.into_inner();
            tally.ok_or_else(|| self.lacks("scores"))?
        } else {
            Tally {
                scores: vec![0; self.seats()],
                outcome: vec![0.5; self.seats()],
            }
        };
        Ok(self.position.tally.get_or_init(|| tally).clone())
    }

    fn end(&self) -> Option<End> {
        self.position.end.clone()
    }

    fn reason(&self) -> Option<Cow<'_, str>> {
        let end = self.position.end.as_ref()?;
        Some(Cow::Borrowed(&end.reason))
    }

    fn identity(&self) -> Result<String, BrokenRules> {
        if !self.rules.program.can.key {
            return Ok(canonical(&self.state()?).to_string());
        }
        self.ask_for(Extra::Key);
        if let Some(key) = self.position.key.get() {
            return Ok(key.clone());
        }
        let key = self.extra(Extra::Key)?.key.into_inner();
        let key = key.ok_or_else(|| self.lacks("key"))?;
        Ok(self.position.key.get_or_init(|| key).clone())
    }

    fn view(&self) -> Result<Option<View>, BrokenRules> {
        if !self.rules.program.can.view {
            return Ok(None);
        }
        self.ask_for(Extra::View);
        if let Some(view) = self.position.view.get() {
            return Ok(view.clone());
        }
        let view = self.extra(Extra::View)?.view.into_inner().flatten();
        Ok(self.position.view.get_or_init(|| view).clone())
    }

    fn fork(&self) -> Box<dyn Session> {
        Box::new(ProgramSession {
            rules: self.rules.clone(),
            start: self.start.clone(),
            number: self.number,
            steps: self.steps.clone(),
            position: self.position.clone(),
            before: self.before.clone(),
        })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn each_child(
        &self,
        take: &mut dyn FnMut(&[&str], &mut dyn Session),
    ) -> Result<(), BrokenRules> {
        by_steps::each_child(self, take)
    }

    fn write_legal(&mut self, out: &mut String) -> Result<(), BrokenRules> {
        by_steps::write_legal(self, out)
    }

    /// With a limit, the legal moves are counted: the program is not asked for its own perft then.
    fn perft(&self, request: &PerftRequest) -> Result<Option<Perft>, BrokenRules> {
        let depth = request.depth;
        let has_own = self.rules.program.can.perft && depth > 1;
        if request.max_positions < u64::MAX || depth == 0 || !(request.divide || has_own) {
            return by_steps::perft(self, request);
        }
        if !request.divide
            && let Some(nodes) = self.own_perft(depth)?
        {
            return Ok(Some(Perft::of(nodes)));
        }
        // Wanted, or one request would be too much.
        let divided = self.divide(depth)?;
        Ok(Some(if request.divide {
            divided
        } else {
            Perft::of(divided.nodes)
        }))
    }

    /// The program's own ones, unless it has none or refuses them.
    fn playouts(
        &self,
        request: &PlayoutRequest,
        budget: PlayoutBudget<'_>,
    ) -> Result<Option<PlayoutResults>, BrokenRules> {
        if let (false, &PlayoutBudget::Plies(most)) = (request.by_move, &budget)
            && let Some(means) = self.own_playouts(request)?
        {
            let plies = means.plies * f64::from(request.count);
            let results = PlayoutResults::of(means, request.count);
            return Ok((plies <= most as f64).then_some(results));
        }
        // None, or too much for one request: they are played move by move.
        by_steps::playouts(self, request, budget)
    }
}
