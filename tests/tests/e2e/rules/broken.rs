//! Broken rules: found everywhere, and not blamed on players.

use tests::{Arena, Ran, assert_contains, good, run, verified};

use crate::{GREEDY, RANDOM, config_of};

/// The game of the rules that misbehave.
const HOSTILE_RULES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/fixtures/rules/hostile_rules.py"
);

fn rules_that(how: &str) -> String {
    format!("python3 '{HOSTILE_RULES}' {how}")
}

/// A tournament of the game `take` with this defect in the rules.
fn take(how: &str, more: &str, bots: &[(&str, &str)]) -> Arena {
    let rules = rules_that(how);
    let games = format!("concurrency = 1\ngames = [\"take\"]\nrules = [\"{rules}\"]\n{more}\n");
    Arena::new(&config_of(&games, bots))
}

#[track_caller]
fn exits(ran: &Ran, code: i32, parts: &[&str]) {
    assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    for part in parts {
        assert_contains(&said, part);
    }
}

#[test]
fn to_check_nothing_is_a_failure() {
    let check = |how: &str| run(["check", "--rules", &rules_that(how), "--games", "2"]);
    exits(&check("fine"), 0, &[" 0 failed"]);
    exits(
        &check("refuses-new"),
        3,
        &["FAIL  starts/take", "not today"],
    );
    exits(
        &check("twice-at-start"),
        3,
        &["FAIL  starts/take", "lists the move `take1` twice"],
    );
    exits(&check("no-games"), 3, &["nothing was checked"]);
}

#[test]
fn rules_that_fail_while_a_configuration_is_read_are_not_its_fault() {
    let arena = take("protocol-99", "", &[RANDOM, GREEDY]);
    let config = arena.path("t.toml").display().to_string();
    let all = ["the rules program `python3 ", "version 99"];
    exits(&arena.play(), 4, &all);
    exits(&run(["config", "check", &config]), 4, &all);
    exits(&run(["tournament", &config, "--dry-run"]), 4, &all);
    // So are those that fail in an opening of the book.
    let arena = take("twice", "opening = { book = \"book\" }", &[RANDOM, GREEDY]);
    arena.write("book", "take: take1 take1 take1\n");
    exits(
        &arena.play(),
        4,
        &["the book `", "line 1: ", "lists the move `take1` twice"],
    );
    // An error in the book itself is an error of the configuration.
    let arena = take("fine", "opening = { book = \"book\" }", &[RANDOM, GREEDY]);
    arena.write("book", "take: take9\n");
    exits(&arena.play(), 2, &["line 1: "]);
}

#[test]
fn states_that_do_not_come_back_stop_a_tournament_and_are_found_in_its_log() {
    for (how, part) in [
        ("state-99", "`ply` is 99 there, and was "),
        ("forgets", "`ply` is 0 there, and was "),
    ] {
        let arena = take(how, "", &[RANDOM, GREEDY]);
        let parts = [
            "the rules program `python3 ",
            "a state that does not come back",
            part,
            "the request was {\"op\":\"new\",\"game\":\"take\"",
        ];
        exits(&arena.play(), 4, &parts);
        assert!(!arena.path("out/games.jsonl").exists() || arena.matches().is_empty());
        let arena = take("fine", "", &[RANDOM, GREEDY]);
        exits(&arena.play(), 0, &[]);
        verified(arena.path("out"));
        let out = arena.path("out").display().to_string();
        let ran = run(["replay", &out, "--verify", "--rules", &rules_that(how)]);
        exits(&ran, 3, &["MISMATCH", "a state that does not come back"]);
    }
}

/// The bot queries a process of its own, which hangs long before the referee's would.
#[test]
fn rules_that_hang_for_a_bot_are_not_its_fault() {
    let mcts = ("mcts", r#"["referee", "bot", "mcts"]"#);
    let arena = take("hangs", "rules_timeout = \"3s\"", &[RANDOM, mcts]);
    let config = arena.read("t.toml");
    let config = config.replace("per_move = \"20s\"", "per_move = \"1s\"");
    arena.write("t.toml", &config);
    let parts = [
        "the rules program `python3 ",
        "did not answer within 3000 ms",
        "the request was {\"id\":",
    ];
    exits(&arena.play(), 4, &parts);
    assert!(arena.matches().is_empty(), "no match has a result");
    // A bot that is late on its own loses.
    let late = (
        "late",
        r#"["sh", "-c", "read a; echo '{\"type\":\"hello\",\"protocol\":1,\"name\":\"x\"}'; read b; echo '{\"type\":\"ready\"}'; sleep 60"]"#,
    );
    let arena = take("fine", "", &[RANDOM, late]);
    let config = arena.read("t.toml");
    arena.write(
        "t.toml",
        &config.replace("per_move = \"20s\"", "per_move = \"1s\""),
    );
    exits(&arena.play(), 0, &[]);
    for record in arena.matches() {
        assert_eq!(record["result"]["faults"][0]["code"], "timeout", "{record}");
    }
}

/// Kuhn poker whose `sample` draws finished states. If the search of `mcts` and `greedy` has no
/// basis, they report it: in the tournament, in standings, and on their pages.
#[test]
fn bots_that_cannot_search_because_of_a_wrong_sample_say_so() {
    let program = format!(
        "import sys\nsys.path.insert(0, '{}')\nfrom kuhn_poker import KuhnPoker, run\n\
         class Wrong(KuhnPoker):\n    id = 'wrong'\n    def sample(self, observation, seat, rng):\n        \
         state = super().sample(observation, seat, rng)\n        \
         return {{**state, 'bets': ['check', 'check']}}\nrun(Wrong)\n",
        tests::root().join("games/examples").display()
    );
    let mcts = ("mcts", r#"["referee", "bot", "mcts", "--playouts", "20"]"#);
    let games = "concurrency = 1\ngames = [\"wrong\"]\nrules = [\"python3 wrong.py\"]\nrules_timeout = \"60s\"\n";
    let arena = Arena::new(&config_of(games, &[RANDOM, GREEDY, mcts]));
    arena.write("wrong.py", &program);
    let ran = good(arena.play());
    let out = arena.path("out").display().to_string();
    let standings = run(["standings", &out]).stdout.replace('\n', " ");
    for bot in ["greedy", "mcts"] {
        let warning = format!("`{bot}` says in match m-");
        assert_eq!(ran.stderr.matches(&warning).count(), 1, "{}", ran.stderr);
        let because = "`sample` of the rules is wrong";
        assert_contains(&ran.stderr, because);
        assert_contains(&standings, &format!("Warning: `{bot}` says of "));
        let page = run(["report", &out, "--bot", bot]).stdout;
        assert!(
            page.contains("Warning: ") && page.contains("`sample`"),
            "{page}"
        );
    }
    assert!(!standings.contains("Warning: `random`"), "{standings}");
    assert!(
        !run(["report", &out, "--bot", "random"])
            .stdout
            .contains("Warning: ")
    );
    let check = run([
        "check",
        "--rules",
        &format!("python3 '{}'", arena.path("wrong.py").display()),
    ]);
    exits(&check, 3, &["hidden/wrong"]);
}
