//! Follows a match of a game with external rules.

use std::sync::Arc;
use std::time::Instant;

use games::session::{MoveError, PlyByPly, Session};
use games::{BrokenRules, Rng, Rules, Seat};
use protocol::{PlayedMove, Start, Turn};
use serde_json::Value;

use super::{Known, SessionDecision, SessionQuestion, SessionSearch};
use crate::sdk::Choice;
use crate::turn::analysis::Analysis;
use crate::turn::clock;
use crate::turn::current_match::{CurrentMatch, FollowError};
use crate::turn::offers;

/// A match that is followed by the rules: the position after the plies so far, and the search. With
/// hidden information, every turn has the seat's observation, and there is nothing to follow.
pub(crate) struct FollowedSession {
    rules: Arc<dyn Rules>,
    seat: Seat,
    /// `None` if information is hidden, or once the plies could not be followed.
    session: Option<Box<dyn Session>>,
    /// The plies of a step that is not complete.
    plies: PlyByPly,
    step: Vec<String>,
    /// Counted from the start of the match.
    max_plies: Option<u32>,
    repetition: Option<u32>,
    /// The identities of all positions so far, if there is a limit on repetition.
    history: Vec<String>,
    /// True if offers can end the match.
    takes_offers: bool,
    rng: Rng,
    search: Box<dyn SessionSearch>,
    /// The reason why searches no longer decide; `None` while they do.
    broken: Option<String>,
}

impl FollowedSession {
    /// Starts a match.
    ///
    /// # Errors
    /// If the state breaks the rules.
    pub(crate) fn open(
        rules: Arc<dyn Rules>,
        start: &Start,
        search: Box<dyn SessionSearch>,
        rng: Rng,
    ) -> Result<Self, FollowError> {
        let session = start.state.as_ref().map(|state| rules.load(state));
        let mut followed = FollowedSession {
            session: session.transpose()?,
            rules,
            seat: start.seat,
            plies: PlyByPly::default(),
            step: Vec::new(),
            max_plies: start.limits.max_plies,
            repetition: start.limits.repetition,
            history: Vec::new(),
            takes_offers: start.offers,
            rng,
            search,
            broken: None,
        };
        followed.remember()?;
        Ok(followed)
    }

    /// Records the identity of the position, if positions must not repeat.
    fn remember(&mut self) -> Result<(), BrokenRules> {
        if let (Some(session), Some(_)) = (&self.session, self.repetition) {
            self.history.push(session.identity()?);
        }
        Ok(())
    }

    /// Plays a ply of the match, and lets the search follow the step that it completes.
    fn follow(&mut self, played: &PlayedMove) -> Result<(), FollowError> {
        let Some(session) = &mut self.session else {
            return Ok(());
        };
        let added = self.plies.add(&mut **session, &played.mv);
        added.map_err(|error| match error {
            MoveError::Broken(broken) => FollowError::Broken(broken),
            _ => FollowError::Illegal {
                mv: played.mv.to_string(),
                seat: played.seat.unwrap_or_default(),
                ply: session.ply(),
            },
        })?;
        self.step.push(played.mv.to_string());
        if self.plies.is_whole() {
            self.search.played(&std::mem::take(&mut self.step));
            self.remember()?;
        }
        Ok(())
    }

    /// Follows the match up to this turn, and chooses a move.
    fn decide(
        &mut self,
        turn: &Turn,
        asked: Instant,
        report: &mut dyn FnMut(Value),
    ) -> Result<SessionDecision, FollowError> {
        turn.moves.iter().try_for_each(|ply| self.follow(ply))?;
        let legal = self.legal(turn)?;
        let known = match (&turn.observation, &self.session) {
            (Some(observation), _) => Known::Observation(observation),
            (None, Some(session)) => Known::Position(&**session),
            (None, None) => {
                let why = self
                    .broken
                    .as_deref()
                    .unwrap_or("the match could not be followed");
                return Ok(SessionDecision::random_because(&legal, &mut self.rng, why));
            }
        };
        if let ([mv], None) = (&legal[..], turn.lines) {
            return Ok(SessionDecision {
                mv: mv.clone(),
                info: None,
            });
        }
        let budget = clock::allot(&turn.clock, self.seat);
        let question = SessionQuestion {
            rules: &*self.rules,
            known,
            seat: self.seat,
            legal: &legal,
            plies_left: self.max_plies.map(|most| most.saturating_sub(turn.ply)),
            repetition: self.repetition,
            history: &self.history,
            deadline: budget.map(|budget| asked + budget),
            can_save_time: turn.clock.remaining_ms.is_some(),
        };
        let rng = &mut self.rng;
        Ok(match turn.lines {
            None => self.search.choose(&question, rng)?,
            Some(lines) => {
                let analysis = &mut Analysis::new(lines as usize, report);
                self.search.analyse(&question, analysis, rng)?
            }
        })
    }

    /// The moves that the turn lists or, if it lists none, those of the position.
    fn legal(&mut self, turn: &Turn) -> Result<Vec<String>, FollowError> {
        let mut legal = listed(turn);
        if let (true, Some(session)) = (legal.is_empty(), &mut self.session) {
            legal = session.legal_of(self.seat)?;
        }
        if legal.is_empty() {
            return Err(FollowError::NotMyTurn {
                seat: self.seat,
                ply: turn.ply,
            });
        }
        Ok(legal)
    }
}

impl CurrentMatch for FollowedSession {
    fn turn(
        &mut self,
        turn: &Turn,
        asked: Instant,
        report: &mut dyn FnMut(Value),
    ) -> Result<Choice, FollowError> {
        let decided = self.decide(turn, asked, report).or_else(|error| {
            let legal = listed(turn);
            if legal.is_empty() {
                return Err(error);
            }
            // Said once on stderr, and with each such move for the log.
            if self.broken.is_none() {
                eprintln!("{error}; from now on, moves are random");
            }
            self.session = None;
            let why = error.to_string();
            let decision = SessionDecision::random_because(&legal, &mut self.rng, &why);
            self.broken = Some(why);
            Ok(decision)
        });
        let SessionDecision { mv, info } = decided?;
        let expected = info.as_ref().and_then(|info| info["value"].as_f64());
        let offer = self.takes_offers.then_some(expected);
        let offer = offer.and_then(|expected| offers::choose(turn, self.seat, None, expected));
        Ok(Choice::Move { mv, info, offer })
    }
}

/// A match of a game without available rules: plays any listed move, each equally likely.
pub(crate) struct ByLegal {
    pub(crate) rng: Rng,
    /// The reason why no search decides; `None` if none was to.
    pub(crate) why: Option<String>,
}

impl CurrentMatch for ByLegal {
    fn turn(
        &mut self,
        turn: &Turn,
        _asked: Instant,
        _report: &mut dyn FnMut(Value),
    ) -> Result<Choice, FollowError> {
        let legal = listed(turn);
        if legal.is_empty() {
            return Err(FollowError::NoMoves);
        }
        let rng = &mut self.rng;
        let SessionDecision { mv, info } = match &self.why {
            Some(why) => SessionDecision::random_because(&legal, rng, why),
            None => SessionDecision::random(&legal, rng),
        };
        Ok(Choice::Move {
            mv,
            info,
            offer: None,
        })
    }
}

fn listed(turn: &Turn) -> Vec<String> {
    let legal = turn.legal.iter().flat_map(|legal| legal.iter());
    legal.map(str::to_owned).collect()
}
