//! Choice sets, and the log-likelihood of one choice with its first and second derivatives.

use std::sync::Arc;

use super::game_params::{GameParams, NONE};
use super::local_slopes::LocalSlopes;
use crate::evidence::{Placing, RATED_SEATS};
use crate::model::linear::{Pattern, Symmetric};

/// The seats that a choice is made from.
#[derive(Clone, Debug)]
pub(super) struct ChoiceSet {
    pub(super) game: u32,
    pub(super) len: u8,
    pub(super) bots: [u32; RATED_SEATS],
    pub(super) seats: [u32; RATED_SEATS],
}

impl ChoiceSet {
    /// The seats `left` of a match.
    pub(super) fn new(placing: &Placing, left: u8, games: &[GameParams]) -> Self {
        let game = &games[placing.game as usize];
        let mut set = ChoiceSet {
            game: placing.game.into(),
            len: 0,
            bots: [0; RATED_SEATS],
            seats: [NONE; RATED_SEATS],
        };
        for seat in (0..game.seats).filter(|seat| left >> seat & 1 == 1) {
            let at = usize::from(set.len);
            set.bots[at] = placing.bots[seat].into();
            set.seats[at] = game.seat[seat];
            set.len += 1;
        }
        set
    }
}

/// The choices of a result: the seats that are left and those of them that come next, as bit sets. A
/// seat that is left alone is no choice.
pub(super) fn choices(placing: &Placing, seats: usize) -> impl Iterator<Item = (u8, u8)> {
    let ranks = placing.ranks;
    let set = move |wanted: &dyn Fn(u8) -> bool| -> u8 {
        let seats = (0..seats).filter(|&seat| wanted(ranks[seat]));
        seats.map(|seat| 1 << seat).sum()
    };
    (0..seats as u8)
        .map(move |rank| (set(&|r| r >= rank), set(&|r| r == rank)))
        .filter(|(left, _)| left.count_ones() > 1)
}

/// The most features of a choice set: one per seat and one per size of ties.
const FEATURES: usize = 2 * RATED_SEATS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    Slope,
    Value,
    Curvature,
}

/// Derivatives by all parameters.
pub(crate) struct Slopes {
    pub(crate) gradient: Vec<f64>,
    /// The negative of the second derivatives.
    pub(crate) curvature: Symmetric,
}

impl Slopes {
    pub(crate) fn zero(pattern: &Arc<Pattern>) -> Self {
        Slopes {
            gradient: vec![0.0; pattern.size()],
            curvature: Symmetric::zero(Arc::clone(pattern)),
        }
    }

    /// Adds the wanted derivatives of another part.
    pub(crate) fn join(&mut self, other: &Slopes, want: Want) {
        for (sum, value) in self.gradient.iter_mut().zip(&other.gradient) {
            *sum += value;
        }
        if want == Want::Curvature {
            self.curvature.join(&other.curvature);
        }
    }
}

/// Work space for one choice set. Features are the strengths of the seats, then the sizes of ties from 2.
pub(super) struct Local {
    len: usize,
    strength: [f64; RATED_SEATS],
    tie_value: [f64; RATED_SEATS + 1],
    tie_possible: [bool; RATED_SEATS + 1],
    /// δ of two seats.
    tie_weight: f64,
    /// The parameters of each feature.
    params: [[u32; 2]; FEATURES],
    mean: [f64; FEATURES],
    covariance: [[f64; FEATURES]; FEATURES],
}

impl Local {
    pub(super) fn new() -> Self {
        Local {
            len: 0,
            strength: [0.0; RATED_SEATS],
            tie_value: [f64::NEG_INFINITY; RATED_SEATS + 1],
            tie_possible: [false; RATED_SEATS + 1],
            tie_weight: 0.0,
            params: [[NONE; 2]; FEATURES],
            mean: [0.0; FEATURES],
            covariance: [[0.0; FEATURES]; FEATURES],
        }
    }

    pub(super) fn prepare(&mut self, set: &ChoiceSet, game: &GameParams, at: &[f64]) {
        let value = |param: u32| match param {
            NONE => 0.0,
            param => at[param as usize],
        };
        self.len = usize::from(set.len);
        for i in 0..self.len {
            self.strength[i] = value(set.bots[i]) + value(set.seats[i]);
            self.params[i] = [set.bots[i], set.seats[i]];
        }
        self.set_ties(game);
        for size in 2..=self.len {
            let value = match game.tie[size] {
                NONE => f64::NEG_INFINITY,
                param => at[param as usize],
            };
            self.set_tie(size, value);
        }
    }

    /// A choice among all seats, of equal strength; false if nothing can tie.
    pub(super) fn prepare_equals(&mut self, game: &GameParams) -> bool {
        self.len = game.seats;
        self.strength = [0.0; RATED_SEATS];
        self.params[..self.len].fill([NONE; 2]);
        self.set_ties(game);
        self.tie_possible[2..=self.len].contains(&true)
    }

    /// Sets ln δ of a size.
    pub(super) fn set_tie(&mut self, size: usize, value: f64) {
        // Choice sets of one game are adjacent, so this seldom changes.
        if size == 2 && self.tie_value[2] != value {
            self.tie_weight = value.exp();
        }
        self.tie_value[size] = value;
    }

    fn set_ties(&mut self, game: &GameParams) {
        for size in 2..=self.len {
            self.params[self.len + size - 2] = [game.tie[size], NONE];
            self.tie_possible[size] = game.tie[size] != NONE;
        }
    }

    /// The logarithm of the sum over all subsets. Computes mean and covariance of the features.
    pub(super) fn compute(&mut self, want: Want) -> f64 {
        let len = self.len;
        let features = 2 * len - 1;
        if len == 2 {
            return self.compute_two(want);
        }
        let most = self.strength[..len]
            .iter()
            .copied()
            .fold(f64::MIN, f64::max);
        let ties = (2..=len).filter(|size| self.tie_possible[*size]);
        let base = most + ties.map(|size| self.tie_value[size]).fold(0.0, f64::max);
        let mut sum = 0.0;
        let second = want == Want::Curvature;
        self.mean = [0.0; FEATURES];
        if second {
            for row in &mut self.covariance[..features] {
                row[..features].fill(0.0);
            }
        }
        for set in 1_usize..1 << len {
            let size = set.count_ones() as usize;
            if size > 1 && !self.tie_possible[size] {
                continue;
            }
            let share = 1.0 / size as f64;
            let members = (0..len).filter(|i| set >> i & 1 == 1);
            let strength: f64 = members.map(|i| self.strength[i]).sum();
            let tie = if size > 1 { self.tie_value[size] } else { 0.0 };
            let weight = (strength * share + tie - base).exp();
            sum += weight;
            for i in (0..len).filter(|i| set >> i & 1 == 1) {
                self.mean[i] += weight * share;
            }
            if size > 1 {
                self.mean[len + size - 2] += weight;
            }
            if second {
                self.add_products(set, size, weight);
            }
        }
        for i in 0..features {
            self.mean[i] /= sum;
            for j in 0..if second { i + 1 } else { 0 } {
                let raw = self.covariance[i][j] / sum;
                self.covariance[i][j] = raw - self.mean[i] * self.mean[j];
            }
        }
        base + sum.ln()
    }

    /// Adds the products of each two features of a subset.
    fn add_products(&mut self, set: usize, size: usize, weight: f64) {
        let len = self.len;
        let share = 1.0 / size as f64;
        for i in (0..len).filter(|i| set >> i & 1 == 1) {
            for j in (0..=i).filter(|j| set >> j & 1 == 1) {
                self.covariance[i][j] += weight * share * share;
            }
            if size > 1 {
                self.covariance[len + size - 2][i] += weight * share;
            }
        }
        if size > 1 {
            self.covariance[len + size - 2][len + size - 2] += weight;
        }
    }

    /// [`Local::compute`] for two seats, where nearly all time is spent. The logarithm is slow; it is left
    /// out (0) if only slopes are wanted.
    fn compute_two(&mut self, want: Want) -> f64 {
        let [a, b, ..] = self.strength;
        // Relative to the stronger one, the weaker one has weight `weak`, and a draw the mean of
        // both times δ.
        let weak = (-(a - b).abs()).exp();
        let draw = self.tie_weight * weak.sqrt();
        let sum = 1.0 + weak + draw;
        let [strong, weak, draw] = [1.0 / sum, weak / sum, draw / sum];
        let first = if a >= b { strong } else { weak };
        self.mean[0] = first + 0.5 * draw;
        self.mean[1] = 1.0 - self.mean[0];
        self.mean[2] = draw;
        if want == Want::Curvature {
            let points = first + 0.25 * draw - self.mean[0] * self.mean[0];
            let mixed = 0.5 * draw - draw * self.mean[0];
            self.covariance[0][0] = points;
            self.covariance[1][0] = -points;
            self.covariance[1][1] = points;
            self.covariance[2][0] = mixed;
            self.covariance[2][1] = -mixed;
            self.covariance[2][2] = draw - draw * draw;
        }
        match want {
            Want::Slope => 0.0,
            Want::Value | Want::Curvature => a.max(b) + sum.ln(),
        }
    }

    /// Subtracts the expected features from the gradient and adds their covariance, times `weight`.
    pub(super) fn collect(&self, weight: f64, into: &mut LocalSlopes) {
        let features = 2 * self.len - 1;
        for i in 0..features {
            for row in self.params[i].into_iter().filter(|param| *param != NONE) {
                into.slope(row, -weight * self.mean[i]);
                for j in 0..features {
                    let covariance = weight * self.covariance[i.max(j)][i.min(j)];
                    for column in self.params[j].into_iter().filter(|param| *param != NONE) {
                        into.curve(row, column, covariance);
                    }
                }
            }
        }
    }

    /// Adds the derivatives, times `weight`, to those of the model.
    pub(super) fn scatter(&self, weight: f64, want: Want, slopes: &mut Slopes) {
        let features = 2 * self.len - 1;
        for i in 0..features {
            for param in self.params[i].into_iter().filter(|param| *param != NONE) {
                slopes.gradient[param as usize] -= weight * self.mean[i];
            }
        }
        if want != Want::Curvature {
            return;
        }
        for i in 0..features {
            for j in 0..features {
                let covariance = weight * self.covariance[i.max(j)][i.min(j)];
                for row in self.params[i].into_iter().filter(|param| *param != NONE) {
                    for column in self.params[j].into_iter().filter(|param| *param <= row) {
                        slopes
                            .curvature
                            .add(row as usize, column as usize, covariance);
                    }
                }
            }
        }
    }
}
