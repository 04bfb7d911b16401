//! Material for mutations.

use games::Rng;

/// No input is longer.
pub const LONGEST: usize = 64 * 1024;

/// Numbers at the limits of types, and invalid ones.
pub(super) const EXTREMES: [&str; 22] = [
    "0",
    "-0",
    "-1",
    "1",
    "2",
    "255",
    "256",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "-1e308",
    "1e999",
    "0.5",
    "1e-7",
];

pub(super) fn pick<'a, T>(items: &'a [T], rng: &mut Rng) -> &'a T {
    &items[rng.index(items.len())]
}

/// A random range within a list of this length.
pub(super) fn stretch(len: usize, rng: &mut Rng) -> (usize, usize) {
    let from = rng.index(len + 1);
    // Mostly short ones.
    let most = match rng.below(4) {
        0 => len - from,
        _ => (len - from).min(8),
    };
    (from, from + rng.index(most + 1))
}
