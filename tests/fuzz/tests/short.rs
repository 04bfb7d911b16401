//! A short run of every target, always with the same inputs.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use fuzz::run::{Stats, Until, run, try_input};
use fuzz::{TARGETS, Target};
use games::Rng;

/// Memory is counted for the whole process, so targets take turns.
static TURN: Mutex<()> = Mutex::new(());

fn target(name: &str) -> &'static Target {
    let found = TARGETS.iter().find(|target| target.name == name);
    found.expect("a target")
}

fn check(name: &str, inputs: u64, understood: f64) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    match run(target(name), 1, Until::Inputs(inputs), folder) {
        Ok(stats) => {
            let share = stats.understood as f64 / stats.inputs as f64;
            assert!(share >= understood, "{name}: {stats:?}");
        }
        Err(error) => panic!("{error}"),
    }
}

/// Inputs resemble the seeds from which they are made.
fn check_seeds(name: &str) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let target = target(name);
    let mut stats = Stats::default();
    for seed in (target.seeds)(&mut Rng::new(2)) {
        let tried = try_input(target, &seed, &mut stats);
        let text = String::from_utf8_lossy(&seed);
        assert!(matches!(tried, Ok(true)), "{name}: {tried:?} {text}");
    }
}

macro_rules! short_runs {
    ($($test:ident $seeds:ident $name:literal $inputs:literal $understood:literal,)*) => {
        $(
            #[test]
            fn $test() {
                check($name, $inputs, $understood);
            }

            #[test]
            fn $seeds() {
                check_seeds($name);
            }
        )*

        #[test]
        fn every_target_has_a_short_run() {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(names, [$($name),*]);
        }
    };
}

short_runs![
    moves seeds_of_moves "moves" 60_000 0.1,
    options seeds_of_options "options" 4_000 0.1,
    states seeds_of_states "states" 4_000 0.2,
    from_bot seeds_of_from_bot "from-bot" 20_000 0.1,
    to_bot seeds_of_to_bot "to-bot" 20_000 0.1,
    model seeds_of_model "model" 1_000 0.5,
    config seeds_of_config "config" 2_000 0.05,
    log seeds_of_log "log" 400 0.2,
    sheets seeds_of_sheets "sheets" 1_500 0.05,
    bundles seeds_of_bundles "bundles" 500 0.05,
    http seeds_of_http "http" 1_000 0.05,
    clocks seeds_of_clocks "clocks" 300 0.02,
    announcements seeds_of_announcements "announcements" 1_000 0.05,
    results seeds_of_results "results" 1_000 0.02,
    submissions seeds_of_submissions "submissions" 1_000 0.05,
];
