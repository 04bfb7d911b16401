//! Each key that a configuration can have is either in the list or declined.

use config::schema;

use super::*;

fn table(text: &str) -> Table {
    text.parse().unwrap()
}

fn declined(text: &str, along: &Along<'_>) -> Option<String> {
    let checked = check(&table(text), along);
    checked.err().map(|declined| declined.to_string())
}

/// A configuration with this value of a key, which is named as in the schema.
fn with(key: &str, value: Value) -> Table {
    let mut value = value;
    for part in key.rsplit('.') {
        let (name, is_list) = match part.strip_suffix("[]") {
            Some(name) => (name, true),
            None => (part, false),
        };
        if is_list {
            value = Value::Array(vec![value]);
        }
        value = Value::Table(Table::from_iter([(name.to_owned(), value)]));
    }
    value.as_table().unwrap().clone()
}

/// The keys that are declined with every value that says something.
const NEVER: [&str; 12] = [
    "include",
    "readable",
    "bots_from",
    "network",
    "network.ggp_hosts",
    "bots[].ggp",
    "bots[].scramble",
    "bots[].readable",
    "secret",
    "build.network",
    "submissions.variables",
    "submissions.readable",
];

#[test]
fn every_key_of_the_schema_is_in_the_list_or_declined() {
    let along = Along::default();
    let mut undecided = Vec::new();
    for schema::Key { key, .. } in schema::keys() {
        let is_table = is_looked_into(&key);
        // Keys outside of the list are declined with any value.
        let harmless = [Value::from("x"), Value::from(1), Value::from(true)];
        let refused = |value: &Value| check(&with(&key, value.clone()), &along).is_err();
        let is_declined = harmless.iter().all(refused);
        if rule(&key).is_none() && !is_table && !is_declined {
            undecided.push(format!("{key} is not in the list, and taken"));
        }
        if NEVER.contains(&key.as_str()) && !is_declined {
            undecided.push(format!("{key} is taken"));
        }
        let inside_rules = key.starts_with("rules[].");
        if rule(&key).is_none() && !is_table && !inside_rules && !NEVER.contains(&key.as_str()) {
            undecided.push(format!(
                "decide whether an announced tournament may say `{key}`: add it to ALLOWED, or here to NEVER"
            ));
        }
    }
    assert!(undecided.is_empty(), "{}", undecided.join("\n"));
    // And the list names nothing that is not there.
    let keys: Vec<String> = schema::keys().into_iter().map(|key| key.key).collect();
    for (key, _) in ALLOWED {
        let known = keys.contains(&key.trim_end_matches("[]").to_owned()) || key.contains("time.");
        assert!(known, "{key}");
    }
}

#[test]
fn keys_that_nobody_knows_yet_are_declined() {
    for text in [
        "secret = \"x\"",
        "submissions = { variables = [\"HOME\"] }",
        "future = { a = 1 }",
        "[build]\nnetwork = true",
        "[resources]\ndevices = 1",
        "[[bots]]\nname = \"a\"\nmounts = [\"/\"]",
        "[[games]]\nid = \"siam\"\nfile = \"/etc/passwd\"",
        "[time]\nhost = \"x\"",
        "[keep]\nelsewhere = \"/\"",
        "[[rules]]\ncommand = \"x.kif\"\nfetch = \"http://host\"",
    ] {
        let mut along = Along::default();
        along.files.insert("x.kif");
        assert!(declined(text, &along).is_some(), "{text}");
    }
}

/// The verdict of a worker without a folder of its own on a bot whose table has this line.
fn bot(line: &str) -> Option<String> {
    let text = format!("[[bots]]\nname = \"spy\"\n{line}\n");
    declined(&text, &Along::default())
}

#[test]
fn bots_reach_nothing_of_this_machine() {
    for line in [
        "readable = [\"/home/me/.ssh\"]",
        "dir = \"/home/me\"",
        "dir = \".\"",
        "dir = \"../..\"",
        "in_place = true",
        "env = { X = \"${SECRET}\" }",
        "env = { X = \"${SECRET:-none}\" }",
        "env = { PATH = \"/home/me/bin\" }",
        "ggp = \"http://127.0.0.1:9147\"",
        "command = [\"cat\", \"/home/me/x\"]",
        "command = [\"cat\", \"../x\"]",
        "command = \"./bot\"",
        "command = \"/home/me/bot\"",
        "command = \"/usr/../home/me/bot\"",
        "command = \"sh -c 'echo ${SECRET}'\"",
        "command = 'sh -c $\\{SECRET}'",
        "command = \"sh -c \\\"$\\\"'{SECRET}'\"",
        "command = [\"sh\", 7]",
        "command = 7",
        "command = \"sh 'open\"",
        "build = [\"sh\", \"-c\", \"${SECRET}\"]",
        "resources = { memory = \"none\" }",
        "resources = { tmp = \"1TiB\" }",
    ] {
        let why = bot(line).unwrap_or_else(|| panic!("{line} is taken"));
        let key = line.split(' ').next().unwrap();
        assert!(
            why.starts_with(&format!("bot `spy`: `{key}")),
            "{line}: {why}"
        );
        assert!(!why.contains('\n') && why.ends_with("`--trust`"), "{why}");
    }
    for line in [
        "command = \"referee bot random\"",
        "command = [\"python3\", \"-c\", \"print(1)\"]",
        "command = [\"/usr/bin/python3\", \"/usr/share/x\"]",
        "command = [\"sh\", \"-c\", \"echo $HOME $$\"]",
        "readable = []\nin_place = false\nenv = { X = \"$1\" }",
        "sandbox = \"none\"\nresources = { memory = \"8GiB\" }\ntime = { per_move = \"1s\" }",
    ] {
        assert_eq!(bot(line), None, "{line}");
    }
}

#[test]
fn the_rest_of_a_configuration_reaches_nothing_either() {
    let mut along = Along::default();
    along.files.extend(["nim.kif", "book.txt"]);
    for text in [
        "readable = [\"/\"]",
        "network.ggp_hosts = [\"10.0.0.5\"]",
        "rules = [\"python3 rules.py\"]",
        "rules = [\"/home/me/hex.kif\"]",
        "rules = [\"referee model\"]",
        "rules = [{ command = [\"sh\", \"nim.kif\"] }]",
        "rules = [{ command = \"nim.kif\", env = { X = \"1\" } }]",
        "opening.book = \"/home/me/book\"",
        "name = \"${SECRET}\"",
        "games = [{ id = \"siam\", options = { a = [\"${SECRET}\"] } }]",
        "build.timeout = \"2h\"",
        "keep.stderr = \"none\"",
    ] {
        assert!(declined(text, &along).is_some(), "{text}");
    }
    for text in [
        "rules = [\"sheets/nim.kif\", { command = \"x/nim.kif\", prefix = \"my\", dir = \"/\" }]",
        "opening = { book = \"book.txt\", random_plies = 2 }",
        "games = [\"siam\", { id = \"siam\", options = { size = 5 }, limits = { max_plies = 9 } }]",
        "adjudicate = { resign = { value = 0.1, moves = 3 } }\nbest_effort = true",
        "network = {}\nreadable = []",
    ] {
        assert_eq!(declined(text, &along), None, "{text}");
    }
}

#[test]
fn bundles_and_the_folder_of_the_worker_may_be_used() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("mine")).unwrap();
    std::fs::write(folder.path().join("mine/bot"), "#!/bin/sh\n").unwrap();
    std::fs::write(folder.path().join("mine/bad"), "#!/home/me/secret\n").unwrap();
    std::os::unix::fs::symlink("/etc", folder.path().join("mine/link")).unwrap();
    let text = |more: &str| format!("[[bots]]\nname = \" spy \"\ndir = \"mine\"\n{more}\n");
    let bundled = Along {
        bundled: BTreeSet::from(["spy"]),
        ..Along::default()
    };
    let unpacked = Along {
        unpacked: BTreeMap::from([("spy", folder.path().join("mine"))]),
        bundled: BTreeSet::from(["spy"]),
        ..Along::default()
    };
    let given = Along {
        folder: Some(folder.path()),
        ..Along::default()
    };
    for along in [&bundled, &unpacked, &given] {
        assert_eq!(declined(&text("command = \"./bot\""), along), None);
        for bad in ["/home/me/bot", "../../bot", "./../../bot"] {
            let command = format!("command = \"{bad}\"");
            assert!(declined(&text(&command), along).is_some(), "{bad}");
        }
    }
    for along in [&unpacked, &given] {
        for bad in ["./bad", "link/passwd", "./link/../../x"] {
            let command = format!("command = \"{bad}\"");
            assert!(declined(&text(&command), along).is_some(), "{bad}");
        }
    }
    assert_eq!(declined(&text("in_place = true"), &given), None);
    let up = text("").replace("mine", "mine/link");
    assert!(declined(&up, &given).is_some());
    // A bundle that would not be used allows nothing.
    let both = Along {
        folder: Some(folder.path()),
        ..unpacked
    };
    let elsewhere = text("in_place = true").replace("mine", "/home/me");
    assert!(declined(&elsewhere, &both).is_some());
    let no_dir = "[[bots]]\nname = \"spy\"\ncommand = \"./mine/link/passwd\"\n";
    assert!(declined(no_dir, &both).is_some());
}
