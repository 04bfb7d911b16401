//! A lower bound of the variance of results in games with draws.

use super::DavidsonLuce;
use super::game_params::NONE;

/// The change of the slope along a line when matches are decided instead of drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jumps {
    pub(crate) all: f64,
    /// A single match, weighted by its information.
    pub(crate) usual: f64,
}

impl Jumps {
    /// The least variance of results that are off by this much: that of a binomial distribution.
    pub(crate) fn least(&self, off: f64) -> f64 {
        if self.all > off {
            self.usual * off * (1.0 - off / self.all)
        } else {
            0.0
        }
    }
}

impl DavidsonLuce {
    /// The jumps along a line, in games with draws. The frequency of draws is only known from the draws
    /// that occurred: a deviation means that some matches were decided instead of drawn, and that many
    /// decided matches have at least this variance.
    pub(crate) fn jumps(&self, line: &[f64]) -> Jumps {
        let (mut all, mut squares, mut cubes) = (0.0, 0.0, 0.0);
        for (set, met) in self.choice_sets.iter() {
            let game = &self.games[set.game as usize];
            if game.tie(2).is_none() {
                continue;
            }
            let seats = (0..usize::from(set.len)).map(|seat| {
                let worth = match set.seats[seat] {
                    NONE => 0.0,
                    param => line[param as usize],
                };
                line[set.bots[seat] as usize] + worth
            });
            let ends = seats.fold([f64::MAX, f64::MIN], |[low, high], at| {
                [low.min(at), high.max(at)]
            });
            let jump = 0.5 * (ends[1] - ends[0]);
            all += game.weight * met * jump;
            squares += game.weight * met * jump * jump;
            cubes += game.weight * met * jump * jump * jump;
        }
        Jumps {
            all,
            usual: if squares > 0.0 { cubes / squares } else { 0.0 },
        }
    }
}
