//! Random playouts a second of sheets, with what grounding took: `cargo run -p referee-gdl --profile dist
//! --example playouts -- games/sheets/*.kif`. With the variable `PLAYOUTS` it plays that many instead of two
//! seconds, always the same ones, so that a profiler can count instructions; with `REWRITTEN` rules are rewritten
//! before they are grounded, whether that is needed or not.

use std::time::{Duration, Instant};

use games::playout::{PlayoutBudget, PlayoutRequest, PlayoutResults};

fn main() {
    let count = std::env::var("PLAYOUTS").ok();
    let count: Option<u32> = count.map(|count| count.parse().expect("a number of playouts"));
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).expect("a sheet");
        let names = gdl::Names {
            id: "sheet",
            own_id: "sheet",
        };
        let limits = gdl::GroundLimits {
            rewritten: std::env::var("REWRITTEN").is_ok(),
            ..gdl::GroundLimits::DEFAULT
        };
        let game = match gdl::SheetGame::with_limits(&names, &text, &limits) {
            Ok(game) => game,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let session = match game.rules.start(0) {
            Ok(session) => session,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let began = Instant::now();
        let go_on = |_| count.is_some() || began.elapsed() < Duration::from_secs(2);
        let request = PlayoutRequest::new(count.unwrap_or(u32::MAX), 1);
        match session.playouts(&request, PlayoutBudget::While(&mut { go_on })) {
            Ok(None) => unreachable!("time is the only limit"),
            Ok(Some(PlayoutResults { means, count, .. })) => println!(
                "{path}: {:.0} playouts/s, {:.1} plies, {:?}, {:?} {:?}",
                f64::from(count) / began.elapsed().as_secs_f64(),
                means.plies,
                means.outcome,
                game.report.took,
                game.report.network,
            ),
            Err(error) => println!("{path}: {error}"),
        }
    }
}
