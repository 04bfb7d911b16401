//! Whole tournaments with worker processes.

use nix::sys::signal::Signal;
use tests::cluster::workers::{Field, config, undisturbed};
use tests::traces::supervisors;
use tests::{assert_contains, good, referee, run, wait_until};

/// A few short matches.
const SHORT: &str = "rounds = 4\ngames = [{ id = \"amazons\", options = { size = 5 } }]\n\
                     opening = { random_plies = 2 }\n";

#[track_caller]
fn is_complete(field: &Field, config: &str) {
    let (_, expected) = undisturbed(config);
    assert!(field.matches() == expected, "another log");
    assert_eq!(field.left(), Vec::<String>::new());
}

#[test]
fn two_workers_play_what_one_machine_would() {
    let config = config(SHORT);
    let mut field = Field::new(&config);
    field.worker("one", &["--slots", "2"]);
    field.worker("two", &["--slots", "1"]);
    field.play(&[]);
    is_complete(&field, &config);
    good(run([
        "replay",
        &field.arena.path("out").display().to_string(),
        "--verify",
    ]));
    // The bots of a tournament that is over end, though the worker stays.
    wait_until("the end of all bots", || {
        ["one", "two"]
            .iter()
            .all(|name| supervisors(field.pid(name)).is_empty())
    });
    // A worker that is not needed any more ends on request.
    field.signal("one", Signal::SIGINT);
    assert_eq!(field.ended("one"), Some(0), "{}", field.stderr("one"));
    // What is over is over.
    field.play(&["--resume"]);
    assert_eq!(field.left(), Vec::<String>::new());
}

#[test]
fn later_matches_depend_on_results_of_workers() {
    let amazons = "games = [{ id = \"amazons\", options = { size = 5 } }]\n\
                   opening = { random_plies = 2 }\n";
    let swiss = config(&format!("format = \"swiss\"\nrounds = 4\n{amazons}"));
    let knockout = config(&format!("format = \"knockout\"\n{amazons}"));
    for config in [swiss, knockout] {
        let mut field = Field::new(&config);
        field.worker("one", &["--slots", "2"]);
        field.play(&[]);
        is_complete(&field, &config);
    }
}

#[test]
fn a_test_that_is_decided_leaves_nothing_in_the_queue() {
    let config = config(
        "format = \"sprt\"\ngames = [{ id = \"amazons\", options = { size = 5 } }]\n\
         opening = { random_plies = 3 }\n",
    );
    // A test is of two bots.
    let two = config.rsplit_once("[[bots]]").unwrap().0;
    let config = two.to_owned();
    let mut field = Field::new(&config);
    field.worker("one", &["--slots", "2"]);
    field.play(&[]);
    assert!(field.done() > 10);
    assert_eq!(field.left(), Vec::<String>::new());
}

#[test]
fn an_interrupted_coordinator_goes_on_and_an_extended_one_too() {
    let config = config(&SHORT.replace("rounds = 4", "rounds = 40"));
    let mut field = Field::new(&config);
    field.worker("one", &["--slots", "1"]);
    let mut coordinator = field.coordinator(&[]).spawn().unwrap();
    wait_until("some matches", || field.done() > 5);
    let pid = nix::unistd::Pid::from_raw(coordinator.id() as i32);
    nix::sys::signal::kill(pid, Signal::SIGINT).unwrap();
    let code = coordinator.wait().unwrap().code();
    // It may have been over by then.
    assert!(
        [Some(130), Some(0)].contains(&code),
        "{}",
        field.stderr("coordinator")
    );
    field.play(&["--resume"]);
    is_complete(&field, &config);
    let more = config.replace("rounds = 40", "rounds = 42");
    field.arena.write("t.toml", &more);
    field.play(&["--extend"]);
    assert_eq!(field.done(), 42 * 6);
    assert_eq!(field.left(), Vec::<String>::new());
}

#[test]
fn a_worker_gives_back_what_it_does_not_finish() {
    // A bot that never moves in time, but for the worker whose environment says that it does.
    let config = config(SHORT);
    let slow = r#"command = ["sh", "-c", "[ -z \"$SLOW\" ] || [ ! -e began ] || exec sleep 1000; touch began; exec referee bot random"]"#;
    let config = config.replacen("command = [\"referee\", \"bot\", \"random\"]", slow, 1);
    let mut field = Field::new(&config);
    let path = format!(
        "{}:{}",
        referee().parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let mut command = field.command("slow", referee());
    command.args([
        "worker",
        &field.nats.address(),
        "--name",
        "slow",
        "--trust",
        "--slots",
        "1",
    ]);
    let slow = command.env("SLOW", "1").env("PATH", &path).spawn().unwrap();
    field.adopt("slow", slow);
    let mut coordinator = field.coordinator(&[]).env("PATH", &path).spawn().unwrap();
    wait_until("the slow worker", || field.arena.path("began").exists());
    field.signal("slow", Signal::SIGINT);
    wait_until("what it says", || {
        field.stderr("slow").contains("finishes its matches")
    });
    field.signal("slow", Signal::SIGINT);
    assert_eq!(field.ended("slow"), Some(0), "{}", field.stderr("slow"));
    assert!(field.stderr("slow").contains("gives its matches back"));
    let mut command = field.command("quick", referee());
    command.args([
        "worker",
        &field.nats.address(),
        "--name",
        "quick",
        "--trust",
    ]);
    let quick = command.env("PATH", &path).spawn().unwrap();
    field.adopt("quick", quick);
    field.ends_well(&mut coordinator);
    assert_eq!(field.done(), 24);
}

#[test]
fn a_match_that_takes_a_while_is_announced_while_it_goes_on() {
    // A bot that waits at the start of each match, but not when it is tried.
    let waits = r#"while IFS= read -r line; do
case $line in *'"match":"m-'*) until [ -e go ]; do sleep 0.05; done;; esac
printf '%s\n' "$line"; done | referee bot random"#;
    let mut field = Field::new(&format!(
        "name = \"evening\"\n{SHORT}[time]\nper_move = \"60s\"\nstartup = \"60s\"\n\
         [[bots]]\nname = \"waits\"\ncommand = [\"sh\", \"-c\", '''{waits}''']\n\
         [[bots]]\nname = \"greedy\"\ncommand = [\"referee\", \"bot\", \"greedy\"]\n"
    ));
    let mut command = field.command("worker", referee());
    command.args(["worker", &field.nats.address(), "--name", "worker"]);
    let worker = command.arg("--trust").env("PATH", path()).spawn();
    field.adopt("worker", worker.unwrap());
    let mut command = field.command("coordinator", referee());
    command.args(field.arena.tournament()).arg("--verbose");
    command.args(["--nats", &field.nats.address()]);
    let coordinator = command.env("PATH", path()).spawn().unwrap();
    // Ends with the field if the test fails.
    field.adopt("coordinator", coordinator);
    wait_until("the beginning of a match", || {
        field.stderr("coordinator").contains("begins")
    });
    assert_eq!(field.done(), 0);
    field.arena.write("go", "");
    assert_eq!(field.ended("coordinator"), Some(0), "{}", field.said());
}

/// The program's folder comes first, so that bots find `referee`.
fn path() -> String {
    let folder = referee().parent().unwrap().display();
    format!("{folder}:{}", std::env::var("PATH").unwrap())
}

#[test]
fn a_machine_without_a_bot_plays_no_matches_with_it() {
    let bot = r#"command = ["sh", "-c", "[ -z \"$LACKING\" ] || { echo no engine here >&2; exit 1; }; exec referee bot random"]"#;
    let config = config(SHORT).replacen("command = [\"referee\", \"bot\", \"random\"]", bot, 1);
    let mut field = Field::new(&config);
    let mut start = |name: &str, lacking: &str| {
        let mut command = field.command(name, referee());
        command.args(["worker", &field.nats.address(), "--name", name, "--trust"]);
        let child = command.env("LACKING", lacking).env("PATH", path()).spawn();
        field.adopt(name, child.unwrap());
    };
    start("bare", "1");
    start("whole", "");
    let mut coordinator = field.coordinator(&[]).env("PATH", path()).spawn().unwrap();
    field.ends_well(&mut coordinator);
    let said = field.stderr("coordinator");
    assert_eq!(field.done(), 24);
    // A machine's fault is never a bot's.
    let log = field.arena.read("out/games.jsonl");
    assert!(!log.contains("\"faults\":[{"), "{log}");
    let refused = "cannot play with `random`: did not pass the check `handshake`";
    // It may not have got any of these matches, or have said so when all were over.
    if said.contains("cannot play") {
        assert_contains(&said, "the worker `bare` cannot play with `random`");
        wait_until("its own word", || {
            let bare = field.stderr("bare");
            bare.contains(refused) && bare.contains("no engine here")
        });
    }
}

#[test]
fn a_worker_that_lacks_something_says_so() {
    let config = config(SHORT).replacen(
        "\"bot\", \"greedy\"]",
        "\"bot\", \"greedy\"]\nenv = { X = \"${ENGINE}\" }",
        1,
    );
    let mut field = Field::new(&config);
    field.worker("bare", &[]);
    let mut coordinator = field.coordinator(&[]).env("ENGINE", "e").spawn().unwrap();
    wait_until("a word of the worker", || {
        field
            .stderr("coordinator")
            .contains("the worker `bare` plays no matches: ")
    });
    wait_until("its own word", || {
        let said = field.stderr("bare");
        said.contains("there is no environment variable")
    });
    let mut command = field.command("whole", referee());
    command.args([
        "worker",
        &field.nats.address(),
        "--name",
        "whole",
        "--trust",
    ]);
    let child = command.env("ENGINE", "e").spawn();
    field.adopt("whole", child.unwrap());
    field.ends_well(&mut coordinator);
    assert_eq!(field.done(), 24);
}

#[test]
fn workers_have_bots_in_the_strict_sandbox() {
    if !tests::needs::has(tests::needs::Need::Root) {
        return;
    }
    let config = config(SHORT);
    let mut field = Field::new(&config);
    let mut command = field.command("one", referee());
    command.args(["worker", &field.nats.address(), "--name", "one"]);
    let child = command.spawn();
    field.adopt("one", child.unwrap());
    field.play(&[]);
    for record in field.matches().values() {
        for player in record["players"].as_array().unwrap() {
            assert_eq!(player["confined"]["sandbox"], "strict", "{player}");
        }
    }
}

#[test]
fn rules_and_books_are_sent_along() {
    let config = config(
        "rounds = 2\nrules = [\"nim.kif\"]\ngames = [\"nim\"]\n[opening]\nbook = \"book.txt\"\n",
    );
    let mut field = Field::new(&config);
    let sheet = std::fs::read_to_string(tests::root().join("games/sheets/nim.kif")).unwrap();
    field.arena.write("nim.kif", &sheet);
    let book = "{\"game\": \"nim\", \"moves\": [\"(take a 1)\"]}\n";
    field.arena.write("book.txt", book);
    // A machine with another folder, in which there is nothing.
    let elsewhere = tempfile::tempdir().unwrap();
    let dir = elsewhere.path().display().to_string();
    field.worker("one", &["--dir", &dir]);
    field.play(&[]);
    assert_eq!(field.done(), 12);
    for record in field.matches().values() {
        assert_eq!(record["moves"][0]["move"], "(take a 1)", "{record}");
    }
    assert_eq!(field.left(), Vec::<String>::new());
}
