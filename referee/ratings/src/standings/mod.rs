//! Standings: sums over matches by bot, game and seat. A running tournament shows them; a report takes them
//! from its [`MatchStore`](crate::MatchStore).

mod totals;

use std::collections::{BTreeMap, HashMap};

use protocol::{Record, faults};
use serde_json::Value;

use crate::evidence::{outcome, ranks};
use crate::matches::{Fingerprint, MatchSummary, game_label};

pub use totals::Totals;

/// Matches in logs have at most this many seats.
pub const MOST_SEATS: usize = 16;

/// The sums over all matches of a bot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BotStanding {
    pub name: String,
    pub totals: Totals,
}

/// The sums over the matches of a game under certain options.
#[derive(Clone, Debug, PartialEq)]
pub struct GameStanding {
    pub id: String,
    pub options: Value,
    pub roles: Vec<String>,
    /// By index in [`Standings::bots`], for bots with a match of this game: one entry per seat.
    pub bots: BTreeMap<usize, Vec<Totals>>,
    /// True if one of the game's own scores was neither 0 nor 1.
    pub own_scores: bool,
}

impl GameStanding {
    /// The game with its options that differ from the defaults.
    pub fn label(&self) -> String {
        game_label(&self.id, &self.options)
    }

    /// All bots together, one entry per seat.
    pub fn seats(&self) -> Vec<Totals> {
        let mut seats = vec![Totals::default(); self.roles.len()];
        for bot in self.bots.values() {
            for (sum, totals) in seats.iter_mut().zip(bot) {
                sum.join(totals);
            }
        }
        seats
    }
}

/// The indices of a match's bots and game in [`Standings`].
pub(crate) struct Known {
    pub(crate) bots: Vec<usize>,
    pub(crate) game: usize,
}

/// The standings of one or several logs. Bots and games are in order of their first match.
#[derive(Clone, Debug, Default)]
pub struct Standings {
    bots: Vec<BotStanding>,
    games: Vec<GameStanding>,
    bot_index: HashMap<String, usize>,
    game_index: HashMap<Fingerprint, usize>,
    /// True if matches that no bot was ready for count as draws, like in the log.
    shares_unstarted: bool,
}

impl Standings {
    /// Standings of these bots without matches.
    pub fn new<'a>(bots: impl IntoIterator<Item = &'a str>) -> Self {
        let mut standings = Standings::default();
        for bot in bots {
            standings.know(bot);
        }
        standings
    }

    /// The index of a bot, which is added if it is new.
    pub(crate) fn know(&mut self, name: &str) -> usize {
        if let Some(&index) = self.bot_index.get(name) {
            return index;
        }
        self.bots.push(BotStanding {
            name: name.to_owned(),
            totals: Totals::default(),
        });
        self.bot_index.insert(name.to_owned(), self.bots.len() - 1);
        self.bots.len() - 1
    }

    /// Adds a match, unless its outcome does not fit its players.
    pub fn add(&mut self, played: &MatchSummary) {
        if is_usable(played) {
            let known = self.known(played, game_hash(played));
            self.count(played, &known, &ranks(&played.result.outcome));
        }
    }

    /// Adds a match without computing anything from its plies.
    pub fn add_record(&mut self, record: &Record) {
        self.add(&MatchSummary::without_plies(record));
    }

    /// Counts matches that no bot was ready for as draws, like the log. Otherwise no bot gets a point for
    /// them.
    pub(crate) fn share_unstarted(&mut self) {
        self.shares_unstarted = true;
    }

    /// True if no bot was ready and this counts as a loss of all.
    pub(crate) fn is_lost_by_all(&self, played: &MatchSummary) -> bool {
        let codes = played.result.faults.iter();
        let codes = codes.map(|fault| (fault.seat, fault.code));
        let seats = played.players.len();
        // A bot alone has lost as by any other fault.
        seats > 1
            && !self.shares_unstarted
            && codes.len() >= seats
            && faults::nobody_started(seats, codes)
    }

    /// The indices of a match's bots and game, which are added if they are new.
    pub(crate) fn known(&mut self, played: &MatchSummary, hash: Fingerprint) -> Known {
        let bots = played.players.iter().map(|player| self.know(&player.name));
        let bots = bots.collect();
        let game = *self.game_index.entry(hash).or_insert_with(|| {
            self.games.push(GameStanding {
                id: played.game.to_string(),
                options: played.options.clone(),
                roles: played.players.iter().map(|p| p.role.to_string()).collect(),
                bots: BTreeMap::new(),
                own_scores: false,
            });
            self.games.len() - 1
        });
        Known { bots, game }
    }

    /// Adds the result of a usable match.
    pub(crate) fn count(&mut self, played: &MatchSummary, known: &Known, ranks: &[u8]) {
        let seats = known.bots.len();
        let lost_by_all = self.is_lost_by_all(played);
        let game = &mut self.games[known.game];
        for (seat, &bot) in known.bots.iter().enumerate() {
            let outcome = match played.result.outcome[..] {
                // A single seat has no rank.
                [only] => only.clamp(0.0, 1.0),
                _ => outcome(ranks, seat),
            };
            let score = own_score(played, seat);
            let mut faults = played.result.faults.iter();
            let fault = faults.any(|fault| fault.seat == seat && fault.code.is_fault());
            let by_seat = game.bots.entry(bot).or_default();
            by_seat.resize(seats, Totals::default());
            for totals in [&mut by_seat[seat], &mut self.bots[bot].totals] {
                if lost_by_all {
                    totals.add_unstarted();
                } else {
                    totals.add(outcome, score, fault);
                }
            }
            game.own_scores |= !lost_by_all && !(0..=1).contains(&score);
        }
    }

    pub fn bots(&self) -> &[BotStanding] {
        &self.bots
    }

    pub fn games(&self) -> &[GameStanding] {
        &self.games
    }

    pub fn matches(&self) -> u64 {
        let first_seats = self.games.iter().flat_map(|game| game.bots.values());
        let first_seats = first_seats.filter_map(|bot| bot.first());
        first_seats.map(|totals| totals.matches).sum()
    }

    /// The bots, the best first: by points per match, then by name.
    pub fn ranking(&self) -> Vec<&BotStanding> {
        let mut ranking: Vec<&BotStanding> = self.bots.iter().collect();
        let share = |bot: &BotStanding| bot.totals.share().unwrap_or(0.0);
        ranking.sort_by(|a, b| share(b).total_cmp(&share(a)).then(a.name.cmp(&b.name)));
        ranking
    }
}

/// True if the outcome fits the players.
pub(crate) fn is_usable(played: &MatchSummary) -> bool {
    let seats = played.players.len();
    let outcome = &played.result.outcome;
    (1..=MOST_SEATS).contains(&seats)
        && outcome.len() == seats
        && outcome.iter().all(|outcome| outcome.is_finite())
}

/// The game's own score of a seat, clamped to 32 bits, as logs are not trusted.
pub(crate) fn own_score(played: &MatchSummary, seat: usize) -> i64 {
    let score = played.result.scores.get(seat).copied().unwrap_or(0);
    score.clamp(i32::MIN.into(), i32::MAX.into())
}

/// Equal for matches of the same game with the same options and number of seats.
pub(crate) fn game_hash(played: &MatchSummary) -> Fingerprint {
    let options = Fingerprint::of_value(&played.options);
    Fingerprint::of((&played.game, options, played.players.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn played(players: &[&str], outcome: &[f64], options: Value) -> MatchSummary {
        let players: Vec<_> = players
            .iter()
            .map(|name| json!({"name": name, "role": format!("role of {name}")}))
            .collect();
        serde_json::from_value(json!({
            "format": 1, "match": "m-1", "game": "amazons", "options": options, "seed": 1,
            "start": {}, "players": players, "time": {"startup_ms": 1, "margin_ms": 1},
            "opening": 0, "moves": [],
            "result": {"scores": [3], "outcome": outcome,
                "faults": [{"seat": 1, "code": "crash"}]},
        }))
        .expect("a match")
    }

    #[test]
    fn points_add_up() {
        let mut standings = Standings::new(["c"]);
        standings.add(&played(&["a", "b"], &[1.0, 0.0], json!({"size": 10})));
        standings.add(&played(&["b", "a"], &[0.5, 0.5], json!({"size": 10})));
        let ranking = standings.ranking();
        let names: Vec<&str> = ranking.iter().map(|bot| &*bot.name).collect();
        assert_eq!(names, ["a", "b", "c"]);
        let a = ranking[0].totals;
        assert_eq!((a.points, a.wins, a.draws, a.losses), (1.5, 1, 1, 0));
        assert_eq!((a.faults, a.scores), (1, 3));
        let game = &standings.games()[0];
        assert_eq!(game.label(), "amazons");
        assert_eq!(game.seats()[0].points, 1.5);
        assert!(game.own_scores);
        assert_eq!(standings.matches(), 2);
    }

    #[test]
    fn a_bot_alone_gets_the_outcome_as_its_points() {
        let mut standings = Standings::default();
        for outcome in [0.375, 0.5, 1.0] {
            standings.add(&played(&["a"], &[outcome], json!({})));
        }
        let a = standings.ranking()[0].totals;
        assert_eq!((a.points, a.wins, a.draws, a.losses), (1.875, 1, 2, 0));
    }

    #[test]
    fn nobody_gets_a_point_for_a_match_that_nobody_started() {
        let mut unstarted = played(&["a", "b"], &[0.5, 0.5], json!({}));
        let fault = |seat| {
            let fault = json!({"seat": seat, "code": "startup"});
            serde_json::from_value(fault).expect("a fault")
        };
        unstarted.result.faults = vec![fault(0), fault(1)];
        let mut standings = Standings::default();
        standings.add(&unstarted);
        for bot in standings.ranking() {
            let totals = bot.totals;
            assert_eq!((totals.points, totals.losses, totals.faults), (0.0, 1, 1));
        }
        unstarted.result.faults.pop();
        standings.add(&unstarted);
        assert_eq!(standings.ranking()[0].totals.points, 0.5);
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let mut standings = Standings::default();
        standings.add(&played(&["a", "b"], &[1.0], json!({})));
        let mut unknown = played(&["a", "b"], &[1.0, 0.0], json!({}));
        unknown.result.outcome[1] = f64::NAN;
        standings.add(&unknown);
        let many: Vec<String> = (0..=MOST_SEATS).map(|seat| format!("bot {seat}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        standings.add(&played(&many, &vec![0.5; many.len()], json!({})));
        standings.add(&played(&[], &[], json!({})));
        assert_eq!((standings.matches(), standings.bots().len()), (0, 0));
    }
}
