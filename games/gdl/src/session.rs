//! A game in progress.

use std::any::Any;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use games::kit::text::shown;
use games::playout::Playouts;
use games::session::{End, MoveError, PlayoutsByMove, Tally, UndoError, wrong_count};
use games::{Actor, BrokenRules, Rng, Seat, Session, ToMove, View, rank};
use serde_json::{Map, Value, json};

use crate::engine::{Engine, Percepts};
use crate::play::{Play, Scratch, combinations};
use crate::read::canonical;
use crate::session::rules::SharedRules;
use crate::view;

/// What a seat knows of a step: its own move, then what it saw.
pub(crate) type Perceived = Arc<[String]>;

/// What everybody knows of the steps so far, by seats; empty if nothing is hidden.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Histories(pub(crate) Vec<Vec<Perceived>>);

impl Histories {
    pub(crate) fn to_json(&self, seat: Seat) -> Value {
        let steps = self.0.get(seat).into_iter().flatten();
        steps.map(|step| Value::from(step.to_vec())).collect()
    }
}

/// A position with what was found out about it.
pub(crate) struct At<E: Engine> {
    pub(crate) position: E::Position,
    pub(crate) ply: u32,
    pub(crate) counts: Vec<u32>,
    pub(crate) histories: Histories,
}

impl<E: Engine> Clone for At<E> {
    fn clone(&self) -> Self {
        At {
            position: self.position.clone(),
            ply: self.ply,
            counts: self.counts.clone(),
            histories: self.histories.clone(),
        }
    }
}

/// What is needed to take a step back.
#[derive(Clone)]
struct Before<S> {
    snapshot: S,
    ply: u32,
    counts: Vec<u32>,
    /// How many steps each seat knew of.
    known: Vec<usize>,
    sees: Vec<Vec<Value>>,
}

/// A game in progress.
pub(crate) struct GdlSession<E: Engine> {
    rules: Arc<SharedRules<E>>,
    at: At<E>,
    end: Option<End>,
    sees: Vec<Vec<Value>>,
    before: Vec<Before<E::Snapshot>>,
}

impl<E: Engine> GdlSession<E> {
    /// A session that begins with a position in which somebody has a choice, or that is over.
    pub(crate) fn new(rules: &Arc<SharedRules<E>>, at: At<E>) -> Result<Self, BrokenRules> {
        let mut session = GdlSession {
            rules: rules.clone(),
            at,
            end: None,
            sees: Vec::new(),
            before: Vec::new(),
        };
        session.end = session.find_end()?;
        if rules.play.hidden {
            session.sees = vec![Vec::new(); rules.play.seats.len()];
        }
        Ok(session)
    }

    fn play_of(&self) -> &Play<E> {
        &self.rules.play
    }

    fn find_end(&self) -> Result<Option<End>, BrokenRules> {
        if !self.play_of().engine.is_over(&self.at.position) {
            return Ok(None);
        }
        Ok(Some(End {
            tally: self.rules.tally(&self.at.position, true)?,
            reason: "terminal".to_owned(),
        }))
    }

    fn texts(&self, role: usize) -> Vec<String> {
        let engine = &self.play_of().engine;
        let mut moves = Vec::new();
        engine.legal(&self.at.position, role, &mut moves);
        let text = |mv: &u32| engine.text(&self.at.position, role, *mv).to_owned();
        moves.iter().map(text).collect()
    }

    /// The role that acts as this.
    fn role(&self, actor: Actor) -> Option<usize> {
        match actor {
            Actor::Seat(seat) => self.play_of().seats.get(seat).copied(),
            Actor::Chance => self.play_of().random,
        }
    }

    /// The move of a role with this text, if it is legal.
    fn find(&self, role: usize, text: &str) -> Option<u32> {
        let engine = &self.play_of().engine;
        let mv = engine.find(&self.at.position, role, &canonical(text)?)?;
        let mut legal = Vec::new();
        engine.legal(&self.at.position, role, &mut legal);
        legal.contains(&mv).then_some(mv)
    }

    fn refusal(&self, actor: Actor, text: &str) -> MoveError {
        let text = shown(text);
        match actor {
            Actor::Chance => MoveError::NoOutcome {
                text,
                outcomes: self.chances().len(),
            },
            Actor::Seat(_) if self.end.is_some() => MoveError::Over { text },
            Actor::Seat(seat) => {
                let role = self.play_of().seats.get(seat).copied().unwrap_or_default();
                let count = self.at.counts.get(role).copied().unwrap_or_default();
                let acts = self.to_move().includes(seat);
                MoveError::Illegal {
                    text,
                    seat,
                    role: self.play_of().engine.roles()[role].clone(),
                    legal: if acts { u64::from(count) } else { 0 },
                }
            }
        }
    }

    /// The joint move that these choices make, with the forced moves of all others.
    fn joint(&self, choices: &[&str]) -> Result<Vec<u32>, MoveError> {
        let to_move = self.to_move();
        if to_move.is_over() || to_move.count() != choices.len() {
            return Err(wrong_count(to_move, choices));
        }
        let engine = &self.play_of().engine;
        let forced = |role| match self.at.counts[role] {
            1 => engine.nth_legal(&self.at.position, role, 0),
            _ => 0,
        };
        let mut joint: Vec<u32> = (0..self.play_of().roles()).map(forced).collect();
        for (actor, text) in to_move.actors().zip(choices) {
            let role = self.role(actor).expect("who acts has a role");
            let found = self.find(role, text);
            joint[role] = found.ok_or_else(|| self.refusal(actor, text))?;
        }
        Ok(joint)
    }

    /// Makes a step of a position, and those that follow without a choice.
    fn advance(
        &self,
        at: &mut At<E>,
        joint: &[u32],
        sees: &mut [Vec<Value>],
    ) -> Result<(), BrokenRules> {
        let play = self.play_of();
        let hidden = play.hidden;
        at.ply += at.counts.iter().filter(|count| **count > 1).count() as u32;
        let mut steps: Vec<(Vec<u32>, Percepts)> = Vec::new();
        let mut on_step = |joint: &[u32], percepts: Percepts| {
            if hidden {
                steps.push((joint.to_vec(), percepts));
            }
        };
        // The texts of moves belong to the position before them.
        let mut before = hidden.then(|| at.position.clone());
        play.step(&mut at.position, joint, &mut on_step)?;
        play.settle(&mut at.position, &mut at.counts, &mut on_step)?;
        for (joint, percepts) in steps {
            if let Some(before) = &mut before {
                note(play, before, &joint, &percepts, &mut at.histories);
                let made = play.engine.step(before, &joint, None);
                made.map_err(|failure| play.failed(&failure))?;
            }
            for (seat, role) in play.seats.iter().enumerate() {
                sees[seat].extend(percepts[*role].iter().map(|percept| json!(percept)));
            }
        }
        Ok(())
    }

    fn before(&self) -> Before<E::Snapshot> {
        Before {
            snapshot: self.play_of().engine.snapshot(&self.at.position),
            ply: self.at.ply,
            counts: self.at.counts.clone(),
            known: self.at.histories.0.iter().map(Vec::len).collect(),
            sees: self.sees.clone(),
        }
    }

    /// A session of the position after a step, in which that cannot be taken back.
    fn child(&self, joint: &[u32]) -> Result<Self, BrokenRules> {
        let mut at = self.at.clone();
        let mut sees = vec![Vec::new(); self.play_of().seats.len()];
        self.advance(&mut at, joint, &mut sees)?;
        let mut child = Self::new(&self.rules, at)?;
        if self.play_of().hidden {
            child.sees = sees;
        }
        Ok(child)
    }

    /// The legal moves of all roles.
    fn lists(&self) -> Vec<Vec<u32>> {
        let engine = &self.play_of().engine;
        let lists = (0..self.play_of().roles()).map(|role| {
            let mut moves = Vec::new();
            engine.legal(&self.at.position, role, &mut moves);
            moves
        });
        lists.collect()
    }

    fn games(&self, seed: u64, max_plies: Option<u32>) -> RandomGames<'_, E> {
        RandomGames {
            session: self,
            rng: Rng::new(seed),
            most: max_plies.unwrap_or(u32::MAX),
            scratch: Scratch::default(),
            position: self.at.position.clone(),
        }
    }

    /// The sessions after each move of the one who acts alone.
    fn children(&self) -> Result<Vec<(String, Self)>, BrokenRules> {
        let Some(actor) = self
            .to_move()
            .actors()
            .next()
            .filter(|_| self.to_move().count() == 1)
        else {
            return Ok(Vec::new());
        };
        let role = self.role(actor).expect("who acts has a role");
        let mut children = Vec::new();
        let mut failure = None;
        combinations(&self.lists(), |joint| {
            let text = self
                .play_of()
                .engine
                .text(&self.at.position, role, joint[role]);
            match self.child(joint) {
                Ok(child) => children.push((text.to_owned(), child)),
                Err(broken) => failure = Some(broken),
            }
            failure.is_none()
        });
        failure.map_or(Ok(children), Err)
    }
}

/// Notes what each seat knows of a step.
pub(crate) fn note<E: Engine>(
    play: &Play<E>,
    before: &E::Position,
    joint: &[u32],
    percepts: &Percepts,
    histories: &mut Histories,
) {
    histories.0.resize(play.seats.len(), Vec::new());
    for (seat, role) in play.seats.iter().enumerate() {
        let own = play.engine.text(before, *role, joint[*role]).to_owned();
        let step = std::iter::once(own).chain(percepts[*role].iter().cloned());
        histories.0[seat].push(step.collect());
    }
}

/// Random games from one position.
struct RandomGames<'s, E: Engine> {
    session: &'s GdlSession<E>,
    rng: Rng,
    most: u32,
    scratch: Scratch,
    position: E::Position,
}

/// Sums over random games.
#[derive(Clone)]
struct Total {
    outcome: Vec<f64>,
    plies: u64,
    games: u32,
}

impl Total {
    fn new(seats: usize) -> Self {
        Total {
            outcome: vec![0.0; seats],
            plies: 0,
            games: 0,
        }
    }

    fn means(&self) -> Playouts {
        let games = f64::from(self.games.max(1));
        Playouts {
            outcome: self.outcome.iter().map(|sum| sum / games).collect(),
            plies: self.plies as f64 / games,
        }
    }
}

impl<E: Engine> RandomGames<'_, E> {
    /// Plays a game. Gives what it took: its plies, but at least one.
    fn play(&mut self, total: &mut Total) -> Result<u64, BrokenRules> {
        let rules = &self.session.rules;
        let at = &self.session.at;
        self.position.clone_from(&at.position);
        let extent = (at.ply, self.most);
        let (rng, scratch) = (&mut self.rng, &mut self.scratch);
        let plies = rules
            .play
            .playout(&mut self.position, extent, rng, scratch)?;
        let over = rules.play.engine.is_over(&self.position);
        let scores = rules.play.scores(&self.position, over)?;
        total.plies += u64::from(plies);
        total.games += 1;
        outcome_of(&scores, |seat, value| total.outcome[seat] += value);
        Ok(u64::from(plies.max(1)))
    }
}

/// What goals are worth: their rank, or the goal itself of one who plays alone.
pub(crate) fn outcome_of(scores: &[i64], mut take: impl FnMut(usize, f64)) {
    match scores {
        [only] => take(0, *only as f64 / 100.0),
        [one, other] => {
            let share = match one.cmp(other) {
                std::cmp::Ordering::Less => 0.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => 1.0,
            };
            take(0, share);
            take(1, 1.0 - share);
        }
        _ => {
            let outcome: Vec<f64> = rank(scores);
            for (seat, value) in outcome.into_iter().enumerate() {
                take(seat, value);
            }
        }
    }
}

impl<E: Engine> Session for GdlSession<E> {
    fn seats(&self) -> usize {
        self.play_of().seats.len()
    }

    fn ply(&self) -> u32 {
        self.at.ply
    }

    fn to_move(&self) -> ToMove {
        let play = self.play_of();
        let chooses = |role: usize| self.at.counts[role] > 1;
        let seats = play.seats.iter().enumerate();
        let seats = seats
            .filter(|(_, role)| chooses(**role))
            .map(|(seat, _)| seat);
        ToMove::together(seats, play.random.is_some_and(chooses))
    }

    fn each_legal(&mut self, seat: Seat, take: &mut dyn FnMut(&str)) {
        if !self.to_move().includes(seat) {
            return;
        }
        let role = self.play_of().seats[seat];
        let engine = &self.play_of().engine;
        let mut moves = Vec::new();
        engine.legal(&self.at.position, role, &mut moves);
        for mv in moves {
            take(engine.text(&self.at.position, role, mv));
        }
    }

    fn chances(&self) -> Vec<(String, f64)> {
        let Some(role) = self
            .play_of()
            .random
            .filter(|_| self.to_move().has_chance())
        else {
            return Vec::new();
        };
        let texts = self.texts(role);
        let each = 1.0 / texts.len() as f64;
        texts.into_iter().map(|text| (text, each)).collect()
    }

    fn random_move(&mut self, seat: Seat, rng: &mut Rng) -> Option<String> {
        if !self.to_move().includes(seat) {
            return None;
        }
        let mut moves = self.texts(self.play_of().seats[seat]);
        Some(moves.swap_remove(rng.index(moves.len())))
    }

    fn check_move(&mut self, seat: Seat, text: &str) -> Result<(), MoveError> {
        let refusal = || self.refusal(Actor::Seat(seat), text);
        if !self.to_move().includes(seat) {
            return Err(refusal());
        }
        let role = self.play_of().seats[seat];
        self.find(role, text).map(|_| ()).ok_or_else(refusal)
    }

    fn play_step(&mut self, choices: &[&str]) -> Result<(), MoveError> {
        let joint = self.joint(choices)?;
        let before = self.before();
        let mut at = self.at.clone();
        let mut sees = vec![Vec::new(); self.seats()];
        self.advance(&mut at, &joint, &mut sees)?;
        let was = std::mem::replace(&mut self.at, at);
        match self.find_end() {
            Ok(end) => self.end = end,
            Err(broken) => {
                self.at = was;
                return Err(broken.into());
            }
        }
        if self.play_of().hidden {
            self.sees = sees;
        }
        self.before.push(before);
        Ok(())
    }

    fn played(&self) -> usize {
        self.before.len()
    }

    fn undo(&mut self, count: usize) -> Result<(), UndoError> {
        let played = self.played();
        let keep = played
            .checked_sub(count)
            .ok_or(UndoError::TooMany { count, played })?;
        let Some(before) = self.before.get(keep).cloned() else {
            return Ok(());
        };
        let mut position = self.at.position.clone();
        let restored = self
            .play_of()
            .engine
            .restore(&mut position, &before.snapshot);
        restored.map_err(|failure| self.play_of().failed(&failure))?;
        self.before.truncate(keep);
        self.at.position = position;
        self.at.ply = before.ply;
        self.at.counts = before.counts;
        for (seat, known) in self.at.histories.0.iter_mut().enumerate() {
            known.truncate(before.known.get(seat).copied().unwrap_or(0));
        }
        self.sees = before.sees;
        self.end = None;
        Ok(())
    }

    fn state(&self) -> Result<Value, BrokenRules> {
        Ok(self.rules.state(&self.at))
    }

    fn observation(&self, seat: Seat) -> Result<Value, BrokenRules> {
        if !self.play_of().hidden {
            return self.state();
        }
        // Not the ply: it would tell whether another seat had a choice.
        Ok(json!({"steps": self.at.histories.to_json(seat)}))
    }

    fn sees(&self) -> &[Vec<Value>] {
        &self.sees
    }

    fn tally(&self) -> Result<Tally, BrokenRules> {
        self.rules.tally(&self.at.position, self.end.is_some())
    }

    fn end(&self) -> Option<End> {
        self.end.clone()
    }

    fn reason(&self) -> Option<Cow<'_, str>> {
        self.end.as_ref().map(|end| Cow::Borrowed(&*end.reason))
    }

    fn identity(&self) -> Result<String, BrokenRules> {
        let mut text = self.play_of().engine.facts(&self.at.position).join(" ");
        for seat in 0..self.at.histories.0.len() {
            let _ = write!(text, " {}", self.at.histories.to_json(seat));
        }
        Ok(text)
    }

    fn view(&self) -> Result<Option<View>, BrokenRules> {
        let facts = self.play_of().engine.facts(&self.at.position);
        Ok(view::of(&facts, &self.rules.grid, &self.rules.roles))
    }

    fn fork(&self) -> Box<dyn Session> {
        Box::new(GdlSession {
            rules: self.rules.clone(),
            at: self.at.clone(),
            end: self.end.clone(),
            sees: self.sees.clone(),
            before: self.before.clone(),
        })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn each_child(
        &self,
        take: &mut dyn FnMut(&[&str], &mut dyn Session),
    ) -> Result<(), BrokenRules> {
        let engine = &self.play_of().engine;
        let actors: Vec<usize> = self
            .to_move()
            .actors()
            .filter_map(|a| self.role(a))
            .collect();
        let mut failure = None;
        combinations(&self.lists(), |joint| {
            let text = |role: &usize| engine.text(&self.at.position, *role, joint[*role]);
            let texts: Vec<&str> = actors.iter().map(text).collect();
            match self.child(joint) {
                Ok(mut child) => take(&texts, &mut child),
                Err(broken) => failure = Some(broken),
            }
            failure.is_none()
        });
        failure.map_or(Ok(()), Err)
    }

    fn perft_within(&self, depth: u32, most: u64) -> Result<Option<u64>, BrokenRules> {
        let mut left = most.saturating_add(1);
        let mut position = self.at.position.clone();
        let nodes = perft(
            self.play_of(),
            (&mut position, &self.at.counts),
            depth,
            &mut left,
        )?;
        Ok((left > 0).then_some(nodes))
    }

    fn playouts_within(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
        mut most: u64,
    ) -> Result<Option<Playouts>, BrokenRules> {
        let mut games = self.games(seed, max_plies);
        let mut total = Total::new(self.seats());
        for _ in 0..count {
            let Some(rest) = most.checked_sub(games.play(&mut total)?) else {
                return Ok(None);
            };
            most = rest;
        }
        Ok(Some(total.means()))
    }

    fn playouts_while(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(Playouts, u32), BrokenRules> {
        let mut games = self.games(seed, max_plies);
        let mut total = Total::new(self.seats());
        loop {
            let plies = games.play(&mut total)?;
            if total.games >= count || !go_on(plies) {
                return Ok((total.means(), total.games));
            }
        }
    }

    fn playouts_by_move_within(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
        mut most: u64,
    ) -> Result<Option<Vec<(String, Playouts)>>, BrokenRules> {
        let mut by_move = Vec::new();
        let mut rng = Rng::new(seed);
        for (text, child) in self.children()? {
            let mut games = child.games(0, max_plies);
            std::mem::swap(&mut games.rng, &mut rng);
            let mut total = Total::new(self.seats());
            for _ in 0..count {
                let Some(rest) = most.checked_sub(games.play(&mut total)?) else {
                    return Ok(None);
                };
                most = rest;
            }
            std::mem::swap(&mut games.rng, &mut rng);
            by_move.push((text, total.means()));
        }
        Ok(Some(by_move))
    }

    fn playouts_by_move_while(
        &self,
        count: u32,
        seed: u64,
        max_plies: Option<u32>,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<PlayoutsByMove, BrokenRules> {
        let children = self.children()?;
        let mut rng = Rng::new(seed);
        let mut order: Vec<usize> = (0..children.len()).collect();
        rng.shuffle(&mut order);
        let mut games: Vec<(RandomGames<'_, E>, Total)> = children
            .iter()
            .map(|(_, child)| {
                (
                    child.games(rng.next_u64(), max_plies),
                    Total::new(self.seats()),
                )
            })
            .collect();
        let mut rounds = 0;
        'rounds: while rounds < count && !order.is_empty() {
            for &index in &order {
                let (games, total) = &mut games[index];
                let plies = games.play(total)?;
                if !go_on(plies) {
                    break 'rounds;
                }
            }
            rounds += 1;
        }
        let least = games.iter().map(|(_, total)| total.games).min();
        let means = |total: &Total| (total.games > 0).then(|| total.means());
        let moves = children.iter().zip(&games);
        Ok(PlayoutsByMove {
            moves: moves
                .map(|((text, _), (_, total))| (text.clone(), means(total)))
                .collect(),
            rounds: least.unwrap_or(0),
        })
    }
}

/// Counts the paths of `depth` steps. The position comes back as it was.
fn perft<E: Engine>(
    play: &Play<E>,
    (position, counts): (&mut E::Position, &[u32]),
    depth: u32,
    left: &mut u64,
) -> Result<u64, BrokenRules> {
    if depth == 0 {
        return Ok(1);
    }
    *left = left.saturating_sub(1);
    if depth == 1 {
        return Ok(counts.iter().map(|count| u64::from(*count)).product());
    }
    let lists = (0..counts.len()).map(|role| {
        let mut moves = Vec::new();
        if counts[role] > 0 {
            play.engine.legal(position, role, &mut moves);
        }
        moves
    });
    let lists: Vec<Vec<u32>> = lists.collect();
    let snapshot = play.engine.snapshot(position);
    let (mut nodes, mut failure) = (0, None);
    let mut after = Vec::new();
    combinations(&lists, |joint| {
        let mut count = || {
            play.step(position, joint, &mut |_, _| {})?;
            play.settle(position, &mut after, &mut |_, _| {})?;
            let below = perft(play, (position, &after), depth - 1, left)?;
            let restored = play.engine.restore(position, &snapshot);
            restored.map_err(|failure| play.failed(&failure))?;
            Ok(below)
        };
        match count() {
            Ok(below) => nodes += below,
            Err(broken) => failure = Some(broken),
        }
        failure.is_none() && *left > 0
    });
    failure.map_or(Ok(nodes), Err)
}

/// The state of a position, as JSON.
pub(crate) fn state<E: Engine>(play: &Play<E>, at: &At<E>) -> Value {
    let mut state = Map::new();
    state.insert("ply".to_owned(), json!(at.ply));
    state.insert("facts".to_owned(), json!(play.engine.facts(&at.position)));
    if play.hidden {
        let seats = 0..play.seats.len();
        let seen: Value = seats.map(|seat| at.histories.to_json(seat)).collect();
        state.insert("seen".to_owned(), seen);
    }
    Value::Object(state)
}

// In this file, since rules and sessions need each other.
pub(crate) mod rules {
    //! A sheet as the rules of a game.

    use std::any::Any;
    use std::sync::Arc;

    use games::session::{LoadError, Origin, Tally};
    use games::{BrokenRules, Info, Options, Rules, Seat, Session, StateError};
    use serde_json::Value;

    use crate::engine::{Engine, Failure};
    use crate::play::Play;
    use crate::read::canonical;
    use crate::session::knowledge;
    use crate::session::{At, GdlSession, Histories, Perceived, note, outcome_of, state};
    use crate::view::Grid;

    /// What all sessions of a sheet share.
    pub(crate) struct SharedRules<E: Engine> {
        pub(crate) play: Play<E>,
        pub(crate) info: Info,
        /// The id that the sheet gives itself: its file name.
        pub(crate) own_id: String,
        pub(crate) options: Options,
        /// The names of the seats.
        pub(crate) roles: Vec<String>,
        pub(crate) origin: Origin,
        /// The columns and rows of its board.
        pub(crate) grid: Grid,
    }

    impl<E: Engine> SharedRules<E> {
        /// The goals of a position and what they are worth.
        pub(crate) fn tally(
            &self,
            position: &E::Position,
            over: bool,
        ) -> Result<Tally, BrokenRules> {
            let scores = self.play.scores(position, over)?;
            let mut outcome = vec![0.0; scores.len()];
            outcome_of(&scores, |seat, value| outcome[seat] = value);
            Ok(Tally { scores, outcome })
        }

        pub(crate) fn state(&self, at: &At<E>) -> Value {
            state(&self.play, at)
        }

        /// The start, in which somebody has a choice or which is over.
        pub(crate) fn first(&self) -> Result<At<E>, BrokenRules> {
            let failed = |failure: Failure| self.play.failed(&failure);
            let mut at = At {
                position: self.play.engine.start().map_err(failed)?,
                ply: 0,
                counts: Vec::new(),
                histories: Histories::default(),
            };
            self.settle(&mut at)?;
            Ok(at)
        }

        /// Makes the steps in which nobody has a choice.
        fn settle(&self, at: &mut At<E>) -> Result<(), BrokenRules> {
            if !self.play.hidden {
                return self
                    .play
                    .settle(&mut at.position, &mut at.counts, &mut |_, _| {});
            }
            let mut before = at.position.clone();
            let mut steps = Vec::new();
            let mut on_step = |joint: &[u32], percepts| steps.push((joint.to_vec(), percepts));
            self.play
                .settle(&mut at.position, &mut at.counts, &mut on_step)?;
            at.histories.0.resize(self.play.seats.len(), Vec::new());
            for (joint, percepts) in steps {
                note(&self.play, &before, &joint, &percepts, &mut at.histories);
                let made = self.play.engine.step(&mut before, &joint, None);
                made.map_err(|failure| self.play.failed(&failure))?;
            }
            Ok(())
        }

        /// A position that a state describes.
        fn loaded(&self, state: &Value) -> Result<At<E>, LoadError> {
            let Some(fields) = state.as_object() else {
                return Err(StateError::new("state", "it is not an object").into());
            };
            let known = ["ply", "facts", "seen"];
            let known = &known[..if self.play.hidden { 3 } else { 2 }];
            if let Some(field) = fields.keys().find(|field| !known.contains(&field.as_str())) {
                return Err(StateError::new(field, "there is no such field").into());
            }
            let ply = fields.get("ply").and_then(Value::as_u64);
            let ply = ply.and_then(|ply| u32::try_from(ply).ok());
            let ply =
                ply.ok_or_else(|| StateError::new("ply", "it is not a whole number from 0"))?;
            let facts = texts(fields.get("facts"), "facts")?;
            let position = self
                .play
                .engine
                .load(&facts)
                .map_err(|failure| match failure {
                    Failure::NoFact(_) => {
                        LoadError::State(StateError::new("facts", failure.to_string()))
                    }
                    other => LoadError::Broken(self.play.failed(&other)),
                })?;
            let mut at = At {
                position,
                ply,
                counts: Vec::new(),
                histories: self.seen(fields.get("seen"))?,
            };
            self.settle(&mut at)?;
            Ok(at)
        }

        fn seen(&self, given: Option<&Value>) -> Result<Histories, StateError> {
            let mut histories = Histories::default();
            if !self.play.hidden {
                return Ok(histories);
            }
            histories.0.resize(self.play.seats.len(), Vec::new());
            let wrong = || {
                StateError::new(
                    "seen",
                    "it is not, for each seat, a list of what it saw at each step",
                )
            };
            let Some(given) = given else {
                return Ok(histories);
            };
            let seats = given
                .as_array()
                .filter(|seats| seats.len() == histories.0.len());
            for (steps, history) in seats.ok_or_else(wrong)?.iter().zip(&mut histories.0) {
                let steps = steps.as_array().ok_or_else(wrong)?;
                *history = steps
                    .iter()
                    .map(perceived)
                    .collect::<Option<_>>()
                    .ok_or_else(wrong)?;
            }
            Ok(histories)
        }
    }

    /// What a seat saw at a step, as JSON has it.
    pub(crate) fn perceived(step: &Value) -> Option<Perceived> {
        let texts = step
            .as_array()?
            .iter()
            .map(|text| text.as_str().map(str::to_owned));
        texts.collect()
    }

    /// Texts of terms in canonical form and small letters.
    fn texts(value: Option<&Value>, field: &str) -> Result<Vec<String>, StateError> {
        let wrong = |what: &str| StateError::new(field, what);
        let list = value.and_then(Value::as_array);
        let list =
            list.ok_or_else(|| wrong("it is not a list of facts, as in `[\"(cell 1 1 b)\"]`"))?;
        let texts = list.iter().map(|text| text.as_str().and_then(canonical));
        let texts: Option<Vec<String>> = texts.collect();
        texts.ok_or_else(|| wrong("one of them is not a fact, as in `(cell 1 1 b)`"))
    }

    /// Rules are shared by their sessions.
    pub(crate) struct GdlRules<E: Engine>(pub(crate) Arc<SharedRules<E>>);

    impl<E: Engine> Rules for GdlRules<E> {
        fn info(&self) -> &Info {
            &self.0.info
        }

        fn as_any(&self) -> &dyn Any {
            self
        }

        fn own_id(&self) -> &str {
            &self.0.own_id
        }

        fn options(&self) -> &Options {
            &self.0.options
        }

        fn roles(&self) -> &[String] {
            &self.0.roles
        }

        fn origin(&self) -> Option<&Origin> {
            Some(&self.0.origin)
        }

        fn start(&self, _seed: u64) -> Result<Box<dyn Session>, BrokenRules> {
            Ok(Box::new(GdlSession::new(&self.0, self.0.first()?)?))
        }

        fn load(&self, state: &Value) -> Result<Box<dyn Session>, LoadError> {
            Ok(Box::new(GdlSession::new(&self.0, self.0.loaded(state)?)?))
        }

        fn sample(
            &self,
            observation: &Value,
            seat: Seat,
            seed: u64,
            count: u32,
        ) -> Result<Vec<Value>, LoadError> {
            if !self.0.play.hidden {
                return Ok(vec![observation.clone(); count.min(1) as usize]);
            }
            knowledge::sample(&self.0, observation, seat, (seed, count))
        }
    }
}

// In this file for the same reason.
mod knowledge {
    //! Hidden information: positions that a seat cannot tell from the real one, by filtering.
    //!
    //! From the start on, every possible joint step is made, and only those positions are kept in which the
    //! seat would have seen what it saw. Where they become too many, some are drawn by their probabilities;
    //! other seats are taken to move at random.

    use games::session::LoadError;
    use games::{Rng, Seat, StateError};
    use serde_json::Value;

    use crate::engine::Engine;
    use crate::play::combinations;
    use crate::session::rules::{SharedRules, perceived};
    use crate::session::{At, Histories, Perceived, note};

    /// No more positions are followed at a time.
    const MOST: usize = 1_000;
    /// No more steps are made from one position before others are drawn.
    const MOST_STEPS: usize = 400;

    /// A position that may be the real one.
    struct World<E: Engine> {
        at: At<E>,
        weight: f64,
    }

    /// Draws states that a seat with this observation holds possible.
    pub(crate) fn sample<E: Engine>(
        rules: &SharedRules<E>,
        observation: &Value,
        seat: Seat,
        (seed, count): (u64, u32),
    ) -> Result<Vec<Value>, LoadError> {
        let wrong = |what: &str| LoadError::State(StateError::new("observation", what));
        let steps = observation["steps"]
            .as_array()
            .ok_or_else(|| wrong("it has no `steps`"))?;
        let steps: Option<Vec<Perceived>> = steps.iter().map(perceived).collect();
        let steps = steps.ok_or_else(|| wrong("a step is not a list of texts"))?;
        if seat >= rules.play.seats.len() {
            return Err(wrong("there is no such seat"));
        }
        let mut rng = Rng::new(seed);
        let failed = |failure: crate::engine::Failure| rules.play.failed(&failure);
        let start = At {
            position: rules.play.engine.start().map_err(failed)?,
            ply: 0,
            counts: Vec::new(),
            histories: Histories::default(),
        };
        let mut worlds = vec![World::<E> {
            at: start,
            weight: 1.0,
        }];
        for step in &steps {
            let mut next = Vec::new();
            for world in &worlds {
                follow(rules, world, (seat, step), &mut rng, &mut next)?;
            }
            worlds = thinned(next, MOST, &mut rng);
        }
        // The real position is one in which somebody has a choice, or the last one.
        worlds.retain(|world| {
            let mut counts = Vec::new();
            let counted = rules.play.count(&world.at.position, &mut counts);
            counted.is_ok() && counts.iter().any(|count| *count != 1)
        });
        if worlds.is_empty() {
            return Err(wrong("nobody can know this: no way to play leads there"));
        }
        let drawn = (0..count).filter_map(|_| draw(&worlds, &mut rng));
        Ok(drawn.map(|world| rules.state(&world.at)).collect())
    }

    /// Adds the positions that may come after one, given what the seat did and saw.
    fn follow<E: Engine>(
        rules: &SharedRules<E>,
        world: &World<E>,
        (seat, step): (Seat, &Perceived),
        rng: &mut Rng,
        next: &mut Vec<World<E>>,
    ) -> Result<(), LoadError> {
        let play = &rules.play;
        let position = &world.at.position;
        if play.engine.is_over(position) {
            return Ok(());
        }
        let mut lists = Vec::new();
        for role in 0..play.roles() {
            let mut moves = Vec::new();
            play.engine.legal(position, role, &mut moves);
            lists.push(moves);
        }
        let own = play.seats[seat];
        let choices = lists.iter().filter(|list| list.len() > 1).count() as u32;
        lists[own]
            .retain(|mv| Some(play.engine.text(position, own, *mv)) == step.first().map(|t| &**t));
        let all = lists
            .iter()
            .fold(1usize, |all, list| all.saturating_mul(list.len()));
        let weight = world.weight / (all.max(1) as f64);
        let mut failure = None;
        let mut make = |joint: &[u32]| {
            let mut after = At {
                position: position.clone(),
                ply: world.at.ply + choices,
                counts: Vec::new(),
                histories: world.at.histories.clone(),
            };
            let mut on_step = |joint: &[u32], percepts: crate::engine::Percepts| {
                note(play, position, joint, &percepts, &mut after.histories);
            };
            match play.step(&mut after.position, joint, &mut on_step) {
                Err(broken) => failure = Some(broken),
                Ok(()) => {
                    if after.histories.0[seat].last() == Some(step) {
                        next.push(World { at: after, weight });
                    }
                }
            }
            failure.is_none()
        };
        if all <= MOST_STEPS {
            combinations(&lists, &mut make);
        } else {
            for _ in 0..MOST_STEPS {
                let joint: Vec<u32> = lists
                    .iter()
                    .map(|list| list[rng.index(list.len())])
                    .collect();
                if !make(&joint) {
                    break;
                }
            }
        }
        failure.map_or(Ok(()), |broken| Err(broken.into()))
    }

    /// At most `most` of these, drawn by their weights.
    fn thinned<E: Engine>(worlds: Vec<World<E>>, most: usize, rng: &mut Rng) -> Vec<World<E>> {
        if worlds.len() <= most {
            return worlds;
        }
        let all: f64 = worlds.iter().map(|world| world.weight).sum();
        let step = all / most as f64;
        let mut at = rng.unit() * step;
        let mut kept = Vec::with_capacity(most);
        for mut world in worlds {
            let times = ((world.weight - at) / step).ceil().max(0.0);
            at += times * step - world.weight;
            if times > 0.0 {
                world.weight = times * step;
                kept.push(world);
            }
        }
        kept
    }

    fn draw<'w, E: Engine>(worlds: &'w [World<E>], rng: &mut Rng) -> Option<&'w World<E>> {
        let all: f64 = worlds.iter().map(|world| world.weight).sum();
        let mut left = rng.unit() * all;
        let mut drawn = worlds.last();
        for world in worlds {
            left -= world.weight;
            if left < 0.0 {
                drawn = Some(world);
                break;
            }
        }
        drawn
    }
}
