//! Random playouts a second of CPU time of every sheet, beside the oracle's plain interpreter in the
//! same run.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use games::playout::{PlayoutBudget, PlayoutRequest};
use games::{Rng, Session};
use gdl::{GroundLimits, Names, SheetGame};
use nix::time::{ClockId, clock_gettime};
use oracle::gdl::{Sheet, Term};

/// Duration and number of the runs for each figure; the best counts.
const LONG: Duration = Duration::from_millis(1500);
const TIMES: usize = 3;

pub(crate) fn run(tiny: bool) {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/sheets"));
    let entries = std::fs::read_dir(folder).expect("the sheets");
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "kif"));
    paths.sort();
    println!(
        "| sheet | facts | moves | gates | ready in ms | plies | playouts/s | interpreted | plain | ratio to plain |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for path in paths {
        row(&path, tiny);
    }
}

fn row(path: &std::path::Path, tiny: bool) {
    let text = std::fs::read_to_string(path).expect("a sheet");
    let id = path
        .file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let names = Names {
        id: &id,
        own_id: &id,
    };
    let game = SheetGame::new(&names, &text).expect("our own sheets are good");
    let Ok(sizes) = game.report.network else {
        println!("| {id} | does not ground |");
        return;
    };
    let (long, times) = if tiny {
        (Duration::ZERO, 1)
    } else {
        (LONG, TIMES)
    };
    let session = game.rules.start(0).expect("a start");
    let rate = |session: &dyn Session| {
        let rates = (0..times).map(|_| rate(session, long));
        rates.fold(
            (0.0, 0.0),
            |best: (f64, f64), other| if other.0 > best.0 { other } else { best },
        )
    };
    let (networked, plies) = rate(&*session);
    let nothing = GroundLimits {
        candidates: 0,
        ..GroundLimits::DEFAULT
    };
    let interpreted = SheetGame::with_limits(&names, &text, &nothing).expect("the same sheet");
    let interpreted = rate(&*interpreted.rules.start(0).expect("a start")).0;
    let plain = if tiny {
        f64::NAN
    } else {
        plain_rate(&text, LONG)
    };
    println!(
        "| {id} | {} | {} | {} | {:.1} | {plies:.1} | {networked:.0} | {interpreted:.1} | {plain:.2} | {:.0} |",
        sizes.facts,
        sizes.moves,
        sizes.gates,
        game.report.took.as_secs_f64() * 1000.0,
        networked / plain
    );
}

/// Playouts a second, and their mean length.
fn rate(session: &dyn Session, long: Duration) -> (f64, f64) {
    let began = Instant::now();
    let before = cpu_seconds();
    let mut go_on = |_| began.elapsed() < long;
    let request = PlayoutRequest::new(u32::MAX, 1);
    let played = session.playouts(&request, PlayoutBudget::While(&mut go_on));
    let played = played.expect("good rules").expect("no limit");
    (
        f64::from(played.count) / (cpu_seconds() - before),
        played.means.plies,
    )
}

/// The same by the oracle; a part of a playout counts by its steps.
fn plain_rate(text: &str, long: Duration) -> f64 {
    let sheet = Sheet::read(text).expect("our own sheets are good");
    let mut rng = Rng::new(1);
    let (began, before) = (Instant::now(), cpu_seconds());
    let (mut games, mut steps, mut steps_of_games) = (0u32, 0u32, 0u32);
    loop {
        let mut facts = sheet.start();
        let first = steps;
        loop {
            let look = sheet.look(&facts);
            if look.over {
                games += 1;
                steps_of_games += steps - first;
                break;
            }
            let joint: Vec<Term> = look
                .legal
                .iter()
                .map(|moves| {
                    let at = rng.index(moves.len());
                    moves.iter().nth(at).expect("below their number").clone()
                })
                .collect();
            facts = sheet.step(&facts, &joint).0;
            steps += 1;
            // A game of the slowest sheets takes minutes; their length is guessed.
            if games == 0 && began.elapsed() > 20 * long {
                let usual = 60.0;
                return f64::from(steps) / usual / (cpu_seconds() - before);
            }
        }
        if began.elapsed() > long {
            let length = f64::from(steps_of_games) / f64::from(games);
            return f64::from(steps) / length / (cpu_seconds() - before);
        }
    }
}

/// CPU time of this process: others may work on the same machine.
fn cpu_seconds() -> f64 {
    let used = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID);
    Duration::from(used.expect("Linux has this clock")).as_secs_f64()
}
