//! All matches of a log in a compact form: what is kept of each has a fixed size, however long it
//! was.

use std::num::NonZero;

use games::MAX_SEATS;
use protocol::{CpuTimeBy, FaultCode, Record};

use super::adjudications::Adjudications;
use super::agreement::{Agreement, Alike, Line};
use super::machine_load::MachineLoad;
use super::machines::Machines;
use super::time_use::{self, TimeUse};
use crate::evidence::ranks;
use crate::matches::{Author, Fingerprint, MatchSummary, Number};
use crate::standings::{Standings, game_hash, is_usable, own_score};

/// All codes of faults, in the order in which they are counted.
pub const FAULT_CODES: [FaultCode; 6] = [
    FaultCode::Startup,
    FaultCode::Protocol,
    FaultCode::IllegalMove,
    FaultCode::Timeout,
    FaultCode::Crash,
    FaultCode::Resign,
];

/// How a bot behaved, summed up as matches come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conduct {
    /// Faults by code, in the order of [`FAULT_CODES`].
    pub(crate) faults: [u64; FAULT_CODES.len()],
    pub(crate) time: TimeUse,
    /// Matches in which its CPU time was limited but only estimated.
    pub(crate) cpu_estimated: u64,
    /// Those of them in which it was a bot of the referee's own, which hides nothing.
    pub(crate) cpu_estimated_of_own: u64,
}

/// What is kept of a match: 64 bytes, as logs have many.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredMatch {
    /// Equal for matches of the same unit only.
    pub(crate) unit: u64,
    /// Equal for matches between the same seats, from the same start, with the same moves; `None`
    /// if what decided the match is not in its moves.
    pub(crate) moves: Option<NonZero<u64>>,
    /// Equal for matches of one game from the same start with the same opening.
    pub(crate) opening: u64,
    /// Its number.
    pub(crate) number: Number,
    pub(crate) game: u16,
    pub(crate) bots: [u16; MAX_SEATS],
    pub(crate) ranks: [u8; MAX_SEATS],
    pub(crate) scores: [i32; MAX_SEATS],
    /// Seats that lost by a fault (not by resigning), as bits.
    pub(crate) at_fault: u8,
}

/// The matches of one log or of several, taken in one at a time; those of a log in any order.
#[derive(Clone, Debug, Default)]
pub struct MatchStore {
    /// The sums, and which bots and games there are.
    pub(crate) standings: Standings,
    /// In the order of the standings' bots.
    pub(crate) conduct: Vec<Conduct>,
    pub(crate) stored: Vec<StoredMatch>,
    /// How many matches cannot be rated.
    pub(crate) unusable: u64,
    /// How many matches no bot was ready for, where nobody gets a point for them.
    pub(crate) unstarted: u64,
    pub(crate) adjudications: Adjudications,
    pub(crate) machine: MachineLoad,
    pub(crate) machines: Machines,
    agreement: Agreement,
    /// How many logs came before the one that matches are taken from now.
    log: u64,
    /// The highest of these.
    last_log: u64,
}

/// What statistics make of a match without knowing the others: on whichever core.
#[derive(Clone, Debug)]
pub struct Account {
    game: Fingerprint,
    unit: u64,
    moves: Option<NonZero<u64>>,
    opening: u64,
    line: Line,
    /// How many plies there were.
    plies: u64,
    /// What each seat did with its time.
    time: Vec<TimeUse>,
}

impl Account {
    /// Of a match. Its plies are not needed any more then.
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
    /// No matches yet.
    pub fn new() -> Self {
        MatchStore::default()
    }

    /// Counts matches that no bot was ready for as draws, as the log has them. Otherwise nobody gets
    /// a point for them, and ratings leave them out.
    pub fn sharing_unstarted(mut self) -> Self {
        self.standings.share_unstarted();
        self
    }

    /// Counts results by machine, too, which takes memory for each pairing on each machine.
    pub fn by_machine(mut self) -> Self {
        self.machines = Machines::with_results();
        self
    }

    /// No matches yet, with room for this many: growing would take as much memory again.
    pub fn with_capacity(matches: usize) -> Self {
        MatchStore {
            stored: Vec::with_capacity(matches),
            ..MatchStore::default()
        }
    }

    /// Makes a bot known that may have no match yet.
    pub fn know(&mut self, bot: &str) {
        self.standings.know(bot);
        self.make_room();
    }

    /// What comes now is from another log: its matches have numbers and units of their own, even if
    /// both logs are of the same configuration.
    pub fn next_log(&mut self) {
        self.take_from_log(self.last_log + 1);
    }

    /// What comes now is from the log with this number, from 0: several logs grow at a time.
    pub fn take_from_log(&mut self, log: u64) {
        self.log = log;
        self.last_log = self.last_log.max(log);
    }

    /// How many logs matches came from.
    pub fn logs(&self) -> usize {
        self.last_log as usize + 1
    }

    /// The bots' names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let bots = self.standings.bots().iter();
        bots.map(|bot| &*bot.name)
    }

    /// How many matches there are.
    pub fn len(&self) -> usize {
        self.stored.len()
    }

    /// Whether there are no matches.
    pub fn is_empty(&self) -> bool {
        self.stored.is_empty() && self.unstarted == 0
    }

    /// Takes in a match. One whose outcome does not fit its players is only counted as unusable, as
    /// are those beyond 65,536 bots or games.
    pub fn add(&mut self, played: &MatchSummary) {
        self.add_summary(played, &Account::of(played));
    }

    /// The same with what was made of the match before; its plies may be gone.
    pub fn add_summary(&mut self, played: &MatchSummary, summary: &Account) {
        if !is_usable(played) {
            self.unusable += 1;
            return;
        }
        let known = self.standings.known(played, summary.game);
        self.make_room();
        let numbers: Result<Vec<u16>, _> = known.bots.iter().map(|&bot| bot.try_into()).collect();
        let (Ok(numbers), Ok(game)) = (numbers, known.game.try_into()) else {
            self.unusable += 1;
            return;
        };
        self.standings.count(played, &known);
        let mut stored = StoredMatch {
            unit: match self.log {
                0 => summary.unit,
                log => Fingerprint::of((log, summary.unit)).0,
            },
            moves: summary.moves,
            opening: summary.opening,
            number: Number::new(self.log, &played.match_id),
            game,
            bots: [0; MAX_SEATS],
            ranks: ranks(&played.result.outcome),
            scores: [0; MAX_SEATS],
            at_fault: 0,
        };
        for (seat, &bot) in numbers.iter().enumerate() {
            stored.bots[seat] = bot;
            stored.scores[seat] = own_score(played, seat) as i32;
        }
        for fault in &played.result.faults {
            let Some(&bot) = known.bots.get(fault.seat) else {
                continue;
            };
            if let Some(code) = FAULT_CODES.iter().position(|code| *code == fault.code) {
                self.conduct[bot].faults[code] += 1;
            }
            stored.at_fault |= u8::from(fault.code.is_fault()) << fault.seat;
        }
        let (number, bots) = (stored.number, stored.bots);
        self.agreement
            .add(summary.opening, number, bots, &summary.line);
        let is_lost_by_all = self.standings.is_lost_by_all(played);
        self.machines
            .add(played, &known, stored.ranks, is_lost_by_all);
        if is_lost_by_all {
            self.unstarted += 1;
        } else {
            self.stored.push(stored);
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

    /// The pairs of bots that met at least this many positions, and always answered alike.
    pub fn alike(&self, positions: usize) -> Vec<Alike> {
        let names: Vec<&str> = self.names().collect();
        let found = self.agreement.found(positions);
        let alike = found.map(|(bots, positions)| Alike {
            bots: bots.map(|bot| names[usize::from(bot)].to_owned()),
            positions,
        });
        alike.collect()
    }

    /// Makes room for the conduct of bots that came just now.
    fn make_room(&mut self) {
        let bots = self.standings.bots().len();
        self.conduct.resize_with(bots, Conduct::default);
    }
}

/// What matches that repeat one another have in common: the same bots in the same seats, the same
/// start, the same moves. `None` if what decided the match is not in its moves.
pub fn repetition(record: &Record) -> Option<u64> {
    let played = MatchSummary::from(record);
    moves(&played, game_hash(&played)).map(NonZero::get)
}

/// All seat orders of one pairing at one start are a unit.
fn unit(played: &MatchSummary, game: Fingerprint) -> u64 {
    let names = played.players.iter().map(|p| Fingerprint::of(&p.name).0);
    // A sum does not depend on the order.
    let group = names.fold(0, u64::wrapping_add);
    Fingerprint::of((game, played.seed, played.start, group)).0
}

/// What matches of one opening have in common, whoever plays them.
fn opening(played: &MatchSummary, game: Fingerprint) -> u64 {
    let plies = played.moves.list.iter().take(played.opening as usize);
    let moves: Vec<u64> = plies.map(|ply| ply.hash).collect();
    Fingerprint::of((game, played.start, moves)).0
}

/// What equal matches have in common. A bot that plays the same moves against the same bot again says
/// nothing new. But a crash or a time-out is an event of its own, whatever moves it came after.
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
