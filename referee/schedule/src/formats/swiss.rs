//! Swiss: in each round everybody meets a new opponent with about as many points.

use std::collections::HashMap;

use super::matching::{self, Entrant};
use super::top_down;
use crate::order;
use crate::planner::{Planner, Played};
use crate::scheduled::{Turns, Unit};
use crate::seat_orders::GameShape;
use crate::shape::Shape;
use crate::standing::{Standing, SwissRow};
use crate::version::Version;

/// A Swiss tournament.
///
/// Bots are ranked by points, then by the points of their opponents (Buchholz), then by lot; see
/// [`matching`] for who meets whom. With an odd number of bots one of those with the fewest byes
/// has one, which counts as winning all matches.
pub(super) struct Swiss {
    games: Vec<GameShape>,
    rounds: u32,
    begun: u32,
    /// The place of each bot by lot.
    lots: Vec<usize>,
    byes: Vec<u32>,
    /// Number of meetings, by pairs with the lower index first.
    met: HashMap<(usize, usize), u32>,
    turns: Turns,
    version: Version,
}

impl Swiss {
    pub(super) fn new(shape: &Shape) -> Self {
        let mut lots = vec![0; shape.bots];
        for (place, bot) in shape.lots().into_iter().enumerate() {
            lots[bot] = place;
        }
        Swiss {
            games: shape.games.clone(),
            rounds: shape.rounds,
            begun: 0,
            lots,
            byes: vec![0; shape.bots],
            met: HashMap::new(),
            turns: Turns::default(),
            version: shape.version,
        }
    }

    fn slots(&self) -> Vec<usize> {
        order::slots(&self.games, None)
    }

    /// Maximum points in a pairing, and so the points of a bye.
    fn full(&self) -> f64 {
        2.0 * self.slots().len() as f64
    }

    fn ranking(&self, played: Played<'_>) -> Vec<SwissRow> {
        let bots = self.lots.len();
        let full = self.full();
        let mut points: Vec<f64> = self.byes.iter().map(|n| f64::from(*n) * full).collect();
        for (scheduled, outcome) in played.finished() {
            for (&bot, value) in scheduled.seats.iter().zip(outcome) {
                points[bot] += value;
            }
        }
        let mut buchholz = vec![0.0; bots];
        for (&(a, b), &times) in &self.met {
            buchholz[a] += points[b] * f64::from(times);
            buchholz[b] += points[a] * f64::from(times);
        }
        let row = |bot| SwissRow {
            bot,
            points: points[bot],
            buchholz: buchholz[bot],
            byes: self.byes[bot],
        };
        let mut rows: Vec<SwissRow> = (0..bots).map(row).collect();
        rows.sort_by(|a, b| {
            let points = b.points.total_cmp(&a.points);
            let opponents = || b.buchholz.total_cmp(&a.buchholz);
            let lots = || self.lots[a.bot].cmp(&self.lots[b.bot]);
            points.then_with(opponents).then_with(lots)
        });
        rows
    }

    fn pairings(&mut self, ranking: &[SwissRow]) -> Vec<Vec<usize>> {
        let (pairings, bye) = match self.version {
            Version::First => self.pair_from_the_top(ranking),
            Version::Second => {
                let entrant = |row: &SwissRow| Entrant {
                    bot: row.bot,
                    points: row.points,
                    byes: self.byes[row.bot],
                };
                let entrants: Vec<Entrant> = ranking.iter().map(entrant).collect();
                matching::round(&entrants, &self.met, self.rounds - self.begun)
            }
        };
        if let Some(bot) = bye {
            self.byes[bot] += 1;
        }
        for pair in &pairings {
            *self.met.entry((pair[0], pair[1])).or_default() += 1;
        }
        pairings
    }

    /// The pairings of the next round and the bot that has a bye, as the first version has them.
    fn pair_from_the_top(&self, ranking: &[SwissRow]) -> (Vec<Vec<usize>>, Option<usize>) {
        let mut bots: Vec<usize> = ranking.iter().map(|row| row.bot).collect();
        let mut bye = None;
        if !bots.len().is_multiple_of(2) {
            let fewest = self.byes.iter().min().copied().unwrap_or(0);
            let last = bots.iter().rposition(|&bot| self.byes[bot] == fewest);
            bye = last.map(|at| bots.remove(at));
        }
        (top_down::pairings(&bots, &self.met), bye)
    }
}

impl Planner for Swiss {
    fn next(&mut self, played: Played<'_>) -> Vec<Unit> {
        if self.begun == self.rounds {
            return Vec::new();
        }
        let ranking = self.ranking(played);
        let pairings = self.pairings(&ranking);
        let round = self.begun;
        self.begun += 1;
        let units = order::mix(&pairings, &self.slots()).into_iter();
        units
            .map(|(game, group)| self.turns.unit(game, &group, round))
            .collect()
    }

    fn ahead(&self) -> u64 {
        let pairings = (self.lots.len() / 2) as u64;
        u64::from(self.rounds - self.begun) * pairings * 2 * self.slots().len() as u64
    }

    fn standing(&self, played: Played<'_>) -> Option<Standing> {
        Some(Standing::Swiss(self.ranking(played)))
    }
}
