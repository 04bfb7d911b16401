//! The driver itself: it finds what it should, keeps the input, and does the same once more.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use fuzz::Target;
use fuzz::run::{Until, run};
use games::Rng;

const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");

/// Memory is counted for the whole process, so tests take turns.
static TURN: Mutex<()> = Mutex::new(());

fn seeds(_: &mut Rng) -> Vec<Vec<u8>> {
    vec![br#"{"a":[1,2,3],"b":"text"}"#.to_vec()]
}

/// The output of a run of a target that fails, and the input that it kept.
fn found(name: &'static str, behave: fn(&[u8]) -> bool) -> (String, Vec<u8>) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let target = Target {
        name,
        seeds,
        run: behave,
    };
    let failed = run(&target, 1, Until::Inputs(100_000), Path::new(FOLDER));
    let message = failed.expect_err("a failure").to_string();
    let (_, path) = message.rsplit_once("--input ").expect("a command");
    let input = std::fs::read(path).expect("the input");
    assert!(
        message.contains(&format!("-p fuzz -- {name} ")),
        "{message}"
    );
    (message, input)
}

#[test]
fn panics_are_found_and_kept() {
    let (message, input) = found("panics", |input| {
        let json: serde_json::Value = serde_json::from_slice(input).unwrap_or_default();
        assert!(json["a"][0] != 4_294_967_296_u64, "an extreme number");
        true
    });
    assert!(message.contains("panicked: an extreme number"), "{message}");
    assert!(String::from_utf8_lossy(&input).contains("4294967296"));
}

#[test]
fn memory_is_watched() {
    let (message, input) = found("memory", |input| {
        let deep = input.iter().filter(|byte| **byte == b'[').count();
        std::hint::black_box(vec![0u8; deep.min(40) << 23]);
        true
    });
    assert!(message.contains("MiB of memory"), "{message}");
    assert!(input.len() > 32, "many brackets");
}

#[test]
fn a_seed_always_makes_the_same_inputs() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    static SEEN: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());
    let target = Target {
        name: "same",
        seeds,
        run: |input| {
            SEEN.lock().unwrap().push(input.to_vec());
            true
        },
    };
    let inputs = |seed| {
        let done = run(&target, seed, Until::Inputs(500), Path::new(FOLDER));
        assert_eq!(done.unwrap().inputs, 501);
        std::mem::take(&mut *SEEN.lock().unwrap())
    };
    let first = inputs(1);
    assert_eq!(inputs(1), first);
    assert_ne!(inputs(2), first);
}
