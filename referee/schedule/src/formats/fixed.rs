//! Round robins and gauntlets: all matches are known in advance.

use std::collections::HashSet;

use super::cycles::Cycles;
use crate::order;
use crate::planner::{Planner, Played};
use crate::scheduled::{Turns, Unit, UnitGroup};
use crate::seats::{GameShape, SeatOrders};
use crate::shape::{Earlier, Format, Shape};
use crate::version::Version;

pub(super) struct Fixed {
    units: Vec<Unit>,
}

impl Fixed {
    /// The units of `earlier` tournaments come first, in their order; then the new ones.
    pub(super) fn new(shape: &Shape, earlier: &[Earlier]) -> Self {
        let mut there = HashSet::new();
        let mut all = Vec::new();
        let lists = earlier.iter().map(Earlier::units);
        let cyclic = shape.orders == SeatOrders::Rotations && shape.version >= Version::Second;
        let mut cycles = cyclic.then(|| Cycles::new(shape));
        for mut list in lists.chain([units(shape)]) {
            // Of the first list, as of every list, each unit is there once.
            let is_new = |unit: &Unit| there.insert((unit.game, unit.group.clone(), unit.turn));
            if !earlier.is_empty() {
                list.retain(is_new);
            }
            if let Some(cycles) = &mut cycles {
                // An extension begins with the lists of before, so they get what they had.
                for round in list.chunk_by_mut(|a, b| a.round == b.round) {
                    cycles.deal(round);
                }
            }
            all.append(&mut list);
        }
        Fixed { units: all }
    }
}

impl Planner for Fixed {
    fn next(&mut self, _: Played<'_>) -> Vec<Unit> {
        std::mem::take(&mut self.units)
    }

    fn heeds_results(&self) -> bool {
        false
    }
}

impl Earlier {
    /// The units of the earlier tournament, with the indices of the present one.
    fn units(&self) -> Vec<Unit> {
        let now = |unit: Unit| {
            let bots = unit.group.iter().map(|&bot| self.bots[bot as usize] as u32);
            let mut group: UnitGroup = bots.collect();
            group.sort_unstable();
            Unit {
                game: self.games[unit.game as usize] as u32,
                group,
                ..unit
            }
        };
        units(&self.shape).into_iter().map(now).collect()
    }
}

/// The units of a round robin or a gauntlet, round by round.
fn units(shape: &Shape) -> Vec<Unit> {
    let a_round = a_round(shape);
    let mut turns = Turns::default();
    let mut units = Vec::with_capacity(a_round.len() * shape.rounds as usize);
    for round in 0..shape.rounds {
        units.extend(
            a_round
                .iter()
                .map(|(game, group)| turns.unit(*game, group, round)),
        );
    }
    units
}

/// The games and groups of a round.
fn a_round(shape: &Shape) -> Vec<(usize, Vec<usize>)> {
    let mut classes: Vec<&GameShape> = Vec::new();
    for game in &shape.games {
        if !classes.iter().any(|class| class.has_groups_of(game)) {
            classes.push(game);
        }
    }
    let lists = classes.into_iter().map(|class| {
        let slots = order::slots(&shape.games, Some(class));
        order::mix(&groups(shape, class), &slots)
    });
    order::joined(lists.collect())
}

fn groups(shape: &Shape, game: &GameShape) -> Vec<Vec<usize>> {
    let players = game.players(shape.bots);
    let mut all = order::groups(players.len(), game.seats);
    for bot in all.iter_mut().flatten() {
        *bot = players[*bot];
    }
    if let Format::Gauntlet { challengers } = &shape.format {
        all.retain(|group| group.iter().any(|bot| challengers.contains(bot)));
    }
    all
}
