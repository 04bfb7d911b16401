//! From lines of a log to a report: units, duplicates, own scores, tests, faults.

use serde_json::{Value, json};

use crate::matches::{MatchSummary, Number};
use crate::report::{FixedOrder, Report, Request, RequestError, SprtRequest};
use crate::sprt::{EloModel, Hypotheses, Verdict};
use crate::store::MatchStore;

/// A match of a log, with its number, seed, players, moves and scores; most wins first.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: u64,
    game: &'a str,
    seed: u64,
    players: &'a [&'a str],
    moves: &'a [&'a str],
    scores: &'a [i64],
    faults: &'a [&'a str],
}

const PLAIN: Line<'static> = Line {
    number: 1,
    game: "run",
    seed: 1,
    players: &["a", "b"],
    moves: &["x", "y"],
    scores: &[3, 1],
    faults: &[],
};

impl Line<'_> {
    fn read(&self) -> MatchSummary {
        let seats = self.scores.len();
        let outcome: Vec<f64> = (0..seats)
            .map(|seat| {
                let others = (0..seats).filter(|other| *other != seat);
                let points = others.map(|other| match self.scores[seat].cmp(&self.scores[other]) {
                    std::cmp::Ordering::Greater => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Less => 0.0,
                });
                points.sum::<f64>() / (seats - 1) as f64
            })
            .collect();
        let players = self.players.iter().enumerate();
        let players: Vec<Value> = players
            .map(|(seat, name)| json!({"name": name, "role": format!("seat {seat}")}))
            .collect();
        let moves = self.moves.iter().enumerate();
        let moves: Vec<Value> = moves
            .map(|(ply, mv)| json!({"seat": ply % seats, "move": mv, "ms": 10}))
            .collect();
        // All by the second seat.
        let faults = self.faults.iter();
        let faults: Vec<Value> = faults
            .map(|code| json!({"seat": 1, "code": code}))
            .collect();
        serde_json::from_value(json!({
            "format": 1, "match": format!("m-{:06}", self.number), "game": self.game,
            "options": {}, "seed": self.seed, "start": {"ply": 0}, "players": players,
            "time": {"per_move_ms": 100, "startup_ms": 1, "margin_ms": 1}, "opening": 0,
            "moves": moves,
            "result": {"scores": self.scores, "outcome": outcome, "faults": faults}
        }))
        .expect("a match")
    }
}

fn matches(lines: &[Line<'_>]) -> MatchStore {
    let mut matches = MatchStore::new();
    for line in lines {
        matches.add(&line.read());
    }
    matches
}

fn report(lines: &[Line<'_>]) -> Report {
    matches(lines)
        .report(&Request::default())
        .expect("a report")
}

/// Swapped pairs of `a` and `b`: the scores of the first seat and the second, in both matches.
fn pairs(results: &[[[i64; 2]; 2]]) -> MatchStore {
    let mut matches = MatchStore::new();
    for (number, [there, back]) in results.iter().enumerate() {
        let name = format!("{number}");
        let moves: &[&str] = &[&name];
        let line = |number, players, scores| Line {
            number,
            seed: name.parse().expect("a number"),
            players,
            scores,
            moves,
            ..PLAIN
        };
        let number = 2 * number as u64 + 1;
        matches.add(&line(number, &["a", "b"], there).read());
        matches.add(&line(number + 1, &["b", "a"], back).read());
    }
    matches
}

fn sprt() -> Request {
    Request {
        sprt: Some(SprtRequest {
            bots: ["b".to_owned(), "a".to_owned()],
            hypotheses: Hypotheses {
                model: EloModel::Logistic,
                elo0: 0.0,
                elo1: 50.0,
                alpha: 0.05,
                beta: 0.05,
            },
        }),
        ..Request::default()
    }
}

#[test]
fn results_add_up() {
    let report = report(&[
        PLAIN,
        Line {
            players: &["b", "a"],
            ..PLAIN
        },
        Line {
            game: "siam",
            scores: &[0, 0],
            ..PLAIN
        },
    ]);
    assert_eq!((report.matches, report.units, report.duplicates), (3, 2, 0));
    let labels: Vec<&str> = report.games.iter().map(|game| &*game.label).collect();
    assert_eq!(labels, ["run", "siam"]);
    let a = &report.bots[0];
    let r = a.results;
    assert_eq!(
        (&*a.name, r.matches, r.wins, r.draws, r.losses),
        ("a", 3, 1, 1, 1)
    );
    assert_eq!((r.points, r.scores, a.time.plies), (1.5, 4, 3));
    let run = &report.games[0];
    assert_eq!((run.seats[0].wins, run.seats[1].losses), (2, 2));
    assert_eq!(run.bots[1][0].wins, 1);
    assert_eq!(run.roles, ["seat 0", "seat 1"]);
    assert!(run.own_scores && !report.games[1].own_scores);
    assert_eq!(
        report.ratings.bots[0].expect("a rating").elo.abs().round(),
        0.0
    );
}

#[test]
fn own_scores_are_tallied_over_the_swapped_pair() {
    // a: 5 + 2 against 3 + 2; then 1 + 4 against 4 + 1; then 0 + 1 against 2 + 0.
    let matches = pairs(&[[[5, 3], [2, 2]], [[1, 4], [1, 4]], [[0, 2], [0, 1]]]);
    let report = matches.report(&Request::default()).expect("a report");
    let [meeting] = &report.meetings[..] else {
        panic!("{:?}", report.meetings);
    };
    assert_eq!((meeting.matches, meeting.pairs), (6, 3));
    assert_eq!(meeting.scores, [7 + 5 + 1, 5 + 5 + 2]);
    assert_eq!(meeting.score_results, [1, 1, 1]);
    assert_eq!(meeting.pair_results, [1, 2, 0], "by matches won");
}

#[test]
fn repeated_matches_count_and_are_one_cluster() {
    let again = |number, seed, moves| Line {
        number,
        seed,
        moves,
        ..PLAIN
    };
    let same: &[&str] = &["x", "y"];
    let lines = [
        again(5, 2, same),
        again(1, 1, same),
        again(9, 3, same),
        again(7, 4, &["x", "z"]),
        // The other way round is another match.
        Line {
            players: &["b", "a"],
            number: 2,
            ..PLAIN
        },
    ];
    let report = report(&lines);
    assert_eq!((report.matches, report.duplicates), (5, 2));
    assert_eq!((report.units, report.clusters), (4, 2));
    assert_eq!(report.meetings[0].duplicates, 2);
    assert_eq!(report.bots[0].results.matches, 5);
    assert_eq!(report.meetings[0].pairs, 1, "that of seed 1");
    let otherwise = again(5, 2, &["y", "y"]);
    let varied = self::report(&[otherwise, lines[1], lines[2], lines[3], lines[4]]);
    assert_eq!((varied.duplicates, varied.clusters), (1, 3));
    let [copied, varied] = [report, varied].map(|report| report.ratings.bots[0]);
    let [copied, varied] = [copied, varied].map(|rating| rating.expect("a rating").elo);
    assert!((copied - varied).abs() < 60.0, "{copied} {varied}");
}

#[test]
fn matches_of_one_opening_are_one_cluster_where_there_are_several() {
    let start = |number, start| {
        let mut played = Line {
            number,
            seed: number,
            moves: &[],
            ..PLAIN
        }
        .read();
        played.moves.hash = crate::Fingerprint(number);
        played.start = crate::Fingerprint(start);
        played
    };
    let count = |starts: [u64; 4]| {
        let mut matches = MatchStore::new();
        for (number, at) in starts.into_iter().enumerate() {
            matches.add(&start(number as u64 + 1, at));
        }
        matches
            .report(&Request::default())
            .expect("a report")
            .clusters
    };
    assert_eq!(count([7, 7, 8, 7]), 2);
    assert_eq!(count([7, 8, 9, 10]), 4);
    assert_eq!(
        count([7, 7, 7, 7]),
        4,
        "the only start is no choice of an opening"
    );
}

#[test]
fn tests_keep_pairs_that_repeat_others() {
    let results: Vec<[[i64; 2]; 2]> = (0..4).map(|_| [[0, 1], [1, 0]]).collect();
    let mut matches = pairs(&results);
    let twice = pairs(&results);
    for (number, stored) in twice.stored.iter().enumerate() {
        let mut stored = *stored;
        stored.unit ^= 1;
        stored.number = Number::new(0, &format!("m-{}", 100 + number));
        matches.stored.push(stored);
    }
    let report = matches.report(&sprt()).expect("a report");
    assert_eq!(report.duplicates, 8);
    assert_eq!(report.sprt.expect("asked for").pairs, 8);
}

#[test]
fn other_starts_and_events_are_no_duplicates() {
    let crash = |number| Line {
        number,
        seed: number,
        faults: &["crash"],
        ..PLAIN
    };
    assert_eq!(report(&[crash(1), crash(2)]).duplicates, 0);
    let illegal = |number| Line {
        faults: &["illegal_move"],
        ..crash(number)
    };
    let report = report(&[illegal(1), illegal(2), PLAIN]);
    assert_eq!(report.duplicates, 1);
    assert_eq!(report.bots[1].faults, [0, 0, 2, 0, 0, 0, 0]);
    assert_eq!(report.bots[1].results.faults, 2);
    let mut elsewhere = PLAIN.read();
    elsewhere.start = crate::Fingerprint(1);
    let mut matches = matches(&[PLAIN]);
    matches.add(&elsewhere);
    let report = matches.report(&Request::default()).expect("a report");
    assert_eq!((report.duplicates, report.units), (0, 2));
}

#[test]
fn a_test_counts_pairs() {
    let report = pairs(&[
        [[5, 3], [2, 2]],
        [[1, 4], [1, 4]],
        [[3, 0], [0, 1]],
        [[0, 3], [1, 0]],
    ])
    .report(&sprt())
    .expect("a report");
    let sprt = report.sprt.expect("asked for");
    // b's points: ½, 1, 0, 2.
    assert_eq!(sprt.pentanomial, Some([1, 1, 1, 0, 1]));
    assert_eq!((sprt.bots, sprt.pairs), ([1, 0], 4));
    assert!((sprt.score - 3.5 / 8.0).abs() < 1e-12);
    assert_eq!(sprt.verdict, Verdict::Running);
    assert!(sprt.llr < 0.0 && sprt.lower < sprt.llr);
}

#[test]
fn what_comes_after_the_decision_changes_nothing() {
    // b wins 40 pairs, then loses 40: the test was over long before.
    let results: Vec<[[i64; 2]; 2]> = (0..80)
        .map(|pair| {
            if pair < 40 {
                [[0, 1], [1, 0]]
            } else {
                [[1, 0], [0, 1]]
            }
        })
        .collect();
    let all = pairs(&results).report(&sprt()).expect("a report");
    let all = all.sprt.expect("asked for");
    assert_eq!(all.verdict, Verdict::H1);
    assert_eq!(all.pairs + all.after, 80);
    assert!(all.pairs < 40 && all.llr >= all.upper && all.score == 1.0);
    let decided = pairs(&results[..all.pairs as usize]).report(&sprt());
    let decided = decided.expect("a report").sprt.expect("asked for");
    assert_eq!((decided.llr, decided.after), (all.llr, 0));
    let before = pairs(&results[..all.pairs as usize - 1]).report(&sprt());
    let before = before.expect("a report").sprt.expect("asked for");
    assert_eq!(before.verdict, Verdict::Running);
}

#[test]
fn a_test_goes_on_without_half_a_pair_and_says_so() {
    let results: Vec<[[i64; 2]; 2]> = (0..3).map(|_| [[0, 1], [1, 0]]).collect();
    let all = pairs(&results);
    let mut gap = all.clone();
    // The second match of the second pair is still being played.
    gap.stored
        .retain(|stored| stored.number.in_log() != Some(4));
    let sprt = gap.report(&sprt()).expect("a report").sprt;
    let sprt = sprt.expect("asked for");
    assert_eq!((sprt.pairs, sprt.after), (2, 0));
    assert_eq!((sprt.incomplete, sprt.after_incomplete), (1, 1));
}

#[test]
fn a_test_keeps_repetitions() {
    let results: Vec<[[i64; 2]; 2]> = (0..6).map(|_| [[0, 1], [1, 0]]).collect();
    let varied = pairs(&results);
    let mut copied = varied.clone();
    let same = copied.stored[0].moves;
    for stored in copied.stored.iter_mut().step_by(2).skip(1) {
        stored.moves = same;
    }
    let [varied, copied] = [varied, copied].map(|matches| {
        let report = matches.report(&sprt()).expect("a report");
        report.sprt.expect("asked for")
    });
    assert_eq!((varied.pairs, varied.repeats, varied.worth), (6, 0, 6.0));
    assert_eq!((copied.pairs, copied.repeats, copied.score), (6, 5, 1.0));
    // Twelve matches: one six times, and six others.
    let worth = 12.0 / (36.0 + 6.0);
    assert!((copied.llr / varied.llr - worth).abs() < 1e-12);
}

/// Matches of three in these orders, each in all rotations.
fn of_three(orders: &[[&str; 3]]) -> MatchStore {
    let mut matches = MatchStore::new();
    for (unit, order) in orders.iter().enumerate() {
        for turn in 0..3 {
            let mut players = *order;
            players.rotate_left(turn);
            let line = Line {
                number: (3 * unit + turn) as u64,
                seed: unit as u64,
                players: &players,
                scores: &[3, 2, 1],
                ..PLAIN
            };
            matches.add(&line.read());
        }
    }
    matches
}

#[test]
fn fixed_cyclic_orders_are_told() {
    let fixed = |orders: &[[&str; 3]]| {
        let report = of_three(orders).report(&Request::default());
        let fixed = report.expect("a report").fixed_orders;
        let names = ["a", "b", "c", "d"];
        let pair = |order: &FixedOrder| (names[order.first], names[order.then], order.matches);
        fixed.iter().map(pair).collect::<Vec<_>>()
    };
    let (there, back) = (["a", "b", "c"], ["a", "c", "b"]);
    assert_eq!(fixed(&[there]), [], "one start has one order");
    assert_eq!(
        fixed(&[there, there]),
        [("a", "b", 6), ("c", "a", 6), ("b", "c", 6)]
    );
    assert_eq!(fixed(&[there, back]), []);
    let others = [there, ["a", "d", "b"], ["a", "b", "d"], there];
    assert_eq!(fixed(&others), [("c", "a", 6), ("b", "c", 6)]);
}

#[test]
fn half_a_pair_is_none() {
    let mut matches = pairs(&[[[5, 3], [2, 2]]]);
    matches.add(
        &Line {
            number: 3,
            seed: 77,
            ..PLAIN
        }
        .read(),
    );
    let report = matches.report(&sprt()).expect("a report");
    assert_eq!(report.sprt.expect("asked for").pairs, 1);
    assert_eq!((report.units, report.meetings[0].pairs), (2, 1));
}

#[test]
fn groups_of_three_are_tested_on_their_mean() {
    let mut matches = MatchStore::new();
    let rotations: [([&str; 3], [i64; 3]); 3] = [
        (["a", "b", "c"], [3, 2, 1]),
        (["b", "c", "a"], [2, 3, 2]),
        (["c", "a", "b"], [1, 2, 3]),
    ];
    for (number, (players, scores)) in rotations.iter().enumerate() {
        let line = Line {
            number: number as u64,
            players,
            scores,
            ..PLAIN
        };
        matches.add(&line.read());
        let sprt = matches.report(&sprt()).expect("a report").sprt;
        let complete = u64::from(number == 2);
        assert_eq!(sprt.expect("asked for").pairs, complete);
    }
    let sprt = matches
        .report(&sprt())
        .expect("a report")
        .sprt
        .expect("asked for");
    // b against a: 0, ½, 1.
    assert_eq!(sprt.score, 0.5);
}

#[test]
fn the_order_of_lines_has_no_meaning() {
    let results: Vec<[[i64; 2]; 2]> = (0..40).map(|n| [[n % 3, n % 5], [n % 7, n % 2]]).collect();
    let matches = pairs(&results);
    let one = matches.report(&sprt()).expect("a report");
    let mut reversed = MatchStore::new();
    // Bots and games become known in another order, too.
    for name in ["b", "a"] {
        reversed.know(name);
    }
    let mut lines = Vec::new();
    for (number, [there, back]) in results.iter().enumerate() {
        let text = format!("{number}");
        let pair = [(&["a", "b"], there), (&["b", "a"], back)];
        for (at, (players, scores)) in pair.into_iter().enumerate() {
            let line = Line {
                number: (2 * number + at) as u64 + 1,
                seed: number as u64,
                players,
                scores,
                moves: &[&text],
                ..PLAIN
            };
            lines.push(line.read());
        }
    }
    for line in lines.iter().rev() {
        reversed.add(line);
    }
    assert_eq!(reversed.report(&sprt()).expect("a report"), one);
}

#[test]
fn what_cannot_be_rated_is_counted() {
    let mut matches = MatchStore::new();
    let mut odd = PLAIN.read();
    odd.result.outcome.pop();
    matches.add(&odd);
    assert!(matches.is_empty());
    matches.know("sleeper");
    matches.add(&PLAIN.read());
    assert_eq!(matches.len(), 1);
    let report = matches.report(&Request::default()).expect("a report");
    assert_eq!((report.unusable, report.matches), (1, 1));
    let last = *report.ranking.last().expect("three bots");
    assert_eq!(report.bots[last].name, "sleeper");
    assert_eq!(report.bots[report.ranking[0]].name, "a");
}

#[test]
fn requests_name_what_is_there() {
    let matches = matches(&[PLAIN]);
    let ask = |request: Request| matches.report(&request).expect_err("refused").to_string();
    let anchor = Request {
        anchors: vec![("z".to_owned(), 0.0)],
        ..Request::default()
    };
    assert_eq!(ask(anchor), "no bot is called `z`; there are a, b");
    let game = Request {
        game: Some("chess".to_owned()),
        ..Request::default()
    };
    assert_eq!(ask(game), "no match of `chess` was played; there are run");
    let mut twice = sprt();
    if let Some(sprt) = &mut twice.sprt {
        sprt.bots[0] = "a".to_owned();
    }
    assert_eq!(
        matches.report(&twice),
        Err(RequestError::SameBot("a".to_owned()))
    );
}

#[test]
fn one_game_can_be_rated_alone() {
    let other = Line {
        game: "siam",
        scores: &[0, 1],
        ..PLAIN
    };
    let matches = matches(&[PLAIN, other]);
    let ask = |game: Option<&str>| {
        let request = Request {
            game: game.map(str::to_owned),
            ..Request::default()
        };
        let report = matches.report(&request).expect("a report");
        report.ratings.bots[0].expect("a rating").elo
    };
    assert!(ask(Some("run")) > 1.0 && ask(Some("siam")) < -1.0);
    assert!(ask(None).abs() < 1e-9);
}

#[test]
fn a_report_is_plain_data() {
    let report = pairs(&[[[5, 3], [2, 2]]])
        .report(&sprt())
        .expect("a report");
    let value = serde_json::to_value(&report).expect("JSON");
    assert_eq!(value["bots"][0]["name"], "a");
    assert_eq!(value["ratings"]["superiority"][0][0], Value::Null);
    assert!(value["ratings"]["bots"][0]["low"].is_number());
    assert_eq!(value["sprt"]["verdict"], "running");
    assert_eq!(value["noise"]["suspicions"], json!([]));
}

/// Adds a match that neither bot was ready for.
fn add_unstarted(matches: &mut MatchStore) {
    let line = Line {
        number: 9,
        seed: 9,
        scores: &[0, 0],
        moves: &[],
        faults: &["startup"],
        ..PLAIN
    };
    let mut unstarted = line.read();
    let mut other = unstarted.result.faults[0].clone();
    other.seat = 0;
    unstarted.result.faults.push(other);
    matches.add(&unstarted);
}

#[test]
fn nobody_gets_a_point_for_a_match_that_nobody_was_ready_for() {
    let played = [[[3, 1], [2, 2]]];
    let without = pairs(&played).report(&Request::default()).unwrap();
    let mut matches = pairs(&played);
    add_unstarted(&mut matches);
    let report = matches.report(&Request::default()).unwrap();
    assert_eq!((report.matches, report.unstarted), (3, 1));
    assert_eq!(report.ratings, without.ratings);
    for (bot, before) in report.bots.iter().zip(&without.bots) {
        let (now, before) = (bot.results, before.results);
        assert_eq!((now.points, now.matches), (before.points, 3));
        assert_eq!((now.losses, now.faults), (before.losses + 1, 1));
    }
    let mut shared = pairs(&played).sharing_unstarted();
    add_unstarted(&mut shared);
    let report = shared.report(&Request::default()).unwrap();
    assert_eq!((report.matches, report.unstarted), (3, 0));
    let points: f64 = report.bots.iter().map(|bot| bot.results.points).sum();
    assert_eq!(points, 3.0);
}

#[test]
fn a_log_in_which_nobody_was_ready_has_a_report() {
    let mut matches = MatchStore::new();
    add_unstarted(&mut matches);
    let report = matches.report(&Request::default()).unwrap();
    assert!(!matches.is_empty());
    assert_eq!(report.bots.len(), 2);
    assert_eq!(report.games[0].seats[0].losses, 1);
}
