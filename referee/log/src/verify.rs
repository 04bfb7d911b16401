//! Checks that a recorded match could have happened and ended as recorded.

use std::sync::Arc;
use std::time::Duration;

use arbiter::adjudication::{self, LimitWatch};
use arbiter::chance::{Chance, Draws, MOST_OTHERS};
use deals::{Pairing, Secret, seat_order_key};
use games::kit::rng::hash_text;
use games::session::{MoveError, PlyByPly, Tally};
use games::{Actor, Catalog, Limits, Rules, Session, ToMove};
use protocol::{Fault, LoggedMove, MatchResult, Record};

use super::adjudicated::Adjudicated;
use super::mismatch::Mismatch;

/// Which versions of rules from outside may check a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versions {
    /// Those that it was played by.
    Recorded,
    /// Any.
    Any,
}

/// Knowledge about the deals.
#[derive(Clone, Copy, Debug, Default)]
pub struct DealCheck<'a> {
    /// The secret of the tournament, if known.
    pub secret: Option<&'a Secret>,
    /// True if matches may start from a book instead of the deal.
    pub has_book: bool,
    /// True if matches of players over HTTP may have the deal of their pairing, as they had before
    /// each seat order got its own.
    pub shared: bool,
}

/// Replays a match and compares its result.
///
/// The rules are those of the catalog. Deals from a secret of the tournament are not checked.
///
/// # Errors
/// The first thing that does not fit.
pub fn verify(record: &Record, catalog: &Catalog, versions: Versions) -> Result<(), Mismatch> {
    verify_deal(record, catalog, versions, DealCheck::default())
}

/// The same, and deals again.
///
/// # Errors
/// The first thing that does not fit.
pub fn verify_deal(
    record: &Record,
    catalog: &Catalog,
    versions: Versions,
    deals: DealCheck<'_>,
) -> Result<(), Mismatch> {
    let checked = verify_draws(record, catalog, versions, (deals, Share::Newest));
    if checked.is_err()
        && deals.shared
        && stays(record)
        && verify_draws(record, catalog, versions, (deals, Share::Pairing)).is_ok()
    {
        return Ok(());
    }
    checked
}

/// The scope of a deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Share {
    /// Seat orders of a pairing whose players do not stay from match to match.
    Newest,
    /// All seat orders of a pairing.
    Pairing,
}

/// True if a player can remember this match in the next one.
fn stays(record: &Record) -> bool {
    let mut players = record.players.iter();
    players.any(|player| player.is_ggp())
}

fn verify_draws(
    record: &Record,
    catalog: &Catalog,
    versions: Versions,
    deals: (DealCheck<'_>, Share),
) -> Result<(), Mismatch> {
    let mut replay = Replay::open(record, catalog, versions, deals)?;
    replay.moves(&record.moves)?;
    replay.rules.comes_back(&*replay.session)?;
    replay.result(&record.result)
}

/// The source of the draws of a match; `None` if unknown.
fn draws(
    record: &Record,
    rules: &dyn Rules,
    secret: Option<&Secret>,
    share: Share,
) -> Result<Option<Draws>, Mismatch> {
    let needed = secret.filter(|_| rules.info().has_deals());
    match (&record.deal, needed) {
        (None, None) => Ok(Some(Draws::Seed(record.seed))),
        (Some(_), None) => Ok(None),
        (recorded, Some(secret)) => {
            let known = secret.commitment();
            if recorded.as_ref() != Some(&known) {
                let recorded = recorded.clone().unwrap_or_else(|| "nothing".to_owned());
                return Err(Mismatch::Deal { recorded, known });
            }
            let names = record.players.iter().map(|player| &*player.name);
            let names: Vec<&str> = names.collect();
            let of_pairing = secret.key(&Pairing {
                rules,
                seed: record.seed,
                names: names.clone(),
            });
            let is_shared = share == Share::Pairing || !stays(record);
            Ok(Some(Draws::Key(if is_shared {
                of_pairing
            } else {
                seat_order_key(of_pairing, &names)
            })))
        }
    }
}

/// Refuses a start that is not the one that was dealt, nor one of those that were tried when that was
/// not balanced.
fn start_was_dealt(record: &Record, rules: &dyn Rules, draws: Draws) -> Result<(), Mismatch> {
    let others = (1..MOST_OTHERS).map(|number| draws.other(number));
    for (at, draws) in std::iter::once(draws).chain(others).enumerate() {
        let dealt = rules.start(draws.start())?.state()?;
        if dealt == record.start {
            return Ok(());
        }
        // Where all starts are the same, no other one was tried.
        if at == 1 && dealt == rules.start(0)?.state()? {
            break;
        }
    }
    Err(Mismatch::DealtStart)
}

struct Replay<'a> {
    record: &'a Record,
    rules: Arc<dyn Rules>,
    session: Box<dyn Session>,
    /// After how many moves it is checked that the state comes back, besides the end.
    looked_at: usize,
    /// The plies of a step that is not complete.
    step: PlyByPly,
    /// `None` if the draws of chance are unknown.
    chance: Option<Chance>,
    watch: LimitWatch,
    /// A limit that was reached.
    stopped: Option<&'static str>,
    /// Checks that an adjudication came after the moves until now, and was right.
    adjudicated: Adjudicated,
}

impl<'a> Replay<'a> {
    fn open(
        record: &'a Record,
        catalog: &Catalog,
        versions: Versions,
        (deals, share): (DealCheck<'_>, Share),
    ) -> Result<Self, Mismatch> {
        let game = catalog.find(&record.game)?;
        let rules = game
            .configure(&record.options)
            .map_err(|error| Mismatch::Options(error.to_string()))?;
        let now = rules
            .description()
            .origin
            .as_ref()
            .map(|origin| &origin.sha256);
        let recorded = record.rules.as_ref().map(|rules| &rules.sha256);
        if versions == Versions::Recorded && now != recorded {
            return Err(Mismatch::OtherRules {
                recorded: hash_in_words(recorded),
                now: hash_in_words(now),
            });
        }
        let session = rules
            .load(&record.start)
            .map_err(|error| Mismatch::Start(error.to_string()))?;
        let (players, seats) = (record.players.len(), rules.seats());
        if players != seats {
            return Err(Mismatch::Players { players, seats });
        }
        let (opening, moves) = (record.opening, record.moves.len());
        if opening as usize > moves {
            return Err(Mismatch::Opening { opening, moves });
        }
        for (seat, (player, role)) in record.players.iter().zip(rules.roles()).enumerate() {
            same(&format!("players[{seat}].role"), &player.role, role)?;
        }
        let timed = |played: &LoggedMove| {
            played.ms.0 != Duration::ZERO || played.cpu_ms.is_some() || played.info.is_some()
        };
        if record.moves[..opening as usize].iter().any(timed) {
            return Err(Mismatch::Timed);
        }
        let draws = draws(record, &*rules, deals.secret, share)?;
        if let Some(draws @ Draws::Key(_)) = draws
            && !deals.has_book
            // Another version may write states in another way.
            && versions == Versions::Recorded
        {
            start_was_dealt(record, &*rules, draws)?;
        }
        let mut watch = LimitWatch::new(Limits {
            max_plies: record.limits.max_plies,
            repetition: record.limits.repetition,
        });
        let stopped = watch.see(&*session)?;
        let mut replay = Replay {
            adjudicated: Adjudicated::of(record),
            record,
            rules,
            looked_at: match moves {
                0 => 0,
                moves => 1 + hash_text(&record.match_id) as usize % moves,
            },
            session,
            step: PlyByPly::default(),
            chance: draws.map(Chance::with),
            watch,
            stopped,
        };
        replay.adjudicated.look(0, &*replay.session)?;
        Ok(replay)
    }

    /// The end of the match, if it has ended.
    fn end(&self) -> Option<String> {
        let reason = self.session.reason().map(|reason| reason.into_owned());
        let stopped = reason.or(self.stopped.map(str::to_owned));
        stopped.or(self.adjudicated.end().map(|by| by.reason().to_owned()))
    }

    fn moves(&mut self, moves: &[LoggedMove]) -> Result<(), Mismatch> {
        for (i, played) in moves.iter().enumerate() {
            let number = i + 1;
            if let Some(reason) = self.end() {
                return Err(Mismatch::AfterEnd { number, reason });
            }
            let actor = self.step.next(&*self.session);
            let recorded = played.seat.map_or(Actor::Chance, Actor::Seat);
            if let Some(to_move) = actor.filter(|actor| *actor != recorded) {
                return Err(Mismatch::Seat {
                    number,
                    recorded: recorded.to_string(),
                    to_move: to_move.to_string(),
                });
            }
            if self.step.is_whole() {
                self.faults_come_in_turn(i)?;
            }
            match played.seat {
                Some(seat) => self.forced_moves_follow_a_fault(seat, played.forced)?,
                None => self.chance_was_drawn(i, &played.mv)?,
            }
            let added = self.step.add(&mut *self.session, &played.mv);
            added.map_err(|error| match error {
                MoveError::Broken(broken) => Mismatch::Broken(broken),
                error => Mismatch::Move {
                    number,
                    error: error.to_string(),
                },
            })?;
            if i >= self.record.opening as usize {
                self.adjudicated.note(played);
            }
            if self.step.is_whole() && number == self.looked_at {
                self.rules.comes_back(&*self.session)?;
            }
            if self.step.is_whole() {
                self.stopped = self.watch.see(&*self.session)?;
                self.adjudicated.look(number, &*self.session)?;
            }
        }
        if self.step.is_whole() {
            Ok(())
        } else {
            Err(Mismatch::HalfStep)
        }
    }

    /// Chance outcomes follow from the match's seed or its deal, except in openings, which may come
    /// from a book.
    fn chance_was_drawn(&mut self, made: usize, outcome: &str) -> Result<(), Mismatch> {
        let Some(chance) = &mut self.chance else {
            return Ok(());
        };
        if made < self.record.opening as usize {
            chance.skip();
            return Ok(());
        }
        let drawn = chance.draw(&*self.session)?;
        if drawn == outcome {
            return Ok(());
        }
        Err(Mismatch::Chance {
            number: made + 1,
            recorded: outcome.to_owned(),
            drawn,
            dealt: self.record.deal.is_some(),
        })
    }

    /// The bot at fault after these moves was to move, except before the first turn, when any seat
    /// can fail to start.
    fn faults_come_in_turn(&self, made: usize) -> Result<(), Mismatch> {
        let (ply, to_move) = (self.session.ply(), self.session.to_move());
        let starting = made == self.record.opening as usize || self.only_chance_was_before(made);
        let mut now = self
            .record
            .result
            .faults
            .iter()
            .filter(|fault| fault.ply == ply);
        match now.find(|fault| !starting && !to_move.includes(fault.seat)) {
            Some(fault) => Err(Mismatch::Fault {
                seat: fault.seat,
                reason: format!("it was not its turn at ply {ply}"),
            }),
            None => Ok(()),
        }
    }

    /// True if no seat has moved after the opening before move `made`.
    fn only_chance_was_before(&self, made: usize) -> bool {
        let after_opening = self.record.moves.get(self.record.opening as usize..made);
        after_opening.is_some_and(|moves| moves.iter().all(|played| played.seat.is_none()))
    }

    /// A seat plays for itself until its fault, and not any more from there on.
    fn forced_moves_follow_a_fault(&self, seat: usize, forced: bool) -> Result<(), Mismatch> {
        let ply = self.session.ply();
        let faults = &self.record.result.faults;
        let lost = faults.iter().any(|f| f.seat == seat && f.ply <= ply);
        if lost == forced {
            return Ok(());
        }
        let reason = if lost {
            format!("it played on at ply {ply} as if nothing had happened")
        } else {
            format!("its move at ply {ply} is a forced one, but it had no fault yet")
        };
        Err(Mismatch::Fault { seat, reason })
    }

    fn result(&self, recorded: &MatchResult) -> Result<(), Mismatch> {
        self.adjudicated.must_be_found()?;
        let at_fault = self.at_fault(recorded)?;
        let Tally { scores, outcome } = match (self.session.end(), self.adjudicated.result()) {
            (Some(end), _) => end.tally,
            (None, Some(adjudicated)) if self.stopped.is_none() && recorded.faults.is_empty() => {
                adjudicated
            }
            (None, _) => self.session.tally()?,
        };
        let (outcome, reason) = if recorded.faults.is_empty() {
            let Some(reason) = self.end() else {
                let reason = recorded.reason.clone();
                return Err(Mismatch::NoEnd { reason });
            };
            (outcome, reason)
        } else {
            (
                adjudication::forfeit_outcome(&outcome, &at_fault),
                adjudication::FORFEIT.to_owned(),
            )
        };
        same("reason", &recorded.reason, &reason)?;
        same("scores", &recorded.scores, &scores)?;
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
        let equal = recorded.outcome.len() == outcome.len()
            && recorded.outcome.iter().zip(&outcome).all(close);
        if equal {
            return Ok(());
        }
        same("outcome", &recorded.outcome, &outcome)
    }

    /// Which seats are at fault, if the recorded faults can have happened.
    fn at_fault(&self, recorded: &MatchResult) -> Result<Vec<bool>, Mismatch> {
        let mut at_fault = vec![false; self.record.players.len()];
        let last = self.session.ply();
        for fault in &recorded.faults {
            let seat = fault.seat;
            let wrong = |reason: &str| {
                let reason = reason.to_owned();
                Err(Mismatch::Fault { seat, reason })
            };
            match at_fault.get_mut(seat) {
                None => return wrong("there is no such seat"),
                Some(true) => return wrong("it is at fault twice"),
                Some(known) => *known = true,
            }
            if fault.ply > last {
                return wrong("it comes after the last move");
            }
        }
        match recorded.faults.last() {
            None => Ok(at_fault),
            // The others played on, so there must be an end.
            Some(_) if !adjudication::decided_by_faults(&at_fault) => match self.end() {
                Some(_) => Ok(at_fault),
                None => {
                    let reason = recorded.reason.clone();
                    Err(Mismatch::NoEnd { reason })
                }
            },
            Some(fault) => self.decisive(fault).map(|()| at_fault),
        }
    }

    /// True if a fault can have ended the match where the moves end.
    fn decisive(&self, fault: &Fault) -> Result<(), Mismatch> {
        let last = self.session.ply();
        let wrong = |reason: String| {
            Err(Mismatch::Fault {
                seat: fault.seat,
                reason,
            })
        };
        if fault.ply != last {
            let ply = fault.ply;
            return wrong(format!(
                "it decided the match at ply {ply}, but the moves end at {last}"
            ));
        }
        // Before the first turn any seat can fail to start; from then on only the one to move.
        let starting = self.only_chance_was_before(self.record.moves.len());
        let to_move = self.session.to_move();
        if to_move == ToMove::OVER {
            return wrong("the game was over".to_owned());
        }
        if !to_move.includes(fault.seat) && !starting {
            return wrong("it was not its turn".to_owned());
        }
        Ok(())
    }
}

/// Rules by their hash, for messages.
fn hash_in_words(sha256: Option<&String>) -> String {
    match sha256 {
        Some(sha256) => format!(
            "rules with the hash {}…",
            sha256.get(..12).unwrap_or(sha256)
        ),
        None => "the rules that are built in".to_owned(),
    }
}

fn same<T: PartialEq + std::fmt::Debug>(
    field: &str,
    recorded: &T,
    actual: &T,
) -> Result<(), Mismatch> {
    if recorded == actual {
        return Ok(());
    }
    Err(Mismatch::Result {
        field: field.to_owned(),
        recorded: format!("{recorded:?}"),
        actual: format!("{actual:?}"),
    })
}
