//! Probabilities that one seat of a match is ahead of another, given the strengths of all seats.

use super::game_params::GameParams;
use crate::evidence::RATED_SEATS;

/// The expected score of a bot against another one, given its lead, in equal seats. The bots in other
/// seats are halfway between both.
pub(crate) fn expected(game: &GameParams, at: &[f64], lead: f64) -> f64 {
    if game.seats == 2 {
        // Relative to the stronger bot. Most time is spent here.
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

/// The probabilities that the first seat is ahead of the second one, equal to it, and behind it.
pub(crate) fn chances(game: &GameParams, at: &[f64], strengths: &[f64]) -> [f64; 3] {
    let tie = |size: usize| game.tie(size).map_or(0.0, |param| at[param].exp());
    let ties: [f64; RATED_SEATS + 1] = std::array::from_fn(|size| match size {
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

/// The same for the seats in the bit set `left`.
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
