//! What a client may know of its match.

use arbiter::Arbiter;
use games::kit::drawing;
use protocol::{FaultCode, LoggedMove, MatchResult, Record};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::answer::Answer;

/// A position as a seat may know it: it depends on nothing that is hidden from the seat.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Position {
    /// The id of the match.
    #[serde(rename = "match")]
    pub(crate) id: String,
    pub(crate) game: String,
    /// Your seat.
    pub(crate) seat: usize,
    /// Its role.
    pub(crate) role: String,
    /// The number of plies so far.
    pub(crate) ply: u32,
    /// It is your turn: play one of `legal`.
    pub(crate) your_turn: bool,
    /// Your legal moves; empty if it is not your turn.
    pub(crate) legal: Vec<String>,
    /// The position as JSON; in games with hidden information, what your seat knows.
    pub(crate) position: Value,
    /// The position, drawn.
    pub(crate) text: String,
    /// The moves since your last one, this one included. In games with hidden information, your own
    /// one alone.
    pub(crate) moves: Vec<Played>,
    /// Null while the match goes on.
    pub(crate) result: Option<Outcome>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Played {
    /// Null for chance.
    seat: Option<usize>,
    #[serde(rename = "move")]
    mv: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Outcome {
    /// What the match is worth to each seat, from 0 (lost) to 1 (won).
    outcome: Vec<f64>,
    /// The points of each seat.
    scores: Vec<i64>,
    /// What ended it: a reason of the game, `max_plies`, `repetition` or `forfeit`.
    pub(super) reason: String,
    faults: Vec<FaultAnswer>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct FaultAnswer {
    seat: usize,
    code: String,
    /// The plies that had been made.
    ply: u32,
    /// In words; null for faults of others in games with hidden information.
    message: Option<String>,
}

/// Whose view it is.
pub(super) struct Viewer {
    pub(super) id: String,
    pub(super) game: String,
    pub(super) seat: usize,
    pub(super) role: String,
    pub(super) hidden: bool,
}

impl Viewer {
    /// The position after an event of the match.
    pub(super) fn position(&self, arbiter: &Arbiter) -> Answer<Position> {
        let session = arbiter.session();
        let your_turn = arbiter.is_in_play() && arbiter.is_awaited(self.seat);
        let legal = match your_turn {
            true => session.fork().legal_of(self.seat)?,
            false => Vec::new(),
        };
        let position = match self.hidden {
            true => session.observation(self.seat)?,
            false => session.state()?,
        };
        let moves = self.since(arbiter.moves());
        Ok(Position {
            id: self.id.clone(),
            game: self.game.clone(),
            seat: self.seat,
            role: self.role.clone(),
            ply: session.ply(),
            your_turn,
            legal,
            position,
            text: drawing::position_for(session, self.seat, self.hidden, &drawing::plain),
            moves,
            result: None,
        })
    }

    /// The moves since the last own one.
    fn since(&self, moves: &[LoggedMove]) -> Vec<Played> {
        let own = moves
            .iter()
            .rposition(|played| played.seat == Some(self.seat));
        let since = moves[own.unwrap_or(0)..].iter();
        let since = since.filter(|played| !self.hidden || played.seat == Some(self.seat));
        let since = since.map(|played| Played {
            seat: played.seat,
            mv: played.mv.to_string(),
        });
        since.collect()
    }

    pub(super) fn outcome(&self, record: &Record) -> Outcome {
        outcome(&record.result, self.hidden.then_some(self.seat))
    }
}

/// The result, without what `only` may not know of the faults of others.
fn outcome(result: &MatchResult, only: Option<usize>) -> Outcome {
    let faults = result.faults.iter().map(|fault| FaultAnswer {
        seat: fault.seat,
        code: FaultCode::as_str(fault.code).to_owned(),
        ply: fault.ply,
        message: only
            .is_none_or(|seat| seat == fault.seat)
            .then(|| fault.message.clone()),
    });
    Outcome {
        outcome: result.outcome.clone(),
        scores: result.scores.clone(),
        reason: result.reason.clone(),
        faults: faults.collect(),
    }
}
