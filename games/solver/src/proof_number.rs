//! Depth-first proof-number search (df-pn) for questions with yes or no: is the final margin of best
//! play at least `need`? Seat 0 wants a yes.
//!
//! Disproof numbers of seat 0's nodes are not the sum over their children, but the largest plus one for
//! each further child: many moves lead to the same positions, and sums would count those again and
//! again (weak proof-number search). A child is searched until it is a quarter worse than the second
//! best, which saves going to and fro between two.

use crate::rules::{Keyed, SearchRules};
use crate::search::{Search, Stopped};
use crate::table::Entry;

/// The number of a refuted goal.
const NEVER: u32 = 1 << 30;
/// The largest number of an open goal.
const MOST: u32 = NEVER - 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    proof: u32,
    disproof: u32,
}

impl Numbers {
    fn decided(yes: bool) -> Self {
        if yes {
            Numbers {
                proof: 0,
                disproof: NEVER,
            }
        } else {
            Numbers {
                proof: NEVER,
                disproof: 0,
            }
        }
    }

    /// The proof numbers of the seat to move and of the other one.
    fn of_mover(self, yes: bool) -> (u32, u32) {
        if yes {
            (self.proof, self.disproof)
        } else {
            (self.disproof, self.proof)
        }
    }

    fn from_mover(mine: u32, others: u32, yes: bool) -> Self {
        if yes {
            Numbers {
                proof: mine,
                disproof: others,
            }
        } else {
            Numbers {
                proof: others,
                disproof: mine,
            }
        }
    }

    fn answer(self) -> Option<bool> {
        match self {
            Numbers { proof: 0, .. } => Some(true),
            Numbers { disproof: 0, .. } => Some(false),
            _ => None,
        }
    }
}

/// A successor and its numbers.
struct Child<P> {
    position: P,
    key: u128,
    /// Both for the seat that moves: see [`Numbers::of_mover`].
    mine: u32,
    others: u32,
}

/// The successors that are not refuted, and the number of moves.
type Children<P> = (Vec<Child<P>>, usize);

/// Thresholds of a node, for the seat to move: the search ends when a number reaches its own.
#[derive(Clone, Copy)]
struct Limits {
    mine: u32,
    others: u32,
}

/// A node's numbers, from those of its children, and the child to search next.
struct Choice {
    mine: u32,
    others: u32,
    best: usize,
    /// The second smallest `mine`.
    second: u32,
    undecided: u32,
}

fn choose<P>(children: &[Child<P>]) -> Choice {
    let mut choice = Choice {
        mine: NEVER,
        others: 0,
        best: 0,
        second: NEVER,
        undecided: 0,
    };
    for (at, child) in children.iter().enumerate() {
        if child.mine < choice.mine {
            choice.second = choice.mine;
            choice.mine = child.mine;
            choice.best = at;
        } else {
            choice.second = choice.second.min(child.mine);
        }
        if child.others > 0 {
            choice.others = choice.others.max(child.others);
            choice.undecided += 1;
        }
    }
    if choice.mine > 0 {
        choice.others = (choice.others + choice.undecided.saturating_sub(1)).min(MOST);
    }
    choice
}

impl<R: SearchRules> Search<'_, R> {
    /// True if the final margin of best play is at least `need`.
    pub(crate) fn prove(&mut self, position: &R::Position, need: i32) -> Result<bool, Stopped> {
        let key = self.rules.key(position);
        let limits = Limits {
            mine: NEVER,
            others: NEVER,
        };
        loop {
            let need_key = self.need_key(position, key, need);
            let numbers = match self.glance(position, need_key, need) {
                numbers if numbers.answer().is_some() => numbers,
                _ => self.widen(position, key, need, limits, 0)?,
            };
            if let Some(answer) = numbers.answer() {
                return Ok(answer);
            }
        }
    }

    /// The positions that were searched for what is known of this one; 0 if that is forgotten.
    pub(crate) fn work(&self, position: &R::Position, need: i32) -> u32 {
        let key = self.need_key(position, self.rules.key(position), need);
        self.state.table.get(key).map_or(0, |entry| entry.work)
    }

    /// The answer about a position, if no search is needed.
    pub(crate) fn known_answer(&mut self, position: &R::Position, need: i32) -> Option<bool> {
        let key = self.need_key(position, self.rules.key(position), need);
        self.glance(position, key, need).answer()
    }

    /// The numbers of a position without a search.
    fn glance(&mut self, position: &R::Position, need_key: u128, need: i32) -> Numbers {
        if let Some(answer) = answer(self.rules.quick_bounds(position), need) {
            return Numbers::decided(answer);
        }
        if let Some(entry) = self.state.table.get(need_key) {
            return Numbers {
                proof: entry.first,
                disproof: entry.second,
            };
        }
        if let Some(answer) = answer(self.rules.counted_bounds(position, need), need) {
            return Numbers::decided(answer);
        }
        let (mine, others) = self.rules.first_numbers(position);
        Numbers::from_mover(mine, others, self.rules.mover(position) == 0)
    }

    /// Searches a node until it is decided or its numbers reach the limits.
    fn widen(
        &mut self,
        position: &R::Position,
        key: u128,
        need: i32,
        limits: Limits,
        depth: usize,
    ) -> Result<Numbers, Stopped> {
        let before = self.state.progress.positions;
        let need_key = self.need_key(position, key, need);
        let earlier = self.state.table.get(need_key).map_or(0, |entry| entry.work);
        let yes = self.rules.mover(position) == 0;
        let (mut children, moves) = self.children(position, need, yes)?;
        self.state.count(moves)?;
        if R::MAY_COME_BACK {
            self.state.enter(key)?;
        }
        loop {
            let choice = choose(&children);
            let numbers = Numbers::from_mover(choice.mine, choice.others, yes);
            let searched = (self.state.progress.positions - before).min(u64::from(u32::MAX)) as u32;
            self.state.table.put(Entry {
                key: need_key,
                first: numbers.proof,
                second: numbers.disproof,
                work: earlier.saturating_add(searched),
            });
            if depth == 0 {
                self.state.progress.numbers = Some((numbers.proof, numbers.disproof));
            }
            self.state
                .note(depth, moves - choice.undecided as usize, moves);
            let decided = choice.mine == 0 || choice.others == 0;
            if decided || choice.mine >= limits.mine || choice.others >= limits.others {
                if R::MAY_COME_BACK {
                    self.state.leave(key);
                }
                return Ok(numbers);
            }
            let enough = choice.second.saturating_add(choice.second / 4 + 1);
            let best = &children[choice.best];
            let (next, next_key) = (best.position.clone(), best.key);
            let mut within = Limits {
                mine: limits.mine.min(enough),
                others: limits.others - (choice.undecided - 1).min(limits.others - 1),
            };
            if (self.rules.mover(&next) == 0) != yes {
                std::mem::swap(&mut within.mine, &mut within.others);
            }
            let found = self.widen(&next, next_key, need, within, depth + 1)?;
            let child = &mut children[choice.best];
            (child.mine, child.others) = found.of_mover(yes);
        }
    }

    /// The positions after the moves with their numbers, without those that are refuted, and only one if it
    /// decides; and the number of moves.
    fn children(
        &mut self,
        position: &R::Position,
        need: i32,
        yes: bool,
    ) -> Result<Children<R::Position>, Stopped> {
        let mut next = Vec::new();
        self.rules.successors(position, &mut next)?;
        let moves = next.len();
        let need_keys = next
            .iter()
            .map(|next| self.need_key(&next.position, next.key, need));
        let need_keys: Vec<u128> = need_keys.collect();
        self.state.table.fetch(&need_keys);
        let mut children = Vec::with_capacity(moves);
        for (Keyed { position, key }, need_key) in next.into_iter().zip(need_keys) {
            let (mine, others) = self.glance(&position, need_key, need).of_mover(yes);
            let child = Child {
                position,
                key,
                mine,
                others,
            };
            if mine == 0 {
                return Ok((vec![child], moves));
            }
            if others > 0 {
                children.push(child);
            }
        }
        Ok((children, moves))
    }
}

/// True if the final margin is at least `need`, if these bounds say so.
fn answer((least, most): (i32, i32), need: i32) -> Option<bool> {
    (least >= need || most < need).then_some(least >= need)
}
