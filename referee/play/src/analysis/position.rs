//! Positions that bots can analyse, and reasons why others cannot be.

use std::sync::Arc;

use arbiter::adjudication::LimitWatch;
use games::session::{LoadError, MoveError, PlyByPly};
use games::values::{ProvenValue, ProvenValues};
use games::{BrokenRules, Limits, Rules, Session, ToMove};
use itertools::Itertools;
use protocol::Record;
use thiserror::Error;

/// The name of players who are unknown.
const NOBODY: &str = "anybody";
/// The id of a match that exists for its position alone.
const NO_MATCH: &str = "analysis";

/// A match whose positions are analysed.
pub struct AnalysedMatch {
    /// The id that bots receive; their random choices may depend on it.
    pub id: String,
    pub rules: Arc<dyn Rules>,
    pub limits: Limits,
    pub start: Box<dyn Session>,
    pub seed: u64,
    pub plies: Vec<String>,
    /// In seat order.
    pub names: Vec<String>,
}

/// A position of a match that a bot analyses for a seat.
pub struct AnalysedPosition<'m> {
    pub of: &'m AnalysedMatch,
    /// Plies of the match that lead to it.
    pub plies: usize,
    pub seat: usize,
    pub session: Box<dyn Session>,
}

#[derive(Debug, Error)]
pub enum NoAnalysis {
    /// The game is over.
    #[error("the match is over there by `{0}`")]
    Over(String),
    /// The match has fewer plies.
    #[error("the match has only {0} plies")]
    TooFar(usize),
    /// Some seats have chosen and others have not.
    #[error("several act at once there, and that ply is in the middle of their step")]
    HalfStep,
    /// Chance is to move.
    #[error("chance acts there, and no seat: there is nothing to choose")]
    Chance,
    /// It is ambiguous which seat to analyse for.
    #[error("{0} act at once there; --seat says which of them is to think")]
    Several(String),
    /// The seat has no choice.
    #[error("it is not the turn of {asked} there; who acts is {acting}")]
    NotItsTurn {
        /// The role that was asked for.
        asked: String,
        /// The roles to move.
        acting: String,
    },
    /// A ply that led there is illegal.
    #[error("move {number}: {error}")]
    Illegal {
        /// From 1.
        number: usize,
        error: MoveError,
    },
    /// Rules from outside do not work.
    #[error(transparent)]
    Broken(#[from] BrokenRules),
}

impl AnalysedMatch {
    /// A match that begins with the given position.
    pub fn from(rules: Arc<dyn Rules>, start: Box<dyn Session>, seed: u64) -> Self {
        AnalysedMatch {
            id: NO_MATCH.to_owned(),
            limits: rules.info().limits,
            names: vec![NOBODY.to_owned(); rules.seats()],
            plies: Vec::new(),
            rules,
            start,
            seed,
        }
    }

    /// # Errors
    ///
    /// If the match does not start in a position of the game.
    pub fn recorded(record: &Record, rules: Arc<dyn Rules>) -> Result<Self, LoadError> {
        let players = record.players.iter();
        Ok(AnalysedMatch {
            id: record.match_id.clone(),
            limits: Limits {
                max_plies: record.limits.max_plies,
                repetition: record.limits.repetition,
            },
            start: rules.load(&record.start)?,
            seed: record.seed,
            plies: record.moves.iter().map(|mv| mv.mv.to_string()).collect(),
            names: players.map(|player| player.name.clone()).collect(),
            rules,
        })
    }

    /// The positions after `first` and more plies, or why they cannot be analysed. The end of the game is
    /// left out.
    ///
    /// # Errors
    /// If rules from outside do not work.
    pub fn positions(
        &self,
        first: usize,
    ) -> Result<Vec<Result<AnalysedPosition<'_>, String>>, BrokenRules> {
        let mut positions = Vec::new();
        for plies in first..=self.plies.len() {
            positions.push(match self.position(plies, None) {
                Ok(position) => Ok(position),
                Err(NoAnalysis::Over(_)) => continue,
                Err(NoAnalysis::Broken(broken)) => return Err(broken),
                Err(other) => Err(other.to_string()),
            });
        }
        Ok(positions)
    }

    /// The position after this many plies. Where several seats act at once, `seat` chooses one.
    ///
    /// # Errors
    /// Why the position cannot be analysed.
    pub fn position(
        &self,
        plies: usize,
        seat: Option<usize>,
    ) -> Result<AnalysedPosition<'_>, NoAnalysis> {
        let Some(played) = self.plies.get(..plies) else {
            return Err(NoAnalysis::TooFar(self.plies.len()));
        };
        let mut session = self.start.fork();
        let mut watch = LimitWatch::new(self.limits);
        let mut stopped = watch.see(&*session)?;
        let mut step = PlyByPly::default();
        for (index, mv) in played.iter().enumerate() {
            step.add(&mut *session, mv).map_err(|error| match error {
                MoveError::Broken(broken) => NoAnalysis::Broken(broken),
                error => NoAnalysis::Illegal {
                    number: index + 1,
                    error,
                },
            })?;
            if step.is_whole() {
                stopped = watch.see(&*session)?;
            }
        }
        if !step.is_whole() {
            return Err(NoAnalysis::HalfStep);
        }
        let reason = session.reason().map(|reason| reason.into_owned());
        if let Some(reason) = reason.or(stopped.map(str::to_owned)) {
            return Err(NoAnalysis::Over(reason));
        }
        Ok(AnalysedPosition {
            of: self,
            plies,
            seat: self.thinker(session.to_move(), seat)?,
            session,
        })
    }

    /// The seat to analyse for, where these act.
    fn thinker(&self, acting: ToMove, asked: Option<usize>) -> Result<usize, NoAnalysis> {
        let seats: Vec<usize> = acting.seats().collect();
        let roles = |seats: &[usize]| {
            seats
                .iter()
                .map(|seat| &self.rules.roles()[*seat])
                .join(", ")
        };
        match (&seats[..], asked) {
            ([], _) => Err(NoAnalysis::Chance),
            ([seat], None) => Ok(*seat),
            (several, None) => Err(NoAnalysis::Several(roles(several))),
            (seats, Some(asked)) if seats.contains(&asked) => Ok(asked),
            (seats, Some(asked)) => Err(NoAnalysis::NotItsTurn {
                asked: roles(&[asked]),
                acting: roles(seats),
            }),
        }
    }
}

impl AnalysedPosition<'_> {
    pub fn role(&self) -> &str {
        &self.of.rules.roles()[self.seat]
    }

    /// What the position is worth, if that is proven.
    pub fn proven(&self) -> Option<ProvenValue> {
        let values = ProvenValues::of(&*self.of.rules).ok()?;
        values.find(&*self.session).ok()?.cloned()
    }
}

#[cfg(test)]
mod tests {
    use games::test_games::{KuhnPoker, Position, RockPaperScissors, rules};
    use serde_json::json;

    use super::*;

    fn refusal(of: &AnalysedMatch, plies: usize, seat: Option<usize>) -> String {
        match of.position(plies, seat) {
            Err(error) => error.to_string(),
            Ok(position) => panic!("{} may think", position.role()),
        }
    }

    fn at_start<P: Position>(game: P) -> AnalysedMatch {
        let rules = rules(game);
        let start = rules.start(1).unwrap();
        AnalysedMatch::from(rules, start, 1)
    }

    #[test]
    fn the_seat_to_move_thinks() {
        let rules = games::find("amazons").unwrap();
        let rules = rules.configure(&json!({"size": 5})).unwrap();
        let start = rules.start(1).unwrap();
        let mut of = AnalysedMatch::from(rules, start, 1);
        let first = of.start.fork().legal().unwrap().remove(0);
        of.plies.push(first);
        assert_eq!(
            of.position(0, None).unwrap_or_else(|e| panic!("{e}")).seat,
            0
        );
        assert_eq!(
            of.position(1, None)
                .unwrap_or_else(|e| panic!("{e}"))
                .role(),
            "dark"
        );
        assert!(refusal(&of, 2, None).contains("only 1 plies"));
        assert!(refusal(&of, 1, Some(0)).contains("not the turn of light"));
        of.limits.max_plies = Some(1);
        assert!(refusal(&of, 1, None).contains("`max_plies`"));
        of.plies[0] = "nonsense".to_owned();
        assert!(refusal(&of, 1, None).starts_with("move 1: "));
    }

    #[test]
    fn chance_does_not_think_and_of_several_seats_one_must_be_named() {
        let deal = at_start(KuhnPoker::default());
        assert!(refusal(&deal, 0, None).contains("chance acts"));
        let mut both = at_start(RockPaperScissors::new(3));
        assert!(refusal(&both, 0, None).contains("first, second act at once"));
        assert_eq!(
            both.position(0, Some(1))
                .unwrap_or_else(|e| panic!("{e}"))
                .seat,
            1
        );
        both.plies.push("rock".to_owned());
        assert!(refusal(&both, 1, Some(0)).contains("in the middle"));
    }
}
