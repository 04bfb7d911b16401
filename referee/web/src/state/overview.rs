//! The overview: standings, crosstable, progress, faults, and the state of a test.

use ratings::report::{Estimate, Figure, SprtReport};
use ratings::sprt::Verdict;
use ratings::{MatchStore, Report, Request};
use report::sheet::signed;
use serde::Serialize;
use tournament::admission::LeftOut;

use crate::state::plan::{Plan, RoundView};

/// The most bots in the crosstable, which grows with their square.
const MOST_CROSSED: usize = 100;

/// The overview, in the format of pages.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Overview {
    pub(crate) name: String,
    pub(crate) folder: String,
    pub(crate) state: State,
    /// The problem with the log, in a sentence.
    pub(crate) problem: Option<String>,
    pub(crate) played: usize,
    pub(crate) scheduled: Option<u64>,
    pub(crate) seconds_left: Option<u64>,
    pub(crate) games: Vec<GameView>,
    #[serde(flatten)]
    pub(crate) figures: Figures,
    pub(crate) rounds: Option<Vec<RoundView>>,
    pub(crate) format: Option<&'static str>,
    /// The newest first.
    pub(crate) faults: Vec<FaultView>,
    /// Bots that did not play, with reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<LeftOut>,
    /// True while the tournament sends snapshots.
    pub(crate) live: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// The log has not been read to its end yet.
    Reading,
    /// A process writes the log.
    Running,
    /// No process writes the log, and matches are missing.
    Stopped,
    /// No process writes the log.
    Over,
    /// No process writes the log, and it has no match.
    Empty,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct GameView {
    pub(crate) label: String,
    pub(crate) title: String,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct FaultView {
    #[serde(rename = "match")]
    pub(crate) match_id: String,
    pub(crate) bot: String,
    pub(crate) code: &'static str,
    pub(crate) text: String,
}

/// Figures over all matches, which take a while to compute if there are many.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Figures {
    standings: Vec<StandingRow>,
    /// In the order of the standings, for the first [`MOST_CROSSED`].
    crosstable: Vec<Vec<Option<Meetings>>>,
    sprt: Option<TestView>,
}

#[derive(Clone, Debug, Serialize)]
struct StandingRow {
    place: usize,
    bot: String,
    /// The rating as text: a figure, the known end, or `?`.
    figure: String,
    /// The position of its dot, if there is a figure.
    elo: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    points: f64,
    played: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    faults: u64,
}

/// A bot's results against another one.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Meetings {
    points: f64,
    played: u64,
}

#[derive(Clone, Debug, Serialize)]
struct TestView {
    llr: f64,
    lower: f64,
    upper: f64,
    verdict: Option<&'static str>,
    bots: [String; 2],
    elo0: f64,
    elo1: f64,
}

impl Figures {
    pub(crate) fn of(matches: &MatchStore, plan: Option<&Plan>) -> Self {
        if matches.is_empty() {
            return Figures::before(matches.names());
        }
        let request = Request {
            sprt: plan.and_then(Plan::test),
            ..Request::default()
        };
        let report = matches.report(&request);
        // The test may be about bots that have not played yet.
        let report = report.or_else(|_| matches.report(&Request::default()));
        report.map_or_else(|_| Figures::default(), |report| Figures::from(&report))
    }

    /// Figures before the first match.
    fn before<'a>(bots: impl Iterator<Item = &'a str>) -> Self {
        let standings: Vec<StandingRow> = bots
            .enumerate()
            .map(|(at, bot)| StandingRow {
                place: at + 1,
                bot: bot.to_owned(),
                figure: figure(None),
                elo: None,
                low: None,
                high: None,
                points: 0.0,
                played: 0,
                wins: 0,
                draws: 0,
                losses: 0,
                faults: 0,
            })
            .collect();
        Figures {
            crosstable: no_meetings(standings.len()),
            standings,
            sprt: None,
        }
    }
}

impl From<&Report> for Figures {
    fn from(report: &Report) -> Self {
        let row = |(at, &bot): (usize, &usize)| {
            let rating = report.ratings.bots[bot];
            let finite = |value: f64| value.is_finite().then_some(value);
            let totals = &report.bots[bot].results;
            StandingRow {
                place: at + 1,
                bot: report.bots[bot].name.clone(),
                figure: figure(rating.as_ref()),
                elo: rating.and_then(|rating| match rating.figure() {
                    Figure::Known { elo, .. } => Some(elo),
                    _ => None,
                }),
                low: rating.and_then(|rating| finite(rating.low)),
                high: rating.and_then(|rating| finite(rating.high)),
                points: totals.points,
                played: totals.matches,
                wins: totals.wins,
                draws: totals.draws,
                losses: totals.losses,
                faults: totals.faults,
            }
        };
        Figures {
            standings: report.ranking.iter().enumerate().map(row).collect(),
            crosstable: crosstable(report),
            sprt: report.sprt.as_ref().map(|test| test_view(report, test)),
        }
    }
}

/// The crosstable of this many bots before any match.
fn no_meetings(bots: usize) -> Vec<Vec<Option<Meetings>>> {
    let bots = bots.min(MOST_CROSSED);
    vec![vec![None; bots]; bots]
}

/// A rating as in terminals, with a true minus sign.
fn figure(rating: Option<&Estimate>) -> String {
    let figure = rating.map(|rating| signed(rating)[0].replace('-', "−"));
    figure.unwrap_or_else(|| "–".to_owned())
}

fn crosstable(report: &Report) -> Vec<Vec<Option<Meetings>>> {
    let mut table = no_meetings(report.ranking.len());
    let mut places = vec![None; report.bots.len()];
    for (place, &bot) in report.ranking.iter().take(table.len()).enumerate() {
        places[bot] = Some(place);
    }
    for meeting in &report.meetings {
        let [first, second] = meeting.bots.map(|bot| places[bot]);
        let (Some(first), Some(second)) = (first, second) else {
            continue;
        };
        let all = meeting.matches as f64;
        let mut add = |row: usize, column: usize, points: f64| {
            let cell: &mut Option<Meetings> = &mut table[row][column];
            let cell = cell.get_or_insert_default();
            cell.points += points;
            cell.played += meeting.matches;
        };
        add(first, second, meeting.points);
        add(second, first, all - meeting.points);
    }
    table
}

fn test_view(report: &Report, test: &SprtReport) -> TestView {
    TestView {
        llr: test.llr,
        lower: test.lower,
        upper: test.upper,
        verdict: match test.verdict {
            Verdict::Running => None,
            Verdict::H0 => Some("H0"),
            Verdict::H1 => Some("H1"),
        },
        bots: test.bots.map(|bot| report.bots[bot].name.clone()),
        elo0: test.hypotheses.elo0,
        elo1: test.hypotheses.elo1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crosstable_does_not_grow_with_the_square_of_thousands_of_bots() {
        let names: Vec<String> = (0..8000).map(|number| format!("bot-{number}")).collect();
        let figures = Figures::before(names.iter().map(String::as_str));
        assert_eq!(figures.standings.len(), 8000);
        assert_eq!(figures.crosstable.len(), MOST_CROSSED);
        assert!(
            figures
                .crosstable
                .iter()
                .all(|row| row.len() == MOST_CROSSED)
        );
        let few = Figures::before(names.iter().take(3).map(String::as_str));
        assert_eq!(few.crosstable.len(), 3);
    }

    fn rating(low: f64, high: f64) -> Estimate {
        Estimate {
            elo: -339.2,
            error: 1.0,
            low,
            high,
            bound: None,
        }
    }

    /// The browser shows the same as the terminal: no figure where an end is unknown.
    #[test]
    fn ratings_read_as_in_the_terminal() {
        let all = [
            (-400.0, -270.0, "−339"),
            (-400.0, f64::INFINITY, "≥ −400"),
            (f64::NEG_INFINITY, -270.0, "≤ −270"),
            (f64::NEG_INFINITY, f64::INFINITY, "?"),
        ];
        for (low, high, expected) in all {
            assert_eq!(figure(Some(&rating(low, high))), expected);
        }
        assert_eq!(figure(None), "–");
    }
}
