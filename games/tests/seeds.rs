//! The games of a seed never change: which number means which move is part of what seeds promise.

#![expect(
    clippy::unwrap_used,
    reason = "in tests, also in what several tests share"
)]

use games::registry::{Visitor, visit};
use games::{Game, Options, Rng, hash_text};
use serde_json::{Value, json};

/// Plays uniform games, and hashes all moves and some lists of legal ones.
struct Hash(Value);

impl Visitor for Hash {
    type Output = u64;

    fn visit<G: Game>(self) -> u64 {
        let game = G::new(&Options::of::<G>(&self.0).unwrap()).unwrap();
        let (mut rng, mut moves, mut text) = (Rng::new(5), Vec::new(), String::new());
        for seed in 0..12 {
            let mut position = game.start(&mut Rng::new(seed));
            while game.to_move(&position).is_some() && game.ply(&position) < 400 {
                if game.ply(&position) % 11 == 5 {
                    game.legal(&position, &mut moves);
                    for mv in &moves {
                        game.write_move(*mv, &mut text);
                        text.push(' ');
                    }
                }
                let mv = game.random_move(&position, &mut rng, &mut moves);
                game.write_move(mv, &mut text);
                text.push('\n');
                game.play_unchecked(&mut position, mv);
            }
        }
        hash_text(&text)
    }
}

#[test]
fn a_seed_plays_the_games_that_it_always_played() {
    let all = [
        ("amazons", json!({}), 0x21c5_e8fe_c4ea_98ca),
        ("amazons", json!({"size": 5}), 0xc175_9f68_414d_8e51),
        (
            "amazons",
            json!({"columns": 12, "rows": 12, "light": ["a4", "d1", "i1", "l4"], "dark": ["a9", "d12", "i12", "l9"]}),
            0x159a_fe80_35a2_7f68,
        ),
        ("amazon-penguins", json!({}), 0x8e94_9bc0_a748_5cc9),
        (
            "amazon-penguins",
            json!({"board": "hex"}),
            0xe331_aed7_72d2_5bb1,
        ),
        ("elephant-run", json!({}), 0x9212_b4b9_7b61_04f5),
        (
            "elephant-run",
            json!({"farmers": 8, "target": 30, "ranged_jumps": true}),
            0x9ea7_42a2_961a_6031,
        ),
        ("giantslayer", json!({}), 0x0ccb_edb7_955c_5b39),
        ("paper-penguins", json!({}), 0xc1da_79ac_7a23_9dc0),
        ("paper-penguins", json!({"size": 4}), 0xf94d_6a7f_7abf_33b1),
        ("penguins", json!({}), 0xe8d7_18dd_d666_40bc),
        (
            "penguins",
            json!({"players": 4, "placement": "any"}),
            0xaa85_f464_0235_096b,
        ),
        (
            "penguins",
            json!({"setup": "laid", "players": 3}),
            0x7955_eced_3780_508f,
        ),
        ("run", json!({}), 0x2ff6_1cda_85ef_feeb),
        ("siam", json!({}), 0x2b46_4ae6_13d4_eae9),
        ("siam", json!({"opening_ban": true}), 0x0a70_7be9_203c_0912),
    ];
    let mut wrong = Vec::new();
    for (id, options, expected) in all {
        let hash = visit(id, &options, Hash(options.clone())).unwrap();
        if hash != expected {
            wrong.push(format!("{id} with {options}: {hash:#x}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "other games");
}
