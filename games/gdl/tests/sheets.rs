//! The sheets through the interface of all games: states, undo, perft, playouts, chance, percepts.

#![allow(clippy::unwrap_used, reason = "these are tests")]

use std::sync::Arc;

use games::perft::PerftRequest;
use games::playout::{PlayoutBudget, PlayoutRequest};
use games::session::{as_strs, random_step};
use games::{Rng, Rules, Session, ToMove};
use gdl::{Names, SheetGame};
use serde_json::{Value, json};

const SHEETS: [(&str, &str); 14] = [
    ("amazons-6x6", include_str!("../../sheets/amazons-6x6.kif")),
    (
        "breakthrough-6x6",
        include_str!("../../sheets/breakthrough-6x6.kif"),
    ),
    (
        "breakthrough-8x8",
        include_str!("../../sheets/breakthrough-8x8.kif"),
    ),
    (
        "chinese-checkers-3",
        include_str!("../../sheets/chinese-checkers-3.kif"),
    ),
    (
        "connect-four",
        include_str!("../../sheets/connect-four.kif"),
    ),
    ("hex-5x5", include_str!("../../sheets/hex-5x5.kif")),
    ("kuhn-poker", include_str!("../../sheets/kuhn-poker.kif")),
    ("lights-out", include_str!("../../sheets/lights-out.kif")),
    ("monty-hall", include_str!("../../sheets/monty-hall.kif")),
    ("nim", include_str!("../../sheets/nim.kif")),
    ("othello", include_str!("../../sheets/othello.kif")),
    ("pig", include_str!("../../sheets/pig.kif")),
    (
        "rock-paper-scissors",
        include_str!("../../sheets/rock-paper-scissors.kif"),
    ),
    ("tic-tac-toe", include_str!("../../sheets/tic-tac-toe.kif")),
];

fn rules(id: &str) -> Arc<dyn Rules> {
    let (_, text) = SHEETS.iter().find(|(name, _)| *name == id).unwrap();
    SheetGame::new(&Names { id, own_id: id }, text)
        .unwrap()
        .rules
}

/// All that can be said of a position.
fn described(session: &mut dyn Session) -> String {
    let mut legal = String::new();
    session.write_legal(&mut legal).unwrap();
    let observations: Vec<Value> = (0..session.seats())
        .map(|seat| session.observation(seat).unwrap())
        .collect();
    format!(
        "{} {legal} {} {:?} {:?} {observations:?} {} {:?}",
        session.ply(),
        session.to_move(),
        session.end(),
        session.tally(),
        session.identity().unwrap(),
        session.view().unwrap(),
    )
}

#[test]
fn states_undo_and_children_agree() {
    for (id, _) in SHEETS {
        let rules = rules(id);
        let mut rng = Rng::new(5);
        let mut session = rules.start(0).unwrap();
        let mut all = vec![described(&mut *session)];
        while let Some(step) = random_step(&mut *session, &mut rng).unwrap() {
            let mut again = rules.load(&session.state().unwrap()).unwrap();
            assert_eq!(described(&mut *again), all[all.len() - 1], "{id}");
            let mut fork = session.fork();
            fork.play_step(&as_strs(&step)).unwrap();
            let mut child = None;
            if id != "amazons-6x6" {
                session
                    .each_child(&mut |choices, after| {
                        if choices == as_strs(&step) {
                            child = Some(described(after));
                        }
                    })
                    .unwrap();
            }
            session.play_step(&as_strs(&step)).unwrap();
            all.push(described(&mut *session));
            assert_eq!(described(&mut *fork), all[all.len() - 1], "{id}");
            assert!(
                child.is_none_or(|child| child == all[all.len() - 1]),
                "{id}"
            );
        }
        assert!(
            session.end().is_some() && session.play("noop").is_err(),
            "{id}"
        );
        assert_eq!(session.reason().as_deref(), Some("terminal"));
        while all.len() > 1 {
            assert_eq!(described(&mut *session), all.pop().unwrap(), "{id}");
            session.undo(1).unwrap();
        }
        assert_eq!(described(&mut *session), all[0], "{id}");
        assert!(session.undo(1).is_err());
    }
}

/// Steps made one by one, for comparison.
fn paths(session: &dyn Session, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut nodes = 0;
    session
        .each_child(&mut |_, child| nodes += paths(child, depth - 1))
        .unwrap();
    nodes
}

#[test]
fn perft_counts_paths() {
    for (id, depth) in [
        ("tic-tac-toe", 4),
        ("connect-four", 3),
        ("nim", 4),
        ("rock-paper-scissors", 3),
        ("kuhn-poker", 3),
        ("pig", 4),
        ("hex-5x5", 2),
        ("breakthrough-6x6", 2),
        ("chinese-checkers-3", 2),
        ("othello", 3),
        ("lights-out", 3),
    ] {
        let session = rules(id).start(0).unwrap();
        assert_eq!(
            session.perft_nodes(depth).unwrap(),
            paths(&*session, depth),
            "{id}"
        );
        let nodes = session.perft_nodes(depth).unwrap();
        let divide = PerftRequest {
            divide: true,
            ..PerftRequest::new(depth)
        };
        let divided = session.perft(&divide).unwrap().unwrap();
        let sum: u64 = divided.moves.iter().map(|(_, nodes)| nodes).sum();
        assert_eq!((sum, divided.nodes), (nodes, nodes), "{id}");
        let limited = PerftRequest {
            max_positions: 1,
            ..PerftRequest::new(depth)
        };
        assert_eq!(session.perft(&limited).unwrap(), None, "{id}");
    }
}

/// Numbers that everybody knows.
#[test]
fn perft_of_known_games() {
    let perft = |id: &str, depth| rules(id).start(0).unwrap().perft_nodes(depth).unwrap();
    // Games of tic-tac-toe that are not over after 1, 2, … plies.
    assert_eq!(
        [1, 2, 3, 4, 5].map(|depth| perft("tic-tac-toe", depth)),
        [9, 72, 504, 3024, 15120]
    );
    // The ninth move is the only one, and makes no ply.
    assert_eq!(perft("tic-tac-toe", 8), 200_448);
    assert_eq!(perft("tic-tac-toe", 9), 0);
    assert_eq!(
        [1, 2, 3, 4].map(|depth| perft("connect-four", depth)),
        [7, 49, 343, 2401]
    );
    assert_eq!(perft("connect-four", 7), 823_536);
    // A sixth ply would be behind forced moves in some games.
    assert_eq!(
        [1, 2, 3, 4, 5].map(|depth| perft("othello", depth)),
        [4, 12, 56, 244, 1396]
    );
    assert_eq!(
        [1, 2, 3].map(|depth| perft("breakthrough-8x8", depth)),
        [22, 484, 11_132]
    );
}

/// A state of the built-in game as facts of the sheet.
fn as_facts(state: &Value) -> Value {
    let cell = |name: &Value, piece: &str| {
        let name = name.as_str().unwrap();
        json!(format!("(cell {} {} {piece})", &name[..1], &name[1..]))
    };
    let list = |value: &Value| value.as_array().unwrap().clone();
    let mut facts = Vec::new();
    for (seat, piece) in ["white", "black"].iter().enumerate() {
        facts.extend(
            list(&state["amazons"][seat])
                .iter()
                .map(|name| cell(name, piece)),
        );
    }
    facts.extend(
        list(&state["arrows"])
            .iter()
            .map(|name| cell(name, "arrow")),
    );
    let turn = ["white", "black"][state["to_move"].as_u64().unwrap() as usize];
    facts.push(json!(format!("(control {turn})")));
    json!({"ply": state["ply"], "facts": facts})
}

/// A move of the sheet as the built-in game writes it.
fn as_built_in(mv: &str) -> String {
    let words: Vec<&str> = mv.trim_matches(['(', ')']).split(' ').collect();
    let [_, a, b, c, d, e, f] = words[..] else {
        panic!("{mv}");
    };
    format!("{a}{b}-{c}{d}/{e}{f}")
}

#[test]
fn amazons_counts_as_the_game_that_is_built_in() {
    let built_in = games::find("amazons")
        .unwrap()
        .configure(&json!({"size": 6}))
        .unwrap();
    let sheet = rules("amazons-6x6");
    let (start, same) = (sheet.start(0).unwrap(), built_in.start(0).unwrap());
    assert_eq!(start.perft_nodes(1).unwrap(), same.perft_nodes(1).unwrap());
    assert_eq!(start.perft_nodes(2).unwrap(), same.perft_nodes(2).unwrap());
    let mut positions = 0;
    for seed in 0..5 {
        let mut rng = Rng::new(seed);
        let mut there = built_in.start(0).unwrap();
        while there.end().is_none() {
            let mut legal = there.legal().unwrap();
            let step = vec![legal[rng.index(legal.len())].clone()];
            // A single move is made by itself in a sheet.
            if legal.len() > 1 {
                let state = as_facts(&there.state().unwrap());
                let mut here = sheet.load(&state).unwrap();
                let mut listed: Vec<String> = here
                    .legal()
                    .unwrap()
                    .iter()
                    .map(|mv| as_built_in(mv))
                    .collect();
                listed.sort();
                legal.sort();
                assert_eq!(listed, legal, "{state}");
                positions += 1;
            }
            let seat = there.to_move().alone().unwrap();
            there.play_step(&as_strs(&step)).unwrap();
            if let Some(end) = there.end() {
                assert_eq!(end.tally.scores[seat], 1, "who cannot move loses");
            }
        }
    }
    assert!(positions > 80, "{positions}");
}

#[test]
fn playouts_go_to_the_end_and_repeat() {
    for (id, _) in SHEETS {
        let session = rules(id).start(0).unwrap();
        let request = PlayoutRequest::new(40, 7);
        let means = session.playout_means(&request).unwrap();
        assert_eq!(means, session.playout_means(&request).unwrap(), "{id}");
        assert!(
            means.plies >= 2.0 && means.outcome.len() == session.seats(),
            "{id}: {means:?}"
        );
        let request = PlayoutRequest {
            max_plies: Some(2),
            ..PlayoutRequest::new(10, 7)
        };
        let short = session.playout_means(&request).unwrap();
        assert!(short.plies <= 5.0, "{id}: {short:?}");
        let request = PlayoutRequest::new(1000, 7);
        let limited = session.playouts(&request, PlayoutBudget::Plies(20));
        assert_eq!(limited.unwrap(), None, "{id}");
        if session.to_move().count() == 1 && id != "amazons-6x6" {
            let request = PlayoutRequest {
                by_move: true,
                ..PlayoutRequest::new(2, 1)
            };
            let by_move = session.playouts(&request, PlayoutBudget::While(&mut |_| true));
            let by_move = by_move.unwrap().unwrap();
            assert_eq!(by_move.count, 2, "{id}");
            assert_eq!(
                by_move.moves.len(),
                session.fork().legal().unwrap().len(),
                "{id}"
            );
        }
    }
}

#[test]
fn moves_are_read_in_any_case_and_spelling() {
    let mut session = rules("tic-tac-toe").start(0).unwrap();
    assert_eq!(session.to_move(), ToMove::seat(0));
    assert_eq!(
        session.legal().unwrap().len(),
        9,
        "the other seat's noop is no choice"
    );
    session.play(" ( MARK 1\t2 ) ").unwrap();
    assert_eq!((session.ply(), session.to_move()), (1, ToMove::seat(1)));
    for text in [
        "(mark 1 2)",
        "(mark 1)",
        "noop",
        "",
        "(mark 1 3) x",
        "((mark 1 3))",
        "(mark ?x 1)",
    ] {
        let error = session.play(text).unwrap_err().to_string();
        assert!(error.contains("oplayer"), "{text}: {error}");
        assert!(session.check_move(1, text).is_err(), "{text}");
    }
    session.check_move(1, "(Mark 2 2)").unwrap();
    assert!(session.check_move(0, "(mark 2 2)").is_err());
    assert_eq!(session.state().unwrap()["ply"], 1);
    let facts = &session.state().unwrap()["facts"];
    assert_eq!(facts[1], "(cell 1 2 x)");
}

#[test]
fn broken_states_are_refused() {
    let rules = rules("tic-tac-toe");
    for state in [
        json!(null),
        json!({}),
        json!({"ply": 1}),
        json!({"ply": -1, "facts": []}),
        json!({"ply": 1, "facts": ["(cell 9 9 x)"]}),
        json!({"ply": 1, "facts": ["(cell"]}),
        json!({"ply": 1, "facts": [7]}),
        json!({"ply": 1, "facts": [], "seen": []}),
    ] {
        assert!(rules.load(&state).is_err(), "{state}");
    }
    // Without control nobody can move.
    let stuck = rules.load(&json!({"ply": 1, "facts": ["(cell 1 1 b)"]}));
    let stuck = stuck.map(|_| ()).unwrap_err().to_string();
    assert!(stuck.contains("`xplayer` has no legal move"), "{stuck}");
}

#[test]
fn several_act_at_once_and_chance_takes_part() {
    let mut both = rules("rock-paper-scissors").start(0).unwrap();
    assert_eq!(both.to_move(), ToMove::together([0, 1], false));
    both.play_step(&["rock", "paper"]).unwrap();
    assert_eq!(both.ply(), 2);
    let facts = both.state().unwrap()["facts"].to_string();
    assert!(facts.contains("(won right 1)"), "{facts}");

    let mut pig = rules("pig").start(0).unwrap();
    assert_eq!(pig.legal().unwrap(), ["hold", "roll"]);
    pig.play("roll").unwrap();
    assert_eq!(pig.to_move(), ToMove::CHANCE);
    assert_eq!(pig.chances()[3], ("(die 4)".to_owned(), 1.0 / 6.0));
    pig.play("(die 1)").unwrap();
    assert_eq!(pig.to_move(), ToMove::seat(1));

    let monty = rules("monty-hall").start(0).unwrap();
    assert_eq!(monty.to_move(), ToMove::together([0], true));
}

#[test]
fn a_puzzle_is_worth_its_goal() {
    let mut session = rules("lights-out").start(0).unwrap();
    for mv in ["(press 1 1)", "(press 3 3)", "(press 1 3)"] {
        session.play(mv).unwrap();
        session.undo(1).unwrap();
        session.play(mv).unwrap();
    }
    while session.end().is_none() {
        session.play("(press 2 2)").unwrap();
    }
    let end = session.end().unwrap();
    assert_eq!((end.tally.scores[0], end.tally.outcome[0]), (0, 0.0));
}

#[test]
fn seats_know_what_they_see() {
    let rules = rules("kuhn-poker");
    assert!(rules.info().hidden);
    let play = |deal: &str, moves: &[&str]| {
        let mut session = rules.start(0).unwrap();
        session.play(deal).unwrap();
        moves.iter().for_each(|mv| session.play(mv).unwrap());
        session
    };
    let one = play("(deal king queen)", &["pass"]);
    let other = play("(deal jack queen)", &["pass"]);
    assert_eq!(one.observation(1).unwrap(), other.observation(1).unwrap());
    assert_ne!(one.observation(0).unwrap(), other.observation(0).unwrap());
    assert_eq!(one.sees()[1], [json!("(moved first pass)")]);
    assert_eq!(
        play("(deal king queen)", &[]).sees()[0],
        [json!("(dealt king)")]
    );

    let observation = one.observation(1).unwrap();
    let states = rules.sample(&observation, 1, 3, 200).unwrap();
    assert_eq!(states.len(), 200);
    let mut kings = 0;
    for state in &states {
        let session = rules.load(state).unwrap();
        assert_eq!(session.observation(1).unwrap(), observation);
        assert_eq!(session.to_move(), ToMove::seat(1));
        kings += u32::from(state["facts"].to_string().contains("(holds first king)"));
    }
    assert!((60..140).contains(&kings), "{kings} of 200");
    assert!(
        rules
            .sample(&json!({"steps": [["fold"]]}), 1, 3, 1)
            .is_err()
    );
}

/// A coin is flipped, and nobody sees it. Tails ends the game at once.
const COIN: &str = "
    (role caller) (role random) (init flipping)
    (<= (legal random heads) (true flipping)) (<= (legal random tails) (true flipping))
    (<= (legal random noop) (not (true flipping)))
    (<= (legal caller noop) (true flipping))
    (<= (legal caller left) (true heads)) (<= (legal caller right) (true heads))
    (<= (legal caller noop) (not (true flipping)) (not (true heads)))
    (<= (next heads) (does random heads)) (<= (next tails) (does random tails))
    (<= (next done) (does caller left)) (<= (next done) (does caller right))
    (<= terminal (true tails)) (<= terminal (true done))
    (<= (sees caller moved) (does caller left))
    (<= (goal caller 0) (true tails)) (<= (goal caller 100) (true done))";

/// A seat with a turn knows that the game goes on.
#[test]
fn no_world_is_over_for_a_seat_that_is_asked_to_move() {
    let names = Names {
        id: "coin",
        own_id: "coin",
    };
    let rules = SheetGame::new(&names, COIN).unwrap().rules;
    let mut asked = rules.start(0).unwrap();
    asked.play("heads").unwrap();
    assert_eq!(asked.to_move(), ToMove::seat(0));
    let observation = asked.observation(0).unwrap();
    let states = rules.sample(&observation, 0, 1, 100).unwrap();
    assert_eq!(states.len(), 100);
    for state in states {
        let session = rules.load(&state).unwrap();
        assert!(session.end().is_none(), "{state}");
        assert_eq!(session.to_move(), ToMove::seat(0));
    }
    // At the end there is nothing else to draw.
    asked.play("left").unwrap();
    let states = rules
        .sample(&asked.observation(0).unwrap(), 0, 1, 9)
        .unwrap();
    let over = |state: &Value| rules.load(state).unwrap().end().is_some();
    assert!(states.len() == 9 && states.iter().all(over));
}

/// The host avoids the car, which makes switching better: filtering knows how likely states are.
#[test]
fn samples_are_weighted() {
    let rules = rules("monty-hall");
    let mut session = rules.start(0).unwrap();
    session.play_step(&["(choose 1)", "(hide 2)"]).unwrap();
    let states = rules
        .sample(&session.observation(0).unwrap(), 0, 5, 600)
        .unwrap();
    let right = states
        .iter()
        .filter(|state| state["facts"].to_string().contains("(car 1)"))
        .count();
    assert!(
        (150..250).contains(&right),
        "{right} of 600 are behind the chosen door"
    );
}

#[test]
fn sheets_that_break_off_are_to_blame_themselves() {
    let sheet = |text: &str| {
        let names = Names {
            id: "bad",
            own_id: "bad",
        };
        SheetGame::new(&names, text).unwrap().rules
    };
    let stuck = sheet(
        "(role a) (init s) (<= (legal a (go ?x)) (true s) (d ?x)) (d 1) (d 2)
         (<= (next t) (does a (go 1))) (<= (next s) (does a (go 2))) (<= terminal (true u)) (goal a 0)",
    );
    let mut session = stuck.start(0).unwrap();
    let error = session.play("(go 1)").unwrap_err().to_string();
    assert!(
        error.contains("`bad.kif`") && error.contains("no legal move"),
        "{error}"
    );
    assert_eq!(session.ply(), 0, "the position is as it was");
    session.play("(go 2)").unwrap();
    assert!(session.playout_means(&PlayoutRequest::new(5, 1)).is_err());

    let endless = sheet(
        "(role a) (legal a go) (init s) (<= (next s) (true s)) (<= terminal (true t)) (goal a 0)",
    );
    let error = endless.start(0).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("nobody a choice"), "{error}");

    let no_goal = sheet(
        "(role a) (legal a x) (legal a y) (<= (next s) (does a x)) (<= terminal (true s)) (<= (goal a 5) (true t))",
    );
    let error = no_goal.start(0).unwrap().play("x").unwrap_err().to_string();
    assert!(error.contains("no goal at the end"), "{error}");
}

#[test]
fn samples_cannot_be_told_from_the_real_position() {
    for id in ["kuhn-poker", "monty-hall"] {
        let rules = rules(id);
        for seed in 0..10 {
            let mut rng = Rng::new(seed);
            let mut session = rules.start(0).unwrap();
            loop {
                for seat in 0..session.seats() {
                    let observation = session.observation(seat).unwrap();
                    let states = rules.sample(&observation, seat, seed, 6).unwrap();
                    assert_eq!(states.len(), 6, "{id}");
                    for state in states {
                        let mut other = rules.load(&state).unwrap();
                        assert_eq!(
                            other.observation(seat).unwrap(),
                            observation,
                            "{id}: {state}"
                        );
                        assert_eq!(moves_of(&mut *other, seat), moves_of(&mut *session, seat));
                    }
                }
                let Some(step) = random_step(&mut *session, &mut rng).unwrap() else {
                    break;
                };
                session.play_step(&as_strs(&step)).unwrap();
            }
        }
    }
}

fn moves_of(session: &mut dyn Session, seat: usize) -> Vec<String> {
    let mut moves = Vec::new();
    session
        .each_legal(seat, &mut |mv| moves.push(mv.to_owned()))
        .unwrap();
    moves
}
