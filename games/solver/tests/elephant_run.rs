//! The solver of Elephant Run against the generic one.

use games::rules::elephant_run::ElephantRun;
use games::{Game, Options, Rng};
use serde_json::json;
use solver::elephant_run::{Chase, ChaseSolver};
use solver::{Question, Solver};

#[test]
fn both_solvers_find_the_same_points() {
    for (options, seeds) in [
        (json!({}), 12),
        (json!({"farmers": 4}), 6),
        (json!({"farmers": 8}), 4),
        (json!({"ranged_jumps": true}), 6),
    ] {
        let game = ElephantRun::new(&Options::of::<ElephantRun>(&options).unwrap()).unwrap();
        let ranged = options["ranged_jumps"] == true;
        for seed in 0..seeds {
            let mut rng = Rng::from_parts(&[seed, 0xe1e]);
            let mut position = game.start(&mut rng);
            let mut scratch = Vec::new();
            // Some plies after the placing, with the elephant to move.
            let plies = 1 + u64::from(game.farmers()) + 4 + seed % 6;
            for _ in 0..plies {
                if game.to_move(&position).is_some() {
                    let mv = game.random_move(&position, &mut rng, &mut scratch);
                    game.play_unchecked(&mut position, mv);
                }
            }
            while game.to_move(&position) == Some(1) {
                let mv = game.random_move(&position, &mut rng, &mut scratch);
                game.play_unchecked(&mut position, mv);
            }
            if game.to_move(&position).is_none() {
                continue;
            }
            let most = 3;
            let mut generic = Solver::new(
                &game,
                position,
                Question::Value,
                None,
                1 << 22,
                Box::new(|_| true),
            )
            .unwrap();
            // Only whether four more points are reached: the whole value takes long early in a game.
            let points = i32::from(position.points());
            let reached = generic.at_least(points + most).unwrap();
            let chase = Chase {
                tiles: position.tiles(),
                elephant: position.elephant(),
                farmers: position.farmers(),
            };
            let mut special = ChaseSolver::new(ranged, 1 << 20, Box::new(|_, _| true));
            let gets = special.elephant_gets(chase, most as u8).unwrap();
            assert_eq!(gets, reached, "{}", game.save(&position));
        }
    }
}
