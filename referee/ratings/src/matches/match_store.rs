//! All matches of a log in a compact form: what is kept of each has a fixed size, however long it
//! was.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZero;

use games::MAX_SEATS;
use protocol::{FaultCode, Record, faults};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::fingerprint::Fingerprint;
use super::machine_load::MachineLoad;
use super::match_summary::MatchSummary;
use super::time_use::{self, TimeUse};
use crate::results::ranks;

/// All codes of faults, in the order in which they are counted.
pub const FAULT_CODES: [FaultCode; 6] = [
    FaultCode::Startup,
    FaultCode::Protocol,
    FaultCode::IllegalMove,
    FaultCode::Timeout,
    FaultCode::Crash,
    FaultCode::Resign,
];

/// A bot, with what is summed up as matches come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bot {
    pub(crate) name: String,
    pub(crate) faults: [u64; FAULT_CODES.len()],
    pub(crate) time: TimeUse,
}

/// A game under certain options.
#[derive(Clone, Debug)]
pub(crate) struct Game {
    pub(crate) id: String,
    pub(crate) options: Value,
    pub(crate) roles: Vec<String>,
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
    pub(crate) bots: Vec<Bot>,
    pub(crate) games: Vec<Game>,
    pub(crate) kept: Vec<StoredMatch>,
    /// MatchStore that cannot be rated.
    pub(crate) unusable: u64,
    /// How many matches each bot had in each seat of a game that no bot of the match was ready for,
    /// by indices of the game, the bot and the seat.
    pub(crate) unstarted: BTreeMap<(usize, usize, usize), u64>,
    /// How many such matches there are.
    pub(crate) unstarted_matches: u64,
    /// Whether such matches count as draws, as the log has them.
    shares_unstarted: bool,
    pub(crate) machine: MachineLoad,
    /// How many logs came before the one that matches are taken from now.
    log: u64,
    bot_index: HashMap<String, usize>,
    game_index: HashMap<Fingerprint, usize>,
}

/// What statistics make of a match without knowing the others: on whichever core.
#[derive(Clone, Debug)]
pub struct Account {
    game: Fingerprint,
    unit: u64,
    moves: Option<NonZero<u64>>,
    opening: u64,
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
    pub fn sharing_unstarted(self) -> Self {
        MatchStore {
            shares_unstarted: true,
            ..self
        }
    }

    /// No matches yet, with room for so many: without, growing takes as much memory again.
    pub fn with_capacity(matches: usize) -> Self {
        MatchStore {
            kept: Vec::with_capacity(matches),
            ..MatchStore::default()
        }
    }

    /// Makes a bot known that may have no match yet.
    pub fn know(&mut self, bot: &str) {
        self.bot(bot);
    }

    /// What comes now is from another log: its matches have numbers and units of their own, even if
    /// both logs are of the same configuration.
    pub fn next_log(&mut self) {
        self.log += 1;
    }

    /// How many logs matches came from.
    pub fn logs(&self) -> usize {
        self.log as usize + 1
    }

    /// The bots' names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.bots.iter().map(|bot| &*bot.name)
    }

    /// How many matches there are.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there are no matches.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.unstarted.is_empty()
    }

    /// Takes in a match. One whose outcome does not fit its players is only counted as unusable, as
    /// are those beyond 65,536 bots or games.
    pub fn add(&mut self, played: &MatchSummary) {
        self.add_summary(played, &Account::of(played));
    }

    /// The same with what was made of the match before; its plies may be gone.
    pub fn add_summary(&mut self, played: &MatchSummary, summary: &Account) {
        let seats = played.players.len();
        let outcome = &played.result.outcome;
        let fits = (2..=MAX_SEATS).contains(&seats) && outcome.len() == seats;
        if !fits || outcome.iter().any(|o| !o.is_finite()) {
            self.unusable += 1;
            return;
        }
        let bots: Vec<usize> = played.players.iter().map(|p| self.bot(&p.name)).collect();
        let game = self.game(played, summary.game);
        let numbers: Result<Vec<u16>, _> = bots.iter().map(|&bot| bot.try_into()).collect();
        let (Ok(numbers), Ok(game)) = (numbers, game.try_into()) else {
            self.unusable += 1;
            return;
        };
        let mut kept = StoredMatch {
            unit: match self.log {
                0 => summary.unit,
                log => Fingerprint::of((log, summary.unit)).0,
            },
            moves: summary.moves,
            opening: summary.opening,
            number: Number::new(self.log, &played.match_id),
            game,
            bots: [0; MAX_SEATS],
            ranks: ranks(outcome),
            scores: [0; MAX_SEATS],
            at_fault: 0,
        };
        for (seat, &bot) in numbers.iter().enumerate() {
            kept.bots[seat] = bot;
            let score = played.result.scores.get(seat).copied().unwrap_or(0);
            kept.scores[seat] = score.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        }
        for lapse in &played.result.faults {
            let Some(&bot) = bots.get(lapse.seat) else {
                continue;
            };
            if let Some(code) = FAULT_CODES.iter().position(|code| *code == lapse.code) {
                self.bots[bot].faults[code] += 1;
            }
            kept.at_fault |= u8::from(lapse.code.is_fault()) << lapse.seat;
        }
        let codes = played.result.faults.iter();
        let codes = codes.map(|fault| (fault.seat, fault.code));
        if !self.shares_unstarted && faults::nobody_started(seats, codes) {
            self.unstarted_matches += 1;
            for (seat, &bot) in bots.iter().enumerate() {
                let place = (kept.game.into(), bot, seat);
                *self.unstarted.entry(place).or_default() += 1;
            }
        } else {
            self.kept.push(kept);
        }
        if let Some(load) = &played.load {
            self.machine.add(load);
        }
        for (&bot, time) in bots.iter().zip(&summary.time) {
            self.bots[bot].time.merge(time);
        }
    }

    fn bot(&mut self, name: &str) -> usize {
        if let Some(&index) = self.bot_index.get(name) {
            return index;
        }
        self.bots.push(Bot {
            name: name.to_owned(),
            ..Bot::default()
        });
        self.bot_index.insert(name.to_owned(), self.bots.len() - 1);
        self.bots.len() - 1
    }

    fn game(&mut self, played: &MatchSummary, hash: Fingerprint) -> usize {
        *self.game_index.entry(hash).or_insert_with(|| {
            self.games.push(Game {
                id: played.game.clone(),
                options: played.options.clone(),
                roles: played.players.iter().map(|p| p.role.clone()).collect(),
            });
            self.games.len() - 1
        })
    }
}

/// What matches that repeat one another have in common: the same bots in the same seats, the same
/// start, the same moves. `None` if what decided the match is not in its moves.
pub fn repetition(record: &Record) -> Option<u64> {
    let played = MatchSummary::from(record);
    moves(&played, game_hash(&played)).map(NonZero::get)
}

/// A game under certain options, with so many seats.
fn game_hash(played: &MatchSummary) -> Fingerprint {
    let options = Fingerprint::of_value(&played.options);
    Fingerprint::of((&played.game, options, played.players.len()))
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

/// What equal matches have in common. Who plays the same moves against the same bot again tells
/// nothing new. But a crash or a time-out is an event of its own, whatever moves it came after.
fn moves(played: &MatchSummary, game: Fingerprint) -> Option<NonZero<u64>> {
    let faults = &played.result.faults;
    let event = |code| {
        let events = [FaultCode::Startup, FaultCode::Timeout, FaultCode::Crash];
        events.contains(&code)
    };
    if faults.iter().any(|lapse| event(lapse.code)) {
        return None;
    }
    let names: Vec<&str> = played.players.iter().map(|p| &*p.name).collect();
    let ends: Vec<(usize, FaultCode)> = faults.iter().map(|f| (f.seat, f.code)).collect();
    let outcome = ranks(&played.result.outcome);
    let key = (game, played.start, played.moves.hash, names, ends, outcome);
    NonZero::new(Fingerprint::of(key).0.max(1))
}

/// The place of a match in the order of its schedule: its log, from 0, and the number in its id. It
/// is 64 bits, as logs have many; ids without a number come last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(u64);

impl Number {
    /// The bit of ids without a number.
    const NONE: u64 = 1 << 63;
    /// The bits of the number itself.
    const BITS: u32 = 44;

    pub(crate) fn new(log: u64, id: &str) -> Self {
        let digits = id.trim_start_matches(|c: char| !c.is_ascii_digit());
        let number: Option<u64> = digits.parse().ok();
        match number.filter(|number| number >> Self::BITS == 0) {
            Some(number) => Number(log.min(0x7_ffff) << Self::BITS | number),
            None => Number(Fingerprint::of((log, id)).0 | Self::NONE),
        }
    }

    /// The number in the match's id, if there is one.
    pub fn in_log(self) -> Option<u64> {
        (self.0 < Self::NONE).then_some(self.0 & ((1 << Self::BITS) - 1))
    }

    /// Which of several logs it is in, from 0; if there is no number, this is not known.
    pub fn log(self) -> Option<u64> {
        (self.0 < Self::NONE).then_some(self.0 >> Self::BITS)
    }
}

impl Serialize for Number {
    /// As the number in the id, as it was when there was one log only.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.in_log().unwrap_or(self.0))
    }
}
