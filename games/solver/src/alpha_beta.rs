//! Alpha-beta search with windows of one point (MTD(f)) for the exact final margin of best play.

use games::Game;

use crate::search::{Search, Stopped};
use crate::table::Entry;

/// What is added to a bound to store it.
const OFFSET: i32 = 1 << 20;

/// A move with what it is ordered by, and the position after it.
struct Child<P> {
    order: i64,
    position: P,
}

/// Which bounds are known of what a position adds to the margin.
#[derive(Clone, Copy)]
struct Bounds {
    least: i32,
    most: i32,
}

impl<G: Game> Search<'_, G> {
    /// A bound on the final margin of best play: at least `need` and a lower bound, or below it and an
    /// upper bound.
    pub(crate) fn reach(&mut self, position: &G::Position, need: i32) -> Result<i32, Stopped> {
        let (least, most) = self.seen(position);
        if least >= need || least == most {
            return Ok(least);
        }
        if most < need {
            return Ok(most);
        }
        let key = self.key(position);
        let margin = self.margin(position);
        let known = self.known(key);
        if margin + known.least >= need {
            return Ok(margin + known.least);
        }
        if margin + known.most < need {
            return Ok(margin + known.most);
        }
        if let Some(settled) = self.settled(position) {
            self.learn(key, settled - margin, true, self.progress.positions);
            self.learn(key, settled - margin, false, self.progress.positions);
            return Ok(settled);
        }
        let before = self.progress.positions;
        let maximise = self.game.to_move(position) == Some(0);
        let mut children = self.ordered(position, maximise);
        self.count(children.len())?;
        let cut = children
            .iter()
            .find_map(|child| self.cut(&child.position, need, maximise));
        let found = match cut {
            Some(bound) => bound,
            None => {
                children.sort_by_key(|child| child.order);
                self.best_of(&children, need, maximise)?
            }
        };
        self.learn(key, found - margin, found >= need, before);
        Ok(found)
    }

    fn best_of(
        &mut self,
        children: &[Child<G::Position>],
        need: i32,
        maximise: bool,
    ) -> Result<i32, Stopped> {
        let mut best = if maximise { i32::MIN } else { i32::MAX };
        for child in children {
            let found = self.reach(&child.position, need)?;
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

    /// Whether the final margin is at least `need`, if no search is needed.
    pub(crate) fn known_bound(&self, position: &G::Position, need: i32) -> Option<bool> {
        let yes = self.cut(position, need, true).map(|_| true);
        yes.or_else(|| self.cut(position, need, false).map(|_| false))
    }

    /// What is in the table about a position after a move, if that is enough for the move to be made.
    fn cut(&self, position: &G::Position, need: i32, maximise: bool) -> Option<i32> {
        let (mut least, mut most) = self.seen(position);
        if self.game.to_move(position).is_some() {
            let margin = self.margin(position);
            let known = self.known(self.key(position));
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
        match self.table.get(key) {
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
        let earlier = self.table.get(key).map_or(0, |entry| entry.work);
        let mut bounds = self.known(key);
        if is_least {
            bounds.least = bounds.least.max(adds);
        } else {
            bounds.most = bounds.most.min(adds);
        }
        let searched = (self.progress.positions - before).min(u64::from(u32::MAX)) as u32;
        self.table.put(Entry {
            key,
            first: (bounds.least + OFFSET) as u32,
            second: (bounds.most + OFFSET) as u32,
            work: earlier.saturating_add(searched),
        });
    }

    /// The positions after each move; first those that gain the most points and leave the other seat the
    /// fewest moves.
    fn ordered(&self, position: &G::Position, maximise: bool) -> Vec<Child<G::Position>> {
        let sign = if maximise { 1 } else { -1 };
        let mover = self.game.to_move(position);
        let order = |next: &G::Position| {
            let gained = i64::from(sign * (self.margin(next) - self.margin(position)));
            let replies = match self.game.to_move(next) {
                None => 0,
                Some(_) => self.game.count_legal(next) as i64,
            };
            let again = self.game.to_move(next) == mover;
            let replies = if again { -replies } else { replies };
            replies - 4 * gained
        };
        let moves = self.legal(position).into_iter();
        let child = |mv| {
            let position = self.after(position, mv);
            Child {
                order: order(&position),
                position,
            }
        };
        moves.map(child).collect()
    }
}
