//! Mutations of inputs. Most of those of JSON keep it valid; the others know only bytes, words and
//! lines.

mod json;
mod material;
mod text;

use games::Rng;

pub use material::LONGEST;
use material::pick;

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
