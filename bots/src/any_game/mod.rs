//! Plays games with external rules: a search sees the position as a [`Session`] or, with hidden
//! information, the seat's observation.
//!
//! Several seats may act at once, and chance may take part. Rules from outside answer in microseconds
//! at best, so searches make few requests, and any of them can fail.

pub(crate) mod budget;
mod follow;
pub(crate) mod greedy;

use std::time::Instant;

use games::playout::{PlayoutBudget, PlayoutRequest};
use games::session::{MoveError, Session, as_strs};
use games::{BrokenRules, Rng, Rules, Seat};
use serde_json::{Value, json};

use crate::turn::analysis::Analysis;

pub(crate) use follow::{ByLegal, FollowedSession};

pub trait SessionSearch {
    /// Chooses one of the legal moves, of which there are at least two.
    ///
    /// # Errors
    /// If the rules do not work.
    fn choose(
        &mut self,
        question: &SessionQuestion<'_>,
        rng: &mut Rng,
    ) -> Result<SessionDecision, BrokenRules>;

    /// The same for an audience: the `info` of the decision has several best lines, and the
    /// search reports them while it goes on. There may be a single legal move. By default this is
    /// [`SessionSearch::choose`].
    ///
    /// # Errors
    /// If the rules do not work.
    fn analyse(
        &mut self,
        question: &SessionQuestion<'_>,
        analysis: &mut Analysis<'_>,
        rng: &mut Rng,
    ) -> Result<SessionDecision, BrokenRules> {
        let _ = analysis;
        self.choose(question, rng)
    }

    /// Called with every step of the match, its own included, unless information is hidden.
    fn played(&mut self, choices: &[String]) {
        let _ = choices;
    }
}

/// A position in which a search has to find a move, and the limits that apply.
pub struct SessionQuestion<'a> {
    /// The rules under the options of the match.
    pub rules: &'a dyn Rules,
    /// The position, or what the seat knows of it.
    pub known: Known<'a>,
    /// The seat that the move is for; others may act at the same time.
    pub seat: Seat,
    pub legal: &'a [String],
    /// After this many more plies the match is stopped; `None` for no limit.
    pub plies_left: Option<u32>,
    /// The match is stopped when a position occurs this many times; `None` for no limit.
    pub repetition: Option<u32>,
    /// The identities of the positions of the match so far, this one last; empty if there is no limit
    /// on repetition or information is hidden.
    pub history: &'a [String],
    /// When to answer at the latest; `None` without a clock.
    pub deadline: Option<Instant>,
    /// True if time that is left over can be used later, because a game clock runs.
    pub can_save_time: bool,
}

#[derive(Clone, Copy)]
pub enum Known<'a> {
    /// Perfect information.
    Position(&'a dyn Session),
    Observation(&'a Value),
}

/// The decision of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionDecision {
    /// The move to play, as the game writes it.
    pub mv: String,
    /// The `info` of the move, for the log.
    pub info: Option<Value>,
}

impl SessionDecision {
    /// A move of these, each equally likely.
    pub(crate) fn random(legal: &[String], rng: &mut Rng) -> Self {
        SessionDecision {
            mv: legal[rng.index(legal.len())].clone(),
            info: None,
        }
    }

    /// The same where a search should have decided: the log says why it has not.
    pub(crate) fn random_because(legal: &[String], rng: &mut Rng, why: &str) -> Self {
        SessionDecision {
            info: Some(json!({"warning": format!("{why}; the move is random")})),
            ..Self::random(legal, rng)
        }
    }
}

/// The error of sampled states that contradict the observation.
pub(crate) fn wrong_sample(what: &str) -> BrokenRules {
    BrokenRules::new(format!("`sample` of the rules is wrong: {what}"))
}

/// A search that plays any legal move, each equally likely.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AnyMove;

impl SessionSearch for AnyMove {
    fn choose(
        &mut self,
        question: &SessionQuestion<'_>,
        rng: &mut Rng,
    ) -> Result<SessionDecision, BrokenRules> {
        Ok(SessionDecision::random(question.legal, rng))
    }
}

pub(crate) fn make(session: &mut dyn Session, choices: &[String]) -> Result<(), BrokenRules> {
    session.play_step(&as_strs(choices)).map_err(refused)
}

/// The error of rules that refuse a step that they list.
pub(crate) fn refused(error: MoveError) -> BrokenRules {
    match error {
        MoveError::Broken(broken) => broken,
        other => BrokenRules::new(format!("the rules refuse a step that they list: {other}")),
    }
}

/// Loads a state that the rules sampled.
pub(crate) fn load(rules: &dyn Rules, state: &Value) -> Result<Box<dyn Session>, BrokenRules> {
    rules.load(state).map_err(|error| {
        BrokenRules::new(format!("the rules refuse a state that they gave: {error}"))
    })
}

/// Samples states of an information set; empty if the rules draw none.
pub(crate) fn sample(
    rules: &dyn Rules,
    observation: &Value,
    seat: Seat,
    seed: u64,
    count: u32,
) -> Result<Vec<Value>, BrokenRules> {
    rules
        .sample(observation, seat, seed, count)
        .map_err(|error| {
            BrokenRules::new(format!(
                "the rules refuse an observation that they gave: {error}"
            ))
        })
}

/// The outcome for each seat if play stops there.
pub(crate) fn outcome(session: &dyn Session) -> Result<Vec<f64>, BrokenRules> {
    match session.end() {
        Some(end) => Ok(end.tally.outcome),
        None => Ok(session.tally()?.outcome),
    }
}

/// The result, or `None` if there was no time left for it.
pub(crate) fn in_time<T>(computed: Result<T, BrokenRules>) -> Result<Option<T>, BrokenRules> {
    match computed {
        Err(broken) if broken.is_given_up() => Ok(None),
        computed => computed.map(Some),
    }
}

/// The most plies of a random game; one that takes longer counts as it stands then.
const LONGEST_PLAYOUT: u64 = 10_000;

/// The outcome for each seat of a random game from here. It stops at a ply, if there is a limit.
pub(crate) fn playout(
    session: &dyn Session,
    last_ply: Option<u32>,
    rng: &mut Rng,
) -> Result<Vec<f64>, BrokenRules> {
    let request = PlayoutRequest {
        max_plies: last_ply,
        ..PlayoutRequest::new(1, rng.next_u64())
    };
    match session.playouts(&request, PlayoutBudget::Plies(LONGEST_PLAYOUT))? {
        Some(played) => Ok(played.means.outcome),
        None => outcome(session),
    }
}
