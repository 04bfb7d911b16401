//! One stage of a result: the chances of all that may come next, with the first and second
//! derivatives of their logarithms.

use games::MAX_SEATS;

use super::linear::Square;
use super::model::GameParams;

/// No parameter.
pub(super) const NONE: u32 = u32::MAX;

/// Seats among which somebody comes next.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub(super) game: u32,
    pub(super) len: u8,
    pub(super) bots: [u32; MAX_SEATS],
    pub(super) seats: [u32; MAX_SEATS],
}

/// How many features a stage has at most: a seat each, and a size of ties each.
const FEATURES: usize = 2 * MAX_SEATS;

/// Work space for one stage. Features are the seats' strengths, then the sizes of ties from 2.
#[derive(Default)]
pub(super) struct Local {
    len: usize,
    strength: [f64; MAX_SEATS],
    pub(super) tie_value: [f64; MAX_SEATS + 1],
    tie_possible: [bool; MAX_SEATS + 1],
    /// The parameters of each feature.
    params: [[u32; 2]; FEATURES],
    mean: [f64; FEATURES],
    covariance: [[f64; FEATURES]; FEATURES],
}

impl Local {
    pub(super) fn prepare(&mut self, stage: &Stage, game: &GameParams, at: &[f64]) {
        let value = |param: u32| match param {
            NONE => 0.0,
            param => at[param as usize],
        };
        self.len = usize::from(stage.len);
        for i in 0..self.len {
            self.strength[i] = value(stage.bots[i]) + value(stage.seats[i]);
            self.params[i] = [stage.bots[i], stage.seats[i]];
        }
        self.set_ties(game);
        for size in 2..=self.len {
            self.tie_value[size] = value(game.tie[size]);
        }
    }

    /// A first stage among seats of equal strength; false if nothing can tie.
    pub(super) fn prepare_equals(&mut self, game: &GameParams) -> bool {
        self.len = game.seats;
        self.strength = [0.0; MAX_SEATS];
        self.params[..self.len].fill([NONE; 2]);
        self.set_ties(game);
        self.tie_possible[2..=self.len].contains(&true)
    }

    fn set_ties(&mut self, game: &GameParams) {
        for size in 2..=self.len {
            self.params[self.len + size - 2] = [game.tie[size], NONE];
            self.tie_possible[size] = game.tie[size] != NONE;
        }
    }

    /// The logarithm of the sum over all sets; fills mean and covariance of the features.
    pub(super) fn compute(&mut self, second: bool) -> f64 {
        let len = self.len;
        let features = 2 * len - 1;
        if len == 2 {
            return self.compute_two(second);
        }
        let most = self.strength[..len]
            .iter()
            .copied()
            .fold(f64::MIN, f64::max);
        let ties = (2..=len).filter(|size| self.tie_possible[*size]);
        let base = most + ties.map(|size| self.tie_value[size]).fold(0.0, f64::max);
        let mut sum = 0.0;
        self.mean = [0.0; FEATURES];
        self.covariance = [[0.0; FEATURES]; FEATURES];
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
            let mut has = [0.0; FEATURES];
            for (i, has) in has[..len].iter_mut().enumerate() {
                *has = if set >> i & 1 == 1 { share } else { 0.0 };
            }
            if size > 1 {
                has[len + size - 2] = 1.0;
            }
            for i in 0..features {
                self.mean[i] += weight * has[i];
                if second {
                    for j in 0..=i {
                        self.covariance[i][j] += weight * has[i] * has[j];
                    }
                }
            }
        }
        for i in 0..features {
            self.mean[i] /= sum;
            for j in 0..=i {
                let raw = self.covariance[i][j] / sum;
                self.covariance[i][j] = raw - self.mean[i] * self.mean[j];
            }
        }
        base + sum.ln()
    }

    /// The same for two seats, which is where nearly all the time goes.
    fn compute_two(&mut self, second: bool) -> f64 {
        let [a, b, ..] = self.strength;
        let half = 0.5 * (a - b);
        let tie = match self.tie_possible[2] {
            true => self.tie_value[2],
            false => f64::NEG_INFINITY,
        };
        let top = half.abs().max(tie);
        let (win, loss) = ((half - top).exp(), (-half - top).exp());
        let draw = (tie - top).exp();
        let sum = win + loss + draw;
        let [win, loss, draw] = [win / sum, loss / sum, draw / sum];
        self.mean[0] = win + 0.5 * draw;
        self.mean[1] = loss + 0.5 * draw;
        self.mean[2] = draw;
        if second {
            let points = win + 0.25 * draw - self.mean[0] * self.mean[0];
            let mixed = 0.5 * draw - draw * self.mean[0];
            self.covariance[0][0] = points;
            self.covariance[1][0] = -points;
            self.covariance[1][1] = points;
            self.covariance[2][0] = mixed;
            self.covariance[2][1] = -mixed;
            self.covariance[2][2] = draw - draw * draw;
        }
        0.5 * (a + b) + top + sum.ln()
    }

    pub(super) fn scatter(
        &self,
        weight: f64,
        gradient: &mut [f64],
        curvature: Option<&mut Square>,
    ) {
        let features = 2 * self.len - 1;
        for i in 0..features {
            for param in self.params[i].into_iter().filter(|param| *param != NONE) {
                gradient[param as usize] -= weight * self.mean[i];
            }
        }
        let Some(curvature) = curvature else {
            return;
        };
        for i in 0..features {
            for j in 0..features {
                let covariance = weight * self.covariance[i.max(j)][i.min(j)];
                for row in self.params[i].into_iter().filter(|param| *param != NONE) {
                    for column in self.params[j].into_iter().filter(|param| *param <= row) {
                        curvature.add(row as usize, column as usize, covariance);
                    }
                }
            }
        }
    }
}
