//! New inputs from old ones. Most changes of JSON leave it JSON; the others know only bytes, words
//! and lines.

mod json;
mod text;

use games::Rng;

/// No input is longer.
pub const LONGEST: usize = 64 * 1024;

/// Numbers at the edges of what types hold, and what is no number at all.
const EXTREMES: [&str; 22] = [
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

/// A seed with a few changes, mostly one or two: the more there are, the less is understood.
pub fn mutate(seeds: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let mut input = pick(seeds, rng).clone();
    let keeps_json = rng.below(4) != 0;
    let changes = 1 + rng.next_u64().trailing_zeros().min(5);
    for _ in 0..changes {
        let other = pick(seeds, rng);
        if !(keeps_json && json::change(&mut input, other, rng)) {
            text::change(&mut input, other, rng);
        }
    }
    input.truncate(LONGEST);
    input
}

fn pick<'a, T>(items: &'a [T], rng: &mut Rng) -> &'a T {
    &items[rng.index(items.len())]
}

/// A random stretch of a list of this length: begin and end.
fn stretch(len: usize, rng: &mut Rng) -> (usize, usize) {
    let from = rng.index(len + 1);
    // Mostly short ones.
    let most = match rng.below(4) {
        0 => len - from,
        _ => (len - from).min(8),
    };
    (from, from + rng.index(most + 1))
}
