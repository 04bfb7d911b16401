//! Standings: sums over the matches of a log, taken in one at a time.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use protocol::{Record, faults};

use ratings::game_label;

/// Results of one bot, in any set of matches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// How many matches.
    pub matches: u32,
    /// The sum of outcomes.
    pub points: f64,
    /// Matches with outcome 1.
    pub wins: u32,
    /// Matches in between.
    pub draws: u32,
    /// Matches with outcome 0.
    pub losses: u32,
    /// Matches lost by a fault.
    pub faults: u32,
}

impl Tally {
    fn add(&mut self, outcome: f64, fault: bool) {
        self.matches += 1;
        self.points += outcome;
        self.faults += u32::from(fault);
        match outcome {
            o if o >= 1.0 - 1e-9 => self.wins += 1,
            o if o <= 1e-9 => self.losses += 1,
            _ => self.draws += 1,
        }
    }

    /// Points a match; 0 where there are none.
    pub fn share(&self) -> f64 {
        self.points / f64::from(self.matches.max(1))
    }
}

/// The results of one game (under one set of options).
#[derive(Clone, Debug, Default)]
pub struct GameTally {
    /// The seats' names.
    pub roles: Vec<String>,
    /// All bots together, one entry a seat: how lopsided the game is.
    pub seats: Vec<Tally>,
    /// Each bot, one entry a seat.
    pub bots: BTreeMap<String, Vec<Tally>>,
}

/// The standings of a tournament.
#[derive(Clone, Debug, Default)]
pub struct Standings {
    bots: BTreeMap<String, Tally>,
    /// Points of the first against the second, in matches that both played.
    pairs: BTreeMap<(String, String), Tally>,
    games: BTreeMap<String, GameTally>,
}

impl Standings {
    /// No matches yet. Bots that are known already are there from the beginning.
    pub fn new<'a>(bots: impl IntoIterator<Item = &'a str>) -> Self {
        let bots = bots
            .into_iter()
            .map(|name| (name.to_owned(), Tally::default()));
        Standings {
            bots: bots.collect(),
            ..Standings::default()
        }
    }

    /// Takes a match in.
    pub fn add(&mut self, record: &Record) {
        let unstarted = nobody_started(record);
        let mut outcome = record.result.outcome.clone();
        if unstarted {
            outcome.fill(0.0);
        }
        let game = self
            .games
            .entry(game_label(&record.game, &record.options))
            .or_default();
        if game.roles.is_empty() {
            game.roles = record.players.iter().map(|p| p.role.clone()).collect();
            game.seats = vec![Tally::default(); game.roles.len()];
        }
        for (seat, (player, &mine)) in record.players.iter().zip(&outcome).enumerate() {
            let faults = &record.result.faults;
            let fault = faults.iter().any(|f| f.seat == seat && f.code.is_fault());
            self.bots
                .entry(player.name.clone())
                .or_default()
                .add(mine, fault);
            let seats = game.seats.len();
            let by_seat = game.bots.entry(player.name.clone());
            let by_seat = by_seat.or_insert_with(|| vec![Tally::default(); seats]);
            for tally in [game.seats.get_mut(seat), by_seat.get_mut(seat)]
                .into_iter()
                .flatten()
            {
                tally.add(mine, fault);
            }
            for (other, &theirs) in record.players.iter().zip(&outcome) {
                if other.name != player.name {
                    let pair = (player.name.clone(), other.name.clone());
                    let share = match mine.total_cmp(&theirs) {
                        Ordering::Greater => 1.0,
                        Ordering::Equal if unstarted => 0.0,
                        Ordering::Equal => 0.5,
                        Ordering::Less => 0.0,
                    };
                    self.pairs.entry(pair).or_default().add(share, fault);
                }
            }
        }
    }

    /// How many matches were taken in.
    pub fn matches(&self) -> usize {
        let first_seats = self.games.values().filter_map(|game| game.seats.first());
        first_seats.map(|tally| tally.matches as usize).sum()
    }

    /// The bots with their results, the best first: by points a match, then by name.
    pub fn ranking(&self) -> Vec<(&str, Tally)> {
        let mut ranking: Vec<(&str, Tally)> = self.bots.iter().map(|(n, t)| (&**n, *t)).collect();
        ranking.sort_by(|(_, a), (_, b)| b.share().total_cmp(&a.share()));
        ranking
    }

    /// The points of one bot against another; with more than two seats a match counts for each
    /// pair in it.
    pub fn pair(&self, bot: &str, other: &str) -> Option<Tally> {
        self.pairs.get(&(bot.to_owned(), other.to_owned())).copied()
    }

    /// The results by game.
    pub fn games(&self) -> impl Iterator<Item = (&str, &GameTally)> {
        self.games.iter().map(|(label, game)| (&**label, game))
    }
}

/// Whether no bot got ready. Then nobody gets a point, whatever the log says.
fn nobody_started(record: &Record) -> bool {
    let codes = record.result.faults.iter();
    let codes = codes.map(|fault| (fault.seat, fault.code));
    faults::nobody_started(record.result.outcome.len(), codes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(players: &[&str], outcome: &[f64], options: serde_json::Value) -> Record {
        let players: Vec<_> = players
            .iter()
            .map(|name| json!({"name": name, "role": format!("role of {name}"), "command": []}))
            .collect();
        serde_json::from_value(json!({
            "format": 1, "match": "m-1", "game": "amazons", "options": options, "seed": 1,
            "start": {}, "players": players, "time": {"startup_ms": 1, "margin_ms": 1},
            "limits": {"max_plies": null, "repetition": null}, "opening": 0, "moves": [],
            "result": {"scores": [], "outcome": outcome, "reason": "x", "faults": []},
            "started": "", "duration_ms": 1, "referee": ""
        }))
        .unwrap()
    }

    #[test]
    fn points_add_up() {
        let mut standings = Standings::new(["c"]);
        standings.add(&record(&["a", "b"], &[1.0, 0.0], json!({"size": 10})));
        standings.add(&record(&["b", "a"], &[0.5, 0.5], json!({"size": 10})));
        let names: Vec<&str> = standings.ranking().iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["a", "b", "c"]);
        let a = standings.ranking()[0].1;
        assert_eq!((a.points, a.wins, a.draws, a.losses), (1.5, 1, 1, 0));
        assert_eq!(standings.pair("b", "a").unwrap().points, 0.5);
        assert_eq!(standings.pair("a", "c"), None);
        let (label, game) = standings.games().next().unwrap();
        assert_eq!((label, game.seats[0].points), ("amazons", 1.5));
    }

    #[test]
    fn nobody_gets_a_point_for_a_match_that_nobody_started() {
        let mut unstarted = record(&["a", "b"], &[0.5, 0.5], json!({"size": 10}));
        for seat in 0..2 {
            let fault = json!({"seat": seat, "code": "startup", "ply": 0, "message": "m"});
            let fault = serde_json::from_value(fault).unwrap();
            unstarted.result.faults.push(fault);
        }
        let mut standings = Standings::default();
        standings.add(&unstarted);
        for (_, tally) in standings.ranking() {
            assert_eq!((tally.points, tally.losses, tally.faults), (0.0, 1, 1));
        }
        unstarted.result.faults.pop();
        standings.add(&unstarted);
        assert_eq!(standings.ranking()[0].1.points, 0.5);
    }

    #[test]
    fn groups_count_for_each_pair() {
        let mut standings = Standings::default();
        standings.add(&record(
            &["a", "b", "c"],
            &[1.0, 0.25, 0.25],
            json!({"size": 6}),
        ));
        assert_eq!(standings.pair("a", "c").unwrap().points, 1.0);
        assert_eq!(standings.pair("b", "c").unwrap().points, 0.5);
        assert_eq!(standings.games().next().unwrap().0, "amazons (size=6)");
    }
}
