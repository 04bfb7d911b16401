//! Simulated tournaments.

use games::Rng;
use itertools::Itertools as _;

use super::coverage::Coverage;
use super::random::{normal, uniform};
use crate::evidence::{Evidence, Placing, RATED_SEATS};
use crate::inference::Trials;
use crate::model::{Anchor, ELO};
use crate::report::Fitted;

type Placings = Vec<Placing>;

/// Draws between equal seats, and their dependence on strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Draws {
    /// Davidson's law, the model's own; with more seats, Davidson and Luce's: δ.
    Davidson(f64),
    /// Rao and Kupper's (1967), for two seats: a draw unless one seat is ahead by a threshold; this
    /// is its exponential.
    RaoKupper(f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pairing {
    /// All groups, with this many units each.
    All(usize),
    /// The bots sit in a ring; each plays the next one and the third one, in this many units each.
    Ring(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Repeats {
    None,
    /// Each occurs once to this many times.
    Copies(usize),
    /// Each pairing has few openings; each opening is repeated, with the first result at this
    /// chance.
    Near {
        openings: usize,
        /// Units of each opening.
        times: usize,
        same: f64,
    },
    /// All pairings share few openings, with as many units each; each bot is stronger or weaker in
    /// each.
    Book {
        openings: usize,
        /// Units of each opening.
        times: usize,
        effect: f64,
    },
}

#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub bots: usize,
    /// Seats of the game: 2 to 6.
    pub seats: usize,
    pub pairing: Pairing,
    /// Standard deviation of the strengths, in Elo.
    pub spread: f64,
    /// Additional gap between the first and the second bot, in Elo.
    pub apart: f64,
    /// Advantage of the first seat, in Elo.
    pub advantage: f64,
    pub draws: Draws,
    /// The chance that the matches of a swapped pair of two seats go the same way for the same
    /// bot, as if the bots' luck of the day decided.
    pub alike: f64,
    /// Standard deviation of the advantage by the opening, as a natural logarithm of odds. Both
    /// matches of a pair have the same opening.
    pub lopsided: f64,
    pub repeats: Repeats,
    /// Number of games, played by turns.
    pub games: usize,
    /// Standard deviation of a bot's strength between games, in Elo.
    pub by_game: f64,
}

/// Two equal bots in ten swapped pairs of a game without draws and with fair seats.
pub const PLAIN: Setting = Setting {
    bots: 2,
    seats: 2,
    pairing: Pairing::All(10),
    spread: 0.0,
    apart: 0.0,
    advantage: 0.0,
    draws: Draws::Davidson(0.0),
    alike: 0.0,
    lopsided: 0.0,
    repeats: Repeats::None,
    games: 1,
    by_game: 0.0,
};

/// True strengths: overall, and the deviation in each game.
#[derive(Clone, Debug)]
pub struct Truth {
    pub(super) strengths: Vec<f64>,
    pub(super) by_game: Vec<Vec<f64>>,
}

/// A simulated tournament.
#[derive(Clone, Debug)]
pub struct Played {
    pub evidence: Evidence,
    /// Scores of the first bot against the second one, by game.
    pub(crate) scores: Vec<Trials>,
}

impl Setting {
    /// Plays a number of tournaments, and counts how often the intervals hold the truth.
    pub fn coverage(&self, tournaments: usize, seed: u64) -> Coverage {
        let mut coverage = Coverage::default();
        for number in 0..tournaments as u64 {
            let mut rng = Rng::from_parts(&[seed, number]);
            let truth = self.truth(&mut rng);
            let played = self.play(&truth, &mut rng);
            let fitted = Fitted::new(&played.evidence);
            coverage.count(self, &truth, &fitted);
            let anchor = Anchor { bot: 0, elo: 0.0 };
            coverage.count_anchored(self, &truth, &fitted.only_bots(Some(anchor)));
            coverage.count_scores(self, &truth, &played);
        }
        coverage
    }

    /// Strengths, with mean 0.
    pub fn truth(&self, rng: &mut Rng) -> Truth {
        let mut raw: Vec<f64> = (0..self.bots).map(|_| self.spread * normal(rng)).collect();
        if let Some(second) = raw.get_mut(1) {
            *second -= self.apart;
        }
        let mean = raw.iter().sum::<f64>() / self.bots as f64;
        let effects = (0..self.games).map(|_| {
            let bots = (0..self.bots).map(|_| self.by_game * normal(rng));
            bots.collect()
        });
        Truth {
            by_game: effects.collect(),
            strengths: raw.iter().map(|strength| strength - mean).collect(),
        }
    }

    /// Bots of these strengths in Elo, the same in all games.
    pub fn known(&self, strengths: &[f64]) -> Truth {
        Truth {
            strengths: strengths.to_vec(),
            by_game: vec![vec![0.0; strengths.len()]; self.games],
        }
    }

    /// A bot's lead over the mean of some bots: logistic Elo of its expected score in equal seats,
    /// over all games.
    pub(super) fn lead(&self, truth: &Truth, bot: usize, others: &[usize]) -> f64 {
        let leads = truth.by_game.iter().map(|effects| {
            let strength = |bot: &usize| truth.strengths[*bot] + effects[*bot];
            let sum: f64 = others.iter().map(strength).sum();
            strength(&bot) - sum / others.len() as f64
        });
        let scores: Vec<f64> = leads.map(|lead| self.score(lead)).collect();
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        -ELO * (1.0 / mean - 1.0).ln()
    }

    /// The expected score at this lead, in equal seats.
    pub(super) fn score(&self, lead: f64) -> f64 {
        match self.seats {
            2 => points(self.chances(lead / ELO)),
            seats => {
                let mut strengths = vec![0.0; seats];
                (strengths[0], strengths[1]) = (0.5 * lead / ELO, -0.5 * lead / ELO);
                ahead(&strengths, self.tie(), (1 << seats) - 1)
            }
        }
    }

    /// δ.
    fn tie(&self) -> f64 {
        match self.draws {
            Draws::Davidson(tie) => tie,
            Draws::RaoKupper(_) => 0.0,
        }
    }

    /// The chances of a win, a draw and a loss at this lead.
    pub(super) fn chances(&self, lead: f64) -> [f64; 3] {
        match self.draws {
            Draws::Davidson(tie) => {
                let weights = [(0.5 * lead).exp(), tie, (-0.5 * lead).exp()];
                let sum: f64 = weights.iter().sum();
                weights.map(|weight| weight / sum)
            }
            Draws::RaoKupper(threshold) => {
                let win = 1.0 / (1.0 + threshold * (-lead).exp());
                let loss = 1.0 / (1.0 + threshold * lead.exp());
                [win, 1.0 - win - loss, loss]
            }
        }
    }

    /// Plays a tournament of bots of these strengths.
    pub fn play(&self, truth: &Truth, rng: &mut Rng) -> Played {
        let mut played = Played {
            evidence: Evidence::new(self.bots, vec![self.seats; self.games]),
            scores: vec![Trials::default(); self.games],
        };
        if let Repeats::Book {
            openings,
            times,
            effect,
        } = self.repeats
        {
            for _ in 0..openings {
                let effects = (0..self.bots).map(|_| effect * normal(rng));
                let effects: Vec<f64> = effects.collect();
                let mut cluster = Vec::new();
                for (group, _) in self.groups() {
                    for _ in 0..times {
                        cluster.push(self.unit(&group, truth, 0, &effects, rng));
                    }
                }
                played.add(0, &cluster);
            }
            return played;
        }
        let usual = vec![0.0; self.bots];
        for (group, units) in self.groups() {
            for game in 0..self.games {
                for _ in 0..units {
                    let cluster =
                        self.cluster(|rng| self.unit(&group, truth, game, &usual, rng), rng);
                    played.add(game, &cluster);
                }
            }
        }
        played
    }

    /// A unit with those that depend on it.
    fn cluster(&self, unit: impl Fn(&mut Rng) -> Placings, rng: &mut Rng) -> Vec<Placings> {
        let first = unit(rng);
        match self.repeats {
            Repeats::None | Repeats::Book { .. } => vec![first],
            Repeats::Copies(most) => vec![first; 1 + rng.index(most)],
            Repeats::Near { times, same, .. } => {
                let again = (1..times).map(|_| {
                    if uniform(rng) < same {
                        first.clone()
                    } else {
                        unit(rng)
                    }
                });
                let mut all: Vec<Placings> = again.collect();
                all.push(first);
                all
            }
        }
    }

    /// The groups that play, each with how many units or openings it has.
    fn groups(&self) -> Vec<(Vec<usize>, usize)> {
        let count = |units| match self.repeats {
            Repeats::Near { openings, .. } => openings,
            _ => units,
        };
        match self.pairing {
            Pairing::All(units) => (0_u32..1 << self.bots)
                .filter(|set| set.count_ones() as usize == self.seats)
                .map(|set| (0..self.bots).filter(|bot| set >> bot & 1 == 1).collect())
                .map(|group| (group, count(units)))
                .collect(),
            Pairing::Ring(units) => (0..self.bots)
                .flat_map(|bot| [1, 3].map(|step| vec![bot, (bot + step) % self.bots]))
                .map(|group| (group, count(units)))
                .collect(),
        }
    }

    pub(super) fn unit(
        &self,
        bots: &[usize],
        truth: &Truth,
        game: usize,
        effects: &[f64],
        rng: &mut Rng,
    ) -> Placings {
        let start = uniform(rng);
        let decided = self.seats == 2 && uniform(rng) < self.alike;
        let lopsided = ELO * self.lopsided * normal(rng);
        let play = |order: Vec<usize>| {
            let worth = |seat: usize| match seat {
                0 => self.advantage + lopsided,
                _ => 0.0,
            };
            let strength =
                |bot: usize| truth.strengths[bot] + truth.by_game[game][bot] + effects[bot];
            let seats = order.iter().enumerate();
            let strengths: Vec<f64> = seats
                .map(|(seat, bot)| (strength(*bot) + worth(seat)) / ELO)
                .collect();
            let outcome = match self.seats {
                2 => {
                    let luck = match decided {
                        // The same luck for the same bot.
                        true if order[0] == bots[0] => start,
                        true => 1.0 - start,
                        false => uniform(rng),
                    };
                    two(self.chances(strengths[0] - strengths[1]), luck)
                }
                _ => stages(&strengths, self.tie(), rng),
            };
            Placing::new(game, &order, &outcome)
        };
        if self.seats > 4 {
            // As in tournaments: too many orders for a unit.
            let rotations = (0..self.seats).map(|by| {
                let mut order = bots.to_vec();
                order.rotate_left(by);
                order
            });
            return rotations.map(play).collect();
        }
        bots.iter()
            .copied()
            .permutations(bots.len())
            .map(play)
            .collect()
    }
}

impl Played {
    fn add(&mut self, game: usize, cluster: &[Placings]) {
        self.evidence.add_cluster(cluster);
        let scores = cluster.iter().filter_map(|unit| first_score(unit));
        let scores: Vec<f64> = scores.collect();
        self.scores[game].add(scores.iter().sum(), scores.len() as u64);
    }
}

/// The mean score of the first bot against the second one, in a unit of two seats.
pub(super) fn first_score(unit: &[Placing]) -> Option<f64> {
    let points = unit.iter().map(|placing| {
        let mine = placing.bots[..2].iter().position(|bot| *bot == 0)?;
        let theirs = placing.bots[..2].iter().position(|bot| *bot == 1)?;
        let [mine, theirs] = [mine, theirs].map(|seat| f64::from(placing.ranks[seat]));
        Some(0.5 + 0.5 * (theirs - mine))
    });
    let points: Option<Vec<f64>> = points.collect();
    points.map(|points| points.iter().sum::<f64>() / points.len() as f64)
}

/// The expected points of chances of a win, a draw and a loss.
pub(super) fn points([win, draw, _]: [f64; 3]) -> f64 {
    win + 0.5 * draw
}

/// A match of two seats from a number between 0 and 1, the higher the better for the second.
fn two([win, draw, _]: [f64; 3], luck: f64) -> Vec<f64> {
    let points = match luck {
        luck if luck < win => 1.0,
        luck if luck < win + draw => 0.5,
        _ => 0.0,
    };
    vec![points, 1.0 - points]
}

/// The weights of all sets of seats that may come next.
fn weights(strengths: &[f64], tie: f64, left: usize) -> Vec<(usize, f64)> {
    let sets = (1..=left).filter(|set| set & !left == 0);
    sets.map(|set| {
        let size = set.count_ones();
        let sum: f64 = members(set, strengths.len())
            .map(|seat| strengths[seat])
            .sum();
        let ties = tie.powi(size as i32 - 1);
        (set, ties * (sum / f64::from(size)).exp())
    })
    .collect()
}

/// Expected score of the first seat against the second one.
fn ahead(strengths: &[f64], tie: f64, left: usize) -> f64 {
    let weights = weights(strengths, tie, left);
    let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
    let scores = weights.iter().map(|(set, weight)| {
        let score = match set & 0b11 {
            0b11 => 0.5,
            0b01 => 1.0,
            0b10 => 0.0,
            _ => ahead(strengths, tie, left & !set),
        };
        weight / sum * score
    });
    scores.sum()
}

/// A match stage by stage, by the model's own words.
fn stages(strengths: &[f64], tie: f64, rng: &mut Rng) -> Vec<f64> {
    let mut left = (1_usize << strengths.len()) - 1;
    let mut outcome = vec![0.0; strengths.len()];
    let mut rank = RATED_SEATS as f64;
    while left != 0 {
        let weights = weights(strengths, tie, left);
        let mut luck = uniform(rng) * weights.iter().map(|(_, weight)| weight).sum::<f64>();
        let drawn = weights.iter().find(|(_, weight)| {
            luck -= weight;
            luck <= 0.0
        });
        let chosen = drawn.map_or(left, |(set, _)| *set);
        for seat in members(chosen, strengths.len()) {
            outcome[seat] = rank;
        }
        rank -= 1.0;
        left &= !chosen;
    }
    outcome
}

fn members(set: usize, seats: usize) -> impl Iterator<Item = usize> {
    (0..seats).filter(move |seat| set >> seat & 1 == 1)
}
