//! Groups that a second worker repeats.

use std::process::Child;

use tests::cluster::workers::{Field, config, undisturbed};
use tests::{referee, wait_until};

/// A tournament of bots that always play alike; `random` plays like another bot where the
/// environment says so, which no rule forbids. It starts so slowly that the coordinator knows both
/// workers by then.
fn deterministic(share: &str) -> String {
    let head = format!(
        "rounds = 8\ngames = [{{ id = \"amazons\", options = {{ size = 5 }} }}]\n\
         opening = {{ random_plies = 2 }}\nworkers = {{ recheck = {share} }}\n"
    );
    let bot =
        "command = [\"sh\", \"-c\", \"sleep 1; exec \\\"$REFEREE\\\" bot ${INSTEAD:-random}\"]";
    let bot = bot.replace("${", "$${");
    let config = config(&head).replacen("command = [\"referee\", \"bot\", \"random\"]", &bot, 1);
    config.replace("[[bots]]", "[[bots]]\ndeterministic = true")
}

fn worker(field: &Field, name: &str, instead: &str) -> Child {
    let mut command = field.command(name, referee());
    command.args(["worker", &field.nats.address(), "--name", name, "--trust"]);
    command.args(["--slots", "1"]).env("INSTEAD", instead);
    command.spawn().unwrap()
}

/// Plays with two workers; returns the coordinator's output.
fn played(config: &str, instead: &str) -> (Field, String) {
    let mut field = Field::new(config);
    for (name, instead) in [("honest", ""), ("odd", instead)] {
        let child = worker(&field, name, instead);
        field.adopt(name, child);
    }
    wait_until("the workers", || {
        ["honest", "odd"]
            .iter()
            .all(|name| field.stderr(name).contains("waits for matches"))
    });
    field.play(&[]);
    assert_eq!(field.left(), Vec::<String>::new());
    let said = field.stderr("coordinator");
    (field, said)
}

#[test]
fn a_worker_that_plays_other_moves_is_found() {
    let (field, said) = played(&deterministic("1.0"), "greedy");
    assert_eq!(field.done(), 48);
    let difference = said.lines().find(|line| line.contains("and they differ"));
    let difference = difference.unwrap_or_else(|| panic!("no difference in {said}"));
    assert!(
        difference.contains("the worker `honest`") && difference.contains("the worker `odd`"),
        "{difference}"
    );
    assert!(difference.contains(" at ply ") && difference.contains("the first one counts"));
}

#[test]
fn workers_that_play_alike_do_not_differ() {
    let config = deterministic("1.0");
    let (field, said) = played(&config, "");
    assert!(!said.contains("differ"), "{said}");
    let (_, expected) = undisturbed(&config);
    assert!(field.matches() == expected, "another log");
}

#[test]
fn bots_that_may_vary_are_not_played_again() {
    let config = deterministic("1.0").replace("deterministic = true\n", "");
    let (_, said) = played(&config, "greedy");
    assert!(!said.contains("differ"), "{said}");
    let (_, said) = played(&deterministic("0.0"), "greedy");
    assert!(!said.contains("differ"), "{said}");
}
