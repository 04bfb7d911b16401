//! Runs tests as the usual harness does, as far as `cargo test` and `cargo nextest` need it.

use std::panic::catch_unwind;
use std::process::ExitCode;

/// A test with its name.
pub(crate) type Test = (&'static str, fn());

/// Makes a list of the functions with these names.
macro_rules! tests {
    ($($name:ident),* $(,)?) => { &[$((stringify!($name), $name as fn())),*] };
}
pub(crate) use tests;

/// The flags with a word of their own after them.
const WITH_VALUE: [&str; 4] = ["--color", "--format", "--test-threads", "-Z"];

/// Runs or lists the tests that the arguments select.
pub(crate) fn run(args: &[String], tests: &[Test]) -> ExitCode {
    let has = |flag: &str| args.iter().any(|arg| arg == flag);
    let before = [""].into_iter().chain(args.iter().map(String::as_str));
    let filters = args.iter().zip(before);
    let filters =
        filters.filter(|(arg, before)| !arg.starts_with('-') && !WITH_VALUE.contains(before));
    let filters: Vec<&String> = filters.map(|(arg, _)| arg).collect();
    let is_selected = |name: &str| {
        let fits = |filter: &&String| {
            if has("--exact") {
                filter.as_str() == name
            } else {
                name.contains(filter.as_str())
            }
        };
        // No test is ignored.
        !has("--ignored") && (filters.is_empty() || filters.iter().any(fits))
    };
    let mut failed = 0;
    for (name, test) in tests.iter().filter(|(name, _)| is_selected(name)) {
        if has("--list") {
            println!("{name}: test");
        } else if catch_unwind(test).is_err() {
            eprintln!("FAILED: {name}");
            failed += 1;
        }
    }
    ExitCode::from(u8::from(failed > 0))
}
