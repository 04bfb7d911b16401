//! What is known of a seat's moves wherever the seat can tell nothing apart.

use games::Rng;

/// How much UCT explores, in outcomes from 0 to 1.
const EXPLORATION: f64 = 0.4;
/// Moves that were tried less than this part of the most tried one are not drawn: they were tried to
/// explore.
const PRUNED: f64 = 0.25;

/// How often each move was tried, and what that gave the seat.
pub(super) struct Statistics {
    moves: Vec<String>,
    tries: Vec<Tries>,
    /// All tries, and the visit at which the moves became known.
    visits: u32,
}

#[derive(Clone, Copy, Default)]
struct Tries {
    visits: u32,
    total: f64,
}

impl Tries {
    fn mean(self) -> f64 {
        self.total / f64::from(self.visits.max(1))
    }
}

impl Statistics {
    pub(super) fn new(moves: Vec<String>) -> Self {
        Statistics {
            tries: vec![Tries::default(); moves.len()],
            moves,
            visits: 0,
        }
    }

    pub(super) fn moves(&self) -> &[String] {
        &self.moves
    }

    /// Whether no iteration has come here yet.
    pub(super) fn is_fresh(&self) -> bool {
        self.visits == 0
    }

    /// Counts a visit that tried nothing.
    pub(super) fn visit(&mut self) {
        self.visits += 1;
    }

    pub(super) fn add(&mut self, place: usize, value: f64) {
        self.visits += 1;
        self.tries[place].visits += 1;
        self.tries[place].total += value;
    }

    /// The move to learn about: one that was not tried yet, or the one with the highest upper
    /// confidence bound. Ties are broken at random.
    pub(super) fn select(&self, rng: &mut Rng) -> usize {
        let log = f64::from(self.visits.max(1)).ln();
        let bound = |tries: &Tries| match tries.visits {
            0 => f64::INFINITY,
            visits => tries.mean() + EXPLORATION * (log / f64::from(visits)).sqrt(),
        };
        let bounds: Vec<f64> = self.tries.iter().map(bound).collect();
        let highest = bounds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let ties = bounds.iter().filter(|bound| **bound == highest).count();
        let chosen = rng.index(ties);
        let mut highest = (0..bounds.len()).filter(|place| bounds[*place] == highest);
        highest.nth(chosen).unwrap_or(0)
    }

    /// A move, as often as each was tried; each equally likely before any was.
    pub(super) fn draw(&self, rng: &mut Rng) -> usize {
        self.draw_from(1, rng)
    }

    /// The same without moves that were hardly tried.
    pub(super) fn draw_pruned(&self, rng: &mut Rng) -> usize {
        self.draw_from(self.least_drawn(), rng)
    }

    fn draw_from(&self, least: u32, rng: &mut Rng) -> usize {
        let weight = |tries: &Tries| u64::from(tries.visits) * u64::from(tries.visits >= least);
        let all: u64 = self.tries.iter().map(weight).sum();
        if all == 0 {
            return rng.index(self.tries.len());
        }
        let mut left = rng.below(all);
        for (place, tries) in self.tries.iter().enumerate() {
            match left.checked_sub(weight(tries)) {
                Some(rest) => left = rest,
                None => return place,
            }
        }
        unreachable!("the weights add up to more than was drawn")
    }

    /// How often a move must have been tried to be drawn at the end.
    fn least_drawn(&self) -> u32 {
        let most = self.tries.iter().map(|tries| tries.visits).max();
        ((f64::from(most.unwrap_or(0)) * PRUNED).ceil() as u32).max(1)
    }

    /// How likely [`Statistics::draw_pruned`] draws each move.
    pub(super) fn mixture(&self) -> Vec<f64> {
        let least = self.least_drawn();
        let weight = |tries: &Tries| f64::from(tries.visits * u32::from(tries.visits >= least));
        let all: f64 = self.tries.iter().map(weight).sum();
        let each = |tries| weight(tries) / all.max(1.0);
        self.tries.iter().map(each).collect()
    }

    /// The move that was tried most, of several the one that gave more.
    pub(super) fn most_tried(&self) -> usize {
        let better = |one: &usize, other: &usize| {
            let (one, other) = (&self.tries[*one], &self.tries[*other]);
            let by_visits = one.visits.cmp(&other.visits);
            by_visits.then(one.mean().total_cmp(&other.mean()))
        };
        (0..self.tries.len()).max_by(better).unwrap_or(0)
    }

    /// The places of all moves that were tried, in the order of how often, of equally many the one that
    /// gave more first.
    pub(super) fn most_tried_first(&self) -> Vec<usize> {
        let tried = (0..self.tries.len()).filter(|place| self.tries[*place].visits > 0);
        let mut places: Vec<usize> = tried.collect();
        places.sort_by(|one, other| {
            let (one, other) = (&self.tries[*one], &self.tries[*other]);
            let by_visits = other.visits.cmp(&one.visits);
            by_visits.then(other.mean().total_cmp(&one.mean()))
        });
        places
    }

    /// How often a move was tried.
    pub(super) fn visits(&self, place: usize) -> u32 {
        self.tries[place].visits
    }

    /// How many more times the most tried move was tried than any other.
    pub(super) fn margin(&self) -> f64 {
        let mut visits: Vec<u32> = self.tries.iter().map(|tries| tries.visits).collect();
        visits.sort_unstable_by(|one, other| other.cmp(one));
        match visits[..] {
            [most, second, ..] => f64::from(most - second),
            _ => f64::INFINITY,
        }
    }

    /// What a move gave on average; `None` if it was not tried.
    pub(super) fn value(&self, place: usize) -> Option<f64> {
        let tries = self.tries[place];
        (tries.visits > 0).then(|| tries.mean())
    }
}
