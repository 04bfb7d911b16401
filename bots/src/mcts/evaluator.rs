//! Evaluates new positions of the graph: the values, margins and priors of their moves.

use games::playout::playout;
use games::{Game, MAX_SEATS, Rng, Seat};

use super::bounds::twelfths;
use super::candidate::{Candidate, SeatValues, set_priors};
use super::odds::{exp, odds, shifted};
use crate::engine::Question;
use crate::evaluation;
use crate::evaluation::{CERTAIN, Evaluate, mobility};

/// A certain win, in log odds.
const SURE: f32 = 16.0;
/// The zero of the values is moved when the scores have changed by this much.
const DRIFT: f32 = 0.5;
/// With fewer plies than this left until the match is stopped, the current scores count more and
/// more.
const FADE: u32 = 12;
/// Random play goes on until it has had about this many moves to choose from: the more there are,
/// the less a random one says.
const RANDOM_CHOICES: usize = 6000;
/// The number of moves evaluated between two checks of the clock; some take a millisecond.
const BATCH: usize = 4;
/// Random play of fewer plies than this is left out.
const SHORTEST: u32 = 8;
/// The weight of random play in games without an evaluation of their own: the general evaluation is
/// short-sighted, random play is blind to careful plans.
const RANDOM_WEIGHT: f32 = 0.4;

pub(super) struct LeafEvaluator<G: Game> {
    evaluation: Box<dyn Evaluate<G>>,
    /// In a game without an evaluation of its own, the strengths of the seats at the first turn: what
    /// they have gained since says more than what they have.
    baseline: Option<SeatValues>,
    /// The log odds of seat 0 that count as even, near those of the root, so that small differences still
    /// matter where one side is far ahead. Only with two seats.
    pub(super) zero: f32,
    /// The number of plies of random play; 0 for none.
    random_plies: u32,
    values: Vec<SeatValues>,
    scratch: Vec<G::Move>,
}

impl<G: Game> LeafEvaluator<G> {
    pub(super) fn new() -> Self {
        LeafEvaluator {
            evaluation: evaluation::evaluation::<G>(),
            baseline: None,
            zero: 0.0,
            random_plies: 0,
            values: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Prepares for a turn whose position has this many moves.
    pub(super) fn prepare(&mut self, question: &Question<'_, G>, moves: usize) {
        self.evaluation.asked_by(question.seat);
        if evaluation::is_general::<G>() {
            let mut rng = Rng::from_parts(&[question.game.key(question.position)]);
            let baseline = || {
                mobility::mean_strengths(question.game, question.position, &mut rng)
                    .map(|s| s as f32)
            };
            self.baseline.get_or_insert_with(baseline);
            self.random_plies = (RANDOM_CHOICES / moves.max(1)) as u32;
        }
    }

    /// Makes the root even although one side may be far ahead. Returns the factor by which the odds of
    /// seat 0 change in all values.
    pub(super) fn center(&mut self, question: &Question<'_, G>) -> f32 {
        let seats = question.game.seats();
        if seats != 2 {
            return 1.0;
        }
        let scores = self.scores(question.game, question.position);
        let zero = (scores[0] - scores[1]).clamp(-SURE, SURE);
        let zero = if (zero - self.zero).abs() < DRIFT {
            self.zero
        } else {
            zero
        };
        let factor = odds(self.zero, zero);
        self.zero = zero;
        factor
    }

    pub(super) fn exploration(&self) -> f32 {
        self.evaluation.exploration()
    }

    /// Lists the moves of a position that are worth evaluating first.
    pub(super) fn shortlist(&mut self, game: &G, position: &G::Position, moves: &mut Vec<G::Move>) {
        self.evaluation.shortlist(game, position, 1, moves);
    }

    fn scores(&mut self, game: &G, position: &G::Position) -> SeatValues {
        let mut scores = self.evaluation.scores(game, position);
        if let Some(baseline) = &self.baseline {
            for (score, baseline) in scores.iter_mut().zip(baseline) {
                *score -= baseline;
            }
        }
        scores
    }

    /// Evaluates a move of `seat`, whose turn it is.
    fn candidate(
        &mut self,
        question: &Question<'_, G>,
        position: &G::Position,
        seat: Seat,
        mv: G::Move,
    ) -> (Candidate<G::Move>, SeatValues) {
        let Question {
            game, max_plies, ..
        } = *question;
        let seats = game.seats();
        let mut next = *position;
        game.play_unchecked(&mut next, mv);
        let (value, margin, exact) = if over(question, &next) {
            let outcome = game.outcome(&next);
            let margin = (2.0 * outcome[seat] as f32 - 1.0) * SURE;
            (self.result(&outcome), margin, Some(twelfths(outcome[seat])))
        } else {
            let scores = self.scores(game, &next);
            let margin = lead(&scores[..seats], seat);
            // With a limit on plies, the match may end before what is certain comes true.
            let certain = seats == 2 && margin.abs() > CERTAIN && max_plies.is_none();
            let exact = certain.then(|| twelfths(if margin > 0.0 { 1.0 } else { 0.0 }));
            let value = self.expected(&scores[..seats]);
            (
                self.faded(question, &next, value),
                margin.clamp(-SURE, SURE),
                exact,
            )
        };
        let mean = value[seat];
        let candidate = Candidate {
            mv,
            mean,
            margin,
            prior: 0.0,
            exact,
        };
        (candidate, value)
    }

    /// Evaluates moves from a position, and the position itself by them.
    pub(super) fn evaluate_moves(
        &mut self,
        question: &Question<'_, G>,
        position: &G::Position,
        moves: &[G::Move],
        late: impl Fn() -> bool,
        rng: &mut Rng,
    ) -> (Vec<Candidate<G::Move>>, SeatValues) {
        let seat = question.game.to_move(position).unwrap_or(0);
        let mut candidates = Vec::with_capacity(moves.len());
        self.values.clear();
        for batch in moves.chunks(BATCH) {
            if !candidates.is_empty() && late() {
                break;
            }
            for &mv in batch {
                let (candidate, value) = self.candidate(question, position, seat, mv);
                candidates.push(candidate);
                self.values.push(value);
            }
        }
        let mut value = self.value_of_reply(&mut candidates);
        if self.random_plies >= SHORTEST {
            let later = self.random_play(question, position, rng);
            for (value, later) in value.iter_mut().zip(later) {
                *value += RANDOM_WEIGHT * (later - *value);
            }
        }
        (candidates, value)
    }

    /// Sets the priors, and returns the mean of the values just found, weighted by how good they are
    /// for the seat that chooses.
    fn value_of_reply(&self, candidates: &mut [Candidate<G::Move>]) -> SeatValues {
        set_priors(candidates);
        let mut mean = SeatValues::default();
        let mut sum = 0.0;
        for (candidate, value) in candidates.iter().zip(&self.values) {
            // Squared: the seat that chooses will know better than these priors do.
            let weight = candidate.prior * candidate.prior;
            for (mean, value) in mean.iter_mut().zip(value) {
                *mean += weight * value;
            }
            sum += weight;
        }
        mean.map(|mean| mean / sum)
    }

    /// The value of the position after one random line.
    fn random_play(
        &mut self,
        question: &Question<'_, G>,
        position: &G::Position,
        rng: &mut Rng,
    ) -> SeatValues {
        let Question {
            game, max_plies, ..
        } = *question;
        let mut position = *position;
        let last_ply = game.ply(&position).saturating_add(self.random_plies);
        let last_ply = max_plies.map_or(last_ply, |most| most.min(last_ply));
        playout(game, &mut position, Some(last_ply), rng, &mut self.scratch);
        if over(question, &position) {
            return self.result(&game.outcome(&position));
        }
        let scores = self.scores(game, &position);
        let value = self.expected(&scores[..game.seats()]);
        self.faded(question, &position, value)
    }

    /// An outcome as values, as seen from where [`Self::zero`] is even.
    pub(super) fn result(&self, outcome: &[f64]) -> SeatValues {
        let mut value = [0.5; MAX_SEATS];
        for (value, &outcome) in value.iter_mut().zip(outcome) {
            *value = outcome as f32;
        }
        if outcome.len() == 2 {
            let odds = odds(0.0, self.zero);
            value[0] = shifted(value[0], odds);
            value[1] = 1.0 - value[0];
        }
        value
    }

    /// Values drawn towards the outcome of the current scores if the match will soon be stopped.
    fn faded(
        &self,
        question: &Question<'_, G>,
        position: &G::Position,
        value: SeatValues,
    ) -> SeatValues {
        let Some(most) = question.max_plies else {
            return value;
        };
        let left = most.saturating_sub(question.game.ply(position));
        if left >= FADE {
            return value;
        }
        let mut mixed = self.result(&question.game.outcome(position));
        let share = left as f32 / FADE as f32;
        for (mixed, value) in mixed.iter_mut().zip(value) {
            *mixed += share * (value - *mixed);
        }
        mixed
    }

    /// The outcome that each seat can expect, as seen from where [`Self::zero`] is even.
    fn expected(&self, scores: &[f32]) -> SeatValues {
        let mut value = [0.5; MAX_SEATS];
        if let [one, other] = *scores {
            value[0] = 1.0 / (1.0 + exp(other - one + self.zero));
            value[1] = 1.0 - value[0];
            return value;
        }
        shares(scores, &mut value);
        value
    }
}

/// The share of the others that each seat can expect to beat.
fn shares(scores: &[f32], value: &mut SeatValues) {
    let others = (scores.len().max(2) - 1) as f32;
    for (seat, value) in value.iter_mut().enumerate().take(scores.len()) {
        let rest = scores
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != seat);
        let beaten = rest.map(|(_, score)| 1.0 / (1.0 + exp(score - scores[seat])));
        *value = beaten.sum::<f32>() / others;
    }
}

/// True if the match ends here, by the rules or by the limit on plies.
pub(super) fn over<G: Game>(question: &Question<'_, G>, position: &G::Position) -> bool {
    let game = question.game;
    let reached = |most| game.ply(position) >= most;
    question.max_plies.is_some_and(reached) || game.to_move(position).is_none()
}

/// The lead of a seat over the best of the others.
fn lead(scores: &[f32], seat: Seat) -> f32 {
    if let [one, other] = *scores {
        return if seat == 0 { one - other } else { other - one };
    }
    let others = scores
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != seat);
    let best = others
        .map(|(_, score)| *score)
        .fold(f32::NEG_INFINITY, f32::max);
    scores[seat] - best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_outcomes_are_like_outcomes() {
        let mut three = SeatValues::default();
        shares(&[9.0, 0.0, 0.5], &mut three);
        assert!(three[0] > 0.99 && three[2] > three[1]);
        assert!((three[..3].iter().sum::<f32>() - 1.5).abs() < 1e-5);
        assert_eq!(lead(&[9.0, 0.0, 0.5], 2), -8.5);
    }
}
