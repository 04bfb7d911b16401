//! Symmetric positions have symmetric moves: games are played twice side by side, the second time
//! turned or mirrored, and with the seats exchanged where the rules treat them alike.

#![expect(
    clippy::unwrap_used,
    reason = "in tests, also in what several tests share"
)]

mod mirror;

use games::session::random_step;
use games::{Rng, Rules, Session};
use mirror::{Generator, Mirror, group};
use serde_json::{Value, json};

/// Left and right exchanged. A matrix maps (column, row), both counted from the board's centre
/// in cells of a square board or as [`mirror`] says, and is written in quarters.
const MIRROR: [i32; 4] = [-4, 0, 0, 4];
/// Top and bottom exchanged.
const FLIP: [i32; 4] = [4, 0, 0, -4];
/// A quarter of a turn.
const TURN_90: [i32; 4] = [0, -4, 4, 0];
/// A sixth of a turn.
const TURN_60: [i32; 4] = [2, -3, 4, 2];
/// Nothing moves.
const STAY: [i32; 4] = [4, 0, 0, 4];

/// All symmetries of a square, and of its players.
const SQUARE: &[Generator] = &[(MIRROR, 0), (TURN_90, 0), (STAY, 1)];

/// Games that are played for each symmetry.
const GAMES: u64 = 3;
/// No game is followed for longer.
const LONGEST: usize = 150;

/// Plays one game and its image.
fn check_game(rules: &dyn Rules, image_rules: &dyn Rules, mirror: &Mirror, seed: u64) {
    let mut rng = Rng::from_parts(&[seed, 0x51]);
    let mut session = rules.start(seed).unwrap();
    while !mirror.fits(&session.state().unwrap()) {
        let step = random_step(&mut *session, &mut rng)
            .unwrap()
            .expect("a move");
        session.play(&step[0]).expect("a legal move");
    }
    let mut image = open(image_rules, &mirror.state(&session.state().unwrap()));
    for _ in 0..LONGEST {
        check_position(&mut *session, &mut *image, image_rules, mirror);
        let Some(step) = random_step(&mut *session, &mut rng).unwrap() else {
            return;
        };
        session.play(&step[0]).expect("a legal move");
        image.play(&mirror.text(&step[0])).expect("its image");
    }
}

fn open(rules: &dyn Rules, state: &Value) -> Box<dyn Session> {
    rules
        .load(state)
        .unwrap_or_else(|error| panic!("{error}: {state}"))
}

fn check_position(
    session: &mut dyn Session,
    image: &mut dyn Session,
    image_rules: &dyn Rules,
    mirror: &Mirror,
) {
    let state = session.state().unwrap();
    // Loaded once more, because lists of cells are sorted by name.
    let expected = open(image_rules, &mirror.state(&state));
    assert_eq!(image.state(), expected.state(), "{mirror} of {state}");
    assert_eq!(image.identity(), expected.identity(), "{mirror} of {state}");
    let images = session
        .legal()
        .unwrap()
        .into_iter()
        .map(|mv| mirror.text(&mv));
    let (mut moves, mut expected) = (image.legal().unwrap(), images.collect::<Vec<_>>());
    moves.sort_unstable();
    expected.sort_unstable();
    assert_eq!(moves, expected, "{mirror} of {state}");
    let turned = |outcome: &[f64]| mirror.seats(outcome);
    let (tally, expected) = (image.tally().unwrap(), session.tally().unwrap());
    assert_eq!(tally.outcome, *turned(&expected.outcome));
    assert_eq!(image.reason(), session.reason());
}

fn check(game: &str, options: Value, generators: &[Generator], order: usize) {
    let entry = games::find(game).expect("a game");
    let rules = entry.configure(&options).expect("options");
    let group = group(generators, rules.seats());
    assert_eq!(group.len(), order, "{game}: as many symmetries as expected");
    let view = rules.start(0).unwrap().view().unwrap().expect("a drawing");
    for (matrix, turn) in group {
        let mirror = Mirror::new(&view, matrix, turn, rules.seats());
        let image_options = mirror.options(&options);
        let image_rules = entry.configure(&image_options).expect("options");
        for seed in 0..GAMES {
            check_game(&*rules, &*image_rules, &mirror, seed);
        }
    }
}

#[test]
fn amazons_has_those_of_the_square() {
    check("amazons", json!({"size": 6}), SQUARE, 16);
    check("amazons", json!({"size": 9}), SQUARE, 16);
}

#[test]
fn amazon_penguins_has_those_of_its_boards() {
    let hex = &[(MIRROR, 0), (STAY, 1)];
    let given = [
        "10203123", "12100031", "11100013", "00000000", "00033300", "20032300", "02033301",
        "11000011",
    ];
    let name = "amazon-penguins";
    check(name, json!({}), SQUARE, 16);
    check(name, json!({"setup": "laid"}), SQUARE, 16);
    check(name, json!({"setup": "given", "fish": given}), SQUARE, 16);
    check(name, json!({"board": "hex"}), hex, 4);
}

#[test]
fn elephant_run_has_those_of_the_rectangle() {
    let rectangle = &[(MIRROR, 0), (FLIP, 0)];
    check("elephant-run", json!({}), rectangle, 4);
    let jumps = json!({"ranged_jumps": true, "farmers": 8});
    check("elephant-run", jumps, rectangle, 4);
}

#[test]
fn giantslayer_has_those_of_the_hexagon() {
    check("giantslayer", json!({}), &[(MIRROR, 0), (TURN_60, 0)], 12);
}

#[test]
fn paper_penguins_has_those_of_the_square() {
    let points = ["1231", "3211", "1112", "2213"];
    check("paper-penguins", json!({}), SQUARE, 16);
    let given = json!({"size": 4, "points": points});
    check("paper-penguins", given, SQUARE, 16);
}

#[test]
fn penguins_has_a_mirror_and_any_seat_can_be_the_first() {
    for players in 2..=4 {
        let options = json!({"players": players});
        check("penguins", options, &[(MIRROR, 0), (STAY, 1)], 2 * players);
    }
    let laid = json!({"setup": "laid", "placement": "any"});
    check("penguins", laid, &[(MIRROR, 0), (STAY, 1)], 4);
}

#[test]
fn run_has_a_mirror_and_the_seats_face_each_other() {
    check("run", json!({}), &[(MIRROR, 0), (FLIP, 1)], 4);
}

#[test]
fn siam_has_those_of_the_square_unless_cells_are_banned() {
    check("siam", json!({}), SQUARE, 16);
    check("siam", json!({"max_exits": 2}), SQUARE, 16);
    let banned = &[(MIRROR, 0), (FLIP, 0), (STAY, 1)];
    check("siam", json!({"opening_ban": true}), banned, 8);
}

/// Guards the tests above: with the ban, columns are not rows.
#[test]
#[should_panic(expected = "the image under [0, -4, 4, 0]")]
fn a_symmetry_that_is_none_is_noticed() {
    let banned = json!({"opening_ban": true});
    check("siam", banned, &[(TURN_90, 0)], 4);
}
