//! Openings that favour one seat or the other, in games of two seats: the strength of the second seat is
//! normally distributed over the units, and its standard deviation is one more parameter.
//!
//! The likelihood of a unit is that of its matches given the effect of its opening, averaged over the
//! effect (Gauss-Hermite quadrature). Both matches of a swapped pair share their opening, which makes the
//! spread identifiable: the same seat wins both matches more often than by chance.

use crate::evidence::Placing;

use super::choice_set::{Slopes, Want};
use super::game_params::{GameParams, NONE};
use super::local_slopes::LocalSlopes;

/// Points and weights of the average over the standard normal distribution.
const NODES: [(f64, f64); 9] = [
    (-4.512_745_863_399_783, 2.234_584_400_774_658e-5),
    (-3.205_429_002_856_47, 2.789_141_321_231_769e-3),
    (-2.076_847_978_677_83, 4.991_640_676_521_788e-2),
    (-1.023_255_663_789_133, 0.244_097_502_894_939_2),
    (0.0, 0.406_349_206_349_206_3),
    (1.023_255_663_789_133, 0.244_097_502_894_939_2),
    (2.076_847_978_677_83, 4.991_640_676_521_788e-2),
    (3.205_429_002_856_47, 2.789_141_321_231_769e-3),
    (4.512_745_863_399_783, 2.234_584_400_774_658e-5),
];

/// The standard deviation of the prior of the spread, in natural logarithms of strength.
const USUAL: f64 = 2.0;

/// The parameters of a unit: its two bots, the second seat, the tie, the spread.
const PARAMS: usize = 5;

/// The prior of a spread, times `weight`.
pub(super) fn prior(
    spread: f64,
    param: usize,
    weight: f64,
    want: Want,
    slopes: &mut Slopes,
) -> f64 {
    let precision = weight / (USUAL * USUAL);
    slopes.gradient[param] -= spread * precision;
    if want == Want::Curvature {
        slopes.curvature.add(param, param, precision);
    }
    -0.5 * spread * spread * precision
}

/// The distribution of a match's result at a node.
#[derive(Clone, Copy, Default)]
struct Chances {
    /// The sum of the worth of all results, relative to a win of the stronger seat.
    sum: f64,
    /// The expected points of the first seat.
    points: f64,
    draw: f64,
}

impl Chances {
    /// A win, a draw and a loss of the first seat.
    fn parts(self) -> [f64; 3] {
        let win = self.points - 0.5 * self.draw;
        [win, self.draw, 1.0 - win - self.draw]
    }

    /// For a lead of the first seat; `tie` is the propensity for ties, not its logarithm.
    fn new(lead: f64, tie: f64) -> Self {
        Chances::at((0.5 * lead).exp(), tie)
    }

    /// For the exponential of half a lead.
    #[inline]
    fn at(half: f64, tie: f64) -> Self {
        // Relative to the stronger seat.
        let middle = if half >= 1.0 { 1.0 / half } else { half };
        let (weak, draw) = (middle * middle, tie * middle);
        let sum = 1.0 + weak + draw;
        let strong = (1.0 + 0.5 * draw) / sum;
        Chances {
            sum,
            points: if half >= 1.0 { strong } else { 1.0 - strong },
            draw: draw / sum,
        }
    }

    /// The variances of points and of draws, and their covariance.
    fn variances(self) -> [f64; 3] {
        let Chances { points, draw, .. } = self;
        [
            points - 0.25 * draw - points * points,
            draw - draw * draw,
            0.5 * draw - draw * points,
        ]
    }
}

struct UnitEvidence {
    value: f64,
    gradient: [f64; PARAMS],
    curvature: [[f64; PARAMS]; PARAMS],
}

fn params(placings: &[Placing], game: &GameParams) -> [u32; PARAMS] {
    let [first, second] = [placings[0].bots[0], placings[0].bots[1]].map(u32::from);
    [first, second, game.seat[1], game.tie[2], game.spread]
}

/// The exponentials of half the effect of an opening by node. Nodes come in pairs of opposite sign.
fn shifts(spread: f64) -> [f64; NODES.len()] {
    let mut shifts = [1.0; NODES.len()];
    for node in 0..NODES.len() / 2 {
        let shift = (0.5 * spread * NODES[node].0).exp();
        shifts[node] = shift;
        shifts[NODES.len() - 1 - node] = 1.0 / shift;
    }
    shifts
}

/// The log-likelihood of a unit's matches, averaged over the nodes.
fn unit(placings: &[Placing], game: &GameParams, at: &[f64], want: Want) -> UnitEvidence {
    match want {
        Want::Curvature => curved::<true>(placings, game, at),
        Want::Slope | Want::Value => curved::<false>(placings, game, at),
    }
}

/// [`unit`], with or without its curvature: most of the time goes there.
fn curved<const CURVED: bool>(placings: &[Placing], game: &GameParams, at: &[f64]) -> UnitEvidence {
    /// A product of two numbers up to this one is finite.
    const LARGE: f64 = 1e150;
    let params = params(placings, game);
    let value = |param: u32| match param {
        NONE => f64::NEG_INFINITY,
        param => at[param as usize],
    };
    let (tie, spread) = (value(params[3]), value(params[4]));
    let propensity = tie.exp();
    let shifts = shifts(spread);
    let mut logs = [0.0; NODES.len()];
    // Logarithms take long, and one of a product is enough.
    let mut products = [1.0_f64; NODES.len()];
    let mut gradients = [[0.0; PARAMS]; NODES.len()];
    let mut curvatures = [[[0.0; PARAMS]; PARAMS]; NODES.len()];
    for placing in placings {
        let [first, second] = [placing.bots[0], placing.bots[1]].map(u32::from);
        // 1 if the bots sit as in the first match, -1 if swapped, 0 for a bot against itself.
        let way = f64::from(i8::from(first == params[0]) - i8::from(second == params[0]));
        let lead = value(first) - value(second) - value(params[2]);
        let points = 0.5 * (1.0 + f64::from(placing.ranks[1]) - f64::from(placing.ranks[0]));
        let drawn = f64::from(u8::from(placing.ranks[0] == placing.ranks[1]));
        let half = (0.5 * lead).exp();
        for (node, &(z, _)) in NODES.iter().enumerate() {
            let lead = lead + spread * z;
            let chances = Chances::at(half * shifts[node], propensity);
            let seen = if drawn > 0.0 { tie } else { 0.0 };
            logs[node] += (points - 0.5) * lead + seen - 0.5 * lead.abs();
            products[node] *= chances.sum;
            if products[node] > LARGE {
                logs[node] -= products[node].ln();
                products[node] = 1.0;
            }
            let ahead = [way, -way, -1.0, 0.0, z];
            let off = points - chances.points;
            for (slope, ahead) in gradients[node].iter_mut().zip(ahead) {
                *slope += off * ahead;
            }
            gradients[node][3] += drawn - chances.draw;
            if CURVED {
                let [of_points, of_draws, mixed] = chances.variances();
                let curvature = &mut curvatures[node];
                for i in 0..PARAMS {
                    for j in 0..PARAMS {
                        curvature[i][j] += of_points * ahead[i] * ahead[j];
                    }
                    curvature[i][3] += mixed * ahead[i];
                    curvature[3][i] += mixed * ahead[i];
                }
                curvature[3][3] += of_draws;
            }
        }
    }
    for (log, product) in logs.iter_mut().zip(products) {
        *log -= product.ln();
    }
    average::<CURVED>(&logs, &gradients, &curvatures)
}

fn average<const CURVED: bool>(
    logs: &[f64; NODES.len()],
    gradients: &[[f64; PARAMS]; NODES.len()],
    curvatures: &[[[f64; PARAMS]; PARAMS]; NODES.len()],
) -> UnitEvidence {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let likely = std::array::from_fn::<f64, { NODES.len() }, _>(|node| {
        NODES[node].1 * (logs[node] - most).exp()
    });
    let sum: f64 = likely.iter().sum();
    let mut all = UnitEvidence {
        value: most + sum.ln(),
        gradient: [0.0; PARAMS],
        curvature: [[0.0; PARAMS]; PARAMS],
    };
    for node in 0..NODES.len() {
        let share = likely[node] / sum;
        let (gradient, curvature) = (&gradients[node], &curvatures[node]);
        for i in 0..PARAMS {
            all.gradient[i] += share * gradient[i];
            if CURVED {
                for j in 0..PARAMS {
                    all.curvature[i][j] += share * (curvature[i][j] - gradient[i] * gradient[j]);
                }
            }
        }
    }
    for i in 0..PARAMS {
        for j in 0..PARAMS {
            all.curvature[i][j] += all.gradient[i] * all.gradient[j];
        }
    }
    all
}

/// The chances of a win, a draw and a loss of the first of two seats, which leads by this much, where
/// openings do not differ.
pub(super) fn even_chances(lead: f64, tie: f64) -> [f64; 3] {
    Chances::new(lead, tie.exp()).parts()
}

/// The chances of a win, a draw and a loss at this lead, over all openings.
pub(super) fn chances(lead: f64, tie: f64, spread: f64) -> [f64; 3] {
    let mut sum = [0.0; 3];
    let propensity = tie.exp();
    let half = (0.5 * lead).exp();
    for ((_, share), shift) in NODES.into_iter().zip(shifts(spread)) {
        let parts = Chances::at(half * shift, propensity).parts();
        for (sum, part) in sum.iter_mut().zip(parts) {
            *sum += share * part;
        }
    }
    sum
}

/// The logarithm of the chance of a unit's results.
pub(super) fn log_chance(placings: &[Placing], game: &GameParams, at: &[f64]) -> f64 {
    unit(placings, game, at, Want::Value).value
}

/// Adds the requested derivatives of a unit's likelihood, this many times; returns the likelihood.
pub(super) fn add(
    placings: &[Placing],
    game: &GameParams,
    at: &[f64],
    weight: f64,
    want: Want,
    slopes: &mut Slopes,
) -> f64 {
    let unit = unit(placings, game, at, want);
    let params = params(placings, game);
    for (i, &row) in params.iter().enumerate().filter(|(_, row)| **row != NONE) {
        slopes.gradient[row as usize] += weight * unit.gradient[i];
        if want != Want::Curvature {
            continue;
        }
        for (j, &column) in params.iter().enumerate() {
            if column <= row {
                let value = weight * unit.curvature[i][j];
                slopes.curvature.add(row as usize, column as usize, value);
            }
        }
    }
    weight * unit.value
}

/// Adds the slope and curvature of one unit.
pub(super) fn unit_slopes(
    placings: &[Placing],
    game: &GameParams,
    at: &[f64],
    weight: f64,
    into: &mut LocalSlopes,
) {
    let unit = unit(placings, game, at, Want::Curvature);
    let params = params(placings, game);
    for (i, &row) in params.iter().enumerate().filter(|(_, row)| **row != NONE) {
        into.slope(row, weight * unit.gradient[i]);
        for (j, &column) in params.iter().enumerate() {
            if column != NONE {
                into.curve(row, column, weight * unit.curvature[i][j]);
            }
        }
    }
}

/// Overdispersion of units, seat by seat, given a fit that assumes equal openings.
pub(super) fn evidence(placings: &[Placing], game: &GameParams, at: &[f64]) -> f64 {
    let params = params(placings, game);
    let value = |param: u32| match param {
        NONE => f64::NEG_INFINITY,
        param => at[param as usize],
    };
    let (mut off, mut expected) = (0.0, 0.0);
    for placing in placings {
        let [first, second] = [placing.bots[0], placing.bots[1]].map(u32::from);
        let chances = Chances::new(
            value(first) - value(second) - value(params[2]),
            value(params[3]).exp(),
        );
        let points = 0.5 * (1.0 + f64::from(placing.ranks[1]) - f64::from(placing.ranks[0]));
        off += points - chances.points;
        expected += chances.variances()[0];
    }
    off * off - expected
}
