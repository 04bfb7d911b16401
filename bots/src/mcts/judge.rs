//! What the search makes of positions without searching: values, margins, priors.

use games::playout::playout;
use games::{Game, MAX_SEATS, Rng, Seat};

use super::bounds::twelfths;
use super::tree::{Candidate, Value};
use crate::evaluate::{self, CERTAIN, Evaluate};
use crate::rating;
use crate::thinker::Question;

/// How undecided a move's prior is, in log odds.
pub(super) const PRIOR_HEAT: f32 = 0.5;
/// How undecided a seat is taken to be among its moves before any of them was tried.
const REPLY_HEAT: f32 = 0.25;
/// A sure win in log odds.
const SURE: f32 = 16.0;
/// With fewer plies than this left until the match is stopped, the scores as they are count more
/// and more.
const FADE: u32 = 12;
/// Random play goes on until it has had about so many moves to choose from: the more there are,
/// the less a random one tells.
const REACH: usize = 6000;
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
    /// How many plies random play goes on for; 0 for not at all.
    reach: u32,
    values: Vec<Value>,
    weights: Vec<f32>,
    scratch: Vec<G::Move>,
}

impl<G: Game> Judge<G> {
    pub(super) fn new() -> Self {
        Judge {
            evaluation: evaluate::evaluation::<G>(),
            first: None,
            reach: 0,
            values: Vec::new(),
            weights: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Looks at the position in which a move is wanted.
    pub(super) fn prepare(&mut self, question: &Question<'_, G>, moves: usize) {
        if evaluate::is_general::<G>() {
            let mut rng = Rng::from_parts(&[question.game.key(question.position)]);
            let first = || {
                rating::mean_strengths(question.game, question.position, &mut rng).map(|s| s as f32)
            };
            self.first.get_or_insert_with(first);
            self.reach = (REACH / moves.max(1)) as u32;
        }
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
            (plain(&outcome), margin, Some(twelfths(outcome[seat])))
        } else {
            let scores = self.scores(game, &next);
            let margin = lead(&scores[..seats], seat);
            // What is certain by the rules may not be reached before a limit.
            let certain = seats == 2 && margin.abs() > CERTAIN && max_plies.is_none();
            let exact = certain.then(|| twelfths(if margin > 0.0 { 1.0 } else { 0.0 }));
            let value = expected(&scores[..seats]);
            (faded(question, &next, value), margin.clamp(-SURE, SURE), exact)
        };
        let guess = value[seat];
        let candidate = Candidate {
            mv,
            guess,
            margin,
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
        for batch in moves.chunks(64) {
            if !candidates.is_empty() && late() {
                break;
            }
            for &mv in batch {
                let (candidate, value) = self.candidate(question, position, seat, mv);
                candidates.push(candidate);
                self.values.push(value);
            }
        }
        let mut value = self.reply(&candidates);
        if self.reach >= SHORTEST {
            let later = self.random_play(question, position, rng);
            for (value, later) in value.iter_mut().zip(later) {
                *value += RANDOM_PLAY * (later - *value);
            }
        }
        (candidates, value)
    }

    /// The values that were just found, weighted by how good they are for the seat that chooses.
    fn reply(&mut self, candidates: &[Candidate<G::Move>]) -> Value {
        self.weights.clear();
        self.weights.resize(candidates.len(), 0.0);
        let margins = candidates.iter().map(|candidate| candidate.margin);
        softmax(REPLY_HEAT, margins.zip(&mut self.weights));
        let mut mean = Value::default();
        for (weight, value) in self.weights.iter().zip(&self.values) {
            for (mean, value) in mean.iter_mut().zip(value) {
                *mean += weight * value;
            }
        }
        mean
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
            return plain(&game.outcome(&position));
        }
        let scores = self.scores(game, &position);
        faded(question, &position, expected(&scores[..game.seats()]))
    }
}

/// Whether play stops here, repetition apart.
pub(super) fn over<G: Game>(question: &Question<'_, G>, position: &G::Position) -> bool {
    let game = question.game;
    let stop = |most| game.ply(position) >= most;
    question.max_plies.is_some_and(stop) || game.to_move(position).is_none()
}

/// An outcome as a value.
pub(super) fn plain(outcome: &[f64]) -> Value {
    let mut value = [0.5; MAX_SEATS];
    for (value, &outcome) in value.iter_mut().zip(outcome) {
        *value = outcome as f32;
    }
    value
}

/// A value drawn to the outcome of the scores as they are where the match will soon be stopped.
fn faded<G: Game>(question: &Question<'_, G>, position: &G::Position, value: Value) -> Value {
    let Some(most) = question.max_plies else {
        return value;
    };
    let left = most.saturating_sub(question.game.ply(position));
    if left >= FADE {
        return value;
    }
    let now = plain(&question.game.outcome(position));
    let share = left as f32 / FADE as f32;
    let mut mixed = now;
    for (mixed, value) in mixed.iter_mut().zip(value) {
        *mixed += share * (value - *mixed);
    }
    mixed
}

/// The expected outcome of each seat.
fn expected(scores: &[f32]) -> Value {
    let mut value = [0.5; MAX_SEATS];
    if let [one, other] = *scores {
        value[0] = 1.0 / (1.0 + exp(other - one));
        value[1] = 1.0 - value[0];
        return value;
    }
    let others = (scores.len().max(2) - 1) as f32;
    for (seat, value) in value.iter_mut().enumerate().take(scores.len()) {
        let rest = scores.iter().enumerate().filter(|(other, _)| *other != seat);
        let beaten = rest.map(|(_, score)| 1.0 / (1.0 + exp(score - scores[seat])));
        *value = beaten.sum::<f32>() / others;
    }
    value
}

/// How far a seat is ahead of the best other one.
fn lead(scores: &[f32], seat: Seat) -> f32 {
    let others = scores.iter().enumerate().filter(|(other, _)| *other != seat);
    let best = others.map(|(_, score)| *score).fold(f32::NEG_INFINITY, f32::max);
    scores[seat] - best
}

/// Shares by how good things are: the larger the heat, the more alike.
pub(super) fn softmax<'a>(heat: f32, items: impl Iterator<Item = (f32, &'a mut f32)>) {
    let mut items: Vec<(f32, &mut f32)> = items.collect();
    let most = items.iter().map(|(margin, _)| *margin).fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for (margin, share) in &mut items {
        **share = exp((*margin - most) / heat);
        sum += **share;
    }
    for (_, share) in items {
        *share /= sum;
    }
}

/// The exponential function from nothing but sums and products, which are the same on every
/// machine; within a millionth of the true one.
fn exp(x: f32) -> f32 {
    let x = x.clamp(-80.0, 80.0) * std::f32::consts::LOG2_E;
    let whole = x.round_ties_even();
    let rest = (x - whole) * std::f32::consts::LN_2;
    let series = [5040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0];
    let part = series.iter().fold(0.0, |sum, factorial| (sum + 1.0 / factorial) * rest);
    f32::from_bits((((whole as i32) + 127) as u32) << 23) * (1.0 + part)
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
    fn shares_add_up_and_follow_the_margins() {
        let margins = [3.0, 1.0, -5.0];
        let mut shares = [0.0; 3];
        softmax(1.0, margins.into_iter().zip(&mut shares));
        assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(shares[0] > shares[1] && shares[1] > shares[2]);
        assert!((shares[0] / shares[1] - 2.0f32.exp()).abs() < 1e-3);
    }

    #[test]
    fn expected_outcomes_are_like_outcomes() {
        assert_eq!(expected(&[1.0, 1.0])[..2], [0.5, 0.5]);
        let three = expected(&[9.0, 0.0, 0.5]);
        assert!(three[0] > 0.99 && three[2] > three[1]);
        assert!((three[..3].iter().sum::<f32>() - 1.5).abs() < 1e-5);
        assert_eq!(lead(&[9.0, 0.0, 0.5], 2), -8.5);
    }
}
