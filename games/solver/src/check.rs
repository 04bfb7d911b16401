//! Checks a whole proof: only ends by the rules count, not those that the search has seen.

use std::collections::HashSet;

use games::Game;

use crate::keys::{self, Keys};
use crate::search::Stopped;
use crate::solve::{Solver, after, legal};

impl<G: Game> Solver<'_, G> {
    /// Checks the proof of the value against every reply: how many positions it has, or `None` if those
    /// are more than `most`. A position counts once, however it is reached.
    ///
    /// Each end of it is a position that is over by the rules. Nothing that the search has seen short of
    /// that counts as proven, so a small check is worth more than a large search.
    ///
    /// # Errors
    /// If the watch or the limit stops it: what the table has lost is searched again.
    ///
    /// # Panics
    /// If the proof is wrong, which is a bug of the program.
    pub fn check(&mut self, most: u64) -> Result<Option<u64>, Stopped> {
        let (seat_0, seat_1) = self.holds();
        let own_keys = Keys::new(self.about.board);
        let mut positions = 0;
        for (need, holder) in [(seat_0, 0), (seat_1, 1)] {
            let Some(need) = need else { continue };
            let start = *self.position();
            let mut known = HashSet::new();
            let mut todo = vec![start];
            while let Some(position) = todo.pop() {
                let Some(seat) = self.game.to_move(&position) else {
                    let reached = self.game.margin(&position) >= need;
                    assert_eq!(reached, holder == 0, "the proof ends well");
                    continue;
                };
                // Equal positions whose margins so far differ are two.
                let key = keys::with(
                    own_keys.key(self.game, &position),
                    need - self.game.margin(&position),
                );
                if !known.insert(key) {
                    continue;
                }
                if known.len() as u64 + positions > most {
                    return Ok(None);
                }
                if seat == holder {
                    let mv = self.holding_move(&position, seat, need)?;
                    todo.push(after(self.game, &position, mv));
                } else {
                    let moves = legal(self.game, &position);
                    todo.extend(moves.into_iter().map(|mv| after(self.game, &position, mv)));
                }
            }
            positions += known.len() as u64;
        }
        Ok(Some(positions))
    }
}
