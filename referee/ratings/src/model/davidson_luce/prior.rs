//! The weak prior, which keeps all parameters finite.

use super::choice_set::{Local, Slopes, Want};
use super::game_params::{GameParams, NONE};
use super::{DavidsonLuce, opening_spread};

/// The wins, and the losses, of the prior's imaginary matches.
pub(crate) const PRIOR: f64 = 0.5;

impl DavidsonLuce {
    /// The parameters with imaginary wins and losses.
    pub(crate) fn held(&self) -> impl Iterator<Item = usize> {
        let seats = self.games.iter().flat_map(|game| &game.seat);
        let seats = seats.filter(|param| **param != NONE);
        (0..self.bots).chain(seats.map(|param| *param as usize))
    }

    /// The prior's part.
    pub(crate) fn evaluate_prior(&self, at: &[f64], want: Want, slopes: &mut Slopes) -> f64 {
        self.weigh_prior(at, want, slopes, |crowding| crowding)
    }

    /// Adds the variance that the prior's slopes would have if it were matches.
    pub(crate) fn vary_prior(&self, at: &[f64], slopes: &mut Slopes) {
        self.weigh_prior(at, Want::Curvature, slopes, |crowding| crowding * crowding);
    }

    fn weigh_prior(
        &self,
        at: &[f64],
        want: Want,
        slopes: &mut Slopes,
        weight: impl Fn(f64) -> f64,
    ) -> f64 {
        let mut value = 0.0;
        for param in self.held() {
            let prior = PRIOR * weight(self.crowding(param));
            let chance = 1.0 / (1.0 + (-at[param]).exp());
            value -= prior * (softplus(-at[param]) + softplus(at[param]));
            slopes.gradient[param] += prior * (1.0 - 2.0 * chance);
            if want == Want::Curvature {
                let bend = 2.0 * prior * chance * (1.0 - chance);
                slopes.curvature.add(param, param, bend);
            }
        }
        let mut local = Local::new();
        for game in &self.games {
            if game.weight == 0.0 {
                self.hold(game, want, slopes);
                continue;
            }
            let crowding = weight(self.crowding_of(game));
            if let Some(param) = game.spread() {
                value += opening_spread::prior(at[param], param, crowding, want, slopes);
            }
            if local.prepare_equals(game) {
                // Among equals, the probability of a subset depends on its size only.
                for size in 2..=game.seats {
                    let value = game.tie(size).map_or(f64::NEG_INFINITY, |param| at[param]);
                    local.set_tie(size, value);
                }
                value -= PRIOR * crowding * local.compute(want);
                local.scatter(PRIOR * crowding, want, slopes);
            }
        }
        value
    }

    /// Fixes the parameters of a game with weight 0, which nothing else determines.
    fn hold(&self, game: &GameParams, want: Want, slopes: &mut Slopes) {
        if want == Want::Curvature {
            let ties = (2..=game.seats).filter_map(|size| game.tie(size));
            for param in ties.chain(game.spread()) {
                slopes.curvature.add(param, param, 1.0);
            }
        }
    }
}

/// ln(1 + eˣ).
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}
