//! A search that is stopped and taken up again finds the same.

#![expect(clippy::unwrap_used, reason = "in tests")]

use games::rules::paper_penguins::PaperPenguins;
use games::{Game, Options, Rng};
use serde_json::{Map, Value, json};
use solver::{CheckpointError, Method, Question, Solver, Stopped};

fn about(text: &str) -> Map<String, Value> {
    let mut about = Map::new();
    about.insert("game".into(), text.into());
    about
}

/// A position with some cells left.
fn position(game: &PaperPenguins) -> <PaperPenguins as Game>::Position {
    let mut rng = Rng::new(5);
    let mut position = game.start(&mut rng);
    for _ in 0..6 {
        let mv = game.random_move(&position, &mut rng, &mut Vec::new());
        game.play_unchecked(&mut position, mv);
    }
    position
}

#[test]
fn a_checkpoint_leads_to_the_same_value() {
    let options = Options::of::<PaperPenguins>(&json!({"size": 4})).unwrap();
    let game = PaperPenguins::new(&options).unwrap();
    for method in [Method::ProofNumber, Method::AlphaBeta] {
        let solver = || {
            let watch = Box::new(|_: &_| true);
            let start = position(&game);
            Solver::new(&game, start, Question::Value, Some(method), 1 << 22, watch).unwrap()
        };
        let mut whole = solver();
        let value = whole.run().unwrap();
        let positions = whole.progress().positions;
        assert!(positions > 30, "{positions}");
        let mut part = solver();
        part.limit(positions / 2);
        assert_eq!(part.run(), Err(Stopped::Positions));
        let mut bytes = Vec::new();
        part.save(&about("x"), &mut bytes).unwrap();
        let mut rest = solver();
        rest.restore(&about("x"), &bytes[..]).unwrap();
        assert_eq!(rest.progress().positions, part.progress().positions);
        assert_eq!(rest.run().unwrap(), value);
        assert_eq!(rest.line().unwrap(), whole.line().unwrap());
        refuses_what_is_wrong(&mut solver(), &bytes);
    }
}

fn refuses_what_is_wrong(solver: &mut Solver<'_, PaperPenguins>, bytes: &[u8]) {
    let other = solver.restore(&about("y"), bytes).unwrap_err();
    assert_eq!(
        other.to_string(),
        r#"it is of another game: "x", where the command line says "y""#
    );
    let cut = &bytes[..bytes.len() - 9];
    let cut = solver.restore(&about("x"), cut).unwrap_err();
    assert!(matches!(cut, CheckpointError::Damaged), "{cut}");
    let mut changed = bytes.to_vec();
    *changed.iter_mut().rev().nth(20).unwrap() ^= 4;
    let changed = solver.restore(&about("x"), &changed[..]).unwrap_err();
    assert!(matches!(changed, CheckpointError::Damaged), "{changed}");
    let mut older = bytes.to_vec();
    older[14] = b'1';
    let older = solver.restore(&about("x"), &older[..]).unwrap_err();
    assert!(matches!(older, CheckpointError::Version), "{older}");
    let text = solver.restore(&about("x"), &b"{}"[..]).unwrap_err();
    assert!(matches!(text, CheckpointError::Magic), "{text}");
}
