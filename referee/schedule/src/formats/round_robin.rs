//! Round robins and gauntlets: all matches are known in advance.

use std::collections::HashSet;

use super::cycles::Cycles;
use crate::design::Design;
use crate::order;
use crate::planner::{Planner, Played};
use crate::scheduled::{Turns, Unit, UnitGroup};
use crate::seat_orders::{GameShape, SeatOrders};
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
            // A million matches are not copied.
            if all.is_empty() {
                all = list;
            } else {
                all.append(&mut list);
            }
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
    let mut classes = classes(shape);
    let mut a_round = a_round(shape, &mut classes);
    let changes = classes.iter().any(|class| class.design.is_some());
    let mut turns = Turns::default();
    let mut units = Vec::with_capacity(a_round.len() * shape.rounds as usize);
    for round in 0..shape.rounds {
        if round > 0 && changes {
            a_round = self::a_round(shape, &mut classes);
        }
        units.extend(
            a_round
                .iter()
                .map(|(game, group)| turns.unit(*game, group, round)),
        );
    }
    units
}

/// Games that the same groups of bots play.
struct Class<'a> {
    game: &'a GameShape,
    /// `None` if all groups play in each round.
    design: Option<Design>,
}

fn classes(shape: &Shape) -> Vec<Class<'_>> {
    let mut classes: Vec<Class<'_>> = Vec::new();
    for game in &shape.games {
        if !classes.iter().any(|class| class.game.has_groups_of(game)) {
            let design = Design::of(shape, game);
            classes.push(Class { game, design });
        }
    }
    classes
}

/// The games and groups of the next round.
fn a_round(shape: &Shape, classes: &mut [Class<'_>]) -> Vec<(usize, Vec<usize>)> {
    let lists = classes.iter_mut().map(|class| {
        let slots = order::slots(&shape.games, Some(class.game));
        order::mix(&groups(shape, class), &slots)
    });
    order::joined(lists.collect())
}

fn groups(shape: &Shape, class: &mut Class<'_>) -> Vec<Vec<usize>> {
    let players = class.game.players(shape.bots);
    let mut all = match &mut class.design {
        Some(design) => design.next_round(),
        None => order::groups(players.len(), class.game.seats),
    };
    for bot in all.iter_mut().flatten() {
        *bot = players[*bot];
    }
    if let Format::Gauntlet { challengers } = &shape.format {
        all.retain(|group| group.iter().any(|bot| challengers.contains(bot)));
    }
    for group in &mut all {
        group.sort_unstable();
    }
    all
}
