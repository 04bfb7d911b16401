//! Valid and invalid configurations.

use crate::config::*;
use crate::schema;

/// Two bots and Amazons, with more lines before the bots.
fn problem(more: &str) -> String {
    let text = format!(
        "name = \"t\"\ngames = [\"amazons\"]\n{more}\n\
         [[bots]]\nname = \"a\"\ncommand = \"referee bot random\"\n\
         [[bots]]\nname = \"b\"\ncommand = \"referee bot random\"\n"
    );
    match Config::parse(&text, Path::new("/")) {
        Ok(_) => "none".to_owned(),
        Err(problem) => problem.to_string(),
    }
}

#[test]
fn schedules_that_nobody_could_play_are_refused() {
    assert_eq!(problem("rounds = 499999"), "none");
    assert_eq!(
        problem("rounds = 4294967295"),
        "line 3: `rounds`: these are 8589934590 matches; at most 999999 are allowed"
    );
}

#[test]
fn openings_that_would_be_the_whole_game_are_refused() {
    assert_eq!(problem("[opening]\nrandom_plies = 1000"), "none");
    assert_eq!(
        problem("[opening]\nrandom_plies = 4294967295"),
        "line 4: `opening.random_plies`: 4294967295 is not a whole number from 0 to 1000"
    );
}

/// A whole configuration with this value for this key, and its line.
fn with_value(key: &str, value: &str) -> (String, usize) {
    let (mut head, mut game, mut bot) = (String::new(), String::new(), String::new());
    if let Some(key) = key.strip_prefix("games[].") {
        game = format!("[[games]]\n{key} = {value}\n");
        if key != "id" {
            game += "id = \"amazons\"\n";
        }
    } else if let Some(key) = key.strip_prefix("rules[].") {
        game = format!("[[rules]]\n{key} = {value}\n");
        if key != "command" {
            game += "command = \"sh\"\n";
        }
    } else if let Some(key) = key.strip_prefix("bots[].") {
        bot = format!("{key} = {value}\n");
    } else if !matches!(key, "bots") {
        head = format!("{key} = {value}\n");
    }
    // These need other keys.
    for rule in ["adjudicate.resign.", "adjudicate.draw."] {
        let missing = ["value = 0.1", "moves = 4"].into_iter();
        let missing = missing.filter(|given| !key.ends_with(&given[..5]));
        for given in missing.filter(|_| key.starts_with(rule)) {
            head += &format!("{rule}{given}\n");
        }
    }
    let format = ["knockout", "sprt"]
        .into_iter()
        .find(|name| key.starts_with(name));
    let format = if key == "challengers" {
        Some("gauntlet")
    } else {
        format
    };
    if let Some(format) = format {
        head += &format!("format = \"{format}\"\n");
    }
    let defaults = [("name", "\"t\""), ("games", "[\"amazons\"]")];
    for (name, value) in defaults {
        if name != key && (name != "games" || !game.starts_with("[[games]]")) {
            head += &format!("{name} = {value}\n");
        }
    }
    let bots = if key == "bots" {
        format!("bots = {value}\n")
    } else {
        let name = if key == "bots[].name" {
            ""
        } else {
            "name = \"a\"\n"
        };
        let command = "command = \"referee bot random\"\n";
        let command = if key == "bots[].command" { "" } else { command };
        format!("[[bots]]\n{bot}{name}{command}[[bots]]\nname = \"b\"\ncommand = \"sh\"\n")
    };
    let text = head + &game + &bots;
    let name = key.rsplit("[].").next().unwrap();
    let begin = format!("{name} = {value}");
    let line = text.lines().position(|line| line == begin);
    (
        text.clone(),
        1 + line.unwrap_or_else(|| panic!("{begin} in {text}")),
    )
}

/// A value of the right type that the key does not allow; `None` if every text is allowed, or if
/// tables are checked key by key.
fn wrong_value(key: &str, kind: &str) -> Option<&'static str> {
    Some(match key {
        "name" | "bots[].name" => "\"\"",
        "secret" => "\"1234\"",
        "challengers" => "[\"nobody\"]",
        "games" | "include" => "[\"no such thing\"]",
        "games[].id" => "\"no such game\"",
        "games[].options" => "{ sise = 3 }",
        "bots" => "[]",
        "bots[].command" => "\"referee bot nobody\"",
        "bots[].ggp" => "\"nowhere\"",
        "network.ggp_hosts" => "[\"http://10.0.0.5\"]",
        "bots_from" => "\"no/such/*\"",
        "bots[].build" | "bots[].setup" => "\"make 'all\"",
        "bots[].dir" | "rules[].dir" => "\"/no/such/folder\"",
        "rules" => "[\"no such program\"]",
        "rules[].command" => "\"no-such-program\"",
        "rules[].env" => "{ \"A=B\" = \"1\" }",
        "rules[].prefix" => "\"No Prefix\"",
        "bots[].env" => "{ \"A=B\" = \"1\" }",
        "opening.book" => "\"/no/such/book\"",
        "opening.balanced" => "0.7",
        "time.reference" | "bots[].time.reference" => "0.0",
        "machine.max_stolen" | "machine.max_waiting" | "workers.recheck" => "1.5",
        "sprt.alpha" | "sprt.beta" | "adjudicate.play_out" => "1.5",
        "adjudicate.resign.value" | "adjudicate.draw.value" => "0.5",
        "sprt.elo0" => "30.0",
        "sprt.elo1" => "-5.0",
        // A sandbox that hides files needs them to exist; it has a test of its own.
        "readable" | "bots[].readable" | "submissions.readable" => return None,
        "submissions.variables" => "[\"no name\"]",
        "bots[].submission" => "\"no digest\"",
        "bots[].games" => "[\"no such game\"]",
        _ if kind.starts_with("whole number") => "-7",
        _ if kind.starts_with("duration") => "\"7 parsecs\"",
        _ if kind.starts_with("size") => "\"much\"",
        _ if kind.starts_with('"') => "\"no such word\"",
        _ if kind == "table" || kind == "true or false" => return None,
        _ => panic!("a wrong value for {key} ({kind})"),
    })
}

/// A part that a message about this key and line lacks; `None` if it is complete.
fn unsaid(key: &str, line: usize, error: &str) -> Option<&'static str> {
    const HINTS: [&str; 12] = [
        " is not ",
        "must be",
        "needed",
        "needs",
        "at least",
        "at most",
        "there is no",
        "cannot",
        "did you mean",
        "no such",
        " is no ",
        "known are",
    ];
    let in_table = key.rsplit("[].").next().unwrap();
    let named = [
        format!("`{}", key.replace("[]", "")),
        format!("`{in_table}"),
    ];
    // Either of the two may be wrong.
    let of_two = key.starts_with("sprt.elo") && error.contains("`sprt.elo1`");
    if !of_two && !named.iter().any(|key| error.contains(key)) {
        Some("the key")
    } else if !HINTS.iter().any(|hint| error.contains(hint)) {
        Some("what is allowed")
    } else if !of_two && !error.starts_with(&format!("line {line}: ")) {
        Some("the line")
    } else if error.lines().count() != 1 {
        Some("all of it in one line")
    } else {
        None
    }
}

#[test]
fn every_key_is_named_with_its_line_and_what_is_allowed() {
    let mut wrong = Vec::new();
    for schema::Key { key, kind, .. } in schema::keys() {
        // No key is a date; the options of a game are checked by the game.
        let wrong_type = (key != "games[].options").then_some("1979-05-27");
        let values = [wrong_type, wrong_value(&key, &kind)];
        for value in values.into_iter().flatten() {
            let (text, line) = with_value(&key, value);
            match Config::parse(&text, Path::new("/")) {
                Ok(_) => wrong.push(format!("{key} = {value} is allowed")),
                Err(error) => wrong.extend(
                    unsaid(&key, line, &error.to_string())
                        .map(|what| format!("{key} = {value}: {what} is missing: {error}")),
                ),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn values_are_corrected() {
    for (line, expected) in [
        (
            "rounds = \"3\"",
            "\"3\" is not a whole number from 1 on; write 3 without quotes",
        ),
        ("best_effort = \"yes\"", "\"yes\" is not true or false"),
        (
            "sandbox = \"strct\"",
            "\"restricted\", \"strict\"; did you mean \"strict\"?",
        ),
        (
            "rounds = 5000000000",
            "5000000000 is not a whole number from 1 to 4294967295",
        ),
        (
            "readable = \"x\"",
            "\"x\" is not a list of strings; write a list: [\"x\"]",
        ),
        ("rounds = 1\nrounds = 2", "line 4: `rounds` is given twice"),
    ] {
        let problem = problem(line);
        assert!(problem.contains(expected), "`{expected}` in `{problem}`");
    }
    let game = problem("").replace("none", "");
    assert_eq!(game, "");
}

#[test]
fn mistakes_in_commands_are_found_before_anything_is_played() {
    let problem = |bot: &str| {
        let text = format!("name = \"t\"\ngames = [\"run\"]\n[[bots]]\nname = \"a\"\n{bot}\n");
        let problem = Config::parse(&text, Path::new("/"));
        problem.map_or_else(|error| error.to_string(), |_| "none".to_owned())
    };
    for (bot, part) in [
        (
            "command = \"referee bot nobody\"",
            "line 5: bot `a`: `command`: unknown bot",
        ),
        (
            "command = \"referee bot mcts --level 33\"",
            "33 is not in 1..=10",
        ),
        (
            "command = \"referee bot random --level 3\"",
            "means nothing",
        ),
        (
            "command = \"sh no-such-script.sh\"",
            "there is no script `no-such-script.sh`",
        ),
        (
            "command = \"sh\"\nsandbox = \"strict\"\nreadable = [\"/no/such\"]",
            "line 7: bot `a`: `readable`: there is no file or folder `/no/such`",
        ),
        (
            "command = \"sh\"\nsandbox = \"none\"\nresources.memory = \"1GiB\"",
            "line 7: bot `a`: `resources.memory`: the sandbox \"none\" cannot enforce this",
        ),
        (
            "command = \"sh\"\nsandbox = \"strict\"\nbuild = \"make\"",
            "line 7: bot `a`: `build`: in the sandbox `strict` a build writes to the bot's folder",
        ),
        (
            "command = \"sh\"\nenv = { A = 3 }",
            "line 6: `bots.env.A`: 3 is not a string; write \"3\"",
        ),
    ] {
        let problem = problem(bot);
        assert!(problem.contains(part), "`{part}` in `{problem}`");
    }
}

#[test]
fn durations_that_no_clock_can_add_up_are_refused() {
    assert_eq!(problem("[time]\nstartup = \"366days\""), "none");
    for time in ["367days", "500000000000years"] {
        let error = problem(&format!("[time]\nstartup = \"{time}\""));
        assert!(error.contains("at most 366 days"), "{error}");
    }
}

#[test]
fn files_beside_an_included_one_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let sheet = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../games/sheets/tic-tac-toe.kif"
    );
    let sheet = std::fs::read_to_string(sheet).unwrap();
    let part = "games = [\"tic-tac-toe\"]\nrules = [\"tic-tac-toe.kif\"]\nopening.book = \"book\"\n\
        sandbox = \"strict\"\nreadable = [\"data\"]\nsubmissions.readable = [\"shared.sh\"]\n\
        bots_from = \"subs/*\"\non_broken = \"stop\"\n\
        [[bots]]\nname = \"a\"\ndir = \"a\"\ncommand = \"sh a.sh\"\nreadable = [\"a/data\"]\n";
    for (name, text) in [
        ("t.toml", "name = \"t\"\ninclude = [\"sub/part.toml\"]\n"),
        ("sub/part.toml", part),
        ("sub/tic-tac-toe.kif", &sheet),
        ("sub/book", "# empty\n"),
        ("sub/data", ""),
        ("sub/shared.sh", ""),
        ("sub/a/a.sh", ""),
        ("sub/a/data", ""),
        (
            "sub/subs/anna/bot.toml",
            "command = \"sh bot.sh\"\nreadable = [\"own\"]\n",
        ),
        ("sub/subs/anna/bot.sh", ""),
        ("sub/subs/anna/own", ""),
    ] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let path = folder.path().join("t.toml");
    let config = Config::load(&path).unwrap_or_else(|error| panic!("{error}"));
    let folder = folder.path().canonicalize().unwrap().join("sub");
    let dirs: Vec<_> = config.bots.iter().map(|bot| bot.dir.clone()).collect();
    assert_eq!(dirs, [folder.join("a"), folder.join("subs/anna")]);
    let readable = &config.bots[1].wanted.readable;
    assert!(readable.contains(&folder.join("data")), "{readable:?}");
    let bounds = config.bots[1].bounds.as_ref().unwrap();
    assert!(bounds.contains(&folder.join("shared.sh")), "{bounds:?}");
}
