//! Goals as utilities: the mean of each bot, whatever the others reached. In cooperative and general-sum
//! games, and for a bot alone, ranks say nothing.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::inference::Trials;
use crate::results::SwappedPairs;

/// The goals of a bot in a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GoalReport {
    pub game: usize,
    pub bot: usize,
    /// Including repeated ones.
    pub matches: u64,
    /// The mean of the game's own scores; those of a bot that lost by a fault or resigned count 0.
    pub mean: f64,
    /// The standard error, and half the length of the 95 % interval; `None` if nothing is known about them:
    /// all its matches depend on each other, or it always reached the same.
    pub error: Option<f64>,
    pub reach: Option<f64>,
    pub least: i64,
    pub most: i64,
}

/// The goals of a bot in a game so far.
struct Goals {
    matches: u64,
    /// By cluster: the sum and the number of matches.
    clusters: BTreeMap<u32, (f64, u64)>,
    least: i64,
    most: i64,
}

/// By game, then by the mean, the best first; equals in the order of the bots.
pub(super) fn goals(pairs: &SwappedPairs<'_>) -> Vec<GoalReport> {
    let mut all: BTreeMap<(usize, usize), Goals> = BTreeMap::new();
    for entry in pairs.units().flatten() {
        for (seat, result) in entry.results.iter().enumerate() {
            let goal = if result.gave_up {
                0
            } else {
                i64::from(result.score)
            };
            let goals = all.entry((entry.game, entry.bot(seat)));
            let goals = goals.or_insert_with(|| Goals {
                matches: 0,
                clusters: BTreeMap::new(),
                least: i64::MAX,
                most: i64::MIN,
            });
            goals.matches += 1;
            goals.least = goals.least.min(goal);
            goals.most = goals.most.max(goal);
            let (sum, count) = goals.clusters.entry(entry.cluster.0).or_default();
            *sum += goal as f64;
            *count += 1;
        }
    }
    let report = |((game, bot), goals): ((usize, usize), Goals)| {
        let mut trials = Trials::default();
        for (sum, count) in goals.clusters.into_values() {
            trials.add(sum, count);
        }
        let (mean, known) = trials.mean()?;
        Some(GoalReport {
            game,
            bot,
            matches: goals.matches,
            mean,
            error: known.map(|[error, _]| error),
            reach: known.map(|[_, reach]| reach),
            least: goals.least,
            most: goals.most,
        })
    };
    let mut reports: Vec<GoalReport> = all.into_iter().filter_map(report).collect();
    // Stable: equals stay in the order of the bots.
    reports.sort_by(|a, b| a.game.cmp(&b.game).then(b.mean.total_cmp(&a.mean)));
    reports
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::matches::MatchSummary;
    use crate::report::{GoalReport, Report, Request};
    use crate::store::MatchStore;

    /// A match: its seed, bots, goals and the seats at fault.
    type Line<'a> = (u64, &'a [&'a str], &'a [i64], &'a [usize]);

    fn report(matches: &[Line<'_>]) -> Report {
        let mut store = MatchStore::new();
        for (number, (seed, bots, goals, faults)) in matches.iter().enumerate() {
            let seats = bots.len();
            let outcome = |seat: usize| match seats {
                1 if faults.is_empty() => goals[0] as f64 / 100.0,
                1 => 0.0,
                _ => f64::from(u8::from(seat == 0)),
            };
            let faults = faults.iter();
            let faults: Vec<Value> = faults
                .map(|seat| json!({"seat": seat, "code": "crash"}))
                .collect();
            let line = json!({
                "format": 1, "match": format!("m-{:06}", number + 1), "game": "maze",
                "options": {}, "seed": seed, "start": seed, "opening": 0, "moves": [],
                "players": bots.iter().map(|name| json!({"name": name, "role": "r"})).collect::<Vec<_>>(),
                "time": {"startup_ms": 1, "margin_ms": 1},
                "result": {"scores": goals, "outcome": (0..seats).map(outcome).collect::<Vec<_>>(),
                    "faults": faults},
            });
            let played: MatchSummary = serde_json::from_value(line).expect("a match");
            store.add(&played);
        }
        let request = Request {
            goals: true,
            ..Request::default()
        };
        store.report(&request).expect("a report")
    }

    fn figures(goals: &[GoalReport]) -> Vec<(usize, u64, f64, bool, i64, i64)> {
        let figures = goals.iter().map(|goal| {
            let known = goal.reach.is_some();
            (
                goal.bot,
                goal.matches,
                goal.mean,
                known,
                goal.least,
                goal.most,
            )
        });
        figures.collect()
    }

    #[test]
    fn bots_alone_are_ranked_by_their_goals() {
        let report = report(&[
            (1, &["a"], &[50], &[]),
            (2, &["a"], &[100], &[]),
            (3, &["b"], &[100], &[]),
            (4, &["b"], &[100], &[]),
            (5, &["c"], &[100], &[0]),
        ]);
        let goals = report.goals.expect("asked for");
        assert_eq!(
            figures(&goals),
            [
                (1, 2, 100.0, false, 100, 100),
                (0, 2, 75.0, true, 50, 100),
                (2, 1, 0.0, false, 0, 0),
            ]
        );
        assert_eq!(report.ranking, [1, 0, 2], "by points");
        assert!(report.ratings.bots.iter().all(Option::is_none));
        assert_eq!(report.bots[0].results.points, 1.5);
    }

    #[test]
    fn partners_reach_the_same_whatever_their_ranks() {
        let report = report(&[
            (1, &["a", "b"], &[80, 80], &[]),
            (1, &["b", "a"], &[60, 60], &[]),
            (2, &["a", "b"], &[20, 20], &[]),
            (2, &["b", "a"], &[40, 40], &[]),
        ]);
        let goals = report.goals.expect("asked for");
        assert_eq!(goals[0].mean, 50.0);
        assert_eq!(
            (goals[0].mean, goals[0].reach),
            (goals[1].mean, goals[1].reach)
        );
        // Two pairs of means 70 and 30: the standard error is 20, and t is 12.706.
        let reach = goals[0].reach.expect("two pairs");
        assert!((reach - 12.7062 * 20.0).abs() < 0.01, "{reach}");
    }

    #[test]
    fn many_seats_count_and_up_to_six_are_rated() {
        let names: Vec<String> = (0..16).map(|bot| format!("{bot:02}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let goals: Vec<i64> = (0..16).collect();
        for (seats, rated) in [(5, true), (6, true), (7, false), (16, false)] {
            let report = report(&[
                (1, &names[..seats], &goals[..seats], &[seats - 1]),
                (2, &names[..seats], &goals[..seats], &[]),
            ]);
            assert_eq!((report.matches, report.unusable), (2, 0), "{seats}");
            let bots = &report.ratings.bots;
            assert!(bots.iter().all(|bot| bot.is_some() == rated), "{seats}");
            let found = report.goals.expect("asked for");
            assert_eq!(found.len(), seats);
            assert_eq!(found[0].mean, (seats - 2) as f64, "{seats}");
            let last = found.iter().find(|goal| goal.bot == seats - 1).expect("it");
            assert_eq!(last.mean, 0.5 * (seats - 1) as f64, "a fault counts 0");
            assert_eq!(report.bots[0].results.wins, 2);
        }
    }
}
