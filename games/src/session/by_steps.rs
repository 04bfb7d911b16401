//! Listing positions, perft and random games by single moves: slow, but the same for all rules. For
//! implementations of [`Session`] that have no faster way.

use std::fmt::Write as _;

use itertools::Itertools;
use serde_json::{Map, Value};

use super::Session;
use super::errors::{BrokenRules, MoveError, UndoError};
use super::perft::{Perft, PerftRequest, PositionsLeft};
use super::playout::{
    self, Children, PlayoutBudget, PlayoutRequest, PlayoutResults, RandomGames, Total, UNFINISHED,
};
use super::steps::{as_strs, random_step};
use crate::budget;
use crate::kit::rng::Rng;
use crate::kit::to_move::Actor;

/// Separates the choices of a step where it is written on one line.
const BETWEEN_CHOICES: &str = " + ";

fn refused(choices: &[String], error: MoveError) -> BrokenRules {
    match error {
        MoveError::Broken(broken) => broken,
        other => BrokenRules::new(format!(
            "the rules refuse a step that they list, {}: {other}",
            choices.join(BETWEEN_CHOICES)
        )),
    }
}

/// Makes a step that is known to be legal.
fn make(session: &mut dyn Session, choices: &[String]) -> Result<(), BrokenRules> {
    let played = session.play_step(&as_strs(choices));
    played.map_err(|error| refused(choices, error))
}

/// Takes back the step that was just made.
fn take_back(session: &mut dyn Session) -> Result<(), BrokenRules> {
    session.undo(1).map_err(|error| match error {
        UndoError::Broken(broken) => broken,
        UndoError::TooMany { .. } => unreachable!("a step was just made"),
    })
}

/// The options of everyone who acts, in the order of a step's choices.
fn choices(session: &mut (impl Session + ?Sized)) -> Result<Vec<Vec<String>>, BrokenRules> {
    let actors = session.to_move().actors();
    let lists = actors.map(|actor| match actor {
        Actor::Seat(seat) => session.legal_of(seat),
        Actor::Chance => {
            let chances = session.chances().into_iter();
            Ok(chances.map(|(text, _)| text).collect())
        }
    });
    lists.collect()
}

fn steps(session: &mut dyn Session) -> Result<Vec<Vec<String>>, BrokenRules> {
    let lists = choices(session)?;
    if lists.is_empty() {
        return Ok(Vec::new());
    }
    Ok(lists.into_iter().multi_cartesian_product().collect())
}

/// Answers [`Session::write_legal`].
///
/// # Errors
/// If rules from outside do not work.
pub fn write_legal(
    session: &mut (impl Session + ?Sized),
    out: &mut String,
) -> Result<(), BrokenRules> {
    let to_move = session.to_move();
    let chances: Map<String, Value> = session
        .chances()
        .into_iter()
        .map(|(outcome, probability)| (outcome, probability.into()))
        .collect();
    let legal = match to_move.alone() {
        Some(_) => Value::from(session.legal()?),
        None if to_move.is_over() => Value::Array(Vec::new()),
        None if to_move.seats().next().is_none() => Value::Object(chances),
        None => {
            let lists = choices(session)?;
            let actors = to_move.actors().zip(lists);
            let by_actor = actors.map(|(actor, list)| match actor {
                Actor::Seat(_) => (actor.key(), Value::from(list)),
                Actor::Chance => (actor.key(), Value::Object(chances.clone())),
            });
            Value::Object(by_actor.collect())
        }
    };
    let _ = write!(out, "{legal}");
    Ok(())
}

/// Answers [`Session::each_child`].
///
/// # Errors
/// If rules from outside do not work.
pub fn each_child(
    session: &dyn Session,
    take: &mut dyn FnMut(&[&str], &mut dyn Session),
) -> Result<(), BrokenRules> {
    for step in steps(&mut *session.fork())? {
        let mut child = session.fork();
        make(&mut *child, &step)?;
        take(&as_strs(&step), &mut *child);
    }
    Ok(())
}

/// Answers [`Session::perft`].
///
/// # Errors
/// If rules from outside do not work.
pub fn perft(session: &dyn Session, request: &PerftRequest) -> Result<Option<Perft>, BrokenRules> {
    let session = &mut *session.fork();
    let mut left = PositionsLeft::of(request);
    let perft = match request.depth.checked_sub(1) {
        Some(rest) if request.divide => {
            left.take();
            let divided = steps(session)?.into_iter().map(|step| {
                let nodes = count_after(session, &step, rest, &mut left)?;
                Ok((step.join(BETWEEN_CHOICES), nodes))
            });
            Perft::divided(divided.collect::<Result<_, BrokenRules>>()?)
        }
        _ => Perft::of(count(session, request.depth, &mut left)?),
    };
    Ok(left.allow(perft))
}

fn count(
    session: &mut dyn Session,
    depth: u32,
    left: &mut PositionsLeft,
) -> Result<u64, BrokenRules> {
    if depth == 0 {
        return Ok(1);
    }
    left.take();
    if depth == 1 {
        let lists = choices(session)?;
        let counts = lists.iter().map(|list| list.len() as u64);
        return Ok(if lists.is_empty() {
            0
        } else {
            counts.product()
        });
    }
    let mut nodes = 0;
    for step in steps(session)? {
        if left.is_exceeded() {
            break;
        }
        nodes += count_after(session, &step, depth - 1, left)?;
    }
    Ok(nodes)
}

fn count_after(
    session: &mut dyn Session,
    step: &[String],
    depth: u32,
    left: &mut PositionsLeft,
) -> Result<u64, BrokenRules> {
    make(session, step)?;
    let nodes = count(session, depth, left)?;
    take_back(session)?;
    Ok(nodes)
}

/// Answers [`Session::playouts`].
///
/// # Errors
/// If rules from outside do not work.
pub fn playouts(
    session: &dyn Session,
    request: &PlayoutRequest,
    budget: PlayoutBudget<'_>,
) -> Result<Option<PlayoutResults>, BrokenRules> {
    let mut games = AnyGames {
        seats: session.seats(),
        rng: Rng::new(request.seed),
        max_plies: request.max_plies,
    };
    let here = session.fork();
    let children = || children(&mut *here.fork());
    playout::run(&mut games, &here, children, request, budget)
}

/// Random games of any session.
struct AnyGames {
    seats: usize,
    rng: Rng,
    max_plies: Option<u32>,
}

impl RandomGames for AnyGames {
    type From = Box<dyn Session>;

    fn seats(&self) -> usize {
        self.seats
    }

    fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    fn play(
        &mut self,
        from: &Box<dyn Session>,
        _most: u64,
        total: &mut Total,
    ) -> Result<u64, BrokenRules> {
        let mut game = from.fork();
        let most = self.max_plies.unwrap_or(u32::MAX);
        while game.ply() < most {
            budget::check().map_err(|spent| BrokenRules::given_up(UNFINISHED, spent))?;
            let Some(step) = random_step(&mut *game, &mut self.rng)? else {
                break;
            };
            make(&mut *game, &step)?;
        }
        let plies = game.ply().saturating_sub(from.ply());
        total.add(plies, &self.as_it_stands(&game)?);
        Ok(u64::from(plies.max(1)))
    }

    fn as_it_stands(&mut self, game: &Box<dyn Session>) -> Result<Vec<f64>, BrokenRules> {
        match game.end() {
            Some(end) => Ok(end.tally.outcome),
            None => Ok(game.tally()?.outcome),
        }
    }
}

/// The position after each move of the seat or chance that acts alone.
fn children(session: &mut dyn Session) -> Result<Children<Box<dyn Session>>, BrokenRules> {
    let children = session.legal()?.into_iter().map(|mv| {
        let mut child = session.fork();
        make(&mut *child, std::slice::from_ref(&mv))?;
        Ok((mv, child))
    });
    children.collect()
}
