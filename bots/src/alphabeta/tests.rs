//! Tests of the search: what it finds, that it keeps time, and how fast it is.

use std::time::{Duration, Instant};

use games::registry::{self, Visitor};
use games::{GAMES, Options};

use super::*;

/// Searches positions of random games, and prints nodes a second and depth:
/// `cargo test --release -p bots nodes_a_second -- --ignored --nocapture`.
struct Speed;

impl Visitor for Speed {
    type Output = (f64, f64);

    fn visit<G: Game>(self) -> (f64, f64) {
        let game = G::new(&Options::defaults(&G::INFO)).unwrap();
        let (mut nodes, mut depth, mut time, mut turns) = (0.0, 0.0, 0.0, 0.0);
        let mut scratch = Vec::new();
        for seed in 0..4 {
            let mut rng = Rng::new(seed);
            let mut position = game.start(&mut rng);
            let mut mind: Box<dyn Mind<G>> = AlphaBeta::default().mind();
            for _ in 0..30 {
                let Some(seat) = game.to_move(&position) else {
                    break;
                };
                if game.ply(&position) % 10 == 9 {
                    let start = Instant::now();
                    let question = Question {
                        deadline: Some(start + Duration::from_millis(100)),
                        ..Question::new(&game, &position, seat)
                    };
                    if let Some(info) = mind.choose(&question, &mut rng).info {
                        nodes += info["nodes"].as_f64().unwrap();
                        depth += info["depth"].as_f64().unwrap();
                        time += start.elapsed().as_secs_f64();
                        turns += 1.0;
                    }
                }
                let mv = game.random_move(&position, &mut rng, &mut scratch);
                game.play(&mut position, mv);
            }
        }
        (nodes / time, depth / turns)
    }
}

#[test]
#[ignore = "measures speed"]
fn nodes_a_second() {
    for game in GAMES {
        let (speed, depth) = registry::visit(game.info.id, Speed).unwrap();
        println!("{:16} {speed:9.0} nodes/s, depth {depth:.1}", game.info.id);
    }
}
