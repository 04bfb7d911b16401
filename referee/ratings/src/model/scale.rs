//! The scale that users see: the difference between two bots is the logistic Elo of the expected score in
//! equal seats; 200 Elo are about three points of four, whatever the share of draws.
//!
//! The model's own scale is different: the log-odds of winning rather than losing, which draws stretch.

use std::collections::BTreeMap;

use super::davidson_luce::{DavidsonLuce, GameParams, expected};

/// Elo per natural logarithm of strength.
pub(crate) const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// With more games than this, rare games with similar frequencies of draws are merged.
const FEW_GAMES: usize = 64;
/// The share of the matches below which a game is rare.
const SMALL_SHARE: f64 = 1e-3;
/// Log-frequencies of ties within such a step are similar.
const STEP: f64 = 1.0 / 64.0;

#[derive(Clone, Debug)]
pub(crate) struct Scale {
    /// Games, each with its share of the matches, that of merged games included.
    shares: Vec<(usize, f64)>,
    /// The games that are not merged.
    single: Vec<usize>,
}

impl Scale {
    pub(crate) fn new(model: &DavidsonLuce, at: &[f64]) -> Self {
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
        let shares = shares.into_iter().enumerate();
        let shares: Vec<(usize, f64)> = shares.filter(|(_, share)| *share > 0.0).collect();
        let is_single = |share: f64| model.games.len() <= FEW_GAMES || share > SMALL_SHARE;
        let shares = shares.into_iter();
        let (mut single, seldom): (Vec<_>, Vec<_>) = shares.partition(|it| is_single(it.1));
        let singles = single.iter().map(|(game, _)| *game).collect();
        let mut alike: BTreeMap<Vec<Option<i64>>, (usize, f64)> = BTreeMap::new();
        for (game, share) in seldom {
            let params = &model.games[game];
            let tie = |size| Some((at[params.tie(size)?] / STEP).round() as i64);
            let ties = (2..=params.seats).map(tie).collect();
            alike.entry(ties).or_insert((game, 0.0)).1 += share;
        }
        single.extend(alike.into_values());
        Scale {
            shares: single,
            single: singles,
        }
    }

    /// The games that are not merged with others.
    pub(crate) fn single(&self) -> &[usize] {
        &self.single
    }

    /// True if some game has ties, so that Elo is not a multiple of the lead.
    pub(crate) fn is_bent(&self, model: &DavidsonLuce) -> bool {
        let mut games = self.shares.iter().map(|(game, _)| &model.games[*game]);
        games.any(|game| (2..=game.seats).any(|size| game.tie(size).is_some()))
    }

    /// A lead in strength as Elo over all games.
    pub(crate) fn elo(&self, model: &DavidsonLuce, at: &[f64], lead: f64) -> f64 {
        let mut scores = [0.0; 2];
        for (game, share) in &self.shares {
            let game = &model.games[*game];
            for (sum, lead) in scores.iter_mut().zip([lead, -lead]) {
                *sum += share * expected(game, at, lead);
            }
        }
        logistic(scores, lead)
    }

    /// A lead in strength as Elo in one game.
    pub(crate) fn elo_in(game: &GameParams, at: &[f64], lead: f64) -> f64 {
        logistic([lead, -lead].map(|lead| expected(game, at, lead)), lead)
    }
}

/// Uses both scores, as one alone loses precision near 1.
fn logistic([mine, theirs]: [f64; 2], lead: f64) -> f64 {
    if mine > 0.0 && theirs > 0.0 {
        ELO * (mine / theirs).ln()
    } else {
        // No game.
        ELO * lead
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Evidence, Placing};

    fn model(seats: usize, ties: bool) -> DavidsonLuce {
        let mut evidence = Evidence::new(seats, vec![seats]);
        let bots: Vec<usize> = (0..seats).collect();
        let mut outcome: Vec<f64> = bots.iter().map(|bot| -(*bot as f64)).collect();
        if ties {
            outcome[1] = outcome[0];
        }
        evidence.add(&[Placing::new(0, &bots, &outcome)]);
        DavidsonLuce::new(&evidence)
    }

    #[test]
    fn without_draws_both_scales_are_one() {
        for seats in 2..=4 {
            let model = model(seats, false);
            let at = vec![0.0; model.params];
            let elo = Scale::new(&model, &at).elo(&model, &at, 1.5);
            assert!((elo - 1.5 * ELO).abs() < 1e-9, "{seats}: {elo}");
        }
    }

    /// Among equals with δ = 3, three of five matches are drawn. A lead x means the weights e^(x/2),
    /// 3 and e^(−x/2): with e^(x/2) = 2, a score of 3.5 of 5.5.
    #[test]
    fn draws_stretch_the_scale_of_the_model() {
        let model = model(2, true);
        let mut at = vec![0.0; model.params];
        at[model.games[0].tie(2).expect("a draw")] = 3_f64.ln();
        let score = expected(&model.games[0], &at, 4_f64.ln());
        assert!((score - 3.5 / 5.5).abs() < 1e-12, "{score}");
        let elo = Scale::new(&model, &at).elo(&model, &at, 4_f64.ln());
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
