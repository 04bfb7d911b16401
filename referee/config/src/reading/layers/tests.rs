use crate::reading::layers::*;
use crate::schema::{
    self,
    json_schema::{items, properties},
};
use serde_json::Value;
use std::fs;

fn no_names(_: &str) -> BTreeMap<String, String> {
    BTreeMap::new()
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn whole(files: &[(&str, &str)], sets: &[&str]) -> Table {
    let folder = folder(files);
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let texts = Texts::default();
    let layers = Layers::of(&texts, &folder.path().join("t.toml"), &sets, &no_names).unwrap();
    layers.table().unwrap()
}

fn error(files: &[(&str, &str)], sets: &[&str]) -> String {
    let folder = folder(files);
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let error = load(
        &folder.path().join("t.toml"),
        &sets,
        &no_names,
        |read, _| Ok(read),
    )
    .unwrap_err();
    let here = folder.path().display().to_string() + "/";
    error.to_string().replace(&here, "")
}

fn table(text: &str) -> Table {
    text.parse().unwrap()
}

#[test]
fn a_file_alone_stays_as_it_is() {
    let text = "# mine\nname  = 'x'\ngames = []\nbots=[]";
    let folder = folder(&[("t.toml", text)]);
    let read = load(&folder.path().join("t.toml"), &[], &no_names, |read, _| {
        Ok(read)
    })
    .unwrap();
    assert_eq!(read.text, text);
}

#[test]
fn later_files_are_over_earlier_ones() {
    let found = whole(
        &[
            (
                "a.toml",
                "rounds = 1\ngames = [\"run\", \"siam\"]\n[time]\nper_move = \"1s\"\nbase = \"9s\"\n",
            ),
            (
                "b.toml",
                "rounds = 2\nseed = 5\n[time]\nper_move = \"2s\"\n",
            ),
            (
                "t.toml",
                "include = [\"a.toml\", \"b.toml\"]\nseed = 7\ngames = [\"amazons\"]\n",
            ),
        ],
        &[],
    );
    let expected = "rounds = 2\nseed = 7\ngames = [\"amazons\"]\n\
                    [time]\nper_move = \"2s\"\nbase = \"9s\"\n";
    assert_eq!(found, table(expected));
}

#[test]
fn paths_are_relative_to_their_files() {
    let bots = "readable = [\"r\"]\nopening.book = \"book\"\n\
                [[bots]]\nname = \"a\"\ndir = \"d\"\n[[bots]]\nname = \"b\"\n\
                [[bots]]\nname = \"c\"\ndir = \"/abs\"\nreadable = [\"x\", \"${HOME}\"]\n";
    let found = whole(
        &[
            ("deep/more/bots.toml", bots),
            ("deep/base.toml", "include = [\"more/bots.toml\"]\n"),
            ("t.toml", "include = [\"deep/base.toml\"]\n"),
        ],
        &[],
    );
    let expected = "readable = [\"deep/more/r\"]\nopening.book = \"deep/more/book\"\n\
         [[bots]]\nname = \"a\"\ndir = \"deep/more/d\"\n\
         [[bots]]\nname = \"b\"\ndir = \"deep/more/\"\n\
         [[bots]]\nname = \"c\"\ndir = \"/abs\"\nreadable = [\"deep/more/x\", \"${HOME}\"]\n";
    assert_eq!(found, table(expected));
}

#[test]
fn includes_that_lead_nowhere_are_named_with_their_chain() {
    let cycle = error(
        &[
            ("t.toml", "include = [\"a.toml\"]"),
            ("a.toml", "include = [\"t.toml\"]"),
        ],
        &[],
    );
    let expected = "t.toml: `include`: a file includes itself (t.toml → a.toml → t.toml)";
    assert_eq!(cycle, expected);
    let missing = error(
        &[
            ("t.toml", "include = [\"a.toml\"]"),
            ("a.toml", "include = [\"b.toml\"]"),
        ],
        &[],
    );
    assert!(missing.contains("`b.toml` cannot be read: "), "{missing}");
    assert!(missing.contains("(t.toml → a.toml → b.toml)"), "{missing}");
    let twice = [
        ("t.toml", "include = [\"a.toml\", \"a.toml\"]"),
        ("a.toml", "seed = 3"),
    ];
    assert_eq!(whole(&twice, &[]), table("seed = 3"));
    let list = error(&[("t.toml", "include = \"a.toml\"")], &[]);
    assert_eq!(
        list,
        "t.toml: line 1: `include`: \"a.toml\" is not a list of strings; write a list: [\"a.toml\"]"
    );
}

#[test]
fn includes_without_end_are_refused() {
    let level = |n: usize| format!("include = [\"{n}.toml\", \"{n}.toml\"]\n");
    let names: Vec<String> = (0..=25).map(|n| format!("{n}.toml")).collect();
    let texts: Vec<String> = (1..=26).map(level).collect();
    let mut files: Vec<(&str, &str)> = vec![("t.toml", "include = [\"0.toml\"]\n")];
    files.extend(
        names
            .iter()
            .zip(&texts)
            .map(|(name, text)| (&**name, &**text)),
    );
    files.push(("26.toml", "seed = 1\n"));
    let doubled = error(&files, &[]);
    assert!(doubled.contains("at most 1000 files are read"), "{doubled}");
    let names: Vec<String> = (0..60).map(|n| format!("{n}.toml")).collect();
    let next = |n: usize| format!("include = [\"{}.toml\"]\n", n + 1);
    let texts: Vec<String> = (0..60).map(next).collect();
    let chain = names
        .iter()
        .zip(&texts)
        .map(|(name, text)| (&**name, &**text));
    let mut files: Vec<(&str, &str)> = vec![("t.toml", "include = [\"0.toml\"]\n")];
    files.extend(chain);
    let deep = error(&files, &[]);
    assert!(deep.contains("at most 50 deep"), "{deep}");
    let long = format!("#{}\n", "x".repeat(9 << 20));
    let files = [
        ("t.toml", "include = [\"a.toml\", \"b.toml\"]\n"),
        ("a.toml", &long),
        ("b.toml", &long),
    ];
    let long = error(&files, &[]);
    assert!(
        long.contains("`b.toml` cannot be read: it has more than"),
        "{long}"
    );
}

#[test]
fn keys_without_end_are_refused() {
    let deep = format!("{}=1", vec!["a"; 60_000].join("."));
    let found = error(&[("t.toml", "seed = 1\n")], &[&deep]);
    assert!(
        found.contains("--set: the key `a.a.a.") && found.len() < 200,
        "{found}"
    );
    assert!(found.contains("has 60000 parts; at most 100"), "{found}");
}

#[test]
fn problems_name_the_place_that_they_are_from() {
    let files = [
        ("t.toml", "name = \"x\"\ninclude = [\"a.toml\"]\n"),
        ("a.toml", "\n\n[time]\nper_mvoe = \"1s\"\n"),
    ];
    assert!(error(&files, &[]).starts_with("a.toml: line 4: unknown key `time.per_mvoe`"));
    let main = ("t.toml", "include = [\"a.toml\"]\nseed = 1\n");

    let name = "seed = 3\nname = \"x\"\ngames = []\n";
    let found = |text: &str, sets: &[&str]| error(&[main, ("a.toml", text)], sets);
    let rounds = found(&format!("{name}\nrounds = \"many\"\nbots = []"), &[]);
    assert!(
        rounds.starts_with("a.toml: line 5: `rounds`: \"many\" is not a whole number"),
        "{rounds}"
    );
    let bot = found(&format!("{name}[[bots]]\nname = -7\n"), &[]);
    assert!(
        bot.starts_with("a.toml: line 5: `bots.name`: -7 is not a string"),
        "{bot}"
    );
    let set = found(&format!("{name}bots = []"), &["rounds=many"]);
    assert!(
        set.starts_with("--set rounds=many: `rounds`: \"many\" is not"),
        "{set}"
    );
    let missing = found(name, &[]);
    assert_eq!(missing, "t.toml: missing field `bots`");
    let over = [
        ("t.toml", "include = [\"a.toml\"]\n\nseed = \"one\"\n"),
        ("a.toml", "seed = 3\n"),
    ];
    assert!(error(&over, &[]).starts_with("t.toml: line 3: "));
}

#[test]
fn keys_are_set_from_the_command_line() {
    let base = "seed = 1\n[time]\nper_move = \"1s\"\n\
                [[bots]]\nname = \"a\"\ncommand = \"x\"\n[[bots]]\nname = \"b.c\"\n";
    let sets = [
        "seed = 2",
        "time.per_move=200ms",
        "opening.random_plies=3",
        "bots.b.c.command=[\"y\", \"z\"]",
        "bots.a.env.KEY=\"1=2\"",
        "games=[\"run\"]",
    ];
    let expected = "seed = 2\n[time]\nper_move = \"200ms\"\n\
         [[bots]]\nname = \"a\"\ncommand = \"x\"\nenv = { KEY = \"1=2\" }\n\
         [[bots]]\nname = \"b.c\"\ncommand = [\"y\", \"z\"]\n\
         [opening]\nrandom_plies = 3\n";
    let expected = Table::from_iter(
        table(expected)
            .into_iter()
            .chain(table("games = [\"run\"]")),
    );
    assert_eq!(whole(&[("t.toml", base)], &sets), expected);
}

#[test]
fn keys_that_cannot_be_set_are_named() {
    let refused = |set: &str| error(&[("t.toml", "seed = 1\n[[bots]]\nname = \"a\"\n")], &[set]);
    let near = refused("ronds=2");
    assert!(
        near.starts_with("--set ronds=2: unknown key `ronds`, did you mean `rounds`?"),
        "{near}"
    );
    assert!(refused("bots.a.comand=x").contains("`bots.comand`, did you mean `command`?"));
    assert!(refused("rounds").contains("a key and a value are needed"));
    assert!(refused("bots.b.command=x").contains("the name of a bot"));
    assert!(refused("time..base=x").contains("empty"));
    assert!(refused("seed.x=1").contains("`seed`: a table is not a whole number"));
}

/// The keys of a schema that are marked as paths.
fn path_keys(root: &Value, schema: &Value, within: &str, found: &mut Vec<String>) {
    for (name, inner) in properties(root, schema).into_iter().flatten() {
        let key = format!("{within}{name}");
        if inner.get(schema::PATH_MARK).is_some() {
            found.push(key.clone());
        }
        match items(root, inner) {
            Some(entry) => path_keys(root, entry, &format!("{key}[]."), found),
            None => path_keys(root, inner, &format!("{key}."), found),
        }
    }
}

#[test]
fn every_path_key_is_relative_to_its_file() {
    let part = "readable = [\"r\"]\n\
        rules = [\"nim.kif\", \"sh nim.sh\", \"${NIM}/nim.kif\", { command = \"nim\" }, { command = \"nim\", dir = \"d\" }]\n\
        opening.book = \"book\"\n\
        submissions.readable = [\"s\"]\n\
        [[bots]]\nname = \"a\"\ndir = \"d\"\nreadable = [\"x\", \"/y\"]\n[[bots]]\nname = \"b\"\n";
    let expected = "readable = [\"deep/r\"]\n\
        rules = [\"deep/nim.kif\", { command = \"sh nim.sh\", dir = \"deep\" }, \"${NIM}/nim.kif\", { command = \"nim\", dir = \"deep\" }, { command = \"nim\", dir = \"deep/d\" }]\n\
        opening.book = \"deep/book\"\n\
        submissions.readable = [\"deep/s\"]\n\
        [[bots]]\nname = \"a\"\ndir = \"deep/d\"\nreadable = [\"deep/x\", \"/y\"]\n[[bots]]\nname = \"b\"\ndir = \"deep/\"\n";
    let main = ("t.toml", "include = [\"deep/part.toml\"]\n");
    assert_eq!(
        whole(&[main, ("deep/part.toml", part)], &[]),
        table(expected)
    );
    let from = "bots_from = [\"subs/*\"]\nbots = []\n";
    let found = whole(
        &[
            main,
            ("deep/part.toml", from),
            (
                "deep/subs/anna/bot.toml",
                "command = \"x\"\nreadable = [\"y\"]\n",
            ),
        ],
        &[],
    );
    let bot = &found["bots"][0];
    assert_eq!(bot["dir"].as_str(), Some("deep/subs/anna"));
    assert_eq!(bot["readable"][0].as_str(), Some("deep/subs/anna/y"));
    // A new key belongs into the files above.
    let mut keys = Vec::new();
    path_keys(&schema::schema(), &schema::schema(), "", &mut keys);
    keys.sort();
    let tried = [
        "bots[].dir",
        "bots[].readable",
        "bots_from",
        "opening.book",
        "readable",
        "rules",
        "rules[].dir",
        "submissions.readable",
    ];
    assert_eq!(keys, tried);
}
