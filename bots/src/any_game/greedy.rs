//! One step ahead, in any game: first by the result if the game ends, then by points, then by
//! playouts. Others who act in the same step answer at random, and chance draws; with hidden
//! information, each move is tried in several sampled states. All moves are tried in the same
//! circumstances.
//!
//! Others who act in the same step answer at random, and chance draws; where information is hidden,
//! the move is tried in several sampled states. All moves are tried in the same circumstances.

use std::cmp::Ordering;
use std::time::Duration;

use games::session::{Session, random_step};
use games::{Actor, BrokenRules, Rng, Seat};
use protocol::SearchLine;
use serde_json::json;

use super::budget::IterationBudget;
use super::{
    Known, SessionDecision, SessionQuestion, SessionSearch, in_time, load, make, outcome, playout,
    sample, wrong_sample,
};
use crate::turn::analysis;
use crate::turn::analysis::Analysis;

/// Number of circumstances for each move if others or chance take part in the step, or information
/// is hidden.
const CIRCUMSTANCES: u32 = 8;
/// At most this many moves are judged by random games.
const SHORTLIST: usize = 24;
/// The number of random games after a move, over all circumstances.
const PLAYOUTS: usize = 8;

/// Keeps nothing from turn to turn.
pub(crate) struct GreedySearch;

struct Circumstance {
    session: Box<dyn Session>,
    /// The moves of the step, without the seat's own.
    step: Vec<String>,
    /// The place of the seat's move in the step.
    own: usize,
    /// The ply at which the match is stopped.
    last_ply: Option<u32>,
}

/// Rating of a move: first by the mean outcome of ended games, then by the lead in points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct StepRating {
    /// The sum, over the circumstances in which the game was over, of the outcome less 1/2.
    ended: f64,
    lead: f64,
}

impl StepRating {
    fn compare(&self, other: &Self) -> Ordering {
        let by_end = self.ended.total_cmp(&other.ended);
        by_end.then(self.lead.total_cmp(&other.lead))
    }
}

impl SessionSearch for GreedySearch {
    fn choose(
        &mut self,
        question: &SessionQuestion<'_>,
        rng: &mut Rng,
    ) -> Result<SessionDecision, BrokenRules> {
        let budget = budget(question);
        let rest = budget.rest();
        let chosen = in_time(rest.run(|| choose(question, budget, rng)))?.flatten();
        Ok(chosen.unwrap_or_else(|| SessionDecision::random(question.legal, rng)))
    }

    /// The order is that of the ratings; the values are those of random games after the moves.
    fn analyse(
        &mut self,
        question: &SessionQuestion<'_>,
        analysis: &mut Analysis<'_>,
        rng: &mut Rng,
    ) -> Result<SessionDecision, BrokenRules> {
        let budget = budget(question);
        let rest = budget.rest();
        let analysed = in_time(rest.run(|| analyse(question, budget, analysis.lines, rng)))?;
        Ok(analysed
            .flatten()
            .unwrap_or_else(|| SessionDecision::random(question.legal, rng)))
    }
}

/// Chooses a move; `None` if no state can be sampled.
fn choose(
    question: &SessionQuestion<'_>,
    mut budget: IterationBudget,
    rng: &mut Rng,
) -> Result<Option<SessionDecision>, BrokenRules> {
    let Some(circumstances) = circumstances(question, rng)? else {
        return Ok(None);
    };
    let rated = rated_moves(question, &circumstances, &mut budget, rng)?;
    let nodes = rated.len() * circumstances.len();
    let mv = closer_look(question, &circumstances, rated, &mut budget, rng)?;
    let info = json!({"depth": 1, "nodes": nodes, "pv": [mv]});
    Ok(Some(SessionDecision {
        mv,
        info: Some(info),
    }))
}

/// The same with the values of the best moves.
fn analyse(
    question: &SessionQuestion<'_>,
    mut budget: IterationBudget,
    most: usize,
    rng: &mut Rng,
) -> Result<Option<SessionDecision>, BrokenRules> {
    let Some(circumstances) = circumstances(question, rng)? else {
        return Ok(None);
    };
    let rated = rated_moves(question, &circumstances, &mut budget, rng)?;
    let nodes = rated.len() * circumstances.len();
    let moves: Vec<String> = rated.iter().map(|(_, mv)| mv.clone()).collect();
    let mv = closer_look(question, &circumstances, rated, &mut budget, rng)?;
    let others = moves.into_iter().filter(|other| *other != mv);
    let mut lines = Vec::new();
    for shown in std::iter::once(mv.clone()).chain(others).take(most) {
        let value = expected(question, &circumstances, &shown, &mut budget, rng)?;
        lines.push(SearchLine {
            value: value.map(analysis::rounded),
            pv: vec![shown.into()],
            depth: Some(1),
            nodes: None,
        });
    }
    let info = analysis::info(1, nodes as u64, lines);
    Ok(Some(SessionDecision { mv, info }))
}

/// Without a clock there is time for everything.
fn budget(question: &SessionQuestion<'_>) -> IterationBudget {
    IterationBudget::new(Some(u32::MAX), question.deadline, Duration::ZERO)
}

/// Rates the legal moves in a random order, at least one, and as many as there is time for. The best
/// comes first; equal ones stay in their order.
fn rated_moves(
    question: &SessionQuestion<'_>,
    circumstances: &[Circumstance],
    budget: &mut IterationBudget,
    rng: &mut Rng,
) -> Result<Vec<(StepRating, String)>, BrokenRules> {
    let mut moves = question.legal.to_vec();
    rng.shuffle(&mut moves);
    let mut rated = Vec::new();
    for mv in moves {
        if !rated.is_empty() && !budget.go_on() {
            break;
        }
        let rating = match in_time(rate(circumstances, question.seat, &mv))? {
            Some(rating) => rating,
            // There was no time for a single one: it is as good as any other.
            None if rated.is_empty() => StepRating::default(),
            None => break,
        };
        rated.push((rating, mv));
    }
    // The sort is stable.
    rated.sort_by(|(one, _), (other, _)| other.compare(one));
    Ok(rated)
}

/// The mean outcome of random games after a move; `None` if there is no time for any.
fn expected(
    question: &SessionQuestion<'_>,
    circumstances: &[Circumstance],
    mv: &str,
    budget: &mut IterationBudget,
    rng: &mut Rng,
) -> Result<Option<f64>, BrokenRules> {
    let (mut sum, mut games) = (0.0, 0);
    for circumstance in circumstances.iter().cycle().take(PLAYOUTS) {
        if !budget.go_on() {
            break;
        }
        let Some(value) = in_time(circumstance.worth(mv, rng))? else {
            break;
        };
        sum += value[question.seat];
        games += 1;
    }
    Ok((games > 0).then(|| sum / f64::from(games)))
}

/// The circumstances in which moves are tried; `None` if no state can be sampled.
fn circumstances(
    question: &SessionQuestion<'_>,
    rng: &mut Rng,
) -> Result<Option<Vec<Circumstance>>, BrokenRules> {
    let sessions: Vec<Box<dyn Session>> = match question.known {
        Known::Position(session) => {
            let is_sure = session.to_move().alone().is_some();
            let count = if is_sure { 1 } else { CIRCUMSTANCES };
            (0..count).map(|_| session.fork()).collect()
        }
        Known::Observation(observation) => {
            let (rules, seed) = (question.rules, rng.next_u64());
            let states = sample(rules, observation, question.seat, seed, CIRCUMSTANCES)?;
            if states.is_empty() {
                return Ok(None);
            }
            let loaded = states.iter().map(|state| load(rules, state));
            loaded.collect::<Result<_, _>>()?
        }
    };
    let all = sessions
        .into_iter()
        .filter_map(|session| Circumstance::of(session, question, rng).transpose());
    let all: Vec<Circumstance> = all.collect::<Result<_, _>>()?;
    if all.is_empty() {
        let what = format!("seat {} is not to move in any of its states", question.seat);
        return Err(wrong_sample(&what));
    }
    Ok(Some(all))
}

impl Circumstance {
    /// Draws what others and chance do in the step; `None` if the seat does not act in this position.
    fn of(
        mut session: Box<dyn Session>,
        question: &SessionQuestion<'_>,
        rng: &mut Rng,
    ) -> Result<Option<Self>, BrokenRules> {
        let mut actors = session.to_move().actors();
        let own = actors.position(|actor| actor == Actor::Seat(question.seat));
        let step = random_step(&mut *session, rng)?;
        Ok(own.zip(step).map(|(own, step)| Circumstance {
            last_ply: question.plies_left.map(|left| session.ply() + left),
            session,
            step,
            own,
        }))
    }

    /// The position after a move of the seat.
    fn after(&self, mv: &str) -> Result<Box<dyn Session>, BrokenRules> {
        let mut step = self.step.clone();
        step[self.own] = mv.to_owned();
        let mut next = self.session.fork();
        make(&mut *next, &step)?;
        Ok(next)
    }

    /// The outcome for each seat of a random game after a move of the seat.
    fn worth(&self, mv: &str, rng: &mut Rng) -> Result<Vec<f64>, BrokenRules> {
        let next = self.after(mv)?;
        match next.end() {
            Some(_) => outcome(&*next),
            None => playout(&*next, self.last_ply, rng),
        }
    }
}

/// Rates a move by the positions after it.
fn rate(circumstances: &[Circumstance], seat: Seat, mv: &str) -> Result<StepRating, BrokenRules> {
    let mut rating = StepRating::default();
    for circumstance in circumstances {
        let next = circumstance.after(mv)?;
        let tally = match next.end() {
            Some(end) => {
                rating.ended += end.tally.outcome[seat] - 0.5;
                end.tally
            }
            None => next.tally()?,
        };
        rating.lead += lead(&tally.scores, seat) as f64;
    }
    Ok(rating)
}

/// The seat's points less those of the best other seat.
fn lead(scores: &[i64], seat: Seat) -> i64 {
    let others = scores
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != seat);
    let best = others.map(|(_, score)| *score).max();
    scores[seat].saturating_sub(best.unwrap_or(0))
}

/// Chooses among the moves that are rated best, by random games after them: in rounds of one after
/// each move, as long as there is time for a whole round.
fn closer_look(
    question: &SessionQuestion<'_>,
    circumstances: &[Circumstance],
    rated: Vec<(StepRating, String)>,
    budget: &mut IterationBudget,
    rng: &mut Rng,
) -> Result<String, BrokenRules> {
    let best = rated[0].0;
    let equal = rated.into_iter().take_while(|(rating, _)| *rating == best);
    let shortlist = equal.map(|(_, mv)| (0.0, mv)).take(SHORTLIST);
    let mut shortlist: Vec<(f64, String)> = shortlist.collect();
    let rounds = if shortlist.len() > 1 { PLAYOUTS } else { 0 };
    for circumstance in circumstances.iter().cycle().take(rounds) {
        let mut values = Vec::new();
        for (_, mv) in &shortlist {
            if !budget.go_on() {
                return Ok(highest(shortlist));
            }
            let Some(value) = in_time(circumstance.worth(mv, rng))? else {
                return Ok(highest(shortlist));
            };
            values.push(value[question.seat]);
        }
        for ((sum, _), value) in shortlist.iter_mut().zip(values) {
            *sum += value;
        }
    }
    Ok(highest(shortlist))
}

/// The first of the moves with the highest value.
fn highest(valued: Vec<(f64, String)>) -> String {
    let better =
        |best: (f64, String), next: (f64, String)| if next.0 > best.0 { next } else { best };
    let best = valued.into_iter().reduce(better);
    best.expect("at least one move was rated").1
}
