//! Ratings in Elo with their 95 % intervals: what the model and resampling say, on the scale for
//! people (see `scale`).

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::bootstrap::{self, Draws};
use super::differences::Difference;
use super::evidence::Evidence;
use super::model::{GameParams, Model};
use super::scale::{DrawMix, Scale};

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

impl Estimate {
    /// The same from the other side.
    pub fn reversed(self) -> Self {
        Estimate {
            elo: -self.elo,
            low: -self.high,
            high: -self.low,
            ..self
        }
    }
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
    /// The bots' ratings by expected score: a bot that is d above another one expects
    /// 1 / (1 + 10^(−d/400)) points a match against it in equal seats. `None` for a bot without a
    /// match. Those of a group with anchors are measured from these, so that the anchors' mean is
    /// what it should be; those of any other from the group's mean, which is 0.
    pub bots: Vec<Option<Estimate>>,
    /// The other scale, which is the model's: the bots' log-odds (natural logarithms) of winning
    /// rather than losing, with mean 0 in each group. Times 400 / ln 10 they are Elo if there are no
    /// draws. `None` for a bot without a match.
    pub log_odds: Vec<Option<f64>>,
    /// How often the units were drawn again.
    pub resamples: usize,
    /// The group of each bot. Bots of different groups are not connected by matches, so that their
    /// ratings cannot be compared.
    pub groups: Vec<usize>,
    /// What each seat of each game is worth against the mean of the game's other seats, by the
    /// score that one of two equal bots expects there; empty for a game without a match.
    pub seats: Vec<Vec<Estimate>>,
    /// How often two equal bots draw, a game each, as a chance, if the seats were worth the same.
    pub draws: Vec<f64>,
    /// The likelihood of superiority: how likely it is, given the matches, that the row's bot is
    /// stronger than the column's. `None` where they cannot be compared.
    pub superiority: Vec<Vec<Option<f64>>>,
    /// The differences between each two bots that can be compared, from the same resamples, by the
    /// bots' indices.
    pub differences: Vec<Difference>,
}

/// Rates all bots by one joint model of all games.
///
/// Intervals and likelihoods of superiority come from the standard errors of resampling whole
/// units. A bot's interval is its rating ± t × standard error, where t is the 97.5 % quantile of
/// Student's distribution with the number of the bot's units less one as its degrees of freedom:
/// with few units, the spread between them is itself uncertain. (Percentiles of the resamples
/// would be too narrow there.)
pub fn rate(evidence: &Evidence, anchors: &[Anchor], resampling: Resampling) -> Ratings {
    Fitted::new(evidence, resampling).ratings(anchors)
}

/// A model that was fitted to evidence, and to resamples of it.
pub(crate) struct Fitted {
    model: Model,
    draws: Draws,
    /// The bots' ratings as people see them, with mean 0 in each group.
    elo: Draws,
    groups: Vec<usize>,
}

impl Fitted {
    pub(crate) fn new(evidence: &Evidence, resampling: Resampling) -> Self {
        let model = Model::new(evidence);
        let draws = bootstrap::draw(&model, resampling.count(&model), resampling.seed);
        let groups = evidence.groups();
        Fitted {
            elo: for_people(evidence, &model, &draws, &groups),
            model,
            draws,
            groups,
        }
    }

    /// The ratings, measured from anchors or from the mean.
    pub(crate) fn ratings(&self, anchors: &[Anchor]) -> Ratings {
        let origin = Origin::new(&self.groups, anchors);
        let units = Units::count(&self.model);
        let bots = (0..self.model.bots).map(|bot| {
            let measured = units.bots[bot].min(origin.units(bot, &units));
            let elo = |at: &[f64]| origin.elo(at, bot);
            (units.bots[bot] > 0).then(|| estimate(&self.elo, measured, &elo))
        });
        let games = self.model.games.iter();
        let draw_rate = |game: &GameParams| {
            let tie = tie(game, &self.draws.point);
            tie / (2.0 + tie)
        };
        let played = |bot: usize| units.bots[bot] > 0;
        let centred = centred(&self.draws.point, &self.groups);
        let odds = |bot: usize| played(bot).then(|| centred[bot]);
        let differences = self.differences(&units);
        Ratings {
            bots: bots.collect(),
            log_odds: (0..self.model.bots).map(odds).collect(),
            resamples: self.draws.resamples.len(),
            seats: games
                .clone()
                .zip(&units.games)
                .map(|(game, &units)| self.seats(game, units))
                .collect(),
            draws: games.map(draw_rate).collect(),
            superiority: superiority(&differences, self.groups.len()),
            differences,
            groups: self.groups.clone(),
        }
    }

    fn differences(&self, units: &Units) -> Vec<Difference> {
        let bots = 0..self.model.bots;
        let pairs = bots.flat_map(|bot| (bot + 1..self.model.bots).map(move |other| [bot, other]));
        let comparable = |[bot, other]: &[usize; 2]| {
            let played = units.bots[*bot] > 0 && units.bots[*other] > 0;
            played && self.groups[*bot] == self.groups[*other]
        };
        Difference::marked(pairs.filter(comparable).map(|bots| {
            let [bot, other] = bots;
            let units = units.bots[bot].min(units.bots[other]);
            let lead = estimate(&self.elo, units, &|at| at[bot] - at[other]);
            // Without resamples nothing is known of how sure this is.
            let superiority = match lead.error > 0.0 {
                true => student(units).cdf(lead.elo / lead.error),
                false => 0.5 + 0.5 * lead.elo.signum() * f64::from(lead.elo != 0.0),
            };
            (bots, lead, superiority)
        }))
    }

    /// What the seats of a game are worth.
    fn seats(&self, game: &GameParams, units: u64) -> Vec<Estimate> {
        let worth = |at: &[f64], seat| game.seat(seat).map_or(0.0, |param| at[param]);
        let seats = 0..if units > 0 { game.seats } else { 0 };
        seats
            .map(|seat| {
                estimate(&self.draws, units, &|at| {
                    let others = (0..game.seats).filter(|other| *other != seat);
                    let others: f64 = others.map(|other| worth(at, other)).sum();
                    let odds = worth(at, seat) - others / (game.seats - 1) as f64;
                    DrawMix::new([(1.0, tie(game, at))]).elo(odds)
                })
            })
            .collect()
    }
}

/// Strengths of the bots with mean 0 in each group.
fn centred(at: &[f64], groups: &[usize]) -> Vec<f64> {
    let mut centred = at[..groups.len()].to_vec();
    for members in members(groups) {
        let sum: f64 = members.iter().map(|member| at[*member]).sum();
        for &member in &members {
            centred[member] -= sum / members.len() as f64;
        }
    }
    centred
}

/// The δ of ties of two.
fn tie(game: &GameParams, at: &[f64]) -> f64 {
    game.tie(2).map_or(0.0, |param| at[param].exp())
}

/// The strengths of all resamples on the scale for people, group by group.
fn for_people(evidence: &Evidence, model: &Model, draws: &Draws, groups: &[usize]) -> Draws {
    let weights = evidence.matches_by_game();
    let mix = |at: &[f64]| {
        let games = model.games.iter().zip(&weights);
        DrawMix::new(games.map(|(game, weight)| (*weight, tie(game, at))))
    };
    let odds = |at: &[f64], members: &[usize]| -> Vec<f64> {
        members.iter().map(|member| at[*member]).collect()
    };
    let members = members(groups);
    let point = mix(&draws.point);
    let scales = members.iter().map(|members| {
        let odds = odds(&draws.point, members);
        Scale::new(&odds, &point)
    });
    let scales: Vec<Scale> = scales.collect();
    let elo = |at: &Vec<f64>| {
        let mix = mix(at);
        let mut elo = vec![0.0; groups.len()];
        for (members, scale) in members.iter().zip(&scales) {
            let found = scale.elo(&odds(at, members), &mix);
            for (member, found) in members.iter().zip(found) {
                elo[*member] = found;
            }
        }
        elo
    };
    Draws {
        point: elo(&draws.point),
        resamples: draws.resamples.iter().map(elo).collect(),
    }
}

/// The bots of each group.
fn members(groups: &[usize]) -> Vec<Vec<usize>> {
    let count = groups.iter().max().map_or(0, |most| most + 1);
    let mut members = vec![Vec::new(); count];
    for (bot, &group) in groups.iter().enumerate() {
        members[group].push(bot);
    }
    members
}

/// A value with its interval, which rests on so many units.
fn estimate(draws: &Draws, units: u64, value: &dyn Fn(&[f64]) -> f64) -> Estimate {
    let error = spread(draws, value);
    let reach = error * student(units).inverse_cdf(0.975);
    let elo = value(&draws.point);
    Estimate {
        elo,
        error,
        low: elo - reach,
        high: elo + reach,
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
struct Origin<'a> {
    groups: &'a [usize],
    /// The anchors of each group; without any, ratings are measured from the mean, at 0.
    anchors: Vec<Vec<Anchor>>,
}

impl<'a> Origin<'a> {
    fn new(groups: &'a [usize], anchors: &[Anchor]) -> Self {
        let count = groups.iter().max().map_or(0, |most| most + 1);
        let mut origin = Origin {
            groups,
            anchors: vec![Vec::new(); count],
        };
        for anchor in anchors.iter().filter(|anchor| anchor.bot < groups.len()) {
            origin.anchors[groups[anchor.bot]].push(*anchor);
        }
        origin
    }

    /// A bot's rating, from the ratings of all with mean 0.
    fn elo(&self, at: &[f64], bot: usize) -> f64 {
        let anchors = &self.anchors[self.groups[bot]];
        let above = |it: &Anchor| it.elo + (at[bot] - at[it.bot]);
        match anchors.is_empty() {
            true => at[bot],
            false => anchors.iter().map(above).sum::<f64>() / anchors.len() as f64,
        }
    }

    /// How many units there are of what a bot is measured from.
    fn units(&self, bot: usize, units: &Units) -> u64 {
        let anchors = &self.anchors[self.groups[bot]];
        let sum = anchors.iter().map(|anchor| units.bots[anchor.bot]).sum();
        if anchors.is_empty() { u64::MAX } else { sum }
    }
}

fn superiority(differences: &[Difference], bots: usize) -> Vec<Vec<Option<f64>>> {
    let mut all = vec![vec![None; bots]; bots];
    for difference in differences {
        let [bot, other] = difference.bots;
        all[bot][other] = Some(difference.superiority);
        all[other][bot] = Some(1.0 - difference.superiority);
    }
    all
}
