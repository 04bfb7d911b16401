//! `referee new-rules`: its projects build, pass their own tests, answer alike and are played. Only
//! in languages that `tests/run` needs anyway; `bots/examples/test` installs and tests all.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tests::{Arena, Ran, assert_contains, good, json_lines, run};

use crate::bots::new_bot::shell;

fn new_rules(args: &[&str]) -> Ran {
    run([&["new-rules"], args].concat())
}

/// Requests and their answers: the code of an error, or fields.
fn requests() -> Vec<(Value, Value)> {
    let state = json!({"ply": 3, "to_move": 1, "left": 2, "turn": 1});
    let ended = json!({"ply": 4, "to_move": null, "left": 0, "turn": 0});
    vec![
        (json!({"op": "get"}), json!("no_game")),
        (
            json!({"op": "new", "game": "gyre", "options": {"heap": 4, "most": 2},
                   "want": ["legal", "state"]}),
            json!({"ply": 0, "to_move": 0, "result": null, "legal": ["take1", "take2"],
                   "state": {"ply": 0, "to_move": 0, "left": 4, "turn": 0}}),
        ),
        (
            json!({"op": "play", "moves": ["take1", "take3"]}),
            json!("illegal_move"),
        ),
        (
            json!({"op": "play", "moves": ["take1", "take2"], "want": ["legal"]}),
            json!({"ply": 2, "to_move": 0, "legal": ["take1"]}),
        ),
        (
            json!({"op": "new", "game": "gyre", "state": state, "want": ["state"]}),
            json!({"ply": 3, "to_move": 1, "state": state}),
        ),
        (
            json!({"op": "play", "moves": ["take2"], "want": ["legal", "state"]}),
            json!({"ply": 4, "to_move": null, "legal": [], "state": ended}),
        ),
        (
            json!({"op": "play", "moves": ["take1"]}),
            json!("game_over"),
        ),
        (
            json!({"op": "new", "game": "gyre", "options": {"heap": 0}}),
            json!("bad_option"),
        ),
        (
            json!({"op": "new", "game": "gyre", "options": {"haep": 9}}),
            json!("bad_option"),
        ),
        (
            json!({"op": "new", "game": "gyre", "state": {"ply": 3, "left": 2}}),
            json!("bad_state"),
        ),
        (json!({"op": "new", "game": "nim"}), json!("unknown_game")),
        (
            json!({"op": "get", "want": ["weather"]}),
            json!("bad_request"),
        ),
        (json!({"op": "fly", "fast": true}), json!("bad_request")),
        (json!({"op": "get", "want": []}), json!({"ply": 4})),
    ]
}

/// The answers of a project's program to these requests.
fn answers(command: &[&str], dir: &Path, requests: &[Value]) -> Vec<Value> {
    let program = match command[0].contains('/') {
        true => dir.join(command[0]),
        false => command[0].into(),
    };
    let mut child = Command::new(program)
        .args(&command[1..])
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines: String = requests.iter().map(|line| format!("{line}\n")).collect();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(lines.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    // It ends with its input.
    assert_eq!(output.status.code(), Some(0));
    let lines = String::from_utf8(output.stdout).unwrap();
    let read = |line: &str| serde_json::from_str(line).unwrap();
    lines.lines().map(read).collect()
}

/// The game's entry in the answer to `hello` is the same in all languages.
fn check_hello(hello: &Value) {
    assert_eq!(hello["protocol"], 1);
    let game = &hello["games"][0];
    assert_eq!(game["id"], "gyre");
    assert_eq!(game["roles"], json!(["first", "second"]));
    let heap = &game["options"]["heap"];
    assert_eq!(heap["type"], "int");
    assert_eq!((&heap["min"], &heap["max"]), (&json!(1), &json!(100)));
    let guide = game["guide"].as_str().unwrap();
    assert!(guide.starts_with("# Nim\n\n") && guide.ends_with("wins.\n"));
}

fn check_answers(command: &[&str], dir: &Path) {
    let expected = requests();
    let mut asked = vec![json!({"id": "first", "op": "hello", "protocol": 1})];
    for (id, (request, _)) in expected.iter().enumerate() {
        let mut request = request.clone();
        request["id"] = id.into();
        asked.push(request);
    }
    let answers = answers(command, dir, &asked);
    assert_eq!(answers.len(), asked.len());
    assert_eq!(answers[0]["id"], "first");
    check_hello(&answers[0]["ok"]);
    for (id, (answer, (request, expected))) in answers[1..].iter().zip(expected).enumerate() {
        assert_eq!(answer["id"], id);
        match expected.as_object() {
            Some(fields) => {
                for (name, value) in fields {
                    assert_eq!(answer["ok"][name], *value, "{request}: {answer}");
                }
            }
            None => assert_eq!(answer["error"]["code"], expected, "{request}: {answer}"),
        }
    }
}

/// Makes a project, builds and tests it by its own instructions, and queries its program.
fn works_as_told(language: &str) {
    let arena = Arena::new("");
    let dir = arena.path("gyre");
    let ran = good(new_rules(&[
        language,
        dir.to_str().unwrap(),
        "--format",
        "json",
    ]));
    let report = ran.json();
    assert_eq!(report["name"], "gyre");
    let words = |name: &str| -> Vec<String> {
        let list = report[name].as_array().unwrap().iter();
        list.map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    passes(&words("next")[1], &dir);
    let command = words("command");
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    check_answers(&command, &dir);
    passes(&format!("{} --games 3", words("next")[3]), &dir);
    // Little to think about, and all the time that a busy machine needs.
    let quick =
        "--out runs/1 --quiet --set rounds=1 --set time.per_move=20ms --set time.margin=60s";
    passes(&format!("{} {quick}", words("next")[2]), &dir);
    let log = fs::read_to_string(dir.join("runs/1/games.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 6);
    for record in json_lines(&log) {
        assert_eq!(record["result"]["faults"], json!([]), "{record}");
    }
}

fn passes(command: &str, dir: &Path) {
    let ran = shell(command, dir);
    assert_eq!(ran.code, Some(0), "{command}: {}{}", ran.stdout, ran.stderr);
}

#[test]
fn python_works_as_told() {
    works_as_told("python");
}

#[test]
fn c_works_as_told() {
    works_as_told("c");
}

#[test]
fn rust_works_as_told() {
    works_as_told("rust");
}

#[test]
fn what_to_type_next_is_told() {
    let arena = Arena::new("");
    let dir = arena.path("my game");
    let ran = good(new_rules(&[
        "golang",
        dir.to_str().unwrap(),
        "--name",
        "second",
    ]));
    let lines = ran.stdout.lines();
    let commands: Vec<&str> = lines.filter_map(|line| line.strip_prefix("    ")).collect();
    assert_eq!(
        commands,
        [
            &format!("cd '{}'", dir.display()),
            "go build -o game && go test",
            "referee tournament tournament.toml",
            "referee check --rules \"./game\"",
        ]
    );
    let source = fs::read_to_string(dir.join("game.go")).unwrap();
    assert_contains(&source, r#"const id = "second""#);
}

#[test]
fn languages_are_listed() {
    let ran = good(new_rules(&[]));
    let lines = ran.stdout.lines();
    let listed: Vec<&str> = lines.filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(listed.join(" "), "python javascript rust c go");
}

#[test]
fn what_cannot_be_made_is_refused() {
    let arena = Arena::new("");
    arena.write("mine.py", "");
    let here = arena.path("");
    let there = arena.path("new");
    let (here, there) = (here.to_str().unwrap(), there.to_str().unwrap());
    for (args, message) in [
        (&["pyhton", there][..], "did you mean `python`?"),
        (&["cobol", there], "there are `python`, `javascript`"),
        (
            &["python", here, "--name", "mine"],
            "is not empty; a new game",
        ),
        (&["python", there, "--name", "Mine"], "`Mine` is no id"),
        (&["python", there, "--name", "siam"], "built in"),
        (&["python"], "a project in `python` needs a folder"),
    ] {
        let ran = new_rules(args);
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{args:?}: {}", ran.stderr);
    }
    assert!(!arena.path("new").exists());
}
