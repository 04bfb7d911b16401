//! What the search makes of positions without searching: values, margins, priors.

use games::playout::playout;
use games::{Game, MAX_SEATS, Rng, Seat};

use super::bounds::twelfths;
use super::tree::{Candidate, Value};
use crate::evaluate::{self, CERTAIN, Evaluate};
use crate::rating;
use crate::thinker::Question;

/// How undecided a move's prior is, in log odds.
const PRIOR_HEAT: f32 = 0.5;
/// A sure win in log odds.
const SURE: f32 = 16.0;
/// What is even is told anew when it has changed by so much.
const DRIFT: f32 = 0.5;
/// With fewer plies than this left until the match is stopped, the scores as they are count more
/// and more.
const FADE: u32 = 12;
/// Random play goes on until it has had about so many moves to choose from: the more there are,
/// the less a random one tells.
const REACH: usize = 6000;
/// So many moves are judged between two looks at the clock: some take a millisecond.
const BATCH: usize = 4;
/// Random play that would be shorter than this is left out.
const SHORTEST: u32 = 8;
/// What random play weighs in games that have no evaluation of their own. Alone, the guess is
/// short of sight and random play blind to anything that takes care.
const RANDOM_PLAY: f32 = 0.4;

/// Judges positions of one match.
pub(super) struct Judge<G: Game> {
    evaluation: Box<dyn Evaluate<G>>,
    /// Where a game has no evaluation of its own: how the seats stood at first. What they have
    /// gained since tells more than what they have.
    first: Option<Value>,
    /// What is as good as the position in which a move is wanted, in log odds of seat 0: so that
    /// small differences still tell where one side is far ahead. Only with two seats.
    pub(super) zero: f32,
    /// How many plies random play goes on for; 0 for not at all.
    reach: u32,
    values: Vec<Value>,
    scratch: Vec<G::Move>,
}

impl<G: Game> Judge<G> {
    pub(super) fn new() -> Self {
        Judge {
            evaluation: evaluate::evaluation::<G>(),
            first: None,
            zero: 0.0,
            reach: 0,
            values: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Looks at the position in which a move is wanted.
    pub(super) fn prepare(&mut self, question: &Question<'_, G>, moves: usize) {
        self.evaluation.asked_by(question.seat);
        if evaluate::is_general::<G>() {
            let mut rng = Rng::from_parts(&[question.game.key(question.position)]);
            let first = || {
                rating::mean_strengths(question.game, question.position, &mut rng).map(|s| s as f32)
            };
            self.first.get_or_insert_with(first);
            self.reach = (REACH / moves.max(1)) as u32;
        }
    }

    /// Makes a position even if one side is far ahead; gives the factor by which the odds of
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

    /// Lists the moves of a position that are worth a look at first.
    pub(super) fn shortlist(&mut self, game: &G, position: &G::Position, moves: &mut Vec<G::Move>) {
        self.evaluation.shortlist(game, position, 1, moves);
    }

    fn scores(&mut self, game: &G, position: &G::Position) -> Value {
        let mut scores = self.evaluation.scores(game, position);
        if let Some(first) = &self.first {
            for (score, first) in scores.iter_mut().zip(first) {
                *score -= first;
            }
        }
        scores
    }

    /// Looks at a move of `seat`, whose turn it is.
    fn candidate(
        &mut self,
        question: &Question<'_, G>,
        position: &G::Position,
        seat: Seat,
        mv: G::Move,
    ) -> (Candidate<G::Move>, Value) {
        let Question {
            game, max_plies, ..
        } = *question;
        let seats = game.seats();
        let mut next = *position;
        game.play(&mut next, mv);
        let (value, margin, exact) = if over(question, &next) {
            let outcome = game.outcome(&next);
            let margin = (2.0 * outcome[seat] as f32 - 1.0) * SURE;
            (self.result(&outcome), margin, Some(twelfths(outcome[seat])))
        } else {
            let scores = self.scores(game, &next);
            let margin = lead(&scores[..seats], seat);
            // What is certain by the rules may not be reached before a limit.
            let certain = seats == 2 && margin.abs() > CERTAIN && max_plies.is_none();
            let exact = certain.then(|| twelfths(if margin > 0.0 { 1.0 } else { 0.0 }));
            let value = self.expected(&scores[..seats]);
            (
                self.faded(question, &next, value),
                margin.clamp(-SURE, SURE),
                exact,
            )
        };
        let guess = value[seat];
        let candidate = Candidate {
            mv,
            guess,
            margin,
            prior: 0.0,
            exact,
        };
        (candidate, value)
    }

    /// Looks at moves from a position, and tells what it is worth by them.
    pub(super) fn look(
        &mut self,
        question: &Question<'_, G>,
        position: &G::Position,
        moves: &[G::Move],
        late: impl Fn() -> bool,
        rng: &mut Rng,
    ) -> (Vec<Candidate<G::Move>>, Value) {
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
        let mut value = self.reply(&mut candidates);
        if self.reach >= SHORTEST {
            let later = self.random_play(question, position, rng);
            for (value, later) in value.iter_mut().zip(later) {
                *value += RANDOM_PLAY * (later - *value);
            }
        }
        (candidates, value)
    }

    /// Makes the priors, and the mean of the values that were just found by how good they are for
    /// the seat that chooses.
    fn reply(&self, candidates: &mut [Candidate<G::Move>]) -> Value {
        prefer(candidates);
        let mut mean = Value::default();
        let mut sum = 0.0;
        for (candidate, value) in candidates.iter().zip(&self.values) {
            // The seat that chooses knows better than the search which has to look first.
            let weight = candidate.prior * candidate.prior;
            for (mean, value) in mean.iter_mut().zip(value) {
                *mean += weight * value;
            }
            sum += weight;
        }
        mean.map(|mean| mean / sum)
    }

    /// What comes of random play.
    fn random_play(
        &mut self,
        question: &Question<'_, G>,
        position: &G::Position,
        rng: &mut Rng,
    ) -> Value {
        let Question {
            game, max_plies, ..
        } = *question;
        let mut position = *position;
        let stop = game.ply(&position).saturating_add(self.reach);
        let stop = max_plies.map_or(stop, |most| most.min(stop));
        playout(game, &mut position, Some(stop), rng, &mut self.scratch);
        if over(question, &position) {
            return self.result(&game.outcome(&position));
        }
        let scores = self.scores(game, &position);
        let value = self.expected(&scores[..game.seats()]);
        self.faded(question, &position, value)
    }

    /// An outcome as a value.
    pub(super) fn result(&self, outcome: &[f64]) -> Value {
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

    /// A value drawn to the outcome of the scores as they are where the match will soon be
    /// stopped.
    fn faded(&self, question: &Question<'_, G>, position: &G::Position, value: Value) -> Value {
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

    /// The expected outcome of each seat, as seen from where [`Self::zero`] is even.
    fn expected(&self, scores: &[f32]) -> Value {
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

/// The share of the others that each seat may expect to beat.
fn shares(scores: &[f32], value: &mut Value) {
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

/// The factor of the odds of seat 0 where another position becomes even.
pub(super) fn odds(before: f32, zero: f32) -> f32 {
    exp(before - zero)
}

/// A value whose odds are multiplied.
pub(super) fn shifted(value: f32, odds: f32) -> f32 {
    value * odds / (1.0 - value + value * odds)
}

/// Whether play stops here, repetition apart.
pub(super) fn over<G: Game>(question: &Question<'_, G>, position: &G::Position) -> bool {
    let game = question.game;
    let stop = |most| game.ply(position) >= most;
    question.max_plies.is_some_and(stop) || game.to_move(position).is_none()
}

/// How far a seat is ahead of the best other one.
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

/// Makes the priors of moves from their margins.
pub(super) fn prefer<M>(candidates: &mut [Candidate<M>]) {
    let margins = candidates.iter().map(|candidate| candidate.margin);
    let most = margins.fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for candidate in candidates.iter_mut() {
        candidate.prior = exp((candidate.margin - most) * (1.0 / PRIOR_HEAT));
        sum += candidate.prior;
    }
    let share = 1.0 / sum;
    for candidate in candidates {
        candidate.prior *= share;
    }
}

/// The exponential function from nothing but sums and products, which are the same on every
/// machine; within some millionths of the true one.
#[inline]
pub(super) fn exp(x: f32) -> f32 {
    /// Adding it rounds to a whole number.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-80.0, 80.0) * std::f32::consts::LOG2_E;
    let whole = (x + ROUND) - ROUND;
    let rest = (x - whole) * std::f32::consts::LN_2;
    let part = 1.0 / 120.0 * rest + 1.0 / 24.0;
    let part = ((part * rest + 1.0 / 6.0) * rest + 0.5) * rest + 1.0;
    f32::from_bits((((whole as i32) + 127) as u32) << 23) * (1.0 + part * rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_right() {
        for step in -700..700 {
            let x = step as f32 / 10.0;
            let error = exp(x) / x.exp() - 1.0;
            assert!(error.abs() < 1e-5, "{x}: {error}");
        }
    }

    #[test]
    fn priors_add_up_and_follow_the_margins() {
        let candidate = |margin| Candidate {
            mv: (),
            guess: 0.5,
            margin,
            prior: 0.0,
            exact: None,
        };
        let mut moves = [3.0, 1.0, -50.0].map(candidate);
        prefer(&mut moves);
        let [a, b, c] = moves.map(|candidate| candidate.prior);
        assert!((a + b + c - 1.0).abs() < 1e-6);
        assert!((a / b - (2.0f32 / PRIOR_HEAT).exp()).abs() < 0.01 && c < 1e-6);
    }

    #[test]
    fn expected_outcomes_are_like_outcomes() {
        let mut three = Value::default();
        shares(&[9.0, 0.0, 0.5], &mut three);
        assert!(three[0] > 0.99 && three[2] > three[1]);
        assert!((three[..3].iter().sum::<f32>() - 1.5).abs() < 1e-5);
        assert_eq!(lead(&[9.0, 0.0, 0.5], 2), -8.5);
    }
}
