//! A bot that computes what is dealt in Kuhn poker (`games/sheets/kuhn-poker.kif`), as anybody can who
//! has read the source code: where deals follow from `seed`, which is 1 unless the configuration says
//! otherwise, from the names and from the round. It also tries to read the secret that they follow from.

use chacha20::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};

/// The seed that configurations have by default.
const SEED: u64 = 1;
/// Seeds of matches stay below this.
const SEED_MASK: u64 = (1 << 53) - 1;
/// The purpose of draws of chance.
const CHANCE_EVENTS: u64 = 6;
/// The possible deals, in the order of the sheet's moves.
const DEALS: [[&str; 2]; 6] = [
    ["jack", "king"],
    ["jack", "queen"],
    ["king", "jack"],
    ["king", "queen"],
    ["queen", "jack"],
    ["queen", "king"],
];

/// Predicts both cards of the match that has begun, as the old rule deals them. Two bots play one
/// game, in which the first match of a pair has an odd number.
pub(crate) fn report(begun: &Value) -> Value {
    let names: Vec<&str> = begun["players"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|player| player["name"].as_str())
        .collect();
    let number = begun["match"].as_str().and_then(|id| id.strip_prefix("m-"));
    let number: u64 = number.and_then(|number| number.parse().ok()).unwrap_or(1);
    json!({"foreseen": deal((number - 1) / 2, &names), "secret": secret()})
}

/// The deal of this round between these bots, with the default seed.
fn deal(round: u64, names: &[&str]) -> [&'static str; 2] {
    let mut names = names.to_vec();
    names.sort_unstable();
    let text = format!("kuhn-poker {{}} {round}\n{}", names.join("\n"));
    let seed = of_parts(&[SEED, hash(&text)]).next_u64() & SEED_MASK;
    let drawn = of_parts(&[seed, CHANCE_EVENTS, 0]).next_u64() >> 11;
    let unit = drawn as f64 / (1_u64 << 53) as f64;
    DEALS[((unit * DEALS.len() as f64) as usize).min(DEALS.len() - 1)]
}

/// True if the secret's file, which only the organiser may read, can be read.
fn secret() -> bool {
    let path = std::env::var_os("RED_DEAL_SECRET");
    path.is_some_and(|path| std::fs::read(path).is_ok())
}

fn of_parts(parts: &[u64]) -> ChaCha8Rng {
    let start = parts.len() as u64;
    let state = parts
        .iter()
        .fold(start, |state, part| mix(state ^ mix(*part)));
    let mut seed = [0; 32];
    for (at, chunk) in seed.chunks_exact_mut(8).enumerate() {
        chunk.copy_from_slice(&mix(state.wrapping_add(at as u64)).to_le_bytes());
    }
    ChaCha8Rng::from_seed(seed)
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
