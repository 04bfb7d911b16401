//! Checks a whole proof: only ends by the rules count, not those that the search has seen.

use std::collections::HashMap;

use crate::keys;
use crate::playable::Playable;
use crate::search::Stopped;
use crate::solve::Solver;

/// A step of the walk through a proof.
enum Step<P> {
    Enter(P),
    /// All that follows from the position of this key was checked.
    Leave(u128),
}

impl<G: Playable> Solver<'_, G> {
    /// Checks the proof of the value against every reply: how many positions it has, or `None` if those
    /// are more than `most`. A position counts once, however it is reached.
    ///
    /// Each end of it is a position that is over by the rules. Nothing that the search has seen short of
    /// that counts as proven, so a small check is worth more than a large search.
    ///
    /// # Errors
    /// If the watch or the limit stops it: what the table has lost is searched again. If play comes back
    /// to a position, so that it need not end.
    ///
    /// # Panics
    /// If the proof is wrong, which is a bug of the program.
    pub fn check(&mut self, most: u64) -> Result<Option<u64>, Stopped> {
        let (seat_0, seat_1) = self.holds();
        let own_key = self.game.keys();
        let mut positions = 0;
        for (need, holder) in [(seat_0, 0), (seat_1, 1)] {
            let range = self.game.range();
            let Some(need) = need.filter(|need| range.0 < *need && *need <= range.1) else {
                continue;
            };
            // False while a position is on the path from the start.
            let mut known: HashMap<u128, bool> = HashMap::new();
            let mut todo = vec![Step::Enter(self.position().clone())];
            while let Some(step) = todo.pop() {
                let position = match step {
                    Step::Enter(position) => position,
                    Step::Leave(key) => {
                        known.insert(key, true);
                        continue;
                    }
                };
                let margin = self.game.margin(&position);
                let Some(seat) = self.game.mover(&position) else {
                    assert_eq!(margin >= need, holder == 0, "the proof ends well");
                    continue;
                };
                // Equal positions whose margins so far differ are two.
                let key = keys::with(own_key(&position), need - margin);
                match known.insert(key, false) {
                    None => {}
                    Some(true) => {
                        known.insert(key, true);
                        continue;
                    }
                    Some(false) => return Err(Stopped::Endless),
                }
                if known.len() as u64 + positions > most {
                    return Ok(None);
                }
                todo.push(Step::Leave(key));
                if seat == holder {
                    let (_, next) = self.holding_move(&position, seat, need)?;
                    todo.push(Step::Enter(next));
                } else {
                    let next = self.game.successors(&position)?.into_iter();
                    todo.extend(next.map(|(_, next)| Step::Enter(next)));
                }
            }
            positions += known.len() as u64;
        }
        Ok(Some(positions))
    }
}
