//! Tournaments of bots whose strengths are known, played by dice: what intervals and tests are
//! checked against.

use games::{MAX_SEATS, Rng};

use super::bootstrap::{normal, uniform};
use super::evidence::{Evidence, Placing};
use super::ratings::{Anchor, ELO, Estimate, Fitted, Ratings, Resampling};
use super::scale::{DrawMix, Scale};
use super::sprt::{Hypotheses, Scores, Verdict, expected};
use crate::permutations::permutations;

/// A kind of tournament: a round robin of all groups in all seat orders.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// How many bots.
    pub bots: usize,
    /// Seats of the game: 2 to 4.
    pub seats: usize,
    /// How many units (swapped pairs) of each group.
    pub units: usize,
    /// How far apart the bots are: the standard deviation of their strengths, in Elo.
    pub spread: f64,
    /// What the first seat is worth, in Elo.
    pub advantage: f64,
    /// How often equal seats tie: δ of the model.
    pub draws: f64,
    /// The chance that the matches of a swapped pair of two seats go the same way for the same
    /// bot, as if the start decided.
    pub alike: f64,
}

/// In how many cases the truth was inside the intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coverage {
    /// The bots' ratings: inside, and all.
    pub ratings: [u32; 2],
    /// The first seat's advantage: inside, and all.
    pub advantage: [u32; 2],
    /// Differences between two bots, one of which is the anchor: inside, and all.
    pub anchored: [u32; 2],
}

impl Setting {
    /// Plays so many tournaments, and counts how often the intervals hold the truth.
    pub fn coverage(&self, tournaments: usize, resamples: usize, seed: u64) -> Coverage {
        let mut coverage = Coverage::default();
        for number in 0..tournaments as u64 {
            let mut rng = Rng::from_parts(&[seed, number]);
            let truth = self.strengths(&mut rng);
            let evidence = self.play(&truth, &mut rng);
            let resampling = Resampling {
                resamples: Some(resamples),
                seed: number,
            };
            let fitted = Fitted::new(&evidence, resampling);
            // What is played by log-odds is rated by expected score.
            let mix = DrawMix::new([(1.0, self.draws)]);
            let odds: Vec<f64> = truth.iter().map(|elo| elo / ELO).collect();
            let truth = Scale::new(&odds, &mix).elo(&odds, &mix);
            let advantage = mix.elo(self.advantage / ELO);
            coverage.count(&truth, advantage, &fitted.ratings(&[]));
            let anchor = Anchor { bot: 0, elo: 0.0 };
            coverage.count_anchored(&truth, &fitted.ratings(&[anchor]));
        }
        coverage
    }

    /// Strengths in Elo, with mean 0.
    fn strengths(&self, rng: &mut Rng) -> Vec<f64> {
        let raw: Vec<f64> = (0..self.bots).map(|_| self.spread * normal(rng)).collect();
        let mean = raw.iter().sum::<f64>() / self.bots as f64;
        raw.iter().map(|strength| strength - mean).collect()
    }

    /// Plays a tournament of bots of these strengths.
    pub fn play(&self, strengths: &[f64], rng: &mut Rng) -> Evidence {
        let mut evidence = Evidence::new(self.bots, vec![self.seats]);
        let groups = (0_u32..1 << self.bots).filter(|set| set.count_ones() as usize == self.seats);
        for group in groups {
            let bots: Vec<usize> = (0..self.bots).filter(|bot| group >> bot & 1 == 1).collect();
            for _ in 0..self.units {
                evidence.add(&self.unit(&bots, strengths, rng));
            }
        }
        evidence
    }

    fn unit(&self, bots: &[usize], strengths: &[f64], rng: &mut Rng) -> Vec<Placing> {
        let start = uniform(rng);
        let decided = self.seats == 2 && uniform(rng) < self.alike;
        let play = |order: Vec<usize>| {
            let worth = |seat: usize| f64::from(u8::from(seat == 0)) * self.advantage;
            let seats = order.iter().enumerate();
            let strengths: Vec<f64> = seats
                .map(|(seat, bot)| (strengths[*bot] + worth(seat)) / ELO)
                .collect();
            let outcome = match decided {
                // The same luck for the same bot.
                true if order[0] == bots[0] => two(&strengths, self.draws, start),
                true => two(&strengths, self.draws, 1.0 - start),
                false => stages(&strengths, self.draws, rng),
            };
            Placing::new(0, &order, &outcome)
        };
        permutations(bots).into_iter().map(play).collect()
    }
}

impl Coverage {
    fn count(&mut self, truth: &[f64], advantage: f64, ratings: &Ratings) {
        for (truth, rating) in truth.iter().zip(&ratings.bots) {
            note(&mut self.ratings, *truth, rating.as_ref());
        }
        // The first seat is worth that much more than any other.
        note(&mut self.advantage, advantage, ratings.seats[0].first());
    }

    fn count_anchored(&mut self, truth: &[f64], ratings: &Ratings) {
        for (strength, rating) in truth.iter().zip(&ratings.bots).skip(1) {
            note(&mut self.anchored, strength - truth[0], rating.as_ref());
        }
    }

    /// Adds other cases.
    pub fn join(&mut self, other: &Coverage) {
        for (sum, count) in [
            (&mut self.ratings, other.ratings),
            (&mut self.advantage, other.advantage),
            (&mut self.anchored, other.anchored),
        ] {
            sum[0] += count[0];
            sum[1] += count[1];
        }
    }
}

fn note(count: &mut [u32; 2], truth: f64, estimate: Option<&Estimate>) {
    let inside = estimate.is_some_and(|estimate| (estimate.low..=estimate.high).contains(&truth));
    count[0] += u32::from(inside);
    count[1] += 1;
}

/// The chances of a win, a draw and a loss of the first of two seats.
fn chances(strengths: &[f64], draws: f64) -> [f64; 3] {
    let half = 0.5 * (strengths[0] - strengths[1]);
    let weights = [half.exp(), draws, (-half).exp()];
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

/// A match of two seats from a number between 0 and 1, the higher the better for the second.
fn two(strengths: &[f64], draws: f64, luck: f64) -> Vec<f64> {
    let [win, draw, _] = chances(strengths, draws);
    let points = match luck {
        luck if luck < win => 1.0,
        luck if luck < win + draw => 0.5,
        _ => 0.0,
    };
    vec![points, 1.0 - points]
}

/// A match stage by stage, by the model's own words.
fn stages(strengths: &[f64], draws: f64, rng: &mut Rng) -> Vec<f64> {
    let mut left = (1_usize << strengths.len()) - 1;
    let mut outcome = vec![0.0; strengths.len()];
    let mut rank = MAX_SEATS as f64;
    while left != 0 {
        let sets = (1..=left).filter(|set| set & !left == 0);
        let weights: Vec<(usize, f64)> = sets
            .map(|set| {
                let size = set.count_ones();
                let members = members(set, strengths.len());
                let sum: f64 = members.map(|seat| strengths[seat]).sum();
                let ties = draws.powi(size as i32 - 1);
                (set, ties * (sum / f64::from(size)).exp())
            })
            .collect();
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

/// How tests ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    /// H0 was accepted.
    pub h0: u32,
    /// H1 was accepted.
    pub h1: u32,
    /// Neither, after as many pairs as were allowed.
    pub open: u32,
    /// All pairs of all tests.
    pub pairs: u64,
}

/// Runs so many tests between two bots of which the first expects the score that `elo` means, in
/// swapped pairs of a game like the setting's, and stops each when it is decided.
pub fn decisions(
    setting: &Setting,
    hypotheses: &Hypotheses,
    elo: f64,
    tests: u32,
    seed: u64,
) -> Decisions {
    /// No test takes that long.
    const MOST_PAIRS: u64 = 1_000_000;
    let strengths = [0.0, -difference(setting, elo)];
    let mut decisions = Decisions::default();
    for number in 0..tests {
        let mut rng = Rng::from_parts(&[seed, u64::from(number)]);
        let mut scores = Scores::new();
        let mut verdict = Verdict::Running;
        while verdict == Verdict::Running && scores.units() < MOST_PAIRS {
            let pair = setting.unit(&[0, 1], &strengths, &mut rng);
            let points = pair.iter().map(|placing| {
                let first = usize::from(placing.bots[0] != 0);
                let [mine, theirs] = [first, 1 - first].map(|seat| placing.ranks[seat]);
                0.5 + 0.5 * (f64::from(theirs) - f64::from(mine))
            });
            scores.add(points.sum::<f64>() / pair.len() as f64);
            verdict = scores.verdict(hypotheses);
        }
        decisions.pairs += scores.units();
        match verdict {
            Verdict::H0 => decisions.h0 += 1,
            Verdict::H1 => decisions.h1 += 1,
            Verdict::Running => decisions.open += 1,
        }
    }
    decisions
}

/// How much stronger a bot must be, in the model's Elo, to expect a score over a swapped pair.
fn difference(setting: &Setting, elo: f64) -> f64 {
    let score = |difference: f64| {
        let seats = [setting.advantage, -setting.advantage];
        let points = seats.map(|advantage| {
            let [win, draw, _] = chances(&[(difference + advantage) / ELO, 0.0], setting.draws);
            win + 0.5 * draw
        });
        0.5 * (points[0] + points[1])
    };
    let (mut low, mut high) = (-5000.0, 5000.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        match score(middle) < expected(elo) {
            true => low = middle,
            false => high = middle,
        }
    }
    0.5 * (low + high)
}
