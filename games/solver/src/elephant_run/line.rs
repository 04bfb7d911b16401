//! Principal variations, as text.

use games::rules::elephant_run::board::cells;

use super::chase::Chase;
use super::search::{ChaseSolver, Moves, Replies, Stopped};
use super::tiles::board;

impl ChaseSolver<'_> {
    /// The moves of best play from a position with the elephant to move that is worth exactly `points`
    /// more.
    ///
    /// # Errors
    /// If the watch stops it: what the table has lost is searched again.
    pub fn line(&mut self, chase: Chase, points: u8) -> Result<Vec<String>, Stopped> {
        let mut line = Vec::new();
        let (mut chase, mut left) = (chase, points);
        while left > 0 && chase.farmers != 0 {
            let next = self.elephants_best(chase, left)?;
            line.push(elephants_text(chase, next));
            (chase, left) = (next, left - 1);
            if chase.farmers == 0 || chase.mobility() == 0 {
                break;
            }
            let next = self.farmers_best(chase, left)?;
            if next != chase {
                line.push(farmers_text(chase, next));
            }
            chase = next;
        }
        Ok(line)
    }

    fn elephants_best(&mut self, chase: Chase, points: u8) -> Result<Chase, Stopped> {
        let replies: Vec<Chase> = Replies::of(chase).list().collect();
        for reply in replies {
            if self.after_elephant(reply, points - 1)? {
                return Ok(reply);
            }
        }
        unreachable!("a position has a move that is worth as much")
    }

    /// The position after the farmers' best move, or the same one if they cannot move.
    fn farmers_best(&mut self, chase: Chase, points: u8) -> Result<Chase, Stopped> {
        let moves: Vec<_> = Moves::of(chase, self.ranged_jumps()).list().collect();
        for mv in moves {
            let next = chase.farmer_goes(mv);
            if !self.elephant_gets(next, points + 1)? {
                return Ok(next);
            }
        }
        Ok(chase)
    }
}

fn name(set: u32) -> String {
    let cell = cells(set).next().expect("a cell");
    board().name(cell).to_owned()
}

fn elephants_text(from: Chase, to: Chase) -> String {
    let sign = if from.farmers == to.farmers { '-' } else { 'x' };
    format!("{}{sign}{}", name(from.elephant), name(to.elephant))
}

fn farmers_text(from: Chase, to: Chase) -> String {
    let left = from.farmers & !to.farmers;
    let reached = to.farmers & !from.farmers;
    format!("{}-{}", name(left), name(reached))
}
