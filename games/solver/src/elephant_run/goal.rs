//! Decides for all placements at once whether the elephant gets some number of points.
//!
//! A *stand* is the holes and the elephant's cell. For each stand there is a cube: the placements of the
//! farmers from which the elephant, after its move, still gets there. Each move of the elephant makes a
//! hole or captures a farmer, so holes and farmers say how many points it has, and stands with one hole
//! more are decided first. The stands that can come up are listed beforehand, from the start on.

use std::collections::{BTreeMap, HashMap};

use games::kit::board::CellId;
use games::rules::elephant_run::board::CELLS;
use rayon::prelude::*;

use super::cube::{Cube, Packing};
use super::field::{ElephantMove, Field, canonical, reflected};

/// Farmers, rules, and the points that the elephant wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    pub farmers: u32,
    pub ranged_jumps: bool,
    pub points: u32,
}

/// The fewest captures after which the elephant is on a cell.
type Captures = BTreeMap<CellId, u32>;

/// The decided stands with the elephant in a hole, all with the same number of holes.
struct Decided {
    packing: Packing,
    /// Packed cubes by their holes, up to reflections.
    cubes: HashMap<u32, BTreeMap<CellId, Box<[u64]>>>,
}

/// Says whether to stop; every thread asks often.
type Stop<'s> = &'s (dyn Fn() -> bool + Sync);

/// How far a search is.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// The number of holes of the stands that are decided now.
    pub holes: usize,
    /// The sets of that many holes that are decided, of all.
    pub done: usize,
    pub of: usize,
}

/// The search for one goal from some starting tiles.
pub struct GoalSearch {
    goal: Goal,
    /// The number of holes at the start.
    first: usize,
    /// By the number of further holes: sets of holes, with the cells that the elephant may be on.
    layers: Vec<Vec<(u32, Captures)>>,
}

impl Goal {
    /// The most farmers that are left when the elephant has its points at this many holes. With no
    /// farmer left it has won anyway.
    fn reached(&self, holes: usize) -> u32 {
        (holes as u32 + self.farmers).saturating_sub(self.points)
    }

    /// Packs the answers that do not follow from the number of farmers alone.
    fn packing(&self, holes: usize) -> Packing {
        Packing::new(CELLS - holes, self.reached(holes), self.farmers)
    }

    fn wants_more(&self, holes: usize, captures: u32) -> bool {
        holes as u32 + captures < self.points && captures < self.farmers
    }

    /// Adds what can be reached by jumps, which make no hole.
    fn add_jumps(&self, holes: u32, elephants: &mut Captures) {
        let field = Field::new(holes);
        let mut new: Vec<(CellId, u32)> = elephants.iter().map(|(cell, n)| (*cell, *n)).collect();
        while let Some((cell, captures)) = new.pop() {
            if !self.wants_more(holes.count_ones() as usize, captures + 1) {
                continue;
            }
            for mv in field.elephant_moves(cell) {
                if let ElephantMove::Jump { to, .. } = mv
                    && lower(elephants, to, captures + 1)
                {
                    new.push((to, captures + 1));
                }
            }
        }
    }
}

/// Notes fewer captures; `false` if as few were known.
fn lower(elephants: &mut Captures, cell: CellId, captures: u32) -> bool {
    let known = elephants.entry(cell).or_insert(u32::MAX);
    let is_lower = captures < *known;
    *known = captures.min(*known);
    is_lower
}

impl GoalSearch {
    /// Lists the stands that can come up from these starting tiles; `None` if it was stopped.
    pub fn new(goal: Goal, starts: &[CellId], stop: Stop<'_>) -> Option<Self> {
        Self::with_holes(goal, 0, starts, stop)
    }

    /// The same if some tiles are eaten already, which counts as points.
    fn with_holes(goal: Goal, holes: u32, starts: &[CellId], stop: Stop<'_>) -> Option<Self> {
        let elephants: Captures = starts.iter().map(|tile| (*tile, 0)).collect();
        let first = holes.count_ones() as usize;
        let mut now = BTreeMap::from([(holes, elephants)]);
        let mut layers = Vec::new();
        // One point before the goal nothing has to be stored.
        for holes in first..(goal.points as usize - 1).clamp(first + 1, CELLS) {
            let mut next: BTreeMap<u32, Captures> = BTreeMap::new();
            for (set, elephants) in &mut now {
                if stop() {
                    return None;
                }
                goal.add_jumps(*set, elephants);
                let field = Field::new(*set);
                for (cell, captures) in elephants.iter() {
                    if !goal.wants_more(holes + 1, *captures) {
                        continue;
                    }
                    for mv in field.elephant_moves(*cell) {
                        if let ElephantMove::Step(to) = mv {
                            let (holes, reflection) = canonical(set | 1 << to);
                            let stands = next.entry(holes).or_default();
                            lower(stands, reflected(to, reflection), *captures);
                        }
                    }
                }
            }
            layers.push(now.into_iter().collect());
            now = next;
        }
        Some(GoalSearch {
            goal,
            first,
            layers,
        })
    }

    /// The sets of holes by their number, but for the one at the start.
    fn later(&self) -> impl DoubleEndedIterator<Item = (usize, &Vec<(u32, Captures)>)> {
        let layers = self.layers.iter().enumerate().skip(1);
        layers.map(|(further, layer)| (self.first + further, layer))
    }

    /// The number of positions with the farmers to move whose answer is found.
    pub fn positions(&self) -> u64 {
        let stands = self.layers.iter().flatten().flat_map(|(holes, elephants)| {
            elephants
                .iter()
                .map(move |(cell, captures)| (*holes, *cell, *captures))
        });
        let positions = |(holes, cell, captures): (u32, CellId, u32)| {
            let tiles = CELLS as u32 - (holes | 1 << cell).count_ones();
            let placements = (1..=self.goal.farmers - captures).map(|k| binomial(tiles, k));
            placements.sum::<u64>()
        };
        stands.map(positions).sum()
    }

    /// The most memory that the cubes take at a time, in bytes.
    pub fn bytes(&self) -> u64 {
        let bytes = |(count, layer): (usize, &Vec<(u32, Captures)>)| {
            let cubes = layer.iter().map(|(holes, elephants)| {
                let in_hole = |cell: &&CellId| holes >> **cell & 1 != 0;
                elephants.keys().filter(in_hole).count() as u64
            });
            cubes.sum::<u64>() * self.goal.packing(count).bytes()
        };
        let layers: Vec<u64> = self.later().map(bytes).collect();
        let with_next = |(at, bytes): (usize, &u64)| bytes + layers.get(at + 1).unwrap_or(&0);
        layers.iter().enumerate().map(with_next).max().unwrap_or(0)
    }

    /// The placements by which the farmers deny the elephant its points, for each starting tile, as sets
    /// of cells. `None` if it was stopped. `watch` is called now and then with how far the search is.
    pub fn run(
        &self,
        stop: Stop<'_>,
        mut watch: impl FnMut(Stage),
    ) -> Option<BTreeMap<CellId, Vec<u32>>> {
        let at_once = 8 * rayon::current_num_threads();
        let mut next = Decided {
            packing: self.goal.packing(self.first + self.layers.len()),
            cubes: HashMap::new(),
        };
        for (holes, layer) in self.later().rev() {
            let packing = self.goal.packing(holes);
            let mut cubes = HashMap::with_capacity(layer.len());
            for chunk in layer.chunks(at_once) {
                watch(Stage {
                    holes,
                    done: cubes.len(),
                    of: layer.len(),
                });
                let chunk = chunk.par_iter().map(|(set, elephants)| {
                    let stands = Stands::new(self.goal, *set, elephants, Some(&next), stop)?;
                    let cubes = stands.in_holes()?.into_iter();
                    let packed = cubes.map(|(cell, cube)| (cell, packing.pack(&cube)));
                    Some((*set, packed.collect()))
                });
                let chunk: Option<Vec<_>> = chunk.collect();
                cubes.extend(chunk?);
            }
            next = Decided { packing, cubes };
        }
        let (set, elephants) = &self.layers[0][0];
        let stands = Stands::new(self.goal, *set, elephants, Some(&next), stop)?;
        Some(stands.denied())
    }
}

fn binomial(n: u32, k: u32) -> u64 {
    (0..k).fold(1, |product, i| {
        product * u64::from(n - i.min(n)) / u64::from(i + 1)
    })
}

/// All stands with the same holes.
struct Stands<'s> {
    goal: Goal,
    stop: Stop<'s>,
    field: Field,
    elephants: &'s Captures,
    /// The placements in which the elephant has its points already.
    reached: Cube,
    /// After a step to each tile, with a coordinate for that tile.
    stepped: BTreeMap<CellId, Cube>,
    /// After a jump to each tile.
    jumped: BTreeMap<CellId, Cube>,
}

impl<'s> Stands<'s> {
    /// Decides the stands in which the elephant is on a tile. This is `None`, as are all others, if the
    /// search was stopped.
    fn new(
        goal: Goal,
        holes: u32,
        elephants: &'s Captures,
        next: Option<&Decided>,
        stop: Stop<'s>,
    ) -> Option<Self> {
        let field = Field::new(holes);
        let reached = goal.reached(holes.count_ones() as usize);
        let mut stands = Stands {
            goal,
            stop,
            elephants,
            reached: Cube::of_at_most(reached, field.dimensions()),
            stepped: BTreeMap::new(),
            jumped: BTreeMap::new(),
            field,
        };
        for cell in elephants.keys() {
            for mv in stands.field.elephant_moves(*cell) {
                if let ElephantMove::Step(to) = mv
                    && !stands.stepped.contains_key(&to)
                {
                    let after = stands.after_step(to, next)?;
                    let after = after.with_coordinate(stands.field.coordinate(to));
                    stands.stepped.insert(to, after);
                }
            }
        }
        stands.decide_tiles()?;
        Some(stands)
    }

    /// The cube after a step to this cell, which is a hole then.
    fn after_step(&self, to: CellId, next: Option<&Decided>) -> Option<Cube> {
        let holes = self.field.holes | 1 << to;
        let count = holes.count_ones() as usize;
        if count as u32 + 1 == self.goal.points {
            // Whatever the elephant does next is enough.
            let elephants = Captures::from([(to, 0)]);
            let after = Stands::new(self.goal, holes, &elephants, None, self.stop)?;
            return after.farmers_to_move(to);
        }
        let mut after = Cube::of_at_most(self.goal.reached(count), CELLS - count);
        let (canonical, reflection) = canonical(holes);
        let stands = next.and_then(|next| Some((next, next.cubes.get(&canonical)?)));
        // Of a stand that is not there nothing more is wanted, whatever the farmers do.
        if let Some((next, stands)) = stands
            && let Some(packed) = stands.get(&reflected(to, reflection))
        {
            let (field, other) = (Field::new(holes), Field::new(canonical));
            let cube = next.packing.unpack(packed);
            after.add(&field.reflected(cube, &other, reflection));
        }
        Some(after)
    }

    /// Decides the stands after jumps, from few farmers to many: a jump takes a farmer, so every round
    /// has the answers for one more.
    fn decide_tiles(&mut self) -> Option<()> {
        let is_tile = |cell: &CellId| self.field.is_tile(*cell);
        let tiles: Vec<CellId> = self.elephants.keys().copied().filter(is_tile).collect();
        let mut stale = tiles.clone();
        while !stale.is_empty() {
            let mut changed = Vec::new();
            for tile in stale {
                let now = self.farmers_to_move(tile)?;
                if self.jumped.get(&tile).unwrap_or(&self.reached) != &now {
                    changed.push(tile);
                }
                self.jumped.insert(tile, now);
            }
            let leads_there = |tile: &CellId| {
                let mut moves = self.field.elephant_moves(*tile);
                moves.any(|mv| matches!(mv, ElephantMove::Jump { to, .. } if changed.contains(&to)))
            };
            stale = tiles.iter().copied().filter(leads_there).collect();
        }
        Some(())
    }

    fn in_holes(&self) -> Option<BTreeMap<CellId, Cube>> {
        let in_hole = |cell: &&CellId| !self.field.is_tile(**cell);
        let cells = self.elephants.keys().filter(in_hole);
        let decided = cells.map(|cell| Some((*cell, self.farmers_to_move(*cell)?)));
        decided.collect()
    }

    /// The placements from which the elephant, which is to move, gets its points.
    fn elephant_to_move(&self, elephant: CellId) -> Cube {
        let mut gets = self.reached.clone();
        for mv in self.field.elephant_moves(elephant) {
            match mv {
                ElephantMove::Step(to) => gets.add(&self.stepped[&to]),
                ElephantMove::Jump { over, to } => {
                    let after = self.jumped.get(&to).unwrap_or(&self.reached);
                    let (over, to) = (self.field.coordinate(over), self.field.coordinate(to));
                    gets.add_captures(after, over, to);
                }
            }
        }
        gets
    }

    /// The placements from which it gets them if the farmers are to move.
    fn farmers_to_move(&self, elephant: CellId) -> Option<Cube> {
        if (self.stop)() {
            return None;
        }
        let gets = self.elephant_to_move(elephant);
        let fails = gets.complement();
        let moves = self.field.farmers_moves(elephant, self.goal.ranged_jumps);
        let mut denied = Cube::empty(self.field.dimensions());
        for mv in &moves {
            denied.add_moved(&fails, *mv);
        }
        let mobile = self.field.mobile(elephant);
        let mut answer = gets;
        answer.retain(&mobile, &denied);
        // Farmers that can move have to, even if every move is worse for them than none.
        let mut forced = fails;
        forced.retain(&mobile, &denied);
        let most = self.goal.farmers - self.elephants.get(&elephant).copied().unwrap_or(0);
        let counts = |farmers: &u32| farmers.count_ones() <= most;
        for farmers in forced.sets().filter(counts) {
            if moves.iter().any(|mv| mv.is_possible(farmers)) {
                answer.insert(farmers);
            }
        }
        answer.add(&self.reached);
        Some(answer)
    }

    fn denied(&self) -> BTreeMap<CellId, Vec<u32>> {
        let starts = self
            .elephants
            .iter()
            .filter(|(_, captures)| **captures == 0);
        let denied = starts.map(|(tile, _)| {
            let fails = self.elephant_to_move(*tile).complement();
            let placements = fails.sets().map(|packed| self.field.unpacked(packed));
            let is_placement =
                |set: &u32| set.count_ones() == self.goal.farmers && set >> tile & 1 == 0;
            (*tile, placements.filter(is_placement).collect())
        });
        denied.collect()
    }
}

#[cfg(test)]
mod tests {
    use games::Rng;
    use games::rules::elephant_run::board::ALL;

    use super::super::chase::Chase;
    use super::super::search::ChaseSolver;
    use super::super::tiles::placements;
    use super::*;

    /// Compares the answers with those of the search, and returns the number of placements that deny the
    /// elephant its points, and of those that do not.
    fn compare(goal: Goal, holes: u32, tile: CellId) -> (usize, usize) {
        let search = GoalSearch::with_holes(goal, holes, &[tile], &|| false).unwrap();
        let denied = &search.run(&|| false, |_| {}).unwrap()[&tile];
        let mut solver = ChaseSolver::new(goal.ranged_jumps, 1 << 24, Box::new(|_, _| true));
        let all = placements(tile, goal.farmers).into_iter();
        let all: Vec<u32> = all.filter(|set| set & holes == 0).collect();
        for placement in &all {
            let start = Chase {
                tiles: ALL & !holes,
                ..Chase::start(tile, *placement)
            };
            let need = goal.points - holes.count_ones();
            let gets = solver.elephant_gets(start, need as u8).unwrap();
            let is_denied = denied.contains(placement);
            assert_eq!(
                gets, !is_denied,
                "{goal:?} {holes:#x} {tile} {placement:#x}"
            );
        }
        (denied.len(), all.len() - denied.len())
    }

    fn goal(farmers: u32, ranged_jumps: bool, points: u32) -> Goal {
        Goal {
            farmers,
            ranged_jumps,
            points,
        }
    }

    #[test]
    fn every_placement_has_the_answer_of_the_search() {
        let (mut denied, mut allowed) = (0, 0);
        for (farmers, ranged_jumps, more) in
            [(3, false, 4), (4, false, 4), (5, true, 4), (6, false, 3)]
        {
            for seed in 0..6 {
                let mut cells: Vec<CellId> = (0..CELLS as CellId).collect();
                Rng::from_parts(&[seed, 0xe1e]).shuffle(&mut cells);
                let holes = cells[1..10].iter().fold(0, |holes, cell| holes | 1 << cell);
                let counts = compare(goal(farmers, ranged_jumps, 9 + more), holes, cells[0]);
                denied += counts.0;
                allowed += counts.1;
            }
        }
        assert!(denied > 1000 && allowed > 1000, "{denied} {allowed}");
    }

    #[test]
    fn the_corner_is_lost_at_once() {
        for points in 1..=2 {
            let search = GoalSearch::new(goal(6, false, points), &[0], &|| false).unwrap();
            let denied = search.run(&|| false, |_| {}).unwrap();
            // a2, b1, b2 and what is beyond them.
            let pen: u32 = [6, 1, 7, 12, 2, 14].iter().map(|cell| 1 << cell).sum();
            assert_eq!(denied[&0], [pen]);
        }
    }

    #[test]
    fn it_can_be_stopped() {
        assert!(GoalSearch::new(goal(6, false, 8), &[8], &|| true).is_none());
        let search = GoalSearch::new(goal(6, false, 8), &[8], &|| false).unwrap();
        assert_eq!(search.run(&|| true, |_| {}), None);
    }
}
