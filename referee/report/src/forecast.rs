//! A tournament before anything is played: its matches, its games, and its duration.

use std::time::Duration;

use config::{Config, GameSetup, LeftOut};
use games::BrokenRules;
use games::playout::PlayoutRequest;
use protocol::TimeControl;
use schedule::{Count, Format, FormatName, Schedule, Scheduled};
use serde::{Serialize, Serializer};
use serde_json::Value;
use tournament::playing::openings;

use super::trials;
use ratings::sprt::{EloModel, Prospect, prospect};

/// Random playouts from which a game's length is estimated.
const PLAYOUTS: u32 = 30;
/// Seconds for a ply of a bot that answers at once.
const AT_ONCE: f64 = 0.002;

#[derive(Serialize)]
pub struct Forecast<'a> {
    pub name: String,
    /// The format's name as in configurations.
    pub format: FormatName,
    /// `None` in a test.
    pub rounds: Option<u32>,
    pub bots: Vec<String>,
    /// Bots that would be left out, as far as this is known before any of them is started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Matches at a time.
    pub concurrency: usize,
    pub matches_least: u64,
    pub matches_most: u64,
    /// Duration of `matches_least` matches if bots use all their time, in games as long as random ones.
    pub seconds_least: u64,
    /// Likewise for `matches_most`.
    pub seconds_most: u64,
    /// Duration if bots answer at once and `matches_least` matches are played.
    pub seconds_at_once: u64,
    /// `None` unless the format is a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<TestForecast>,
    pub games: Vec<GameForecast>,
    /// The matches that are known in advance, in order.
    pub schedule: KnownMatches<'a>,
}

/// The matches that are known in advance. Each is made when it is asked for: there may be a million.
pub struct KnownMatches<'a> {
    config: &'a Config,
    schedule: Schedule,
    count: u64,
}

impl KnownMatches<'_> {
    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn iter(&self) -> impl Iterator<Item = MatchForecast<'_>> {
        let known = self.schedule.known();
        known.map(|scheduled| MatchForecast::of(self.config, &scheduled))
    }
}

impl Serialize for KnownMatches<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// The expected length of a test if the first hypothesis holds, half-way between the two, and if the
/// second one holds.
#[derive(Clone, Debug, Serialize)]
pub struct TestForecast {
    /// The scale of the hypotheses.
    pub model: EloModel,
    pub without_draws: [Prospect; 3],
    /// With half of the matches drawn. In normalized Elo this makes no difference.
    pub half_drawn: [Prospect; 3],
    /// The test ends undecided after this many pairs.
    pub max_pairs: u32,
}

impl TestForecast {
    /// `None` unless the format is a test.
    pub fn of(format: &Format) -> Option<Self> {
        let Format::Sprt {
            hypotheses,
            max_pairs,
        } = format
        else {
            return None;
        };
        Some(TestForecast {
            model: hypotheses.model,
            without_draws: prospect(hypotheses, 0.0, *max_pairs),
            half_drawn: prospect(hypotheses, 0.5, *max_pairs),
            max_pairs: *max_pairs,
        })
    }

    pub fn in_words(&self) -> String {
        let Self {
            without_draws,
            half_drawn,
            ..
        } = self;
        trials::prospect(self.model, without_draws, half_drawn, self.max_pairs)
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct GameForecast {
    pub id: String,
    /// With defaults filled in.
    pub options: Value,
    /// Matches of this game for each match of a game of weight 1.
    pub weight: u32,
    /// Average length of random games.
    pub plies: f64,
    /// Known matches of this game.
    pub matches: u64,
}

#[derive(Debug, Serialize)]
pub struct MatchForecast<'a> {
    #[serde(rename = "match")]
    pub match_id: String,
    /// From 1.
    pub round: u32,
    pub game: &'a str,
    /// Index among the tournament's games, from 0.
    pub game_index: usize,
    /// Determines start and opening.
    pub seed: u64,
    /// In seat order.
    pub players: Vec<&'a str>,
}

impl<'a> Forecast<'a> {
    /// Plays a few random games without bots, nothing else.
    ///
    /// # Errors
    /// If rules from outside do not work.
    pub fn of(config: &'a Config) -> Result<Self, BrokenRules> {
        let shape = config.shape();
        let schedule = Schedule::new(&shape);
        let Count { least, most } = match shape.shard {
            Some(_) => Count::exactly(schedule.total()),
            None => shape.count(),
        };
        let games: Result<Vec<GameForecast>, _> = config.games.iter().map(game).collect();
        let mut games = games?;
        let (mut time, mut at_once) = (0.0, 0.0);
        let mut known = 0;
        for scheduled in schedule.known() {
            let game = &mut games[scheduled.game];
            known += 1;
            game.matches += 1;
            time += seconds(config, &scheduled, game.plies);
            at_once += AT_ONCE * game.plies;
        }
        let all = |known_time: f64, matches: u64| {
            let a_match = known_time / known.max(1) as f64;
            let at_a_time = (config.machine.concurrency as u64).clamp(1, matches.max(1));
            (a_match * matches as f64 / at_a_time as f64).ceil() as u64
        };
        Ok(Forecast {
            name: config.name.clone(),
            format: config.schedule.format.name(),
            rounds: match config.schedule.format {
                Format::Sprt { .. } => None,
                _ => Some(config.schedule.rounds),
            },
            bots: config.bots.iter().map(|bot| bot.name.clone()).collect(),
            left_out: config.admission.left_out.clone(),
            concurrency: config.machine.concurrency,
            matches_least: least,
            matches_most: most,
            seconds_least: all(time, least),
            seconds_most: all(time, most),
            seconds_at_once: all(at_once.min(time), least),
            test: TestForecast::of(&config.schedule.format),
            games,
            schedule: KnownMatches {
                config,
                schedule,
                count: known,
            },
        })
    }

    pub fn count(&self) -> Count {
        Count {
            least: self.matches_least,
            most: self.matches_most,
        }
    }
}

fn game(setup: &GameSetup) -> Result<GameForecast, BrokenRules> {
    let rules = &setup.rules;
    let playouts = rules.start(1)?.playout_means(&PlayoutRequest {
        max_plies: setup.limits.max_plies,
        ..PlayoutRequest::new(PLAYOUTS, 1)
    })?;
    Ok(GameForecast {
        id: rules.info().id.to_owned(),
        options: rules.options().to_json(),
        weight: setup.weight,
        plies: playouts.plies,
        matches: 0,
    })
}

impl<'a> MatchForecast<'a> {
    fn of(config: &'a Config, scheduled: &Scheduled) -> Self {
        let bots = scheduled.seats.iter().map(|&bot| &config.bots[bot]);
        MatchForecast {
            match_id: scheduled.id(),
            round: scheduled.round + 1,
            game: &config.games[scheduled.game].rules.info().id,
            game_index: scheduled.game,
            seed: openings::seed(config, scheduled),
            players: bots.map(|bot| &*bot.name).collect(),
        }
    }
}

/// Seconds for a match of this many plies if its bots use all their time.
fn seconds(config: &Config, scheduled: &Scheduled, plies: f64) -> f64 {
    let plies = (plies - f64::from(config.openings.random_plies)).max(0.0);
    let each = plies / scheduled.seats.len() as f64;
    let bots = scheduled.seats.iter().map(|&bot| &config.bots[bot]);
    bots.map(|bot| longest(&bot.time, each)).sum()
}

/// The most time that a bot has for this many moves, in seconds.
fn longest(time: &TimeControl, moves: f64) -> f64 {
    let seconds = |time: protocol::Millis| Duration::as_secs_f64(&time.0);
    let by_move = time.per_move.map(|limit| seconds(limit) * moves);
    let by_match = time.base.map(|base| {
        let increment = time.increment.map_or(0.0, seconds);
        seconds(base) + increment * moves
    });
    match (by_move, by_match) {
        (Some(a), Some(b)) => a.min(b),
        (a, b) => a.or(b).unwrap_or(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn forecast(head: &str, bots: usize) -> Forecast<'static> {
        let mut text = format!("name = \"t\"\nconcurrency = 2\n{head}\n");
        for bot in 0..bots {
            text += &format!("[[bots]]\nname = \"b{bot}\"\ncommand = \"referee bot random\"\n");
        }
        let config = Config::parse(&text, Path::new("/")).unwrap();
        Forecast::of(Box::leak(Box::new(config))).unwrap()
    }

    const RUN: &str = "games = [{ id = \"amazons\", limits = { max_plies = 10 } }]";

    #[test]
    fn time_is_estimated_from_limits_and_plies() {
        let per_move = forecast(&format!("{RUN}\n[time]\nper_move = \"2s\""), 3);
        assert_eq!(per_move.games[0].plies, 10.0);
        assert_eq!((per_move.matches_least, per_move.matches_most), (6, 6));
        // Six matches of ten plies of two seconds, two at a time.
        assert_eq!(per_move.seconds_most, 60);
        assert_eq!(per_move.seconds_at_once, 1);
        let base = "[time]\nper_move = \"1h\"\nbase = \"10s\"\nincrement = \"1s\"";
        let base = forecast(&format!("{RUN}\n{base}"), 2);
        assert_eq!(base.seconds_least, 30);
        let opening = "[opening]\nrandom_plies = 4\n[time]\nper_move = \"1s\"";
        assert_eq!(forecast(&format!("{RUN}\n{opening}"), 2).seconds_most, 6);
    }

    #[test]
    fn where_results_decide_there_is_a_range() {
        let knockout = forecast(&format!("format = \"knockout\"\n{RUN}"), 4);
        assert_eq!((knockout.matches_least, knockout.matches_most), (6, 30));
        assert!(knockout.seconds_least < knockout.seconds_most);
        assert_eq!(knockout.schedule.count(), 4, "the semifinals");
        let sprt = forecast(&format!("format = \"sprt\"\n{RUN}"), 2);
        assert_eq!((sprt.rounds, sprt.matches_most), (None, 20_000));
        let test = sprt.test.unwrap();
        assert!(!test.in_words().contains("warning"), "{}", test.in_words());
        let short = format!("format = \"sprt\"\nsprt = {{ max_pairs = 100 }}\n{RUN}");
        let short = forecast(&short, 2).test.unwrap().in_words();
        assert!(
            short.contains("`sprt.max_pairs` = 100 will hardly suffice"),
            "{short}"
        );
        let normalized = "format = \"sprt\"\nsprt = { model = \"normalized\", elo1 = 10 }\n";
        let normalized = forecast(&format!("{normalized}{RUN}"), 2).test.unwrap();
        assert_eq!(normalized.without_draws, normalized.half_drawn);
    }
}
