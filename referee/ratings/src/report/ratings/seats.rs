//! The value of each seat of a game.

use super::fitted::Fitted;
use super::interval::Known;
use super::slopes::NUDGE;
use crate::inference::Estimate;
use crate::model::{Direction, GameParams, Scale};

impl Fitted {
    /// The values of the seats of each game.
    pub(crate) fn seats(&self) -> Vec<Vec<Estimate>> {
        let games = &self.strengths.model.games;
        let clusters = games.iter().map(|game| {
            let known = |seat| game.seat(seat).map(|param| self.jackknife.clusters[param]);
            let least = (1..game.seats).filter_map(known).fold(f64::MAX, f64::min);
            if game.seats > 1 { least } else { 0.0 }
        });
        let clusters: Vec<f64> = clusters.collect();
        let played = || {
            let games = games.iter().zip(&clusters);
            games.filter(|(_, clusters)| **clusters > 0.0)
        };
        let slopes = played().flat_map(|(game, _)| {
            let seats = 0..game.seats;
            seats.map(|seat| self.slopes_of_seat(game, seat))
        });
        let slopes: Vec<Direction> = slopes.collect();
        let mut is_seat = vec![false; self.strengths.model.params];
        for (game, seat) in games
            .iter()
            .flat_map(|game| (1..game.seats).map(move |it| (game, it)))
        {
            if let Some(param) = game.seat(seat) {
                is_seat[param] = true;
            }
        }
        let covariance = &self.jackknife.covariance;
        let spreads = covariance.spreads(&slopes, &|param| is_seat[param]);
        let searches = self.can_search(&spreads);
        let mut spreads = spreads.into_iter();
        let seats = games.iter().zip(&clusters).map(|(game, clusters)| {
            let seats = 0..if *clusters > 0.0 { game.seats } else { 0 };
            // `seats` comes first in the zip, so that no spread is consumed at its end.
            let seats = seats.zip(spreads.by_ref()).map(|(seat, spread)| {
                let worth = |at: &[f64]| worth_of_seat(game, seat, at);
                self.interval(&Known::new(&spread, *clusters, searches), &worth)
            });
            seats.collect()
        });
        seats.collect()
    }

    /// The derivatives of the value of a seat.
    fn slopes_of_seat(&self, game: &GameParams, seat: usize) -> Direction {
        let mut at = self.strengths.point.clone();
        let mut slopes = Direction::default();
        let seats = (1..game.seats).filter_map(|seat| game.seat(seat));
        for param in seats.chain((2..=game.seats).filter_map(|size| game.tie(size))) {
            let here = at[param];
            at[param] = here + NUDGE;
            let above = worth_of_seat(game, seat, &at);
            at[param] = here - NUDGE;
            let below = worth_of_seat(game, seat, &at);
            slopes.add(param, (above - below) / (2.0 * NUDGE));
            at[param] = here;
        }
        slopes
    }
}

/// The value of a seat against the mean of the others, in Elo.
fn worth_of_seat(game: &GameParams, seat: usize, at: &[f64]) -> f64 {
    let worth = |seat| game.seat(seat).map_or(0.0, |param| at[param]);
    let others = (0..game.seats).filter(|other| *other != seat);
    let others: f64 = others.map(worth).sum();
    let lead = worth(seat) - others / (game.seats - 1) as f64;
    Scale::elo_in(game, at, lead)
}
