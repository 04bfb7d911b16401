//! The same targets under libFuzzer, which is guided by coverage. The script `tests/fuzz/guided`
//! builds it with instrumentation and runs it.

#![no_main]

use std::env;
use std::path::Path;
use std::sync::LazyLock;

use fuzz::{TARGETS, Target};
use games::Rng;

/// The target that the environment names.
static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = env::var("FUZZ_TARGET").unwrap_or_default();
    let target = TARGETS.iter().find(|target| target.name == name);
    target.unwrap_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!(
            "FUZZ_TARGET is `{name}`; it must be one of {}",
            names.join(", ")
        );
        std::process::exit(2)
    })
});

libfuzzer_sys::fuzz_target!(
    init: write_seeds(),
    |input: &[u8]| {
        (TARGET.run)(input);
    }
);

/// Valid inputs as a corpus, in the folder that `FUZZ_SEEDS` names.
fn write_seeds() {
    let Ok(folder) = env::var("FUZZ_SEEDS") else {
        return;
    };
    for (number, seed) in (TARGET.seeds)(&mut Rng::new(1)).into_iter().enumerate() {
        let path = Path::new(&folder).join(format!("seed-{number}"));
        std::fs::write(&path, seed).unwrap_or_else(|error| {
            eprintln!("`{}` cannot be written: {error}", path.display());
            std::process::exit(2)
        });
    }
}
