//! Bots played from bundles, on machines that do not have their folders.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tests::{Arena, good, refused, run_in, timeless};

use crate::{RANDOM, config};

/// A bot with files of its own, which plays only after its setup.
const MINE: &str = "
[[bots]]
name = \"mine\"
command = [\"sh\", \"bot.sh\"]
dir = \"mine\"
setup = [\"sh\", \"-c\", \"echo once; cp level.default level\"]
";

/// A configuration of this bot and `random`: two groups of two matches.
fn arena() -> Arena {
    Arena::new(&format!("rounds = 2\n{}{MINE}", config(&[RANDOM])))
}

/// The same with the bot's folder.
fn home() -> Arena {
    let arena = arena();
    fs::create_dir(arena.path("mine")).unwrap();
    arena.write("mine/bot.sh", ". ./level\nexec \"$REFEREE\" bot $level\n");
    arena.write("mine/level.default", "level=greedy\n");
    arena
}

/// The matches of a log, without data that differ between machines, and the bundle of `mine`.
fn matches(log: &Path) -> (BTreeMap<String, Value>, Option<String>) {
    let mut bundle = None;
    let text = fs::read_to_string(log.join("games.jsonl")).unwrap();
    let records = text.lines().map(|line| {
        let mut record = timeless(&serde_json::from_str(line).unwrap());
        for player in record["players"].as_array_mut().unwrap() {
            let player = player.as_object_mut().unwrap();
            player.remove("build");
            bundle = player.remove("bundle").or(bundle.take());
        }
        (record["match"].as_str().unwrap().to_owned(), record)
    });
    let records = records.collect();
    let bundle = bundle.map(|bundle| bundle.as_str().unwrap().to_owned());
    (records, bundle)
}

/// The only archive in a folder.
fn archive(folder: &Path) -> PathBuf {
    let paths = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut archives = paths.filter(|path| path.extension().is_some_and(|it| it == "gz"));
    let archive = archives.next().unwrap();
    assert_eq!(archives.next(), None);
    archive
}

#[test]
fn parts_are_played_from_bundles_as_from_folders() {
    let home = home();
    let ran = good(run_in(&home, "bundle t.toml --out bundles"));
    let archive = archive(&home.path("bundles"));
    let hash = archive.file_name().unwrap().to_str().unwrap();
    let hash = hash.strip_suffix(".tar.gz").unwrap();
    assert!(ran.stdout.starts_with(&hash[..12]) && ran.stdout.ends_with(" mine\n"));
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    let list = home.read("bundles/bundles.json");
    let list: Value = serde_json::from_str(&list).unwrap();
    assert_eq!(list["bots"]["mine"]["sha256"], hash);
    assert_eq!(list["bots"]["mine"]["setup"][0], "sh");
    assert_eq!(list["bots"].get("random"), None);

    fs::copy(home.path("mine/level.default"), home.path("mine/level")).unwrap();
    good(run_in(&home, "tournament t.toml --quiet --out whole"));

    // Another machine: no folder of the bot.
    let away = arena();
    refused(
        &run_in(&away, "tournament t.toml --out part-1"),
        2,
        "`dir`: there is no working directory",
    );
    let from = format!("--bundles {}", home.path("bundles").display());
    let play = |part: u32| {
        let part = format!("--shard {part}/2 --out part-{part} --bundle-cache cache");
        good(run_in(
            &away,
            &format!("tournament t.toml --quiet {from} {part}"),
        ))
    };
    let setup = format!("setting up `mine` (bundle {})\n", &hash[..12]);
    assert!(play(1).stderr.contains(&setup));
    assert!(!play(2).stderr.contains("setting up"), "once is enough");
    good(run_in(&away, "merge part-1 part-2 --out all"));
    let (whole, none) = matches(&home.path("whole"));
    let (all, bundle) = matches(&away.path("all"));
    assert_eq!((all, none), (whole, None));
    assert_eq!(bundle.as_deref(), Some(hash));
}

#[test]
fn what_cannot_be_bundled_or_played_from_bundles_is_said() {
    let home = home();
    let small = run_in(&home, "bundle t.toml --out bundles --max-size 10B");
    refused(
        &small,
        2,
        "have more than 10 B together (the largest: `bot.sh`",
    );
    good(run_in(&home, "bundle t.toml --out bundles"));
    let play = |more: &str| {
        let args = "tournament t.toml --out out --bundles bundles --bundle-cache cache";
        run_in(&home, &format!("{args}{more}"))
    };
    refused(
        &play(" --set bots.mine.setup=make"),
        2,
        "bot `mine`: `setup`: its bundle was made with another one",
    );
    refused(
        &play(" --set bots.random.dir=."),
        2,
        "bot `random`: `dir`: there is no bundle of it in `bundles`",
    );
    refused(
        &play(" --set bots.mine.in_place=true"),
        2,
        "bot `mine`: `setup`: it is run where a bundle is unpacked",
    );
    let cache = home.path("cache");
    fs::remove_dir_all(&cache).unwrap();
    let archive = archive(&home.path("bundles"));
    let bytes = fs::read(&archive).unwrap();
    fs::write(&archive, &bytes[..bytes.len() - 1]).unwrap();
    refused(&play(""), 2, "so it is not the bundle ");
    fs::remove_file(&archive).unwrap();
    refused(&play(""), 2, ".tar.gz`: No such file");
    assert!(!home.path("out").exists(), "nothing was written");

    // A machine on which a bot cannot be set up plays nothing.
    home.write("mine/level.default", "");
    fs::remove_file(home.path("mine/level.default")).unwrap();
    good(run_in(&home, "bundle t.toml --out bundles"));
    let ran = play("");
    refused(
        &ran,
        4,
        "cannot be used on this machine: its setup exited with code 1: cp: ",
    );
    refused(&ran, 4, "files/.setup.log`");
}
