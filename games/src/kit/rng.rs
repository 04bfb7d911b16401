//! Seeded randomness that is the same on every machine and in every version.
//!
//! Only the raw ChaCha8 stream comes from a library. How it is seeded and how numbers are drawn from it
//! is defined here, so that no update of a library can change a start.

use chacha20::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng};

/// A ChaCha8 generator with the few draws that the games need.
///
/// ```
/// let mut a = games::Rng::new(7);
/// let mut b = games::Rng::new(7);
/// assert_eq!(a.below(1000), b.below(1000));
/// ```
#[derive(Debug)]
pub struct Rng(ChaCha8Rng);

// Copies of a game go on with the same draws. The library leaves this out, since two generators that draw the same are
// a fault where they make keys.
impl Clone for Rng {
    fn clone(&self) -> Self {
        Rng(ChaCha8Rng::deserialize_state(&self.0.serialize_state()))
    }
}

impl Rng {
    /// A generator from one seed.
    pub fn new(seed: u64) -> Self {
        Self::from_parts(&[seed])
    }

    /// A generator from several numbers that together identify its purpose, such as a tournament's seed
    /// and a pairing's number. Different lists give unrelated streams.
    pub fn from_parts(parts: &[u64]) -> Self {
        let mut state = parts.len() as u64;
        for &part in parts {
            state = mix(state ^ mix(part));
        }
        let mut seed = [0; 32];
        for (i, chunk) in seed.chunks_exact_mut(8).enumerate() {
            chunk.copy_from_slice(&mix(state.wrapping_add(i as u64)).to_le_bytes());
        }
        Rng(ChaCha8Rng::from_seed(seed))
    }

    /// A generator from a seed and a text that identifies its purpose.
    pub fn from_text(seed: u64, text: &str) -> Self {
        Self::from_parts(&[seed, hash_text(text)])
    }

    /// A generator from a key that is hidden from everybody who must not foresee the draws. The streams of a key
    /// are independent of each other.
    pub fn from_key(key: [u8; 32], stream: u64) -> Self {
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(stream);
        Rng(rng)
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A whole number from 0 to `n` − 1, each equally likely (Lemire's method).
    ///
    /// # Panics
    /// If `n` is 0.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "cannot draw from nothing");
        loop {
            let wide = u128::from(self.next_u64()) * u128::from(n);
            let low = wide as u64;
            // The first test is nearly always enough; the second one is exact but divides.
            if low >= n || low >= n.wrapping_neg() % n {
                return (wide >> 64) as u64;
            }
        }
    }

    /// A random index into a list of `len` items.
    #[inline]
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// A number from 0 to below 1, with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Puts the items into a uniformly random order (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.index(i + 1));
        }
    }
}

/// The FNV-1a hash of a text. It never changes, because seeds depend on it.
pub fn hash_text(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The finaliser of SplitMix64: every bit of the input changes every bit of the output.
pub(crate) const fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards the promise that seeds mean the same in every version.
    #[test]
    fn the_stream_of_a_seed_never_changes() {
        let mut rng = Rng::new(1);
        let first: Vec<u64> = (0..4).map(|_| rng.below(1_000_000)).collect();
        assert_eq!(first, FIRST_OF_SEED_1);
    }

    #[test]
    fn the_streams_of_a_key_never_change_and_differ() {
        let first = |stream| Rng::from_key([7; 32], stream).below(1_000_000);
        assert_eq!([first(0), first(1), first(1 << 48)], FIRST_OF_KEY_7);
    }

    #[test]
    fn a_copy_goes_on_with_the_same_draws() {
        for mut rng in [Rng::new(1), Rng::from_key([7; 32], 5)] {
            for _ in 0..70 {
                let mut copy = rng.clone();
                let draws = |rng: &mut Rng| [(); 3].map(|()| rng.next_u64());
                let original = rng.next_u64();
                let [first, ..] = draws(&mut copy);
                assert_eq!(first, original);
            }
        }
    }

    const FIRST_OF_KEY_7: [u64; 3] = [223_125, 385_154, 860_021];

    const FIRST_OF_SEED_1: [u64; 4] = [272_506, 208_919, 764_183, 4_220];

    #[test]
    fn texts_are_hashed_by_fnv_1a() {
        assert_eq!(hash_text(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash_text("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash_text("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn draws_are_uniform() {
        let mut rng = Rng::new(2);
        let mut seen = [0u32; 6];
        for _ in 0..60_000 {
            seen[rng.index(6)] += 1;
        }
        assert!(seen.iter().all(|n| (9_500..10_500).contains(n)), "{seen:?}");
    }

    #[test]
    fn shuffle_keeps_the_items() {
        let mut items: Vec<u32> = (0..50).collect();
        Rng::new(3).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
