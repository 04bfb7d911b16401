//! What every session can do with its moves alone: perft, random games, listing positions. Slow, but
//! the same for all rules.

use std::fmt::Write as _;

use itertools::Itertools;
use serde_json::{Map, Value};

use super::errors::{BrokenRules, MoveError, UndoError};
use super::{PlayoutsByMove, Session, as_strs, random_step};
use crate::kit::rng::Rng;
use crate::kit::to_move::{Actor, CHANCE};
use crate::playout::{Playouts, Total};

/// How steps of several are written where a line has to do.
const BETWEEN_CHOICES: &str = " + ";

/// The failure of rules that refuse a step which they have listed.
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

/// What each of those who act can choose, in the order of a step's choices.
fn choices(session: &mut (impl Session + ?Sized)) -> Vec<Vec<String>> {
    let actors = session.to_move().actors();
    let lists = actors.map(|actor| match actor {
        Actor::Seat(seat) => {
            let mut moves = Vec::new();
            session.each_legal(seat, &mut |mv| moves.push(mv.to_owned()));
            moves
        }
        Actor::Chance => session
            .chances()
            .into_iter()
            .map(|(text, _)| text)
            .collect(),
    });
    lists.collect()
}

/// All possible steps.
fn steps(session: &mut dyn Session) -> Vec<Vec<String>> {
    let lists = choices(session);
    if lists.is_empty() {
        return Vec::new();
    }
    lists.into_iter().multi_cartesian_product().collect()
}

/// See [`Session::write_legal`].
pub(super) fn write_legal(session: &mut (impl Session + ?Sized), out: &mut String) {
    let to_move = session.to_move();
    let chances: Map<String, Value> = session
        .chances()
        .into_iter()
        .map(|(outcome, probability)| (outcome, probability.into()))
        .collect();
    let legal = match to_move.alone() {
        Some(_) => Value::from(session.legal()),
        None if to_move.is_over() => Value::Array(Vec::new()),
        None if to_move.seats().next().is_none() => Value::Object(chances),
        None => {
            let lists = choices(session);
            let actors = to_move.actors().zip(lists);
            let by_actor = actors.map(|(actor, list)| match actor {
                Actor::Seat(seat) => (seat.to_string(), Value::from(list)),
                Actor::Chance => (CHANCE.to_owned(), Value::Object(chances.clone())),
            });
            Value::Object(by_actor.collect())
        }
    };
    let _ = write!(out, "{legal}");
}

/// See [`Session::each_child`].
pub(super) fn each_child(
    session: &dyn Session,
    take: &mut dyn FnMut(&[&str], &mut dyn Session),
) -> Result<(), BrokenRules> {
    for step in steps(&mut *session.fork()) {
        let mut child = session.fork();
        make(&mut *child, &step)?;
        take(&as_strs(&step), &mut *child);
    }
    Ok(())
}

/// See [`Session::perft_within`]; the session comes back as it was.
pub(super) fn perft_within(
    session: &mut dyn Session,
    depth: u32,
    most: u64,
) -> Result<Option<u64>, BrokenRules> {
    // One more, so that 0 means that the limit was exceeded.
    let mut left = most.saturating_add(1);
    let nodes = perft(session, depth, &mut left)?;
    Ok((left > 0).then_some(nodes))
}

fn perft(session: &mut dyn Session, depth: u32, left: &mut u64) -> Result<u64, BrokenRules> {
    if depth == 0 {
        return Ok(1);
    }
    *left = left.saturating_sub(1);
    if depth == 1 {
        let lists = choices(session);
        let counts = lists.iter().map(|list| list.len() as u64);
        return Ok(if lists.is_empty() {
            0
        } else {
            counts.product()
        });
    }
    let mut nodes = 0;
    for step in steps(session) {
        if *left == 0 {
            break;
        }
        make(session, &step)?;
        nodes += perft(session, depth - 1, left)?;
        take_back(session)?;
    }
    Ok(nodes)
}

/// See [`Session::divide`].
pub(super) fn divide(
    session: &mut dyn Session,
    depth: u32,
) -> Result<Vec<(String, u64)>, BrokenRules> {
    let Some(rest) = depth.checked_sub(1) else {
        return Ok(Vec::new());
    };
    let divided = steps(session).into_iter().map(|step| {
        make(session, &step)?;
        let nodes = perft(session, rest, &mut { u64::MAX })?;
        take_back(session)?;
        Ok((step.join(BETWEEN_CHOICES), nodes))
    });
    divided.collect()
}

/// Plays random games.
pub(super) struct Player {
    rng: Rng,
    max_plies: Option<u32>,
}

impl Player {
    pub(super) fn new(seed: u64, max_plies: Option<u32>) -> Self {
        Player {
            rng: Rng::new(seed),
            max_plies,
        }
    }

    /// Plays one game from here and adds it to the total. Returns what it took: its plies, but at
    /// least one, since a game that is over from the start takes time, too.
    fn play(&mut self, session: &dyn Session, total: &mut Total) -> Result<u64, BrokenRules> {
        let mut game = session.fork();
        let most = self.max_plies.unwrap_or(u32::MAX);
        while game.ply() < most
            && let Some(step) = random_step(&mut *game, &mut self.rng)
        {
            make(&mut *game, &step)?;
        }
        let plies = game.ply().saturating_sub(session.ply());
        let outcome = match game.end() {
            Some(end) => end.tally.outcome,
            None => game.tally()?.outcome,
        };
        total.add(plies, &outcome);
        Ok(u64::from(plies.max(1)))
    }

    /// See [`Session::playouts_within`].
    pub(super) fn play_within(
        &mut self,
        session: &dyn Session,
        count: u32,
        left: &mut u64,
    ) -> Result<Option<Playouts>, BrokenRules> {
        let mut total = Total::new(session.seats());
        for _ in 0..count {
            let plies = self.play(session, &mut total)?;
            let Some(rest) = left.checked_sub(plies) else {
                return Ok(None);
            };
            *left = rest;
        }
        Ok(Some(total.means()))
    }

    /// See [`Session::playouts_while`].
    pub(super) fn play_while(
        &mut self,
        session: &dyn Session,
        count: u32,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(Playouts, u32), BrokenRules> {
        let mut total = Total::new(session.seats());
        loop {
            let plies = self.play(session, &mut total)?;
            if total.games() >= count || !go_on(plies) {
                return Ok((total.means(), total.games()));
            }
        }
    }
}

/// How many games, their seed, and where they stop.
type Extent = (u32, u64, Option<u32>);

/// A move and the position after it.
type Child = (String, Box<dyn Session>);

/// The position after each move of the one who acts alone.
fn children(session: &mut dyn Session) -> Result<Vec<Child>, BrokenRules> {
    let children = session.legal().into_iter().map(|mv| {
        let mut child = session.fork();
        make(&mut *child, std::slice::from_ref(&mv))?;
        Ok((mv, child))
    });
    children.collect()
}

/// See [`Session::playouts_by_move_within`].
pub(super) fn playouts_by_move_within(
    session: &mut dyn Session,
    (count, seed, max_plies): Extent,
    mut most: u64,
) -> Result<Option<Vec<(String, Playouts)>>, BrokenRules> {
    let mut player = Player::new(seed, max_plies);
    let mut by_move = Vec::new();
    for (mv, child) in children(session)? {
        match player.play_within(&*child, count, &mut most)? {
            Some(playouts) => by_move.push((mv, playouts)),
            None => return Ok(None),
        }
    }
    Ok(Some(by_move))
}

/// See [`Session::playouts_by_move_while`].
pub(super) fn playouts_by_move_while(
    session: &mut dyn Session,
    (count, seed, max_plies): Extent,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<PlayoutsByMove, BrokenRules> {
    let mut player = Player::new(seed, max_plies);
    let seats = session.seats();
    let mut children: Vec<_> = children(session)?
        .into_iter()
        .map(|(mv, child)| (mv, child, Total::new(seats)))
        .collect();
    let mut order: Vec<usize> = (0..children.len()).collect();
    player.rng.shuffle(&mut order);
    let mut rounds = 0;
    'rounds: while rounds < count && !order.is_empty() {
        for &index in &order {
            let (_, child, total) = &mut children[index];
            let plies = player.play(&**child, total)?;
            if !go_on(plies) {
                break 'rounds;
            }
        }
        rounds += 1;
    }
    let totals = children.into_iter().map(|(mv, _, total)| (mv, total));
    Ok(PlayoutsByMove::of(totals.collect()))
}
