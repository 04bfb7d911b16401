//! The moves of a position in the order in which a search tries them, put in order only as far as it
//! gets: most searches end with one of the first.

use arrayvec::ArrayVec;

/// The number of moves that are put in order at a time.
const CHUNK: usize = 16;

/// Moves to try: first the early ones, then the others, the most promising first.
#[derive(Clone, Debug)]
pub(super) struct MoveList<M> {
    /// Moves that are tried before the others are listed.
    early: ArrayVec<M, 3>,
    /// True if `others` is filled.
    pub(super) listed: bool,
    others: Vec<M>,
    /// For each of the others, its promise in the upper half and in the lower one its place, from the
    /// end: so no two are equal, and what promises the same stays in order.
    keys: Vec<u64>,
    /// The number of keys that are in their place.
    sorted: usize,
    /// The number of keys whose moves had their turn.
    next: usize,
    /// The moves that were tried, in order.
    pub(super) tried: Vec<M>,
}

impl<M> Default for MoveList<M> {
    fn default() -> Self {
        MoveList {
            early: ArrayVec::new(),
            listed: false,
            others: Vec::new(),
            keys: Vec::new(),
            sorted: 0,
            next: 0,
            tried: Vec::new(),
        }
    }
}

impl<M: Copy + Eq> MoveList<M> {
    pub(super) fn clear(&mut self) {
        self.early.clear();
        self.listed = false;
        self.others.clear();
        self.keys.clear();
        (self.sorted, self.next) = (0, 0);
        self.tried.clear();
    }

    /// The number of listed moves.
    pub(super) fn len(&self) -> usize {
        self.others.len()
    }

    /// Adds a move to try before all others, unless it is there already.
    pub(super) fn push_early(&mut self, mv: M) {
        if !self.early.contains(&mv) {
            self.early.push(mv);
        }
    }

    /// Adds one of the other moves.
    #[inline]
    pub(super) fn push(&mut self, mv: M, promise: i32) {
        let place = self.others.len() as u32;
        self.others.push(mv);
        self.keys
            .push(u64::from(promise as u32 ^ 1 << 31) << 32 | u64::from(!place));
    }

    /// The next move to try; `None` if there is none, or if the others have to be listed first.
    pub(super) fn next(&mut self) -> Option<M> {
        let index = self.tried.len();
        let mv = match self.early.get(index) {
            Some(&mv) => mv,
            None => self.next_of_others()?,
        };
        self.tried.push(mv);
        Some(mv)
    }

    fn next_of_others(&mut self) -> Option<M> {
        while self.next < self.keys.len() {
            if self.next == self.sorted {
                self.sorted = order_more(&mut self.keys, self.sorted);
            }
            let place = !(self.keys[self.next] as u32);
            self.next += 1;
            let mv = self.others[place as usize];
            if !self.early.contains(&mv) {
                return Some(mv);
            }
        }
        None
    }
}

/// Puts the greatest of the keys from `sorted` on in order, and returns how many are in order then.
fn order_more(keys: &mut [u64], sorted: usize) -> usize {
    let rest = &mut keys[sorted..];
    let count = if rest.len() > 2 * CHUNK {
        rest.select_nth_unstable_by(CHUNK, |a, b| b.cmp(a));
        CHUNK
    } else {
        rest.len()
    };
    rest[..count].sort_unstable_by(|a, b| b.cmp(a));
    sorted + count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_moves_come_first_and_the_others_in_the_order_of_their_promise() {
        let mut list = MoveList::default();
        list.clear();
        list.push_early(7);
        list.push_early(70);
        list.push_early(7);
        assert_eq!(
            [list.next(), list.next(), list.next()],
            [Some(7), Some(70), None]
        );
        let promise = |mv: i32| (mv * 37) % 100 - 50;
        (0..100).for_each(|mv| list.push(mv, promise(mv)));
        let rest: Vec<i32> = std::iter::from_fn(|| list.next()).collect();
        let mut expected: Vec<i32> = (0..100).filter(|mv| ![7, 70].contains(mv)).collect();
        expected.sort_by_key(|mv| -promise(*mv));
        assert_eq!(rest, expected);
        assert_eq!(list.tried.len(), 100);
    }

    #[test]
    fn what_promises_the_same_stays_in_order() {
        let mut list = MoveList::default();
        (0..40).for_each(|mv| list.push(mv, -1));
        assert!((0..40).all(|mv| list.next() == Some(mv)));
    }
}
