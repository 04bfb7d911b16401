//! The bot `chat` against a scripted server: what each kind of answer comes to in the log.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tests::chat_server::{ChatAnswer, ChatRequest, ChatServer};
use tests::{
    Arena, Ran, assert_contains, good, json_lines, referee, refused, root, run, timeless, verified,
    wait_until,
};

use crate::RANDOM;

const KEY: &str = "sk-0123456789-very-secret";

/// One move of Amazons by the model, and one of `random`; with this time for each.
fn play(server: &ChatServer, options: &str, per_move: &str) -> Value {
    let bot = server.bot(options);
    let words = [
        "play",
        "amazons",
        "--options",
        r#"{"size":5}"#,
        "--max-plies",
        "2",
        "--format",
        "json",
        "--startup",
        "60s",
        "--per-move",
        per_move,
        "--bot",
        &bot,
        "--bot",
        "random",
    ];
    let mut command = Command::new(referee());
    let output = command
        .args(words)
        .env("OPENAI_API_KEY", KEY)
        .output()
        .unwrap();
    let ran = good(Ran::from(output));
    assert!(!format!("{ran:?}").contains(KEY));
    ran.json()
}

/// The same with this script, lots of time, and the default options.
fn scripted(script: impl Fn(&ChatRequest) -> ChatAnswer + Send + Sync + 'static) -> Value {
    play(&ChatServer::start(script), "", "60s")
}

/// What the log has of the model's move, which is legal.
#[track_caller]
fn info(record: &Value) -> &Value {
    assert_eq!(record["result"]["faults"], json!([]), "{record}");
    assert_eq!(record["moves"].as_array().unwrap().len(), 2, "{record}");
    &record["moves"][0]["info"]
}

/// The fault of the model's bot, which has played no move.
#[track_caller]
fn fault<'a>(record: &'a Value, code: &str, part: &str) -> &'a Value {
    assert_eq!(record["moves"], json!([]), "{record}");
    let fault = &record["result"]["faults"][0];
    assert_eq!(
        (&fault["seat"], &fault["code"]),
        (&json!(0), &json!(code)),
        "{record}"
    );
    assert_contains(fault["message"].as_str().unwrap(), part);
    fault
}

#[track_caller]
fn counts(info: &Value, expected: Value) {
    for (name, number) in expected.as_object().unwrap() {
        assert_eq!(&info[name], number, "{name} in {info}");
    }
}

#[test]
fn a_legal_move_is_played_with_its_costs() {
    let record = scripted(|request| {
        assert_eq!(request.authorization, format!("Bearer {KEY}"));
        assert_eq!(request.body["stream"], false);
        assert_eq!(request.body["model"], "tiny");
        let system = request.body["messages"][0]["content"].as_str().unwrap();
        assert_contains(system, "Amazons");
        assert_contains(request.last(), "As JSON: {");
        ChatAnswer::Says(format!(
            "I think.\n{}",
            json!({"move": request.any_legal()})
        ))
    });
    let info = info(&record);
    let expected = json!({"tokens_in": 100, "tokens_out": 10, "calls": 1, "illegal": 0, "unparsable": 0,
        "truncated": 0, "refused": 0, "model": "tiny-1"});
    counts(info, expected);
    assert!(info["latency_ms"].as_f64().unwrap() > 0.0);
    let text = format!("I think.\n{}", json!({"move": record["moves"][0]["move"]}));
    assert_eq!(info["text"], text);
}

#[test]
fn what_is_illegal_is_asked_again_with_the_reason() {
    let record = scripted(|request| {
        if request.number == 0 {
            return ChatAnswer::plays("z9-z9/z9");
        }
        let messages = request.body["messages"].as_array().unwrap();
        assert_eq!(messages[2]["role"], "assistant");
        assert_contains(messages[2]["content"].as_str().unwrap(), "z9-z9/z9");
        assert_contains(request.last(), "illegal");
        ChatAnswer::plays(&format!(" {} ", request.any_legal().to_uppercase()))
    });
    let expected = json!({"calls": 2, "illegal": 1, "unparsable": 0, "tokens_in": 200});
    counts(info(&record), expected);
}

#[test]
fn what_is_illegal_to_the_end_is_played() {
    let server = ChatServer::start(|_| ChatAnswer::plays("z9-z9/z9"));
    let record = play(&server, "--rethink 2", "60s");
    let fault = fault(&record, "illegal_move", "z9-z9/z9");
    counts(
        &fault["info"],
        json!({"calls": 3, "illegal": 3, "tokens_out": 30}),
    );
}

#[test]
fn nothing_is_guessed_from_prose() {
    let record = scripted(|request| {
        let mv = request.any_legal();
        ChatAnswer::Says(format!(
            "{mv} is bad, so I do not play {mv}. \"move\": none."
        ))
    });
    let fault = fault(&record, "no_move", "unparsable");
    counts(
        &fault["info"],
        json!({"calls": 4, "unparsable": 4, "illegal": 0}),
    );
}

#[test]
fn the_last_object_counts() {
    let record = scripted(|request| {
        let legal = request.legal();
        let (first, last) = (json!({"move": legal[0]}), json!({"move": legal[7]}));
        ChatAnswer::Says(format!("{first}? No: {last}"))
    });
    counts(info(&record), json!({"calls": 1}));
    let legal_7 = scripted(|request| ChatAnswer::plays(&request.legal()[7]));
    assert_eq!(record["moves"][0]["move"], legal_7["moves"][0]["move"]);
}

#[test]
fn what_is_cut_off_empty_or_refused_is_called_so() {
    let cut_off = scripted(|_| ChatAnswer::CutOff("Let me think about {\"mo".to_owned()));
    let info = &fault(&cut_off, "no_move", "truncated")["info"];
    counts(info, json!({"truncated": 4, "calls": 4}));
    let empty = scripted(|_| ChatAnswer::Says(String::new()));
    counts(
        &fault(&empty, "no_move", "refused")["info"],
        json!({"refused": 4}),
    );
    let refuses = scripted(|request| match request.number {
        0..4 => ChatAnswer::Refuses("I play no games.".to_owned()),
        _ => ChatAnswer::plays(&request.any_legal()),
    });
    assert_contains(
        fault(&refuses, "no_move", "refused")["message"]
            .as_str()
            .unwrap(),
        "I play no games.",
    );
}

#[test]
fn what_may_pass_is_tried_again() {
    let then_legal = |first: ChatAnswer| {
        let record = scripted(move |request| match request.number {
            0 => first.clone(),
            _ => ChatAnswer::plays(&request.any_legal()),
        });
        counts(
            info(&record),
            json!({"calls": 2, "unparsable": 0, "tokens_in": 100}),
        );
        record["moves"][0]["ms"].as_f64().unwrap()
    };
    let wait = ChatAnswer::Status(429, "Retry-After: 1\r\n".to_owned(), "slow down".to_owned());
    assert!(then_legal(wait) >= 1000.0);
    then_legal(ChatAnswer::Status(500, String::new(), String::new()));
    then_legal(ChatAnswer::Half);
}

#[test]
fn a_server_that_never_answers_is_named_before_the_clock_is_over() {
    for (answer, part) in [
        (ChatAnswer::Hangs, "did not answer within"),
        (
            ChatAnswer::Status(503, String::new(), "too busy".to_owned()),
            "503",
        ),
        (
            ChatAnswer::Status(429, "Retry-After: 3600\r\n".to_owned(), String::new()),
            "3600.0 s",
        ),
        (
            ChatAnswer::Status(400, String::new(), "no such field".to_owned()),
            "no such field",
        ),
        (ChatAnswer::Half, "broke the connection"),
    ] {
        let server = ChatServer::start(move |_| answer.clone());
        let record = play(&server, "", "6s");
        let fault = fault(&record, "no_move", part);
        assert_contains(fault["message"].as_str().unwrap(), &server.url());
        assert_eq!(fault["info"]["calls"], server.requests().len());
    }
}

#[test]
fn what_is_no_chat_completion_is_unparsable() {
    let html = scripted(|_| ChatAnswer::Body("<html>Please log in</html>".to_owned()));
    assert_contains(
        fault(&html, "no_move", "unparsable")["message"]
            .as_str()
            .unwrap(),
        "Please log in",
    );
    let long = scripted(|_| ChatAnswer::Long(50 << 20));
    assert_contains(
        fault(&long, "no_move", "unparsable")["message"]
            .as_str()
            .unwrap(),
        "more than 4 MiB",
    );
}

#[test]
fn a_wrong_key_ends_the_bot() {
    for status in [401, 403, 404] {
        let server = ChatServer::start(move |request| {
            ChatAnswer::Status(status, String::new(), request.authorization.clone())
        });
        let record = play(&server, "", "60s");
        let fault = fault(&record, "crash", &status.to_string());
        let message = fault["message"].as_str().unwrap();
        assert_contains(message, &server.url());
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn a_grammar_that_the_server_refuses_is_left() {
    let server = ChatServer::start(|request| {
        let grammar = &request.body["response_format"]["json_schema"]["schema"];
        match grammar["properties"]["move"]["enum"].as_array() {
            Some(_) if request.number == 0 => {
                ChatAnswer::Status(400, String::new(), "no schemas".to_owned())
            }
            Some(_) => panic!("it is sent once"),
            None => ChatAnswer::plays(&request.any_legal()),
        }
    });
    let record = play(&server, "--legal grammar", "60s");
    counts(info(&record), json!({"calls": 2}));
    assert_contains(info(&record)["warning"].as_str().unwrap(), "no schemas");
    let server = ChatServer::start(|request| {
        assert!(!request.last().contains("Legal moves:"));
        let schema = &request.body["response_format"]["json_schema"]["schema"];
        ChatAnswer::plays(schema["properties"]["move"]["enum"][3].as_str().unwrap())
    });
    counts(
        info(&play(&server, "--legal grammar", "60s")),
        json!({"calls": 1}),
    );
}

/// All files below a folder.
fn texts(folder: &Path, texts: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            self::texts(&path, texts);
        } else {
            texts.push((path.display().to_string(), fs::read(&path).unwrap()));
        }
    }
}

/// A configuration of chat, with its options, against `random`.
fn config(server: &ChatServer, games: &str, options: &str) -> String {
    let words: Vec<String> = server
        .bot(options)
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let command = [&["referee".to_owned(), "bot".to_owned()], &words[..]].concat();
    let bots = [("chat", &*format!("{command:?}")), RANDOM];
    let config = crate::config_of(games, &bots).replace("\"20s\"", "\"60s\"");
    format!("{config}[limits]\nmax_plies = 6\n")
}

#[test]
fn the_key_is_nowhere() {
    let server = ChatServer::start(|request| match request.number % 7 {
        0 => ChatAnswer::Status(401, String::new(), request.authorization.clone()),
        1 => ChatAnswer::Says(format!(
            "{} {}",
            request.authorization,
            json!({"move": KEY})
        )),
        2 => ChatAnswer::Refuses(request.authorization.clone()),
        3 => ChatAnswer::Status(500, "Retry-After: 0\r\n".to_owned(), KEY.to_owned()),
        4 => ChatAnswer::Status(418, String::new(), KEY.to_owned()),
        5 => ChatAnswer::Status(
            302,
            format!("Location: http://{KEY}.test/\r\n"),
            KEY.to_owned(),
        ),
        _ => ChatAnswer::Body(format!("<html>{KEY}")),
    });
    let games = r#"games = [{ id = "amazons", options = { size = 5 } }]"#;
    let config = config(&server, games, "--key-from SOME_KEY --rethink 1");
    let arena = Arena::new(&format!("rounds = 4\n{config}"));
    let mut command = Command::new(referee());
    command
        .args(arena.tournament())
        .arg("--trace")
        .arg(arena.path("traces"));
    let ran = good(Ran::from(command.env("SOME_KEY", KEY).output().unwrap()));
    assert!(
        server
            .requests()
            .iter()
            .all(|request| request.authorization.contains(KEY))
    );
    assert!(!format!("{ran:?}").contains(KEY));
    let mut all = Vec::new();
    texts(&arena.path(""), &mut all);
    assert!(all.len() > 3, "{all:?}");
    for (path, text) in all {
        assert!(
            !text.windows(KEY.len()).any(|part| part == KEY.as_bytes()),
            "{path}"
        );
    }
    let without = run_bot(&[
        "--url",
        &server.url(),
        "--model",
        "m",
        "--key-from",
        "NOT_THERE",
    ]);
    refused(&without, 2, "`NOT_THERE` is not set");
}

fn run_bot(options: &[&str]) -> Ran {
    run([&["bot", "chat"], options].concat())
}

#[test]
fn it_passes_the_checks() {
    let server = ChatServer::start(|request| ChatAnswer::plays(&request.any_legal()));
    let url = server.url();
    let bot = [
        "--", "referee", "bot", "chat", "--url", &url, "--model", "tiny",
    ];
    let check = [
        "check",
        "--game",
        "amazons",
        "--game",
        "siam",
        "--startup",
        "60s",
        "--time",
        "20s",
        "--margin",
        "20s",
    ];
    good(run([&check[..], &bot[..]].concat()));
}

/// All games that are built in, sheets with hidden information and with several seats at once, and a rules
/// program.
fn all_games() -> String {
    let ids: Vec<Value> = good(run(["games", "--format", "json"]))
        .json()
        .as_array()
        .unwrap()
        .clone();
    let mut games: Vec<String> = ids
        .iter()
        .map(|game| game["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(games.len(), 8);
    let sheets = ["tic-tac-toe", "kuhn-poker", "rock-paper-scissors"];
    let mut rules: Vec<String> = Vec::new();
    for sheet in sheets {
        games.push(sheet.to_owned());
        rules.push(
            root()
                .join(format!("games/sheets/{sheet}.kif"))
                .display()
                .to_string(),
        );
    }
    games.push("connect-four".to_owned());
    let program = root().join("games/examples/connect_four.py");
    rules.push(format!("python3 {}", program.display()));
    format!("games = {games:?}\nrules = {rules:?}")
}

#[test]
fn a_tournament_of_all_games_verifies() {
    let server = ChatServer::start(|request| ChatAnswer::plays(&request.any_legal()));
    let arena = Arena::new(&config(&server, &all_games(), ""));
    good(arena.play());
    let matches = arena.matches();
    assert_eq!(matches.len(), 24);
    for record in &matches {
        assert_eq!(record["result"]["faults"], json!([]), "{record}");
    }
    verified(arena.path("out"));
}

/// Without times.
fn comparable(arena: &Arena) -> Vec<Value> {
    let mut matches: Vec<Value> = arena.matches().iter().map(timeless).collect();
    for record in &mut matches {
        for mv in record["moves"].as_array_mut().unwrap() {
            if let Some(info) = mv["info"].as_object_mut() {
                info.remove("latency_ms");
            }
        }
    }
    matches
}

#[test]
fn a_killed_tournament_goes_on_with_the_same_matches() {
    let server = ChatServer::start(|request| match request.last().len() % 3 {
        0 if request.body["messages"].as_array().unwrap().len() == 2 => ChatAnswer::plays("no"),
        _ => ChatAnswer::plays(&request.any_legal()),
    });
    let games = r#"games = [{ id = "amazons", options = { size = 5 } }, "siam"]"#;
    let config = format!(
        "concurrency = 1\nrounds = 3\n{}",
        config(&server, games, "--history 1")
    );
    let whole = Arena::new(&config);
    good(whole.play());
    let killed = Arena::new(&config);
    let mut child = killed.silent().spawn().unwrap();
    wait_until("two matches", || {
        let log = fs::read_to_string(killed.path("out/games.jsonl"));
        log.is_ok_and(|log| log.lines().count() >= 2)
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let mut args = killed.tournament();
    args.push("--resume".into());
    good(run(args));
    assert_eq!(comparable(&killed), comparable(&whole));
    verified(killed.path("out"));
}

#[test]
fn a_sandbox_without_network_is_refused_before_the_start() {
    let server = ChatServer::start(|_| ChatAnswer::Hangs);
    let games = r#"games = ["siam"]"#;
    for tier in ["restricted", "strict"] {
        let config = config(&server, games, "");
        let arena = Arena::new(&format!(
            "sandbox = \"{tier}\"\nbest_effort = true\n{config}"
        ));
        refused(&arena.play(), 2, "no network");
        let bot = server.bot("");
        let play = [
            "play",
            "siam",
            "--bot",
            &bot,
            "--bot",
            "random",
            "--sandbox",
            tier,
        ];
        refused(&run(play), 2, "no network");
    }
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn the_prompt_can_be_seen_and_replaced() {
    let text = good(run_bot(&["--show-prompt", "siam"])).stdout;
    for part in [
        "[system]\n",
        "[user]\n",
        "Siam",
        "elephants",
        "Legal moves:\n[\"",
        "As JSON: {",
    ] {
        assert_contains(&text, part);
    }
    let text = good(run_bot(&["--show-prompt", "siam", "--legal", "none"])).stdout;
    assert!(!text.contains("Legal moves:"), "{text}");
    let kuhn = root()
        .join("games/sheets/kuhn-poker.kif")
        .display()
        .to_string();
    let text = good(run_bot(&["--rules", &kuhn, "--show-prompt", "kuhn-poker"])).stdout;
    assert_contains(&text, "What you know, as JSON");
    let arena = Arena::new("");
    arena.write("turn.txt", "Ply {ply}. {legal}");
    let folder = arena.path("").display().to_string();
    let text = good(run_bot(&["--show-prompt", "siam", "--prompt", &folder])).stdout;
    assert_contains(&text, "[user]\nPly 0. Legal moves:\n");
    let server = ChatServer::start(|request| {
        assert_contains(request.last(), "Ply 0. Legal moves:");
        ChatAnswer::plays(&request.any_legal())
    });
    counts(
        info(&play(&server, &format!("--prompt {folder}"), "60s")),
        json!({"calls": 1}),
    );
}

#[test]
fn earlier_turns_are_shown_again() {
    let server = ChatServer::start(|request| ChatAnswer::plays(&request.any_legal()));
    let bot = server.bot("--history 2");
    let log = [
        "play",
        "siam",
        "--max-plies",
        "8",
        "--format",
        "json",
        "--per-move",
        "60s",
        "--startup",
        "60s",
        "--bot",
        &bot,
        "--bot",
        "random",
    ];
    assert_eq!(
        json_lines(&good(run(log)).stdout)[0]["moves"]
            .as_array()
            .unwrap()
            .len(),
        8
    );
    let lengths: Vec<usize> = server
        .requests()
        .iter()
        .map(|request| request.body["messages"].as_array().unwrap().len())
        .collect();
    assert_eq!(lengths, [2, 4, 6, 6]);
}

#[test]
fn standings_sum_models_up() {
    // Every third answer is no legal move.
    let server = ChatServer::start(|request| match request.number % 3 {
        0 => ChatAnswer::Says("I pass.".to_owned()),
        _ => ChatAnswer::plays(&request.any_legal()),
    });
    let config = config(&server, r#"games = ["siam"]"#, "");
    let arena = Arena::new(&format!("concurrency = 1\n{config}"));
    good(arena.play());
    let log = arena.path("out").display().to_string();
    let standings = |format: &str| good(run(["standings", &log, "--format", format]));
    // Two matches with three moves each; of 9 requests 3 were answered so.
    let text = standings("text").stdout;
    let (_, models) = text.split_once("\nModels\n").expect("a table");
    let row = models
        .lines()
        .find(|line| line.contains("tiny-1"))
        .expect("a row");
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(
        cells[..11],
        [
            "chat", "tiny-1", "2", "6", "9", "900", "90", "0", "3", "0", "0"
        ]
    );
    let json = standings("json").json();
    let used = &json["models"][0];
    counts(
        used,
        json!({"bot": "chat", "matches": 2, "moves": 6, "calls": 9, "unparsable": 3}),
    );
    assert_eq!(used["legal_at_first"], 3);
    let csv = standings("csv").stdout;
    let header: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let column = header.iter().position(|name| *name == "tokens_in").unwrap();
    let row = csv.lines().find(|line| line.contains("tiny-1")).unwrap();
    assert_eq!(row.split(',').nth(column), Some("900"));
    let replayed = good(run(["replay", &log, "--match", "m-000001", "--all"])).stdout;
    assert_contains(
        &replayed,
        "tiny-1: 2 calls, 200 tokens in, 20 out, 1 unparsable",
    );
    let report = good(run(["report", &log, "--bot", "chat"])).stdout;
    assert_contains(&report, "tiny-1");
    // Where no bot asks a model, there is no such table.
    let arena = Arena::new(&crate::config(&[RANDOM, crate::GREEDY]));
    good(arena.play());
    let text = good(run(["standings".into(), arena.path("out")])).stdout;
    assert!(!text.contains("Models"), "{text}");
}

#[test]
fn a_budget_ends_matches_and_a_larger_one_goes_on() {
    let server = ChatServer::start(|request| ChatAnswer::plays(&request.any_legal()));
    let config = config(&server, r#"games = ["siam"]"#, "");
    let text = |budget: &str| format!("rounds = 4\n{config}[budget]\n{budget}\n");
    let of_chat = |arena: &Arena| arena.matches().len();
    // Three calls a match.
    let arena = Arena::new(&text("calls = 4"));
    let ran = good(arena.play());
    assert_contains(&ran.stderr, "`chat` has used up its budget: ");
    assert!((2..=3).contains(&of_chat(&arena)), "{}", ran.stderr);
    let resumed = |budget: &str| {
        arena.write("t.toml", &text(budget));
        let mut args = arena.tournament();
        args.push("--resume".into());
        good(run(args))
    };
    let before = of_chat(&arena);
    let ran = resumed("tokens = 100");
    assert_contains(&ran.stderr, "tokens of 100");
    assert_eq!(of_chat(&arena), before);
    let ran = resumed("calls = 1000");
    assert!(!ran.stderr.contains("budget"), "{}", ran.stderr);
    assert_eq!(of_chat(&arena), 8);
    verified(arena.path("out"));
    for format in ["swiss", "knockout"] {
        let arena = Arena::new(&format!("format = \"{format}\"\n{}", text("calls = 4")));
        refused(&arena.play(), 2, "cannot leave out matches");
    }
}
