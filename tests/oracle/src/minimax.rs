//! Best play by trying everything.

use std::collections::HashMap;

use crate::Oracle;

/// Further points that a seat can secure against all others; `None` if that takes the moves of more
/// than `most` positions.
pub fn points_to_come(position: &dyn Oracle, seat: usize, most: usize) -> Option<i64> {
    let mut search = Search {
        seat,
        most,
        known: HashMap::new(),
    };
    search.value(position)
}

struct Search {
    seat: usize,
    most: usize,
    /// Keys leave out scores, and so do the values.
    known: HashMap<String, i64>,
}

impl Search {
    fn value(&mut self, position: &dyn Oracle) -> Option<i64> {
        let now = points(position, self.seat);
        if let Some(result) = position.result() {
            return Some(result.scores[self.seat] - now);
        }
        let key = position.key();
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        self.most = self.most.checked_sub(1)?;
        let own = position.state()["to_move"] == self.seat;
        let mut best = None;
        for mv in position.legal() {
            let mut next = position.clone_box();
            next.play(&mv);
            let gain = points(&*next, self.seat) - now;
            let value = gain + self.value(&*next)?;
            let is_better = |best| if own { value > best } else { value < best };
            if best.is_none_or(is_better) {
                best = Some(value);
            }
        }
        let best = best.expect("a game that goes on has moves");
        self.known.insert(key, best);
        Some(best)
    }
}

fn points(position: &dyn Oracle, seat: usize) -> i64 {
    position.state()["scores"][seat].as_i64().expect("points")
}
