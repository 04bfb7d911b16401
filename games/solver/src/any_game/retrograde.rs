//! Retrograde analysis: all positions that can be reached, then for each margin asked for those from
//! which a seat can force it, from the ends backwards. It does not mind positions that come back: an end
//! that neither seat can force is one that play need not come to.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::mem::size_of;
use std::ops::Range;

use games::Seat;

use super::{SessionGame, SessionPosition};
use crate::engine::{Engine, Means};
use crate::search::{State, Stopped};

/// About the memory of a position that waits to be expanded.
const WAITING: usize = 2000;
/// About the memory of a position in the graph, with what is known of it for one margin.
const KNOWN: usize = 120;
/// The memory of a move: a child of one position, a parent of another.
const MOVE: usize = 2 * size_of::<u32>();

/// The number of moves to an end that is not forced.
const NEVER: u32 = u32::MAX;

#[derive(Clone, Copy)]
enum Kind {
    Turn(Seat),
    Over { margin: i32 },
}

/// All positions that can be reached, by numbers.
#[derive(Default)]
struct Graph {
    numbers: HashMap<u128, u32>,
    kinds: Vec<Kind>,
    /// Which of `children` are those of each position.
    spans: Vec<Range<usize>>,
    children: Vec<u32>,
    /// Where in `parents` those of each position begin.
    first_parent: Vec<usize>,
    parents: Vec<u32>,
}

impl Graph {
    /// The number of a position, and true if it is a new one.
    fn add(&mut self, position: &SessionPosition) -> (u32, bool) {
        let number = self.kinds.len() as u32;
        match self.numbers.entry(position.0.key) {
            Entry::Occupied(known) => (*known.get(), false),
            Entry::Vacant(free) => {
                free.insert(number);
                self.kinds.push(match position.0.mover {
                    Some(seat) => Kind::Turn(seat),
                    None => Kind::Over {
                        margin: position.0.margin,
                    },
                });
                self.spans.push(0..0);
                (number, true)
            }
        }
    }

    fn number(&self, position: &SessionPosition) -> Option<usize> {
        let number = self.numbers.get(&position.0.key)?;
        Some(*number as usize)
    }

    fn link_parents(&mut self) {
        let mut next = vec![0; self.kinds.len() + 1];
        for child in &self.children {
            next[*child as usize + 1] += 1;
        }
        for at in 1..next.len() {
            next[at] += next[at - 1];
        }
        self.first_parent = next.clone();
        self.parents = vec![0; self.children.len()];
        for (parent, span) in self.spans.iter().enumerate() {
            for child in &self.children[span.clone()] {
                let place = &mut next[*child as usize];
                self.parents[*place] = parent as u32;
                *place += 1;
            }
        }
    }

    fn parents(&self, number: usize) -> &[u32] {
        &self.parents[self.first_parent[number]..self.first_parent[number + 1]]
    }

    /// For each position, in how many moves this seat forces an end with such a margin.
    fn forced(&self, holder: Seat, good: impl Fn(i32) -> bool) -> Vec<u32> {
        let mut left = vec![NEVER; self.kinds.len()];
        // The moves of the other seat that do not lead to such an end yet.
        let mut escapes: Vec<u32> = self.spans.iter().map(|span| span.len() as u32).collect();
        let is_end = |kind: &Kind| matches!(kind, Kind::Over { margin } if good(*margin));
        let ends = (0..self.kinds.len()).filter(|number| is_end(&self.kinds[*number]));
        let mut layer: Vec<usize> = ends.collect();
        let mut moves = 0;
        while !layer.is_empty() {
            let mut next = Vec::new();
            for number in &layer {
                left[*number] = moves;
            }
            for parent in layer.iter().flat_map(|number| self.parents(*number)) {
                let parent = *parent as usize;
                escapes[parent] -= 1;
                let forced = match self.kinds[parent] {
                    Kind::Turn(seat) if seat == holder => true,
                    _ => escapes[parent] == 0,
                };
                // A move of the holder may come first, and then others of the same position.
                if forced && left[parent] == NEVER {
                    left[parent] = moves + 1;
                    next.push(parent);
                }
            }
            layer = next;
            moves += 1;
        }
        left
    }

    fn margins(&self) -> BTreeSet<i32> {
        let margins = self.kinds.iter().filter_map(|kind| match kind {
            Kind::Over { margin } => Some(*margin),
            Kind::Turn(_) => None,
        });
        margins.collect()
    }
}

/// For each position, in how many moves a seat forces its side of a margin.
struct Forced {
    /// Seat 0 gets at least that.
    yes: Vec<u32>,
    /// Seat 1 keeps it below that.
    no: Vec<u32>,
}

pub(super) struct Retrograde<'w> {
    game: &'w SessionGame,
    state: State<'w>,
    bytes: usize,
    graph: Graph,
    by_margin: HashMap<i32, Forced>,
}

impl<'w> Retrograde<'w> {
    pub(super) fn new(game: &'w SessionGame, means: Means<'w>) -> Self {
        Retrograde {
            game,
            state: State::new(0, means.watch),
            bytes: means.bytes,
            graph: Graph::default(),
            by_margin: HashMap::new(),
        }
    }

    /// Lists all positions that can be reached from this one.
    fn explore(&mut self, start: &SessionPosition) -> Result<(), Stopped> {
        let mut graph = Graph::default();
        let mut waiting = vec![(graph.add(start).0, start.clone())];
        while let Some((number, position)) = waiting.pop() {
            let begin = graph.children.len();
            self.game.each_successor(&position, |_, next| {
                let (child, is_new) = graph.add(&next);
                graph.children.push(child);
                if is_new && next.0.mover.is_some() {
                    waiting.push((child, next));
                }
            })?;
            graph.spans[number as usize] = begin..graph.children.len();
            self.state.count(graph.children.len() - begin)?;
            let known = graph.kinds.len() * KNOWN + graph.children.len() * MOVE;
            if known + waiting.len() * WAITING > self.bytes {
                return Err(Stopped::Memory);
            }
        }
        graph.link_parents();
        self.by_margin.clear();
        self.graph = graph;
        Ok(())
    }

    fn of_margin(&mut self, need: i32) -> &Forced {
        let graph = &self.graph;
        self.by_margin.entry(need).or_insert_with(|| Forced {
            yes: graph.forced(0, |margin| margin >= need),
            no: graph.forced(1, |margin| margin < need),
        })
    }

    /// The best that each seat can force from here, as bounds of the final margin.
    fn settle_bounds(&mut self, number: usize) {
        let margins = self.graph.margins();
        let (mut least, mut most) = self.state.progress.bounds;
        for need in &margins {
            if self.graph.forced(0, |margin| margin >= *need)[number] == NEVER {
                break;
            }
            least = least.max(*need);
        }
        for most_allowed in margins.iter().rev() {
            if self.graph.forced(1, |margin| margin <= *most_allowed)[number] == NEVER {
                break;
            }
            most = most.min(*most_allowed);
        }
        self.state.progress.bounds = (least, most);
    }
}

impl<'w> Engine<'w, SessionGame> for Retrograde<'w> {
    fn state(&self) -> &State<'w> {
        &self.state
    }

    fn state_mut(&mut self) -> &mut State<'w> {
        &mut self.state
    }

    fn bound(&mut self, position: &SessionPosition, need: i32) -> Result<i32, Stopped> {
        if self.graph.number(position).is_none() {
            self.explore(position)?;
        }
        let number = self.graph.number(position).ok_or(Stopped::Endless)?;
        let forced = self.of_margin(need);
        match (forced.yes[number], forced.no[number]) {
            (NEVER, NEVER) => {
                self.settle_bounds(number);
                Err(Stopped::Endless)
            }
            (NEVER, _) => Ok(need - 1),
            _ => Ok(need),
        }
    }

    fn known(&mut self, position: &SessionPosition, need: i32) -> Option<bool> {
        let number = self.graph.number(position)?;
        let forced = self.of_margin(need);
        let yes = (forced.yes[number] != NEVER).then_some(true);
        yes.or_else(|| (forced.no[number] != NEVER).then_some(false))
    }

    fn work(&self, _position: &SessionPosition, _need: i32) -> u32 {
        0
    }

    fn moves_left(&self, position: &SessionPosition, need: i32) -> Option<u32> {
        let number = self.graph.number(position)?;
        let forced = self.by_margin.get(&need)?;
        Some(forced.yes[number].min(forced.no[number]))
    }
}
