//! Alpha-beta search with windows of one point (MTD(f)) for the exact final margin of best play.

use crate::rules::{Keyed, SearchRules};
use crate::search::{Search, Stopped};
use crate::table::Entry;

/// The offset of a stored bound.
const OFFSET: i32 = 1 << 20;
/// Bounds beyond this are not stored: real margins are far smaller.
const MOST: i32 = OFFSET / 2;

/// A successor and its keys for move ordering.
struct Child<P> {
    order: i32,
    position: P,
    key: u128,
}

/// The bounds stored for the further margin of a position.
#[derive(Clone, Copy)]
struct Bounds {
    least: i32,
    most: i32,
}

impl<R: SearchRules> Search<'_, R> {
    /// A bound on the final margin of best play: at least `need` and a lower bound, or below it and an
    /// upper bound.
    pub(crate) fn reach(&mut self, position: &R::Position, need: i32) -> Result<i32, Stopped> {
        let key = self.rules.key(position);
        self.reach_at(position, key, need, 0)
    }

    fn reach_at(
        &mut self,
        position: &R::Position,
        key: u128,
        need: i32,
        depth: usize,
    ) -> Result<i32, Stopped> {
        if let Some(bound) = decisive(self.rules.quick_bounds(position), need) {
            return Ok(bound);
        }
        let margin = self.rules.margin(position);
        let known = self.known(key);
        if let Some(bound) = decisive((margin + known.least, margin + known.most), need) {
            return Ok(bound);
        }
        let before = self.state.progress.positions;
        let counted = self.rules.counted_bounds(position, need);
        if let Some(bound) = decisive(counted, need) {
            for (bound, is_least) in [(counted.0, true), (counted.1, false)] {
                if (-MOST..=MOST).contains(&bound) {
                    self.learn(key, bound - margin, is_least, before);
                }
            }
            return Ok(bound);
        }
        let maximise = self.rules.mover(position) == 0;
        let mut children = self.ordered(position, maximise)?;
        self.state.count(children.len())?;
        let cut = children
            .iter()
            .find_map(|child| self.cut(&child.position, child.key, need, maximise));
        let found = match cut {
            Some(bound) => bound,
            None => {
                children.sort_by_key(|child| child.order);
                if R::MAY_COME_BACK {
                    self.state.enter(key)?;
                }
                let best = self.best_of(&children, need, maximise, depth)?;
                if R::MAY_COME_BACK {
                    self.state.leave(key);
                }
                best
            }
        };
        self.learn(key, found - margin, found >= need, before);
        Ok(found)
    }

    fn best_of(
        &mut self,
        children: &[Child<R::Position>],
        need: i32,
        maximise: bool,
        depth: usize,
    ) -> Result<i32, Stopped> {
        let mut best = if maximise { i32::MIN } else { i32::MAX };
        for (at, child) in children.iter().enumerate() {
            self.state.note(depth, at, children.len());
            let found = self.reach_at(&child.position, child.key, need, depth + 1)?;
            best = if maximise {
                best.max(found)
            } else {
                best.min(found)
            };
            if (best >= need) == maximise {
                break;
            }
        }
        Ok(best)
    }

    /// True if the final margin is at least `need`, if no search is needed.
    pub(crate) fn known_bound(&self, position: &R::Position, need: i32) -> Option<bool> {
        let key = self.rules.key(position);
        let yes = self.cut(position, key, need, true).map(|_| true);
        yes.or_else(|| self.cut(position, key, need, false).map(|_| false))
    }

    /// Returns the known value of a position, if it is enough to make the move.
    fn cut(&self, position: &R::Position, key: u128, need: i32, maximise: bool) -> Option<i32> {
        let (mut least, mut most) = self.rules.quick_bounds(position);
        if least != most {
            let margin = self.rules.margin(position);
            let known = self.known(key);
            least = least.max(margin + known.least);
            most = most.min(margin + known.most);
        }
        if maximise {
            (least >= need).then_some(least)
        } else {
            (most < need).then_some(most)
        }
    }

    fn known(&self, key: u128) -> Bounds {
        match self.state.table.get(key) {
            Some(entry) => Bounds {
                least: entry.first as i32 - OFFSET,
                most: entry.second as i32 - OFFSET,
            },
            None => Bounds {
                least: -OFFSET,
                most: OFFSET,
            },
        }
    }

    fn learn(&mut self, key: u128, adds: i32, is_least: bool, before: u64) {
        let earlier = self.state.table.get(key).map_or(0, |entry| entry.work);
        let mut bounds = self.known(key);
        if is_least {
            bounds.least = bounds.least.max(adds);
        } else {
            bounds.most = bounds.most.min(adds);
        }
        let searched = (self.state.progress.positions - before).min(u64::from(u32::MAX)) as u32;
        self.state.table.put(Entry {
            key,
            first: (bounds.least + OFFSET) as u32,
            second: (bounds.most + OFFSET) as u32,
            work: earlier.saturating_add(searched),
        });
    }

    /// The successors; sorted, the most promising come first.
    fn ordered(
        &self,
        position: &R::Position,
        maximise: bool,
    ) -> Result<Vec<Child<R::Position>>, Stopped> {
        let sign = if maximise { -1 } else { 1 };
        let order = |next: &R::Position| sign * self.rules.outlook(next);
        let mut next = Vec::new();
        self.rules.successors(position, &mut next)?;
        let child = |Keyed { position, key }| Child {
            order: order(&position),
            position,
            key,
        };
        let keys: Vec<u128> = next.iter().map(|next| next.key).collect();
        self.state.table.fetch(&keys);
        Ok(next.into_iter().map(child).collect())
    }
}

/// The bound that decides whether the final margin is at least `need`, if one does.
fn decisive((least, most): (i32, i32), need: i32) -> Option<i32> {
    if least >= need {
        Some(least)
    } else {
        (most < need).then_some(most)
    }
}
