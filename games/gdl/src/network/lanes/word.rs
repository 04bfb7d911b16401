//! Words of lanes: a bit for each of N times 64 positions.

pub(super) type Word<const N: usize> = [u64; N];

pub(super) fn all<const N: usize>() -> Word<N> {
    [u64::MAX; N]
}

pub(super) fn none<const N: usize>() -> Word<N> {
    [0; N]
}

#[inline]
pub(super) fn both<const N: usize>(mut one: Word<N>, other: Word<N>) -> Word<N> {
    for (one, other) in one.iter_mut().zip(other) {
        *one &= other;
    }
    one
}

#[inline]
pub(super) fn without<const N: usize>(mut one: Word<N>, other: Word<N>) -> Word<N> {
    for (one, other) in one.iter_mut().zip(other) {
        *one &= !other;
    }
    one
}

#[inline]
pub(super) fn either<const N: usize>(mut one: Word<N>, other: Word<N>) -> Word<N> {
    for (one, other) in one.iter_mut().zip(other) {
        *one |= other;
    }
    one
}

#[inline]
pub(super) fn differing<const N: usize>(mut one: Word<N>, other: Word<N>) -> Word<N> {
    for (one, other) in one.iter_mut().zip(other) {
        *one ^= other;
    }
    one
}

#[inline]
pub(super) fn is_none<const N: usize>(word: Word<N>) -> bool {
    word.iter().all(|part| *part == 0)
}

/// The numbers of the lanes in a word.
pub(super) fn lanes_of<const N: usize>(word: Word<N>) -> impl Iterator<Item = usize> {
    word.into_iter().enumerate().flat_map(|(at, mut bits)| {
        std::iter::from_fn(move || {
            let lane = (bits != 0).then(|| at * 64 + bits.trailing_zeros() as usize)?;
            bits &= bits - 1;
            Some(lane)
        })
    })
}

#[inline]
pub(super) fn set<const N: usize>(word: &mut Word<N>, lane: usize) {
    word[lane / 64] |= 1 << (lane % 64);
}

#[inline]
pub(super) fn get<const N: usize>(word: &Word<N>, lane: usize) -> usize {
    (word[lane / 64] >> (lane % 64) & 1) as usize
}
