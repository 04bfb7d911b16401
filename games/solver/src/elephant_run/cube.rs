//! Sets of placements: one bit for each set of farmers on some cells. Every cell is a coordinate of the
//! cube, and bit number `s` stands for the farmers on the coordinates that are set in `s`. A farmer's
//! move exchanges two coordinates, so it is made in all placements at once.

/// The coordinates that are inside a word.
const INSIDE: usize = 6;
/// The bits of a word whose number has this coordinate.
const HAVING: [u64; INSIDE] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cube {
    dimensions: usize,
    words: Box<[u64]>,
}

/// A move between two coordinates, in either direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    high: usize,
    low: usize,
    /// The coordinate of a farmer that is jumped over.
    over: Option<usize>,
}

impl Exchange {
    pub(super) fn new(a: usize, b: usize, over: Option<usize>) -> Self {
        let (high, low) = (a.max(b), a.min(b));
        Exchange { high, low, over }
    }

    /// True if one of these farmers can make the move.
    pub(super) fn is_possible(self, farmers: u32) -> bool {
        (farmers >> self.high ^ farmers >> self.low) & 1 != 0
            && self.over.is_none_or(|over| farmers >> over & 1 != 0)
    }
}

/// The bits of the word with this number that have a coordinate.
#[inline]
fn having(coordinate: usize, word: usize) -> u64 {
    match coordinate.checked_sub(INSIDE) {
        None => HAVING[coordinate],
        Some(high) => 0u64.wrapping_sub((word >> high & 1) as u64),
    }
}

fn length(dimensions: usize) -> usize {
    1 << dimensions.saturating_sub(INSIDE)
}

/// The placements of some numbers of farmers, which are few of all: cubes are kept as a bit for each.
pub(super) struct Packing {
    dimensions: usize,
    sets: Vec<u32>,
}

impl Packing {
    /// For placements of more than `fewer` and at most `most` farmers.
    pub(super) fn new(dimensions: usize, fewer: u32, most: u32) -> Self {
        let sets = 0..1u32 << dimensions;
        let counts = |set: &u32| (fewer + 1..=most).contains(&set.count_ones());
        Packing {
            dimensions,
            sets: sets.filter(counts).collect(),
        }
    }

    /// The number of bytes of a packed cube.
    pub(super) fn bytes(&self) -> u64 {
        8 * self.sets.len().div_ceil(64) as u64
    }

    pub(super) fn pack(&self, cube: &Cube) -> Box<[u64]> {
        let word = |sets: &[u32]| {
            let bits = sets.iter().enumerate();
            bits.fold(0, |word, (bit, set)| {
                word | u64::from(cube.contains(*set)) << bit
            })
        };
        self.sets.chunks(64).map(word).collect()
    }

    /// The packed cube, without what was not packed.
    pub(super) fn unpack(&self, packed: &[u64]) -> Cube {
        let mut cube = Cube::empty(self.dimensions);
        for (sets, word) in self.sets.chunks(64).zip(packed) {
            for (bit, set) in sets.iter().enumerate() {
                cube.words[*set as usize >> INSIDE] |= (word >> bit & 1) << (set % 64);
            }
        }
        cube
    }
}

impl Cube {
    pub(super) fn empty(dimensions: usize) -> Self {
        Cube {
            dimensions,
            words: vec![0; length(dimensions)].into(),
        }
    }

    /// All placements of at most this many farmers.
    pub(super) fn of_at_most(farmers: u32, dimensions: usize) -> Self {
        let up_to = |most: u32| {
            let bits = (0..64u32).filter(|bit| bit.count_ones() <= most);
            bits.fold(0u64, |word, bit| word | 1 << bit)
        };
        let inside: Vec<u64> = (0..=INSIDE as u32).map(up_to).collect();
        let word = |number: usize| match farmers.checked_sub(number.count_ones()) {
            Some(left) => inside[left.min(INSIDE as u32) as usize],
            None => 0,
        };
        let mut cube = Cube::empty(dimensions);
        cube.words
            .iter_mut()
            .enumerate()
            .for_each(|(number, it)| *it = word(number));
        cube
    }

    pub(super) fn contains(&self, farmers: u32) -> bool {
        self.words[farmers as usize >> INSIDE] >> (farmers % 64) & 1 != 0
    }

    pub(super) fn insert(&mut self, farmers: u32) {
        self.words[farmers as usize >> INSIDE] |= 1 << (farmers % 64);
    }

    pub(super) fn add(&mut self, other: &Cube) {
        let words = self.words.iter_mut().zip(&other.words);
        words.for_each(|(word, other)| *word |= other);
    }

    /// The placements of this cube that are in the second, and not in the third.
    pub(super) fn retain(&mut self, within: &Cube, without: &Cube) {
        let words = self.words.iter_mut().zip(&within.words).zip(&without.words);
        words.for_each(|((word, within), without)| *word &= within & !without);
    }

    pub(super) fn complement(&self) -> Self {
        Cube {
            dimensions: self.dimensions,
            words: self.words.iter().map(|word| !word).collect(),
        }
    }

    /// The placements in this cube, in the order of their numbers.
    pub(super) fn sets(&self) -> impl Iterator<Item = u32> {
        self.words.iter().enumerate().flat_map(|(number, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                (left != 0).then(|| {
                    let bit = left.trailing_zeros();
                    left &= left - 1;
                    (number as u32) << INSIDE | bit
                })
            })
        })
    }

    /// Adds all placements with a farmer on `with`, if given, and none on `without`.
    pub(super) fn add_where(&mut self, with: Option<usize>, without: usize) {
        for (number, word) in self.words.iter_mut().enumerate() {
            let with = with.map_or(u64::MAX, |with| having(with, number));
            *word |= with & !having(without, number);
        }
    }

    /// Adds the placements from which a capture on `over` leads to one in `from`; the elephant lands
    /// on the coordinate `landing`, which no farmer may have.
    pub(super) fn add_captures(&mut self, from: &Cube, over: usize, landing: usize) {
        let Some(block) = over.checked_sub(INSIDE).map(|high| 1 << high) else {
            let words = self.words.iter_mut().zip(&from.words).enumerate();
            for (number, (word, from)) in words {
                *word |= (from & !HAVING[over] & !having(landing, number)) << (1u32 << over);
            }
            return;
        };
        for base in (0..self.words.len()).step_by(2 * block) {
            for number in base..base + block {
                self.words[number + block] |= from.words[number] & !having(landing, number);
            }
        }
    }

    /// Adds the placements from which this move leads to one in `from`.
    pub(super) fn add_moved(&mut self, from: &Cube, mv: Exchange) {
        match mv.over {
            None => self.exchange_all(from, mv, |_| u64::MAX),
            Some(over) if over < INSIDE => self.exchange_all(from, mv, |_| HAVING[over]),
            Some(over) => self.exchange_all(from, mv, |number| having(over, number)),
        }
    }

    /// The same for those bits of `from` that `mask` says for each word. Compiled for each kind of mask.
    #[inline]
    fn exchange_all(&mut self, from: &Cube, mv: Exchange, mask: impl Fn(usize) -> u64) {
        let (to, from) = (&mut self.words, &from.words);
        let (high, low) = (mv.high, mv.low);
        if high < INSIDE {
            let shift = (1u32 << high) - (1 << low);
            let upper = HAVING[high] & !HAVING[low];
            for (number, (to, from)) in to.iter_mut().zip(from).enumerate() {
                let from = from & mask(number);
                *to |= (from & upper) >> shift | (from & upper >> shift) << shift;
            }
            return;
        }
        let block = 1usize << (high - INSIDE);
        for base in (0..to.len()).step_by(2 * block) {
            let (to_without, to_with) = to[base..base + 2 * block].split_at_mut(block);
            let (without, with) = from[base..base + 2 * block].split_at(block);
            if low < INSIDE {
                let (shift, bits) = (1u32 << low, HAVING[low]);
                for at in 0..block {
                    to_without[at] |= (with[at] & !bits & mask(base + block + at)) << shift;
                    to_with[at] |= (without[at] & bits & mask(base + at)) >> shift;
                }
                continue;
            }
            let part = 1usize << (low - INSIDE);
            for start in (0..block).step_by(2 * part) {
                for at in start..start + part {
                    to_without[at + part] |= with[at] & mask(base + block + at);
                    to_with[at] |= without[at + part] & mask(base + at + part);
                }
            }
        }
    }

    /// The same placements with one coordinate more, on which there is no farmer.
    pub(super) fn with_coordinate(&self, at: usize) -> Self {
        let mut wider = Cube::empty(self.dimensions + 1);
        if let Some(high) = at.checked_sub(INSIDE) {
            let block = 1 << high;
            let blocks = wider.words.chunks_mut(2 * block);
            for (to, from) in blocks.zip(self.words.chunks(block)) {
                to[..block].copy_from_slice(from);
            }
            return wider;
        }
        // Half a word becomes a whole one: the coordinates from `at` on go up by one, highest first.
        let spread = |half: u64| {
            (at..INSIDE - 1).rev().fold(half, |word, coordinate| {
                let goes_up = word & HAVING[coordinate];
                word ^ goes_up | goes_up << (1u32 << coordinate)
            })
        };
        let halves = self
            .words
            .iter()
            .flat_map(|word| [word & u64::from(u32::MAX), word >> 32]);
        let words = wider.words.iter_mut().zip(halves);
        words.for_each(|(to, half)| *to = spread(half));
        wider
    }

    /// The same placements with other coordinates: `old[new]` is where each was.
    pub(super) fn permuted(mut self, old: &[usize]) -> Self {
        let mut now: Vec<usize> = (0..old.len()).collect();
        for (new, old) in old.iter().enumerate() {
            let at = now.iter().position(|it| it == old);
            let at = at.expect("a permutation");
            if at != new {
                self.swap(at, new);
                now.swap(at, new);
            }
        }
        self
    }

    fn swap(&mut self, a: usize, b: usize) {
        let before = self.clone();
        let exchange = Exchange::new(a, b, None);
        // Those with both or none stay; all others are exchanged.
        for (number, word) in self.words.iter_mut().enumerate() {
            *word &= !(having(a, number) ^ having(b, number));
        }
        self.add_moved(&before, exchange);
    }
}

#[cfg(test)]
mod tests {
    use games::Rng;

    use super::*;

    const DIMENSIONS: [usize; 4] = [3, 6, 8, 10];

    /// The same placements by a test of each.
    fn all(dimensions: usize, is_in: impl Fn(u32) -> bool) -> Cube {
        let mut cube = Cube::empty(dimensions);
        let sets = 0..1u32 << dimensions;
        sets.filter(|set| is_in(*set))
            .for_each(|set| cube.insert(set));
        cube
    }

    fn random(dimensions: usize, seed: u64) -> Cube {
        let mut rng = Rng::from_parts(&[seed, dimensions as u64]);
        let bits: Vec<bool> = (0..1 << dimensions).map(|_| rng.below(2) == 0).collect();
        all(dimensions, |set| bits[set as usize])
    }

    /// Without what is beyond the last placement of a small cube.
    fn cut(mut cube: Cube) -> Cube {
        if cube.dimensions < INSIDE {
            cube.words[0] &= (1 << (1 << cube.dimensions)) - 1;
        }
        cube
    }

    #[test]
    fn moves_are_made_in_all_placements_at_once() {
        for dimensions in DIMENSIONS {
            let from = random(dimensions, 1);
            for a in 0..dimensions {
                for b in (0..dimensions).filter(|b| *b != a) {
                    for over in [None].into_iter().chain((0..dimensions).map(Some)) {
                        if over == Some(a) || over == Some(b) {
                            continue;
                        }
                        let mv = Exchange::new(a, b, over);
                        let mut moved = Cube::empty(dimensions);
                        moved.add_moved(&from, mv);
                        let swapped = |set: u32| set ^ (1 << a | 1 << b);
                        let expected = all(dimensions, |set| {
                            mv.is_possible(set) && from.contains(swapped(set))
                        });
                        assert_eq!(moved, expected, "{dimensions} {mv:?}");
                    }
                    let mut captures = Cube::empty(dimensions);
                    captures.add_captures(&from, a, b);
                    let has = |set: u32, at: usize| set >> at & 1 != 0;
                    let expected = all(dimensions, |set| {
                        has(set, a) && !has(set, b) && from.contains(set & !(1 << a))
                    });
                    assert_eq!(captures, expected, "{dimensions} {a} {b}");
                    let mut free = Cube::empty(dimensions);
                    free.add_where(Some(a), b);
                    let expected = all(dimensions, |set| has(set, a) && !has(set, b));
                    assert_eq!(cut(free), expected);
                }
            }
        }
    }

    #[test]
    fn coordinates_are_added_and_permuted() {
        for dimensions in DIMENSIONS {
            let cube = random(dimensions, 2);
            for at in 0..=dimensions {
                let below = (1 << at) - 1;
                let narrow = |set: u32| set & below | set >> 1 & !below;
                let expected = all(dimensions + 1, |set| {
                    set >> at & 1 == 0 && cube.contains(narrow(set))
                });
                assert_eq!(cube.with_coordinate(at), expected, "{dimensions} {at}");
            }
            let old: Vec<usize> = (0..dimensions)
                .map(|new| (new * 7 + 1) % dimensions)
                .collect();
            let was = |set: u32| {
                let coordinates = (0..dimensions).filter(|new| set >> new & 1 != 0);
                coordinates.fold(0, |was, new| was | 1 << old[new])
            };
            let expected = all(dimensions, |set| cube.contains(was(set)));
            assert_eq!(cube.permuted(&old), expected);
        }
    }

    #[test]
    fn cubes_are_packed() {
        for dimensions in DIMENSIONS {
            let packing = Packing::new(dimensions, 1, 3);
            let cube = random(dimensions, 3);
            let packed = packing.pack(&cube);
            assert_eq!(packed.len() as u64 * 8, packing.bytes());
            let expected = all(dimensions, |set| {
                (2..=3).contains(&set.count_ones()) && cube.contains(set)
            });
            assert_eq!(packing.unpack(&packed), expected);
        }
    }

    #[test]
    fn small_placements_are_counted() {
        for dimensions in DIMENSIONS {
            for farmers in 0..4 {
                let cube = cut(Cube::of_at_most(farmers, dimensions));
                assert_eq!(cube, all(dimensions, |set| set.count_ones() <= farmers));
                assert!(cube.sets().all(|set| set.count_ones() <= farmers));
            }
        }
    }
}
