//! The scale that people see: the difference between two bots is the logistic Elo of the score that
//! one expects against the other in equally good seats, 200 of which are three points of four
//! whatever the share of draws.
//!
//! The model's own scale is another one: it is the logarithm of how often one bot wins to how often
//! it loses, which draws stretch.

use games::MAX_SEATS;

use super::model::{GameParams, Model};
use super::ratings::ELO;

/// How the games are mixed.
#[derive(Clone, Debug)]
pub(crate) struct Scale {
    /// The share of the matches that each game has.
    shares: Vec<f64>,
}

impl Scale {
    pub(crate) fn new(model: &Model) -> Self {
        let mut shares = vec![0.0; model.games.len()];
        for unit in model.units() {
            let placings = model.placings(unit);
            let game = placings[0].game as usize;
            shares[game] +=
                model.games[game].weight * f64::from(unit.count) * placings.len() as f64;
        }
        let sum: f64 = shares.iter().sum();
        if sum > 0.0 {
            for share in &mut shares {
                *share /= sum;
            }
        }
        Scale { shares }
    }

    /// Whether Elo is not simply a multiple of the lead: some game has ties.
    pub(crate) fn is_bent(&self, model: &Model) -> bool {
        let games = self.shares.iter().zip(&model.games);
        let mut games = games.filter(|(share, _)| **share > 0.0);
        games.any(|(_, game)| (2..=game.seats).any(|size| game.tie(size).is_some()))
    }

    /// What a lead in strength is worth over all games, in Elo.
    pub(crate) fn elo(&self, model: &Model, at: &[f64], lead: f64) -> f64 {
        let games = self.shares.iter().zip(&model.games);
        let mut scores = [0.0; 2];
        for (share, game) in games.filter(|(share, _)| **share > 0.0) {
            for (sum, lead) in scores.iter_mut().zip([lead, -lead]) {
                *sum += share * expected(game, at, lead);
            }
        }
        logistic(scores, lead)
    }

    /// What a lead in strength is worth in one game, in Elo.
    pub(crate) fn elo_in(game: &GameParams, at: &[f64], lead: f64) -> f64 {
        logistic([lead, -lead].map(|lead| expected(game, at, lead)), lead)
    }
}

/// Both scores say more than one where that is nearly 1.
fn logistic([mine, theirs]: [f64; 2], lead: f64) -> f64 {
    match mine > 0.0 && theirs > 0.0 {
        true => ELO * (mine / theirs).ln(),
        // No game.
        false => ELO * lead,
    }
}

/// The score that a bot expects against another one that it leads by so much, in equally good seats;
/// the other seats are held by bots in the middle between both.
pub(crate) fn expected(game: &GameParams, at: &[f64], lead: f64) -> f64 {
    if game.seats == 2 {
        // Relative to the stronger bot. This is where the time goes.
        let half = (-0.5 * lead.abs()).exp();
        let draw = game.tie(2).map_or(0.0, |param| at[param].exp()) * half;
        let strong = (1.0 + 0.5 * draw) / (1.0 + draw + half * half);
        let weak = (half * half + 0.5 * draw) / (1.0 + draw + half * half);
        return if lead >= 0.0 { strong } else { weak };
    }
    let mut strengths = vec![0.0; game.seats];
    strengths[0] = 0.5 * lead;
    strengths[1] = -0.5 * lead;
    let [win, draw, _] = chances(game, at, &strengths);
    win + 0.5 * draw
}

/// The chances that the first of some seats of known strength is ahead of the second one, equal to
/// it, and behind it.
pub(crate) fn chances(game: &GameParams, at: &[f64], strengths: &[f64]) -> [f64; 3] {
    let tie = |size: usize| game.tie(size).map_or(0.0, |param| at[param].exp());
    let ties: [f64; MAX_SEATS + 1] = std::array::from_fn(|size| match size {
        0 | 1 => 1.0,
        size if size <= game.seats => tie(size),
        _ => 0.0,
    });
    if ties[2..].iter().all(|tie| *tie == 0.0) {
        let win = 1.0 / (1.0 + (strengths[1] - strengths[0]).exp());
        return [win, 0.0, 1.0 - win];
    }
    of_those_left(strengths, &ties, (1 << game.seats) - 1)
}

/// The same, if these seats are left.
fn of_those_left(strengths: &[f64], ties: &[f64], left: usize) -> [f64; 3] {
    let (mut sum, mut parts) = (0.0, [0.0; 3]);
    for set in (1..=left).filter(|set| set & !left == 0) {
        let size = set.count_ones() as usize;
        let members = (0..strengths.len()).filter(|seat| set >> seat & 1 == 1);
        let strength: f64 = members.map(|seat| strengths[seat]).sum();
        let weight = ties[size] * (strength / size as f64).exp();
        if weight == 0.0 {
            continue;
        }
        sum += weight;
        match set & 0b11 {
            0b01 => parts[0] += weight,
            0b11 => parts[1] += weight,
            0b10 => parts[2] += weight,
            _ => {
                let rest = of_those_left(strengths, ties, left & !set);
                for (part, rest) in parts.iter_mut().zip(rest) {
                    *part += weight * rest;
                }
            }
        }
    }
    parts.map(|part| part / sum)
}

#[cfg(test)]
mod tests {
    use super::super::evidence::{Evidence, Placing};
    use super::*;

    fn model(seats: usize, ties: bool) -> Model {
        let mut evidence = Evidence::new(seats, vec![seats]);
        let bots: Vec<usize> = (0..seats).collect();
        let mut outcome: Vec<f64> = bots.iter().map(|bot| -(*bot as f64)).collect();
        if ties {
            outcome[1] = outcome[0];
        }
        evidence.add(&[Placing::new(0, &bots, &outcome)]);
        Model::new(&evidence)
    }

    #[test]
    fn without_draws_both_scales_are_one() {
        for seats in 2..=4 {
            let model = model(seats, false);
            let at = vec![0.0; model.params];
            let elo = Scale::new(&model).elo(&model, &at, 1.5);
            assert!((elo - 1.5 * ELO).abs() < 1e-9, "{seats}: {elo}");
        }
    }

    /// Among equals with δ = 3, three of five matches are drawn. A lead x gives the weights e^(x/2),
    /// 3 and e^(−x/2): with e^(x/2) = 2, a score of 3.5 of 5.5.
    #[test]
    fn draws_stretch_the_scale_of_the_model() {
        let model = model(2, true);
        let mut at = vec![0.0; model.params];
        at[model.games[0].tie(2).expect("a draw")] = 3_f64.ln();
        let score = expected(&model.games[0], &at, 4_f64.ln());
        assert!((score - 3.5 / 5.5).abs() < 1e-12, "{score}");
        let elo = Scale::new(&model).elo(&model, &at, 4_f64.ln());
        assert!(
            (elo - 400.0 * (3.5_f64 / 2.0).log10()).abs() < 1e-9,
            "{elo}"
        );
    }

    /// Three equal seats, δ₂ = 1 and no tie of three: each is as good as the other.
    #[test]
    fn equals_expect_a_half() {
        let model = model(3, true);
        let at = vec![0.0; model.params];
        assert!((expected(&model.games[0], &at, 0.0) - 0.5).abs() < 1e-12);
        assert!(expected(&model.games[0], &at, 9.0) > 0.9);
    }
}
