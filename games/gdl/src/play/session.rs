//! A game in progress.

use std::any::Any;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use games::kit::text::shown;
use games::perft::{Perft, PerftRequest, PositionsLeft};
use games::playout::{self, Children, PlayoutBudget, PlayoutRequest, PlayoutResults};
use games::session::{End, MoveError, Tally, UndoError, by_steps, wrong_count};
use games::{Actor, BrokenRules, Rng, Seat, Session, ToMove, View};
use serde_json::{Value, json};

use crate::engine::{Engine, Series};
use crate::play::perft::perft;
use crate::play::random_games::SheetGames;
use crate::play::shared::{At, SharedRules, outcome_of};
use crate::play::{Play, combinations, view};
use crate::read::canonical;

/// Undo information.
#[derive(Clone)]
struct Before<S> {
    snapshot: S,
    ply: u32,
    counts: Vec<u32>,
    /// The number of steps that each seat knew of.
    known: Vec<usize>,
    sees: Vec<Vec<Value>>,
}

pub(crate) struct GdlSession<E: Engine> {
    rules: Arc<SharedRules<E>>,
    at: At<E>,
    end: Option<End>,
    sees: Vec<Vec<Value>>,
    before: Vec<Before<E::Snapshot>>,
}

impl<E: Engine> GdlSession<E> {
    /// A session from a position in which somebody has a choice, or that is over.
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

    /// The facts that are true.
    pub(crate) fn facts(&self) -> Vec<String> {
        self.play_of().engine.facts(&self.at.position)
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
        let position = &self.at.position;
        // Most texts are canonical already.
        let found = engine.find(position, role, text);
        let found = found.or_else(|| engine.find(position, role, &canonical(text)?));
        found.filter(|mv| engine.is_legal(position, role, *mv))
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

    fn before(&self) -> Before<E::Snapshot> {
        Before {
            snapshot: self.play_of().engine.snapshot(&self.at.position),
            ply: self.at.ply,
            counts: self.at.counts.clone(),
            known: self.at.histories.0.iter().map(Vec::len).collect(),
            sees: self.sees.clone(),
        }
    }

    fn lists(&self) -> Vec<Vec<u32>> {
        let engine = &self.play_of().engine;
        let lists = (0..self.play_of().roles()).map(|role| {
            let mut moves = Vec::new();
            engine.legal(&self.at.position, role, &mut moves);
            moves
        });
        lists.collect()
    }

    /// Calls `take` with each joint move, and the position after it with what seats saw.
    fn each_step(
        &self,
        mut take: impl FnMut(&[u32], At<E>, Vec<Vec<Value>>) -> Result<(), BrokenRules>,
    ) -> Result<(), BrokenRules> {
        let mut result = Ok(());
        combinations(&self.lists(), |joint| {
            let mut at = self.at.clone();
            let made = self.rules.advance(&mut at, Some(joint));
            result = made.and_then(|sees| take(joint, at, sees));
            result.is_ok()
        });
        result
    }

    /// The positions after each move of the one who acts alone.
    fn children(&self) -> Result<Children<At<E>>, BrokenRules> {
        let mut children = Vec::new();
        let to_move = self.to_move();
        let alone = to_move.actors().next().filter(|_| to_move.count() == 1);
        let Some(role) = alone.and_then(|actor| self.role(actor)) else {
            return Ok(children);
        };
        let engine = &self.play_of().engine;
        self.each_step(|joint, at, _| {
            let text = engine.text(&self.at.position, role, joint[role]);
            children.push((text.to_owned(), at));
            Ok(())
        })?;
        Ok(children)
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

    fn each_legal(&mut self, seat: Seat, take: &mut dyn FnMut(&str)) -> Result<(), BrokenRules> {
        if !self.to_move().includes(seat) {
            return Ok(());
        }
        let role = self.play_of().seats[seat];
        let engine = &self.play_of().engine;
        let mut moves = Vec::new();
        engine.legal(&self.at.position, role, &mut moves);
        for mv in moves {
            take(engine.text(&self.at.position, role, mv));
        }
        Ok(())
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

    fn random_move(&mut self, seat: Seat, rng: &mut Rng) -> Result<Option<String>, BrokenRules> {
        if !self.to_move().includes(seat) {
            return Ok(None);
        }
        let mut moves = self.texts(self.play_of().seats[seat]);
        Ok(Some(moves.swap_remove(rng.index(moves.len()))))
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
        let rules = &self.rules;
        let sees = rules.within(|| rules.advance(&mut at, Some(&joint)))?;
        let was = std::mem::replace(&mut self.at, at);
        match self.find_end() {
            Ok(end) => self.end = end,
            Err(broken) => {
                self.at = was;
                return Err(broken.into());
            }
        }
        self.sees = sees;
        self.before.push(before);
        Ok(())
    }

    fn played(&self) -> usize {
        self.before.len()
    }

    fn undo(&mut self, count: usize) -> Result<(), UndoError> {
        let keep = UndoError::remaining(self.played(), count)?;
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
        // Not the ply: it would reveal whether another seat had a choice.
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
        Ok(view::of(
            &facts,
            &self.rules.grid,
            &self.rules.description.roles,
        ))
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

    fn child(&self, choices: &[&str]) -> Result<Box<dyn Session>, MoveError> {
        let joint = self.joint(choices)?;
        let mut at = self.at.clone();
        let rules = &self.rules;
        let sees = rules.within(|| rules.advance(&mut at, Some(&joint)))?;
        let mut child = Self::new(rules, at)?;
        child.sees = sees;
        Ok(Box::new(child))
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
        let engine = &self.play_of().engine;
        let actors = self.to_move().actors();
        let roles: Vec<usize> = actors.filter_map(|actor| self.role(actor)).collect();
        self.each_step(|joint, at, sees| {
            let text = |role: &usize| engine.text(&self.at.position, *role, joint[*role]);
            let texts: Vec<&str> = roles.iter().map(text).collect();
            let mut child = Self::new(&self.rules, at)?;
            child.sees = sees;
            take(&texts, &mut child);
            Ok(())
        })
    }

    fn perft(&self, request: &PerftRequest) -> Result<Option<Perft>, BrokenRules> {
        if request.divide {
            return by_steps::perft(self, request);
        }
        let mut left = PositionsLeft::of(request);
        let mut position = self.at.position.clone();
        let start = (&mut position, &*self.at.counts);
        let nodes = perft(self.play_of(), start, request.depth, &mut left)?;
        Ok(left.allow(Perft::of(nodes)))
    }

    fn games_at_once(&self) -> u32 {
        self.play_of().engine.games_at_once()
    }

    fn playouts_by_move(
        &self,
        count: u32,
        first: usize,
        last: Option<u32>,
        seed: u64,
    ) -> Result<Option<Vec<Vec<f64>>>, BrokenRules> {
        let series = Series {
            seats: &self.play_of().seats,
            from: &self.at.position,
            ply: self.at.ply,
            last: last.unwrap_or(u32::MAX),
            count,
            first: Some(first),
        };
        let mut outcomes = Vec::with_capacity(count as usize);
        let played = self
            .play_of()
            .play_many(&series, &mut Rng::new(seed), &mut |_, goals| {
                outcomes.push(outcome_of(goals).to_vec());
                true
            })?;
        Ok(played.then_some(outcomes))
    }

    fn playouts(
        &self,
        request: &PlayoutRequest,
        budget: PlayoutBudget<'_>,
    ) -> Result<Option<PlayoutResults>, BrokenRules> {
        let mut games = SheetGames::new(&self.rules, request);
        playout::run(&mut games, &self.at, || self.children(), request, budget)
    }

    fn write_legal(&mut self, out: &mut String) -> Result<(), BrokenRules> {
        by_steps::write_legal(self, out)
    }
}
