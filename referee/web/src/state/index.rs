//! An index of a log for the match list: the keys to sort and filter by, and the place of each line.
//! Logs have a million matches, so each takes at most 64 bytes, and shared values (bots, endings) are
//! interned.

use std::collections::HashMap;
use std::hash::Hash;

use protocol::FaultCode;
use ratings::{Fingerprint, MatchSummary, game_label};
use serde::Deserialize;
use serde_json::Value;
use smol_str::SmolStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndexedMatch {
    /// The offset of its line in the log.
    pub(crate) offset: u64,
    /// The number in its id; ids without one sort last.
    number: u64,
    id: u64,
    /// Milliseconds since 1970.
    pub(crate) started: u64,
    /// The bytes of its line.
    pub(crate) length: u32,
    /// Index of the game and its players.
    lineup: u32,
    /// Index of the result of each seat.
    ending: u32,
    plies: u32,
    /// The number of its log, from 0.
    pub(crate) log: u16,
}

const _: () = assert!(
    size_of::<IndexedMatch>() <= 64,
    "a million of them are 64 MB"
);

/// Values that are stored once, by index.
#[derive(Debug)]
struct Interned<T> {
    list: Vec<T>,
    numbers: HashMap<T, u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Lineup {
    game: u32,
    /// Indices of the bots, in seat order.
    bots: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum SeatResult {
    /// The whole point.
    Win,
    /// A part of the point.
    Draw,
    /// Nothing.
    Loss,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Ending {
    results: Vec<SeatResult>,
    /// The seats that had a fault.
    at_fault: Vec<usize>,
}

/// A game under certain options.
#[derive(Clone, Debug)]
pub(crate) struct IndexedGame {
    /// Its name in tables.
    pub(crate) label: String,
    pub(crate) id: String,
    options: Value,
    roles: Vec<String>,
}

#[derive(Debug, Default)]
pub(crate) struct MatchIndex {
    matches: Vec<IndexedMatch>,
    lineups: Interned<Lineup>,
    endings: Interned<Ending>,
    bots: Interned<SmolStr>,
    games: Vec<IndexedGame>,
}

/// The sort key of the match list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SortBy {
    /// The number in the id.
    #[default]
    Id,
    Plies,
    /// The time of the start.
    Started,
    Game,
}

/// The filter and order of a list.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Wanted {
    pub(crate) offset: usize,
    pub(crate) limit: Option<usize>,
    /// A bot that plays in them.
    bot: String,
    /// Another bot that plays in them.
    with: String,
    /// A game, by label or id.
    game: String,
    /// The seat of the bot, by role or number.
    seat: String,
    /// The bot's result: win, draw or loss; empty for any.
    result: String,
    /// `1` or `true` if the bot, or any, had a fault.
    fault: String,
    sort: SortBy,
    /// `1` or `true` for descending order.
    desc: String,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Interned {
            list: Vec::new(),
            numbers: HashMap::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> Interned<T> {
    fn number(&mut self, value: &T) -> u32 {
        if let Some(&number) = self.numbers.get(value) {
            return number;
        }
        let number = self.list.len() as u32;
        self.list.push(value.clone());
        self.numbers.insert(value.clone(), number);
        number
    }
}

impl SeatResult {
    fn of(outcome: f64) -> Self {
        match outcome {
            1.0 => SeatResult::Win,
            0.0 => SeatResult::Loss,
            _ => SeatResult::Draw,
        }
    }
}

fn id_hash(log: u16, id: &str) -> u64 {
    Fingerprint::of((log, id)).0
}

/// The number at the end of an id.
fn id_number(id: &str) -> u64 {
    let begin = id.trim_end_matches(|c: char| c.is_ascii_digit());
    id[begin.len()..].parse().unwrap_or(u64::MAX)
}

/// The place of a match in a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) log: u16,
    pub(crate) offset: u64,
    pub(crate) length: u32,
    /// Milliseconds since 1970.
    pub(crate) started: u64,
    pub(crate) plies: u32,
}

impl MatchIndex {
    pub(crate) fn len(&self) -> usize {
        self.matches.len()
    }

    /// In order of appearance.
    pub(crate) fn games(&self) -> &[IndexedGame] {
        &self.games
    }

    /// Removes the matches of a log.
    pub(crate) fn forget(&mut self, log: u16) {
        self.matches.retain(|indexed| indexed.log != log);
    }

    pub(crate) fn add(&mut self, played: &MatchSummary, place: Place) {
        let bots = played.players.iter();
        let bots = bots.map(|player| self.bots.number(&player.name)).collect();
        let lineup = Lineup {
            game: self.game(played),
            bots,
        };
        let outcome = played.result.outcome.iter();
        let faults = played.result.faults.iter();
        let faults = faults.filter(|fault| fault.code != FaultCode::Resign);
        let ending = Ending {
            results: outcome.map(|outcome| SeatResult::of(*outcome)).collect(),
            at_fault: faults.map(|fault| fault.seat).collect(),
        };
        self.matches.push(IndexedMatch {
            offset: place.offset,
            number: id_number(&played.match_id),
            id: id_hash(place.log, &played.match_id),
            started: place.started,
            length: place.length,
            lineup: self.lineups.number(&lineup),
            ending: self.endings.number(&ending),
            plies: place.plies,
            log: place.log,
        });
    }

    fn game(&mut self, played: &MatchSummary) -> u32 {
        let same = |game: &IndexedGame| game.id == played.game && game.options == played.options;
        let known = self.games.iter().position(same);
        let number = known.unwrap_or_else(|| {
            self.games.push(IndexedGame {
                label: game_label(&played.game, &played.options),
                id: played.game.to_string(),
                options: played.options.clone(),
                roles: played
                    .players
                    .iter()
                    .map(|it| it.role.to_string())
                    .collect(),
            });
            self.games.len() - 1
        });
        number as u32
    }

    /// The match with this id. As hashes may collide, the caller checks the line.
    pub(crate) fn find(&self, log: u16, id: &str) -> Option<IndexedMatch> {
        let hash = id_hash(log, id);
        // Recent matches are requested most.
        let mut newest = self.matches.iter().rev();
        newest
            .find(|indexed| indexed.id == hash && indexed.log == log)
            .copied()
    }

    /// The total number of selected matches, and those on the page.
    pub(crate) fn page(&self, wanted: &Wanted, most: usize) -> (usize, Vec<IndexedMatch>) {
        let limit = wanted.limit.unwrap_or(most).min(most);
        let filter = Filter::of(self, wanted);
        let mut found: Vec<u32> = (0..self.matches.len() as u32)
            .filter(|&at| filter.takes(&self.matches[at as usize], &self.endings))
            .collect();
        let total = found.len();
        let (begin, end) = (
            wanted.offset.min(total),
            wanted.offset.saturating_add(limit).min(total),
        );
        if begin == end {
            return (total, Vec::new());
        }
        let labels = self.label_order();
        let down = is_yes(&wanted.desc);
        let key = |&at: &u32| {
            let indexed = &self.matches[at as usize];
            let by = match wanted.sort {
                SortBy::Id => indexed.number,
                SortBy::Plies => u64::from(indexed.plies),
                SortBy::Started => indexed.started,
                SortBy::Game => labels[self.lineups.list[indexed.lineup as usize].game as usize],
            };
            let by = (by, u64::from(indexed.log), u64::from(at));
            if down { (!by.0, !by.1, !by.2) } else { by }
        };
        // Only the page is sorted.
        if end < total {
            found.select_nth_unstable_by_key(end - 1, key);
            found.truncate(end);
        }
        found.sort_unstable_by_key(key);
        let page = found[begin..].iter();
        (total, page.map(|&at| self.matches[at as usize]).collect())
    }

    /// The rank of each game in the order of labels.
    fn label_order(&self) -> Vec<u64> {
        let mut order: Vec<usize> = (0..self.games.len()).collect();
        order.sort_by(|one, other| self.games[*one].label.cmp(&self.games[*other].label));
        let mut places = vec![0; order.len()];
        for (place, game) in order.into_iter().enumerate() {
            places[game] = place as u64;
        }
        places
    }
}

fn is_yes(word: &str) -> bool {
    matches!(word, "1" | "true")
}

/// The filter, resolved for interned values.
struct Filter {
    /// By lineup: the seats that it concerns; `None` if the lineup is excluded.
    seats: Vec<Option<Vec<usize>>>,
    result: Option<SeatResult>,
    fault: bool,
}

impl Filter {
    fn of(index: &MatchIndex, wanted: &Wanted) -> Self {
        let lineups = index.lineups.list.iter();
        Filter {
            seats: lineups
                .map(|lineup| seats_of(index, lineup, wanted))
                .collect(),
            result: match &*wanted.result {
                "win" => Some(SeatResult::Win),
                "draw" => Some(SeatResult::Draw),
                "loss" => Some(SeatResult::Loss),
                _ => None,
            },
            fault: is_yes(&wanted.fault),
        }
    }

    fn takes(&self, indexed: &IndexedMatch, endings: &Interned<Ending>) -> bool {
        let Some(seats) = &self.seats[indexed.lineup as usize] else {
            return false;
        };
        if self.result.is_none() && !self.fault {
            return true;
        }
        let ending = &endings.list[indexed.ending as usize];
        seats.iter().any(|seat| {
            let result = ending.results.get(*seat);
            self.result.is_none_or(|wanted| result == Some(&wanted))
                && (!self.fault || ending.at_fault.contains(seat))
        })
    }
}

/// The seats of a lineup that the list concerns.
fn seats_of(index: &MatchIndex, lineup: &Lineup, wanted: &Wanted) -> Option<Vec<usize>> {
    let game = &index.games[lineup.game as usize];
    if !wanted.game.is_empty() && wanted.game != game.label && wanted.game != game.id {
        return None;
    }
    let name = |seat: usize| &*index.bots.list[lineup.bots[seat] as usize];
    let is_seat = |seat: usize| {
        let role = game.roles.get(seat);
        role.is_some_and(|role| *role == wanted.seat) || wanted.seat == seat.to_string()
    };
    let all = 0..lineup.bots.len();
    let seats: Vec<usize> = all
        .clone()
        .filter(|&seat| wanted.bot.is_empty() || name(seat) == wanted.bot)
        .filter(|&seat| wanted.seat.is_empty() || is_seat(seat))
        .filter(|&seat| {
            let other = |other: usize| other != seat && name(other) == wanted.with;
            wanted.with.is_empty() || all.clone().any(other)
        })
        .collect();
    (!seats.is_empty()).then_some(seats)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn played(id: &str, game: &str, bots: [&str; 2], outcome: [f64; 2]) -> MatchSummary {
        let faults = if outcome == [0.0, 1.0] {
            json!([{"seat": 0, "code": "timeout"}])
        } else {
            json!([])
        };
        let line = json!({
            "format": 1, "match": id, "game": game, "options": {}, "seed": 1, "start": {},
            "players": [{"name": bots[0], "role": "white", "command": []},
                        {"name": bots[1], "role": "black", "command": []}],
            "time": {"startup_ms": 1, "margin_ms": 1}, "limits": {}, "opening": 0, "moves": [],
            "result": {"scores": [0, 0], "outcome": outcome, "reason": "x", "faults": faults},
            "started": "", "duration_ms": 1, "referee": ""
        });
        serde_json::from_value(line).unwrap()
    }

    fn index() -> MatchIndex {
        let mut index = MatchIndex::default();
        let matches = [
            ("m-000003", "siam", ["a", "b"], [1.0, 0.0], 30),
            ("m-000001", "amazons", ["b", "a"], [0.5, 0.5], 10),
            ("m-000002", "siam", ["a", "c"], [0.0, 1.0], 20),
        ];
        for (at, (id, game, bots, outcome, plies)) in matches.into_iter().enumerate() {
            let place = Place {
                log: 0,
                offset: at as u64,
                length: 1,
                started: 100 - at as u64,
                plies,
            };
            index.add(&played(id, game, bots, outcome), place);
        }
        index
    }

    /// The numbers of the matches on a page, and the total number.
    fn page(query: Value) -> (usize, Vec<u64>) {
        let wanted: Wanted = serde_json::from_value(query).unwrap();
        let (total, page) = index().page(&wanted, 100);
        (total, page.iter().map(|indexed| indexed.number).collect())
    }

    #[test]
    fn matches_are_sorted_and_cut_into_pages() {
        assert_eq!(page(json!({})), (3, vec![1, 2, 3]));
        assert_eq!(page(json!({"desc": "1"})), (3, vec![3, 2, 1]));
        assert_eq!(
            page(json!({"sort": "plies", "desc": "1"})),
            (3, vec![3, 2, 1])
        );
        assert_eq!(page(json!({"sort": "started"})), (3, vec![2, 1, 3]));
        assert_eq!(page(json!({"sort": "game"})), (3, vec![1, 3, 2]));
        assert_eq!(page(json!({"offset": 1, "limit": 1})), (3, vec![2]));
        assert_eq!(page(json!({"offset": 7})), (3, vec![]));
    }

    #[test]
    fn matches_are_filtered_by_what_they_brought_a_bot() {
        assert_eq!(page(json!({"bot": "a"})).1, [1, 2, 3]);
        assert_eq!(page(json!({"bot": "a", "with": "b"})).1, [1, 3]);
        assert_eq!(page(json!({"bot": "a", "with": "a"})).0, 0);
        assert_eq!(page(json!({"bot": "a", "seat": "white"})).1, [2, 3]);
        assert_eq!(page(json!({"bot": "a", "seat": "1"})).1, [1]);
        assert_eq!(page(json!({"bot": "a", "result": "win"})).1, [3]);
        assert_eq!(page(json!({"bot": "a", "result": "loss"})).1, [2]);
        assert_eq!(page(json!({"result": "draw"})).1, [1]);
        assert_eq!(page(json!({"fault": "1"})).1, [2]);
        assert_eq!(page(json!({"bot": "c", "fault": "1"})).0, 0);
        assert_eq!(page(json!({"game": "siam", "bot": "nobody"})).0, 0);
        assert_eq!(page(json!({"game": "siam"})).1, [2, 3]);
    }

    #[test]
    fn matches_are_found_by_their_ids() {
        let index = index();
        assert_eq!(index.find(0, "m-000002").map(|it| it.offset), Some(2));
        assert_eq!(index.find(1, "m-000002"), None);
        assert_eq!(index.find(0, "m-2"), None);
    }
}
