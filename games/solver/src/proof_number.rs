//! Depth-first proof-number search (df-pn) for questions with yes or no: is the final margin of best
//! play at least `need`? Seat 0 wants a yes.
//!
//! Disproof numbers of seat 0's nodes are not the sum over their children, but the largest plus one for
//! each further child: many moves lead to the same positions, and sums would count those again and
//! again (weak proof-number search). A child is searched until it is a quarter worse than the second
//! best, which saves going to and fro between two.

use games::Game;

use crate::keys;
use crate::search::{Search, Stopped};
use crate::table::Entry;

/// A proof or disproof number of what is proven not to be so.
const NEVER: u32 = 1 << 30;
/// The largest number of what is not decided.
const MOST: u32 = NEVER - 1;

/// The proof and disproof number of a node.
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

    /// What it takes for whoever is to move to get what it wants, and for the other one.
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

/// A move with what is known of the position after it.
struct Child<M> {
    mv: M,
    /// Both for the seat that moves: see [`Numbers::of_mover`].
    mine: u32,
    others: u32,
}

/// A node's numbers from those of its children, and where to go on.
struct Choice {
    mine: u32,
    others: u32,
    best: usize,
    /// The second smallest `mine`.
    second: u32,
    undecided: u32,
}

fn choose<M>(children: &[Child<M>]) -> Choice {
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

impl<G: Game> Search<'_, G> {
    /// Whether the final margin of best play is at least `need`.
    pub(crate) fn prove(&mut self, position: &G::Position, need: i32) -> Result<bool, Stopped> {
        loop {
            let numbers = match self.glance(position, need) {
                numbers if numbers.answer().is_some() => numbers,
                _ => self.widen(position, need, NEVER, NEVER, true)?,
            };
            if let Some(answer) = numbers.answer() {
                return Ok(answer);
            }
        }
    }

    /// The positions that were searched for what is known of this one; 0 if that is forgotten.
    pub(crate) fn work(&self, position: &G::Position, need: i32) -> u32 {
        let known = self.table.get(self.need_key(position, need));
        known.map_or(0, |entry| entry.work)
    }

    /// The answer about a position, if no search is needed.
    pub(crate) fn known_answer(&self, position: &G::Position, need: i32) -> Option<bool> {
        self.glance(position, need).answer()
    }

    fn need_key(&self, position: &G::Position, need: i32) -> u128 {
        keys::with(self.key(position), need - self.margin(position))
    }

    /// A position's numbers without a search.
    fn glance(&self, position: &G::Position, need: i32) -> Numbers {
        let (least, most) = self.seen(position);
        if least >= need || most < need {
            return Numbers::decided(least >= need);
        }
        if let Some(entry) = self.table.get(self.need_key(position, need)) {
            return Numbers {
                proof: entry.first,
                disproof: entry.second,
            };
        }
        if let Some(settled) = self.settled(position) {
            return Numbers::decided(settled >= need);
        }
        let moves = self.game.count_legal(position).clamp(1, 1 << 16) as u32;
        Numbers::from_mover(1, moves, self.game.to_move(position) == Some(0))
    }

    /// Searches a node until it is decided or its numbers, as its mover sees them, reach the limits.
    fn widen(
        &mut self,
        position: &G::Position,
        need: i32,
        most_mine: u32,
        most_others: u32,
        root: bool,
    ) -> Result<Numbers, Stopped> {
        let before = self.progress.positions;
        let key = self.need_key(position, need);
        let earlier = self.table.get(key).map_or(0, |entry| entry.work);
        let yes = self.game.to_move(position) == Some(0);
        let mut children = self.children(position, need, yes);
        self.count(children.len())?;
        loop {
            let choice = choose(&children);
            let numbers = Numbers::from_mover(choice.mine, choice.others, yes);
            let searched = (self.progress.positions - before).min(u64::from(u32::MAX)) as u32;
            self.table.put(Entry {
                key,
                first: numbers.proof,
                second: numbers.disproof,
                work: earlier.saturating_add(searched),
            });
            if root {
                self.progress.numbers = Some((numbers.proof, numbers.disproof));
            }
            let decided = choice.mine == 0 || choice.others == 0;
            if decided || choice.mine >= most_mine || choice.others >= most_others {
                return Ok(numbers);
            }
            let limit = choice.second.saturating_add(choice.second / 4 + 1);
            let best = &children[choice.best];
            let next = self.after(position, best.mv);
            let most_mine = most_mine.min(limit);
            let most_others = most_others - (choice.undecided - 1).min(most_others - 1);
            let same = (self.game.to_move(&next) == Some(0)) == yes;
            let limits = if same {
                (most_mine, most_others)
            } else {
                (most_others, most_mine)
            };
            let found = self.widen(&next, need, limits.0, limits.1, false)?;
            let child = &mut children[choice.best];
            (child.mine, child.others) = found.of_mover(yes);
        }
    }

    /// The moves with the numbers of the positions after them; only one if it decides.
    fn children(&self, position: &G::Position, need: i32, yes: bool) -> Vec<Child<G::Move>> {
        let moves = self.legal(position);
        let mut children = Vec::with_capacity(moves.len());
        for mv in moves {
            let next = self.after(position, mv);
            let (mine, others) = self.glance(&next, need).of_mover(yes);
            let child = Child { mv, mine, others };
            if mine == 0 {
                return vec![child];
            }
            if others > 0 {
                children.push(child);
            }
        }
        children
    }
}
