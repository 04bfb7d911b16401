//! Ratings in Elo with their 95 % intervals: what the model and resampling say, for people.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::bootstrap::{self, Draws};
use super::evidence::Evidence;
use super::model::{GameParams, Model};

/// Elo a unit of natural logarithm of strength.
pub const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// With fewer units, the spread between them says next to nothing; t is taken as if there were
/// one more than this.
const LEAST_FREEDOM: f64 = 3.0;

/// A figure in Elo that was estimated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The likeliest value.
    pub elo: f64,
    /// Its standard error.
    pub error: f64,
    /// The lower end of the 95 % interval.
    pub low: f64,
    /// The upper end of the 95 % interval.
    pub high: f64,
}

/// What ratings are measured from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Anchor {
    /// The bot, as an index.
    pub bot: usize,
    /// Its rating.
    pub elo: f64,
}

/// How resampling is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Resampling {
    /// How often; without a number, 200 to 1000 times, by how long it takes.
    pub resamples: Option<usize>,
    /// What randomness is made from.
    pub seed: u64,
}

impl Default for Resampling {
    fn default() -> Self {
        Resampling {
            resamples: None,
            seed: 1,
        }
    }
}

impl Resampling {
    /// How often a model is fitted again.
    fn count(&self, model: &Model) -> usize {
        /// So much takes about a second.
        const WORK: usize = 50_000_000;
        let by_cost = || (WORK / model.work().max(1)).clamp(200, 1000);
        self.resamples.unwrap_or_else(by_cost)
    }
}

/// The ratings of all bots, and what seats are worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ratings {
    /// The bots' ratings; `None` for a bot without a match. Those of an anchor's group are
    /// measured from the anchor; those of any other from the group's mean, which is 0.
    pub bots: Vec<Option<Estimate>>,
    /// How often the units were drawn again.
    pub resamples: usize,
    /// The group of each bot. Bots of different groups are not connected by matches, so that their
    /// ratings cannot be compared.
    pub groups: Vec<usize>,
    /// What each seat of each game is worth against the mean of the game's other seats; empty for
    /// a game without a match.
    pub seats: Vec<Vec<Estimate>>,
    /// How often two equal bots draw, a game each, as a chance, if the seats were worth the same.
    pub draws: Vec<f64>,
    /// The likelihood of superiority: how likely it is, given the matches, that the row's bot is
    /// stronger than the column's. `None` where they cannot be compared.
    pub superiority: Vec<Vec<Option<f64>>>,
}

/// Rates all bots by one joint model of all games.
///
/// Intervals and likelihoods of superiority come from the standard errors of resampling whole
/// units. A bot's interval is its rating ± t × standard error, where t is the 97.5 % quantile of
/// Student's distribution with the number of the bot's units less one as its degrees of freedom:
/// with few units, the spread between them is itself uncertain. (Percentiles of the resamples
/// would be too narrow there.)
pub fn rate(evidence: &Evidence, anchor: Option<Anchor>, resampling: Resampling) -> Ratings {
    Fitted::new(evidence, resampling).ratings(anchor)
}

/// A model that was fitted to evidence, and to resamples of it.
pub(crate) struct Fitted {
    model: Model,
    draws: Draws,
    groups: Vec<usize>,
}

impl Fitted {
    pub(crate) fn new(evidence: &Evidence, resampling: Resampling) -> Self {
        let model = Model::new(evidence);
        let draws = bootstrap::draw(&model, resampling.count(&model), resampling.seed);
        Fitted {
            model,
            draws,
            groups: evidence.groups(),
        }
    }

    /// The ratings, measured from an anchor or from the mean.
    pub(crate) fn ratings(&self, anchor: Option<Anchor>) -> Ratings {
        let scale = Scale::new(&self.model, &self.groups, anchor);
        let units = Units::count(&self.model);
        let bots = (0..self.model.bots).map(|bot| {
            let measured = units.bots[bot].min(scale.units(bot, &units));
            let elo = |at: &[f64]| scale.elo(at, bot);
            (units.bots[bot] > 0).then(|| self.estimate(measured, &elo))
        });
        let games = self.model.games.iter();
        let draw_rate = |param: usize| {
            let tie = self.draws.point[param].exp();
            tie / (2.0 + tie)
        };
        Ratings {
            bots: bots.collect(),
            resamples: self.draws.resamples.len(),
            seats: games
                .clone()
                .zip(&units.games)
                .map(|(game, &units)| self.seats(game, units))
                .collect(),
            draws: games
                .map(|game| game.tie(2).map_or(0.0, draw_rate))
                .collect(),
            superiority: superiority(&self.draws, &self.groups, &units),
            groups: self.groups.clone(),
        }
    }

    /// A value with its interval, which rests on so many units.
    fn estimate(&self, units: u64, value: &dyn Fn(&[f64]) -> f64) -> Estimate {
        let error = spread(&self.draws, value);
        let reach = error * student(units).inverse_cdf(0.975);
        let elo = value(&self.draws.point);
        Estimate {
            elo,
            error,
            low: elo - reach,
            high: elo + reach,
        }
    }

    /// What the seats of a game are worth.
    fn seats(&self, game: &GameParams, units: u64) -> Vec<Estimate> {
        let worth = |at: &[f64], seat| game.seat(seat).map_or(0.0, |param| at[param]);
        let seats = 0..if units > 0 { game.seats } else { 0 };
        seats
            .map(|seat| {
                self.estimate(units, &|at| {
                    let others = (0..game.seats).filter(|other| *other != seat);
                    let others: f64 = others.map(|other| worth(at, other)).sum();
                    ELO * (worth(at, seat) - others / (game.seats - 1) as f64)
                })
            })
            .collect()
    }
}

fn student(units: u64) -> StudentsT {
    let freedom = (units as f64 - 1.0).max(LEAST_FREEDOM);
    match StudentsT::new(0.0, 1.0, freedom) {
        Ok(student) => student,
        Err(_) => unreachable!("scale and freedom are positive"),
    }
}

/// The standard deviation of a value over the resamples.
fn spread(draws: &Draws, value: &dyn Fn(&[f64]) -> f64) -> f64 {
    let values: Vec<f64> = draws.resamples.iter().map(|at| value(at)).collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count.max(1.0);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (count - 1.0).max(1.0)).sqrt()
}

/// How many units there are of each bot and game.
struct Units {
    bots: Vec<u64>,
    games: Vec<u64>,
}

impl Units {
    fn count(model: &Model) -> Self {
        let mut units = Units {
            bots: vec![0; model.bots],
            games: vec![0; model.games.len()],
        };
        for kind in &model.kinds {
            for bot in model.bots_of(kind) {
                units.bots[bot] += u64::from(kind.count);
            }
            for game in model.games_of(kind) {
                units.games[game] += u64::from(kind.count);
            }
        }
        units
    }
}

/// What ratings are measured from.
struct Scale<'a> {
    groups: &'a [usize],
    /// The bots of each group.
    members: Vec<Vec<usize>>,
    anchor: Option<Anchor>,
}

impl<'a> Scale<'a> {
    fn new(model: &Model, groups: &'a [usize], anchor: Option<Anchor>) -> Self {
        let count = groups.iter().max().map_or(0, |most| most + 1);
        let mut members = vec![Vec::new(); count];
        for bot in 0..model.bots {
            members[groups[bot]].push(bot);
        }
        Scale {
            groups,
            members,
            anchor: anchor.filter(|anchor| anchor.bot < model.bots),
        }
    }

    /// The anchor of a bot's group.
    fn anchor(&self, bot: usize) -> Option<Anchor> {
        self.anchor
            .filter(|anchor| self.groups[anchor.bot] == self.groups[bot])
    }

    fn elo(&self, at: &[f64], bot: usize) -> f64 {
        match self.anchor(bot) {
            Some(anchor) => anchor.elo + ELO * (at[bot] - at[anchor.bot]),
            None => {
                let members = &self.members[self.groups[bot]];
                let sum: f64 = members.iter().map(|member| at[*member]).sum();
                ELO * (at[bot] - sum / members.len() as f64)
            }
        }
    }

    /// How many units there are of what a bot is measured from.
    fn units(&self, bot: usize, units: &Units) -> u64 {
        self.anchor(bot)
            .map_or(u64::MAX, |anchor| units.bots[anchor.bot])
    }
}

fn superiority(draws: &Draws, groups: &[usize], units: &Units) -> Vec<Vec<Option<f64>>> {
    let bots = groups.len();
    let mut all = vec![vec![None; bots]; bots];
    for bot in 0..bots {
        for other in bot + 1..bots {
            if groups[bot] != groups[other] {
                continue;
            }
            let lead = |at: &[f64]| at[bot] - at[other];
            let (lead, spread) = (lead(&draws.point), spread(draws, &lead));
            let student = student(units.bots[bot].min(units.bots[other]));
            // Without resamples nothing is known of how sure this is.
            let likelihood = match spread > 0.0 {
                true => student.cdf(lead / spread),
                false => 0.5 + 0.5 * lead.signum() * f64::from(lead != 0.0),
            };
            all[bot][other] = Some(likelihood);
            all[other][bot] = Some(1.0 - likelihood);
        }
    }
    all
}
