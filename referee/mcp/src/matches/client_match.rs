//! One match in which a client has a seat: what it may know, and what it does.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use games::kit::text::nearest;
use games::{Limits, Rules, Session};
use play::analysis::AnalysedMatch;
use play::players::PersonInput;
use protocol::{BotMove, FromBot, excerpt};
use tokio::sync::watch;
use tournament::playing::match_run::MatchRun;

use super::position::Position;
use super::seated::Known;
use crate::answer::{Answer, PlayerAnswer, Refusal};

/// Moves of clients are quoted up to this many characters.
const QUOTED: usize = 60;

/// A match in which a client has a seat.
pub(crate) struct Match {
    pub(crate) id: String,
    pub(crate) folder: PathBuf,
    pub(crate) seat: usize,
    pub(crate) rules: Arc<dyn Rules>,
    /// In seat order.
    names: Vec<String>,
    start: Box<dyn Session>,
    limits: Limits,
    session: Option<u64>,
    known: watch::Receiver<Known>,
    plies: watch::Receiver<Vec<String>>,
    inner: Mutex<Inner>,
}

struct Inner {
    /// `None` once the client has left.
    input: Option<PersonInput>,
    /// The ply at which the client has moved, until the match has noticed.
    answered: Option<u32>,
    /// When the client last asked for something.
    used: Instant,
}

/// What connects a client with its match on its way.
pub(super) struct Watched {
    pub(super) known: watch::Receiver<Known>,
    pub(super) plies: watch::Receiver<Vec<String>>,
    pub(super) input: PersonInput,
}

impl Match {
    pub(super) fn new(
        run: &MatchRun,
        seat: usize,
        folder: PathBuf,
        session: Option<u64>,
        watched: Watched,
    ) -> Self {
        Match {
            id: run.id.clone(),
            folder,
            seat,
            rules: run.game.rules.clone(),
            names: run.specs.iter().map(|spec| spec.name.clone()).collect(),
            start: run.start.fork(),
            limits: run.game.limits,
            session,
            known: watched.known,
            plies: watched.plies,
            inner: Mutex::new(Inner {
                input: Some(watched.input),
                answered: None,
                used: Instant::now(),
            }),
        }
    }

    pub(super) fn is_of(&self, session: u64) -> bool {
        self.session == Some(session)
    }

    fn inner<T>(&self, with: impl FnOnce(&mut Inner) -> T) -> T {
        with(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn is_over(&self) -> bool {
        self.known.borrow().is_over()
    }

    pub(super) fn touch(&self) {
        self.inner(|inner| inner.used = Instant::now());
    }

    pub(super) fn is_idle(&self, idle: Duration) -> bool {
        // The opponents have clocks of their own.
        let is_asked = matches!(&*self.known.borrow(), Known::Position(known) if known.your_turn);
        is_asked && self.inner(|inner| inner.used.elapsed() >= idle)
    }

    /// The client leaves its seat.
    pub(super) fn leave(&self) {
        self.inner(|inner| inner.input = None);
    }

    pub(crate) fn players(&self) -> Vec<PlayerAnswer> {
        let seats = self.names.iter().zip(self.rules.roles()).enumerate();
        let players = seats.map(|(seat, (name, role))| PlayerAnswer {
            seat,
            role: role.clone(),
            name: name.clone(),
        });
        players.collect()
    }

    /// The position as the client may know it.
    pub(crate) fn position(&self) -> Answer<Position> {
        let known = self.known.borrow().clone();
        let mut position = match known {
            Known::Position(position) => *position,
            Known::Beginning => return Err(Refusal::new("the match has not begun yet")),
            Known::Broken(why) => return Err(Refusal(format!("the match has no result: {why}"))),
        };
        // Its move is on its way.
        if self.inner(|inner| inner.answered == Some(position.ply)) {
            position.your_turn = false;
            position.legal.clear();
        }
        Ok(position)
    }

    /// Waits until it is the client's turn, or the match is over.
    pub(super) async fn turn(&self) {
        let answered = self.inner(|inner| inner.answered);
        let mut known = self.known.clone();
        let is_turn = |known: &Known| match known {
            Known::Position(now) if now.your_turn => answered != Some(now.ply),
            known => known.is_over(),
        };
        // Who plays it is gone only after it is over.
        let _ = known.wait_for(is_turn).await;
        self.touch();
    }

    pub(super) fn play(&self, mv: &str) -> Answer<()> {
        let position = self.to_answer()?;
        let found = |mv: &str| position.legal.iter().find(|legal| *legal == mv);
        let Some(mv) = found(mv).or_else(|| found(mv.trim())) else {
            let legal: Vec<&str> = position.legal.iter().map(String::as_str).collect();
            let near = nearest(mv, &legal);
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            return Err(Refusal(format!(
                "`{}` is not a legal move here; get_position has all {}{near}",
                excerpt(mv.as_bytes(), QUOTED),
                legal.len()
            )));
        };
        let answer = FromBot::Move(BotMove {
            mv: mv.as_str().into(),
            ply: Some(position.ply),
            info: None,
        });
        self.send(position.ply, answer)
    }

    pub(super) fn resign(&self) -> Answer<()> {
        let position = self.to_answer()?;
        self.send(position.ply, FromBot::Resign {})
    }

    /// The position in which the client is to move.
    fn to_answer(&self) -> Answer<Position> {
        let position = self.position()?;
        match &position.result {
            Some(result) => Err(Refusal(format!("the match is over by `{}`", result.reason))),
            None if !position.your_turn => Err(Refusal::new("it is not your turn")),
            None => Ok(position),
        }
    }

    fn send(&self, ply: u32, answer: FromBot) -> Answer<()> {
        self.inner(|inner| {
            if inner.answered == Some(ply) {
                return Err(Refusal::new("it is not your turn"));
            }
            let input = inner.input.as_ref();
            if input.is_none_or(|input| input.send(answer).is_err()) {
                return Err(Refusal::new("the match is ending"));
            }
            inner.answered = Some(ply);
            Ok(())
        })
    }

    /// The match as far as it was played, for bots that think about its positions.
    pub(crate) fn to_analyse(&self) -> AnalysedMatch {
        AnalysedMatch {
            id: self.id.clone(),
            rules: self.rules.clone(),
            limits: self.limits,
            start: self.start.fork(),
            // It must not say what is dealt.
            seed: 0,
            plies: self.plies.borrow().clone(),
            names: self.names.clone(),
        }
    }
}
