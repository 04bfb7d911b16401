//! Positions that are consistent with the percepts of a seat.

use std::collections::HashSet;

use games::Rng;
use gdl::Steps;

/// The most positions that are followed.
const MOST: usize = 300;
/// The most steps tried from one position; of more, a random sample.
const MOST_STEPS: usize = 400;

/// A set of consistent positions, perhaps not all.
pub(super) struct Possible {
    positions: Vec<Steps>,
    role: usize,
    rng: Rng,
}

impl Possible {
    pub(super) fn new(start: Steps, role: usize) -> Self {
        Possible {
            positions: vec![start],
            role,
            rng: Rng::new(0),
        }
    }

    /// The legal moves of the seat. They are the same in all positions, unless the sheet hides them.
    pub(super) fn legal(&self) -> Vec<String> {
        let first = self.positions.iter().find(|position| !position.is_over());
        first.map_or_else(Vec::new, |first| first.legal(self.role))
    }

    /// Follows a step with this own move and these percepts. Returns both as the sheet spells them, the move
    /// first.
    ///
    /// # Errors
    /// If no position is consistent with them.
    pub(super) fn follow(&mut self, own: &str, seen: &[String]) -> Result<Vec<String>, String> {
        let canonical = |all: &[String]| {
            let mut all: Vec<_> = all.iter().map(|text| gdl::canonical(text)).collect();
            all.sort();
            all
        };
        let seen = canonical(seen);
        let mut next = Vec::new();
        let mut known = HashSet::new();
        let mut spelled = Vec::new();
        for position in &self.positions {
            for moves in steps(position, self.role, own, &mut self.rng) {
                let mut after = position.clone();
                let Ok(mut percepts) = after.make(&moves) else {
                    continue;
                };
                let percepts = std::mem::take(&mut percepts[self.role]);
                if canonical(&percepts) == seen && known.insert(after.facts()) {
                    next.push(after);
                    spelled = std::iter::once(moves[self.role].clone())
                        .chain(percepts)
                        .collect();
                }
            }
        }
        if next.is_empty() {
            return Err("what the game manager says was seen cannot be".to_owned());
        }
        self.rng.shuffle(&mut next);
        next.truncate(MOST);
        self.positions = next;
        Ok(spelled)
    }
}

/// The steps from a position in which a role makes this move: all of them, or a sample.
fn steps(position: &Steps, role: usize, own: &str, rng: &mut Rng) -> Vec<Vec<String>> {
    if position.is_over() {
        return Vec::new();
    }
    let lists = (0..position.roles().len()).map(|other| {
        if other == role {
            position.find(role, own).into_iter().collect()
        } else {
            position.legal(other)
        }
    });
    let lists: Vec<Vec<String>> = lists.collect();
    let all = lists.iter().map(Vec::len).fold(1, usize::saturating_mul);
    if all == 0 {
        return Vec::new();
    }
    if all > MOST_STEPS {
        let mut draw = |list: &Vec<String>| list[rng.index(list.len())].clone();
        let drawn = (0..MOST_STEPS).map(|_| lists.iter().map(&mut draw).collect());
        return drawn.collect();
    }
    let step = |mut number: usize| {
        let moves = lists.iter().map(|list| {
            let mv = list[number % list.len()].clone();
            number /= list.len();
            mv
        });
        moves.collect()
    };
    (0..all).map(step).collect()
}
