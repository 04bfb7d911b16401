//! The match store: all matches of some logs, each with a fixed size in memory.

use std::num::NonZero;

use protocol::{CpuTimeBy, FaultCode, Record};
use smallvec::SmallVec;

use super::adjudications::Adjudications;
use super::agreement::{Agreement, Alike, Line};
use super::machine_load::MachineLoad;
use super::machines::Machines;
use super::time_use::{self, TimeUse};
use crate::evidence::ranks;
use crate::matches::{Author, Fingerprint, MatchSummary, Number};
use crate::standings::{Standings, game_hash, is_usable, own_score};

/// All codes of faults, in the order of counts.
pub const FAULT_CODES: [FaultCode; 7] = [
    FaultCode::Startup,
    FaultCode::Protocol,
    FaultCode::IllegalMove,
    FaultCode::Timeout,
    FaultCode::Crash,
    FaultCode::Resign,
    FaultCode::NoMove,
];

/// The conduct of a bot, summed over matches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conduct {
    /// Faults by code, in the order of [`FAULT_CODES`].
    pub(crate) faults: [u64; FAULT_CODES.len()],
    pub(crate) time: TimeUse,
    /// Matches in which its CPU time was limited but only estimated.
    pub(crate) cpu_estimated: u64,
    /// Those of them of a bot of the referee, which hides no CPU time.
    pub(crate) cpu_estimated_of_own: u64,
}

/// A stored match: 40 bytes and 8 for each seat, as logs have many.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredMatch {
    /// Equal for matches of the same unit.
    pub(crate) unit: u64,
    /// Equal for matches with the same seats, start and moves; `None` if the moves do not determine the
    /// result.
    pub(crate) moves: Option<NonZero<u64>>,
    /// Equal for matches of one game with the same start and opening.
    pub(crate) opening: u64,
    pub(crate) number: Number,
    pub(crate) game: u16,
    /// The seats that lost by a fault (not by resigning), as bits.
    pub(crate) at_fault: u16,
    /// Where its seats begin in [`MatchStore::seats`].
    first_seat: u32,
}

/// The result of a seat.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredSeat {
    pub(crate) score: i32,
    pub(crate) bot: u16,
    pub(crate) rank: u8,
    /// True if it lost by a fault, or resigned.
    pub(crate) gave_up: bool,
}

/// The matches of one or several logs, added one at a time, in any order within a log.
#[derive(Clone, Debug, Default)]
pub struct MatchStore {
    pub(crate) standings: Standings,
    /// In the order of the standings' bots.
    pub(crate) conduct: Vec<Conduct>,
    pub(crate) stored: Vec<StoredMatch>,
    /// The seats of all stored matches, match by match.
    seats: Vec<StoredSeat>,
    /// The number of matches that cannot be rated.
    pub(crate) unusable: u64,
    /// The number of matches that no bot was ready for, if these count as losses of all.
    pub(crate) unstarted: u64,
    pub(crate) adjudications: Adjudications,
    pub(crate) machine: MachineLoad,
    pub(crate) machines: Machines,
    agreement: Agreement,
    /// The number of the current log, from 0.
    log: u64,
    /// The highest number of a log.
    last_log: u64,
}

/// The part of statistics that needs only one match, so that it can be computed on any core.
#[derive(Clone, Debug)]
pub struct Account {
    game: Fingerprint,
    unit: u64,
    moves: Option<NonZero<u64>>,
    opening: u64,
    line: Line,
    plies: u64,
    /// Use of time by seat.
    time: Vec<TimeUse>,
}

impl Account {
    /// The plies of the match are not needed afterwards.
    pub fn of(played: &MatchSummary) -> Self {
        let game = game_hash(played);
        let seats = played.players.len();
        let mut time = vec![TimeUse::default(); seats];
        let own: Vec<usize> = (0..seats).collect();
        time_use::account(played, &own, &mut time);
        Account {
            game,
            unit: unit(played, game),
            moves: moves(played, game),
            opening: opening(played, game),
            line: Line::of(played),
            plies: played.moves.list.len() as u64,
            time,
        }
    }
}

impl MatchStore {
    pub fn new() -> Self {
        MatchStore::default()
    }

    /// Counts matches that no bot was ready for as draws, like the log. Otherwise no bot gets a point for
    /// them, and ratings leave them out.
    pub fn sharing_unstarted(mut self) -> Self {
        self.standings.share_unstarted();
        self
    }

    /// Also counts results by machine, which takes memory for each pairing on each machine.
    pub fn by_machine(mut self) -> Self {
        self.machines = Machines::with_results();
        self
    }

    /// Reserves memory for this many matches: reallocation would temporarily double it.
    pub fn with_capacity(matches: usize) -> Self {
        MatchStore {
            stored: Vec::with_capacity(matches),
            seats: Vec::with_capacity(2 * matches),
            ..MatchStore::default()
        }
    }

    /// Adds a bot that may have no match.
    pub fn know(&mut self, bot: &str) {
        self.standings.know(bot);
        self.make_room();
    }

    /// The next matches are from another log. They have their own numbers and units, even if both logs have
    /// the same configuration.
    pub fn next_log(&mut self) {
        self.take_from_log(self.last_log + 1);
    }

    /// The next matches are from the log with this number, from 0, for several growing logs.
    pub fn take_from_log(&mut self, log: u64) {
        self.log = log;
        self.last_log = self.last_log.max(log);
    }

    pub fn logs(&self) -> usize {
        self.last_log as usize + 1
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        let bots = self.standings.bots().iter();
        bots.map(|bot| &*bot.name)
    }

    pub fn len(&self) -> usize {
        self.stored.len()
    }

    pub fn is_empty(&self) -> bool {
        self.stored.is_empty() && self.unstarted == 0
    }

    /// The seats of a match.
    pub(crate) fn seats_of(&self, stored: &StoredMatch) -> &[StoredSeat] {
        let game = &self.standings.games()[usize::from(stored.game)];
        &self.seats[stored.first_seat as usize..][..game.roles.len()]
    }

    /// Adds a match. If its outcome does not fit its players, or if there are more than 65,536 bots or games,
    /// it only counts as unusable.
    pub fn add(&mut self, played: &MatchSummary) {
        self.add_summary(played, &Account::of(played));
    }

    /// Adds a match with its account; the plies may be gone.
    pub fn add_summary(&mut self, played: &MatchSummary, summary: &Account) {
        if !is_usable(played) {
            self.unusable += 1;
            return;
        }
        let known = self.standings.known(played, summary.game);
        self.make_room();
        let numbers: Result<Vec<u16>, _> = known.bots.iter().map(|&bot| bot.try_into()).collect();
        let first_seat = u32::try_from(self.seats.len());
        let (Ok(numbers), Ok(game), Ok(first_seat)) = (numbers, known.game.try_into(), first_seat)
        else {
            self.unusable += 1;
            return;
        };
        let ranks = ranks(&played.result.outcome);
        self.standings.count(played, &known, &ranks);
        let mut stored = StoredMatch {
            unit: match self.log {
                0 => summary.unit,
                log => Fingerprint::of((log, summary.unit)).0,
            },
            moves: summary.moves,
            opening: summary.opening,
            number: Number::new(self.log, &played.match_id),
            game,
            at_fault: 0,
            first_seat,
        };
        let mut seats: SmallVec<[StoredSeat; 4]> = SmallVec::new();
        for (seat, (&bot, &rank)) in numbers.iter().zip(&ranks).enumerate() {
            seats.push(StoredSeat {
                score: own_score(played, seat) as i32,
                bot,
                rank,
                gave_up: false,
            });
        }
        for fault in &played.result.faults {
            let Some(&bot) = known.bots.get(fault.seat) else {
                continue;
            };
            if let Some(code) = FAULT_CODES.iter().position(|code| *code == fault.code) {
                self.conduct[bot].faults[code] += 1;
            }
            stored.at_fault |= u16::from(fault.code.is_fault()) << fault.seat;
            seats[fault.seat].gave_up = true;
        }
        self.agreement
            .add(summary.opening, stored.number, &numbers, &summary.line);
        let is_lost_by_all = self.standings.is_lost_by_all(played);
        self.machines.add(played, &known, &ranks, is_lost_by_all);
        if is_lost_by_all {
            self.unstarted += 1;
        } else {
            self.stored.push(stored);
            self.seats.extend(seats);
        }
        self.adjudications.add(played, summary.plies);
        if let Some(load) = &played.load {
            self.machine.add(load);
        }
        for (&bot, time) in known.bots.iter().zip(&summary.time) {
            self.conduct[bot].time.merge(time);
        }
        for (&bot, player) in known.bots.iter().zip(&played.players) {
            let estimated = player.cpu_time == Some(CpuTimeBy::Estimated);
            let own = estimated && player.author == Author::Referee;
            self.conduct[bot].cpu_estimated += u64::from(estimated);
            self.conduct[bot].cpu_estimated_of_own += u64::from(own);
        }
    }

    /// The pairs of bots that had at least this many positions in common and always answered alike.
    pub fn alike(&self, positions: usize) -> Vec<Alike> {
        let names: Vec<&str> = self.names().collect();
        let found = self.agreement.found(positions);
        let alike = found.map(|(bots, positions)| Alike {
            bots: bots.map(|bot| names[usize::from(bot)].to_owned()),
            positions,
        });
        alike.collect()
    }

    /// Adds the conduct of new bots.
    fn make_room(&mut self) {
        let bots = self.standings.bots().len();
        self.conduct.resize_with(bots, Conduct::default);
    }
}

/// A key that is equal for matches that repeat one another: same bots, seats, start and moves. `None` if the
/// moves do not determine the result.
pub fn repetition(record: &Record) -> Option<u64> {
    let played = MatchSummary::from(record);
    moves(&played, game_hash(&played)).map(NonZero::get)
}

/// The key of a unit: all seat orders of one pairing from one start.
fn unit(played: &MatchSummary, game: Fingerprint) -> u64 {
    let names = played.players.iter().map(|p| Fingerprint::of(&p.name).0);
    // A sum does not depend on the order.
    let group = names.fold(0, u64::wrapping_add);
    Fingerprint::of((game, played.seed, played.start, group)).0
}

/// The key of an opening, for all players.
fn opening(played: &MatchSummary, game: Fingerprint) -> u64 {
    let plies = played.moves.list.iter().take(played.opening as usize);
    let moves: Vec<u64> = plies.map(|ply| ply.hash).collect();
    Fingerprint::of((game, played.start, moves)).0
}

/// The key of equal matches. Repeated moves between the same bots are no new evidence. But a crash or a
/// time-out is a separate event, whatever the moves before it.
fn moves(played: &MatchSummary, game: Fingerprint) -> Option<NonZero<u64>> {
    let faults = &played.result.faults;
    let event = |code| {
        let events = [FaultCode::Startup, FaultCode::Timeout, FaultCode::Crash];
        events.contains(&code)
    };
    if faults.iter().any(|fault| event(fault.code)) {
        return None;
    }
    let names: Vec<&str> = played.players.iter().map(|p| &*p.name).collect();
    let ends: Vec<(usize, FaultCode)> = faults.iter().map(|f| (f.seat, f.code)).collect();
    let outcome = ranks(&played.result.outcome);
    let key = (game, played.start, played.moves.hash, names, ends, outcome);
    NonZero::new(Fingerprint::of(key).0.max(1))
}
