//! Possible states, from the views of the seat and of its opponents.

use std::collections::HashMap;

use games::{BrokenRules, Rules, Seat};
use serde_json::Value;

use crate::any_game::{load, sample};
use crate::mcts::any_game::tree::{Node, Tree};

/// States drawn at first from a view. Views of other seats often occur only once.
const FIRST_DRAWS: usize = 2;
/// At most this many are drawn at once, since an iteration must not take long.
const DRAWS_AT_ONCE: usize = 8;
/// At most this many are drawn from one view; after that, they come again.
const MOST_DRAWS: usize = 512;
/// The probability that the view changes once more, to that of another seat.
const CHANGE_VIEW: f64 = 0.65;
/// The view changes at most this many times.
const MOST_CHANGES: usize = 3;

/// States and the search trees from them.
pub(super) struct Worlds<'a> {
    rules: &'a dyn Rules,
    worlds: Vec<World>,
    by_state: HashMap<String, usize>,
    views: HashMap<String, View>,
}

struct World {
    root: Node,
    /// The observation of each seat, once it was asked for.
    observations: Vec<Option<Value>>,
}

#[derive(Default)]
struct View {
    drawn: Vec<usize>,
    next: usize,
}

impl<'a> Worlds<'a> {
    pub(super) fn new(rules: &'a dyn Rules) -> Self {
        Worlds {
            rules,
            worlds: Vec::new(),
            by_state: HashMap::new(),
            views: HashMap::new(),
        }
    }

    /// The tree that begins with a state.
    pub(super) fn root(&mut self, world: usize) -> &mut Node {
        &mut self.worlds[world].root
    }

    /// Gives up all states.
    pub(super) fn discard(self, tree: &mut Tree<'_>) {
        let roots = self.worlds.into_iter().map(|world| world.root);
        roots.for_each(|root| tree.discard(root));
    }

    /// A state for the next iteration, and the seat from whose view it was drawn. The first view is
    /// that of the seat itself; then, at random, that of another seat in the drawn state.
    pub(super) fn walk(
        &mut self,
        seat: Seat,
        observation: &Value,
        tree: &mut Tree<'_>,
    ) -> Result<Option<(usize, Seat)>, BrokenRules> {
        let Some(mut world) = self.draw(seat, observation, tree)? else {
            return Ok(None);
        };
        let mut viewer = seat;
        let seats = self.rules.seats();
        for _ in 0..MOST_CHANGES {
            if seats < 2 || tree.rng.unit() >= CHANGE_VIEW {
                break;
            }
            let other = (viewer + 1 + tree.rng.index(seats - 1)) % seats;
            let seen = self.observation(world, other)?;
            match self.draw(other, &seen, tree)? {
                Some(drawn) => (world, viewer) = (drawn, other),
                None => break,
            }
        }
        Ok(Some((world, viewer)))
    }

    /// A state of the information set of a seat; `None` if the rules draw none.
    pub(super) fn draw(
        &mut self,
        seat: Seat,
        observation: &Value,
        tree: &mut Tree<'_>,
    ) -> Result<Option<usize>, BrokenRules> {
        let key = format!("{seat} {observation}");
        let mut view = self.views.remove(&key).unwrap_or_default();
        if view.next == view.drawn.len() {
            view.next = 0;
            let is_enough = tree.is_full() && !view.drawn.is_empty();
            if view.drawn.len() < MOST_DRAWS && !is_enough {
                view.next = view.drawn.len();
                let count = view.drawn.len().clamp(FIRST_DRAWS, DRAWS_AT_ONCE) as u32;
                let seed = tree.rng.next_u64();
                for state in sample(self.rules, observation, seat, seed, count)? {
                    view.drawn.push(self.world(&state, tree)?);
                }
                // No further ones: those that there are come again.
                view.next %= view.drawn.len().max(1);
            }
        }
        let drawn = view.drawn.get(view.next).copied();
        view.next += 1;
        if drawn.is_some() {
            self.views.insert(key, view);
        }
        Ok(drawn)
    }

    /// The index of a state, which may be new.
    fn world(&mut self, state: &Value, tree: &mut Tree<'_>) -> Result<usize, BrokenRules> {
        let key = state.to_string();
        if let Some(known) = self.by_state.get(&key) {
            return Ok(*known);
        }
        let root = tree.open(load(self.rules, state)?)?;
        self.worlds.push(World {
            root,
            observations: vec![None; self.rules.seats()],
        });
        self.by_state.insert(key, self.worlds.len() - 1);
        Ok(self.worlds.len() - 1)
    }

    fn observation(&mut self, world: usize, seat: Seat) -> Result<Value, BrokenRules> {
        let World { root, observations } = &mut self.worlds[world];
        if let Some(known) = &observations[seat] {
            return Ok(known.clone());
        }
        let seen = root.session.observation(seat)?;
        observations[seat] = Some(seen.clone());
        Ok(seen)
    }
}
