//! Statistics of a seat's moves, shared by all positions of an information set.

use std::cmp::Ordering;
use std::rc::Rc;

use games::Rng;
use smallvec::SmallVec;

/// The exploration constant of UCT, in outcomes from 0 to 1.
const EXPLORATION: f64 = 0.4;
/// The number of tries that a random game counts as which began with a move before it was tried.
const FIRST_IMPRESSION: f64 = 0.25;
/// Moves that were tried less than this part of the most tried one are not drawn: they were tried to
/// explore.
const PRUNED: f64 = 0.25;

/// The outcomes of a certain win and a certain loss.
const BEST: f64 = 1.0;
const WORST: f64 = 0.0;

/// The visits of each move, and the sum of their outcomes for the seat.
pub(super) struct Statistics {
    moves: Vec<Rc<str>>,
    tries: Vec<Tries>,
    /// All tries, and the visit at which the moves became known.
    visits: u32,
}

#[derive(Clone, Copy, Default)]
struct Tries {
    visits: u32,
    total: f64,
    /// The proven outcome of the move, once everything after it was searched to the end.
    proven: Option<f64>,
    /// The mean outcome of random games that began with the move, and the number of tries that it
    /// counts as.
    expected: f64,
    weight: f64,
}

impl Tries {
    fn mean(self) -> f64 {
        self.proven.unwrap_or(self.tried())
    }

    /// The upper confidence bound of the move, given the logarithm of all visits.
    fn bound(self, log: f64) -> f64 {
        let tries = f64::from(self.visits) + self.weight;
        match self.proven {
            Some(value) => value,
            None if tries == 0.0 => f64::INFINITY,
            None => {
                let mean = (self.total + self.weight * self.expected) / tries;
                mean + EXPLORATION * (log / tries).sqrt()
            }
        }
    }

    /// Mean outcome over all tries, even if the move is proven by now.
    fn tried(self) -> f64 {
        self.total / f64::from(self.visits.max(1))
    }

    /// 2 for a move that is known to win, 0 for one that is known to lose, else 1.
    fn rank(self) -> u8 {
        match self.proven {
            Some(value) if value >= BEST => 2,
            Some(value) if value <= WORST => 0,
            _ => 1,
        }
    }
}

impl Statistics {
    pub(super) fn new(moves: Vec<Rc<str>>) -> Self {
        Statistics {
            tries: vec![Tries::default(); moves.len()],
            moves,
            visits: 0,
        }
    }

    pub(super) fn moves(&self) -> &[Rc<str>] {
        &self.moves
    }

    pub(super) fn is_fresh(&self) -> bool {
        self.visits == 0
    }

    /// Takes the number of random games and the sum of their outcomes for each move as a first impression.
    /// `mean` is that of all these games.
    pub(super) fn expect(&mut self, mean: f64, by_move: &[(u32, f64)]) {
        for (tries, (count, sum)) in self.tries.iter_mut().zip(by_move) {
            // One more game that is like all of them, since few games say little.
            let count = f64::from(count + 1);
            tries.expected = (sum + mean) / count;
            tries.weight = count * FIRST_IMPRESSION;
        }
    }

    /// Counts a visit that tried nothing.
    pub(super) fn visit(&mut self) {
        self.visits += 1;
    }

    /// Begins to try a move. Until its value is known, it counts as a loss, so that another one may be tried
    /// meanwhile.
    pub(super) fn begin(&mut self, place: usize) {
        self.visits += 1;
        self.tries[place].visits += 1;
    }

    /// Ends a try with its value.
    pub(super) fn end(&mut self, place: usize, value: f64) {
        self.tries[place].total += value;
    }

    /// Takes back a try that found no value.
    pub(super) fn cancel(&mut self, place: usize) {
        self.visits -= 1;
        self.tries[place].visits -= 1;
    }

    /// Records the proven outcome of a move.
    pub(super) fn prove(&mut self, place: usize, value: f64) {
        self.tries[place].proven = Some(value);
    }

    /// The move whose proven outcome is that of the position: an unbeatable one or, if all moves
    /// are proven, the best one. Ties go to the best mean, since others err.
    pub(super) fn proof(&self) -> Option<usize> {
        let places = 0..self.tries.len();
        let wins = places.clone().find(|place| self.tries[*place].rank() == 2);
        let all_are_certain = || self.tries.iter().all(|tries| tries.proven.is_some());
        wins.or_else(|| {
            let better = |one: &usize, other: &usize| {
                let (one, other) = (&self.tries[*one], &self.tries[*other]);
                let by_value = one.mean().total_cmp(&other.mean());
                by_value.then(one.tried().total_cmp(&other.tried()))
            };
            let best = places.max_by(better);
            best.filter(|_| all_are_certain())
        })
    }

    /// The move to learn about: one that was not tried yet, or the one with the highest upper
    /// confidence bound, which is its value if that is certain. Ties are broken at random.
    pub(super) fn select(&self, rng: &mut Rng) -> usize {
        let log = f64::from(self.visits.max(1)).ln();
        let bounds: SmallVec<[f64; 64]> = self.tries.iter().map(|tries| tries.bound(log)).collect();
        let highest = bounds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let ties = bounds.iter().filter(|bound| **bound == highest).count();
        let chosen = rng.index(ties);
        let mut highest = (0..bounds.len()).filter(|place| bounds[*place] == highest);
        highest.nth(chosen).unwrap_or(0)
    }

    /// A move, drawn by visit counts; uniformly before any visit.
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

    /// The visits that a move needs to be drawn at the end.
    fn least_drawn(&self) -> u32 {
        let most = self.tries.iter().map(|tries| tries.visits).max();
        ((f64::from(most.unwrap_or(0)) * PRUNED).ceil() as u32).max(1)
    }

    /// The probabilities with which [`Statistics::draw_pruned`] draws the moves.
    pub(super) fn mixture(&self) -> Vec<f64> {
        let least = self.least_drawn();
        let weight = |tries: &Tries| f64::from(tries.visits * u32::from(tries.visits >= least));
        let all: f64 = self.tries.iter().map(weight).sum();
        let each = |tries| weight(tries) / all.max(1.0);
        self.tries.iter().map(each).collect()
    }

    /// The move that proves the value of the position or, without a proof, the move that was tried most
    /// and does not surely lose; of several the one that gave more.
    pub(super) fn best(&self) -> usize {
        let worse_first = |one: &usize, other: &usize| self.compare(*one, *other);
        let found = || (0..self.tries.len()).max_by(worse_first);
        self.proof().or_else(found).unwrap_or(0)
    }

    fn compare(&self, one: usize, other: usize) -> Ordering {
        let (one, other) = (&self.tries[one], &self.tries[other]);
        let by_proof = one.rank().cmp(&other.rank());
        let by_visits = by_proof.then(one.visits.cmp(&other.visits));
        by_visits.then(one.mean().total_cmp(&other.mean()))
    }

    /// The indices of all moves that were tried, the best first.
    pub(super) fn best_first(&self) -> Vec<usize> {
        let tried = (0..self.tries.len()).filter(|place| self.tries[*place].visits > 0);
        let mut places: Vec<usize> = tried.collect();
        let best = self.best();
        places.sort_by(|one, other| self.compare(*other, *one));
        places.sort_by_key(|place| *place != best);
        places
    }

    pub(super) fn visits(&self, place: usize) -> u32 {
        self.tries[place].visits
    }

    /// The visits of the most visited move beyond those of any other.
    pub(super) fn margin(&self) -> f64 {
        let mut visits: Vec<u32> = self.tries.iter().map(|tries| tries.visits).collect();
        visits.sort_unstable_by(|one, other| other.cmp(one));
        match visits[..] {
            [most, second, ..] => f64::from(most - second),
            _ => f64::INFINITY,
        }
    }

    /// The mean outcome of a move; `None` if it was not visited.
    pub(super) fn value(&self, place: usize) -> Option<f64> {
        let tries = self.tries[place];
        (tries.visits > 0).then(|| tries.mean())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Statistics of moves with these numbers of tries, each of which gave this.
    fn of(tries: &[(u32, f64)]) -> Statistics {
        let moves = (0..tries.len())
            .map(|place| place.to_string().into())
            .collect();
        let mut statistics = Statistics::new(moves);
        for (place, (visits, value)) in tries.iter().enumerate() {
            for _ in 0..*visits {
                statistics.begin(place);
                statistics.end(place, *value);
            }
        }
        statistics
    }

    #[test]
    fn a_sure_win_is_best_and_a_sure_loss_worst() {
        let mut statistics = of(&[(50, 0.9), (20, 0.5), (3, 0.2)]);
        assert_eq!(statistics.best(), 0);
        statistics.prove(0, 0.0);
        assert_eq!((statistics.best(), statistics.proof()), (1, None));
        assert_ne!(statistics.select(&mut Rng::new(1)), 0);
        statistics.prove(2, 1.0);
        assert_eq!((statistics.best(), statistics.proof()), (2, Some(2)));
        assert_eq!(statistics.best_first(), [2, 1, 0]);
    }

    #[test]
    fn random_games_say_which_move_to_try_first_and_tries_say_more() {
        let mut statistics = of(&[(0, 0.0), (0, 0.0), (0, 0.0)]);
        statistics.expect(0.5, &[(21, 7.0), (21, 16.0), (0, 0.0)]);
        let mut rng = Rng::new(1);
        let mut tried = Vec::new();
        for _ in 0..40 {
            let place = statistics.select(&mut rng);
            statistics.begin(place);
            statistics.end(place, if place == 2 { 1.0 } else { 0.2 });
            tried.push(place);
        }
        assert_eq!(tried[0], 1, "the best by the games");
        assert_eq!(tried[39], 2, "the best by the tries");
        assert_eq!(statistics.best(), 2);
        assert!(tried.iter().filter(|place| **place == 0).count() < 5);
    }

    #[test]
    fn a_position_is_proven_by_all_its_moves() {
        let mut statistics = of(&[(50, 0.9), (20, 0.5), (3, 0.2)]);
        statistics.prove(0, 0.0);
        statistics.prove(1, 0.25);
        assert_eq!(statistics.proof(), None);
        statistics.prove(2, 0.5);
        assert_eq!((statistics.proof(), statistics.best()), (Some(2), 2));
        assert_eq!(statistics.value(2), Some(0.5));
        statistics.prove(1, 0.5);
        assert_eq!(statistics.proof(), Some(1), "it gave more");
    }
}
