//! Commands that write files, killed at any moment or on a full disk: they can be repeated, lose
//! nothing, and overwrite no valuable results.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use tests::needs::{Need, has};
use tests::{
    Arena, Ran, assert_contains, good, referee, refused_in_one_line as refused, run_in, verified,
};

use crate::{GREEDY, RANDOM, config};

/// Runs a command line in the arena's folder, after some commands of a shell.
fn after(arena: &Arena, shell: &str, args: &str) -> Ran {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{shell}; exec \"$0\" \"$@\"")]);
    command.arg(referee()).args(args.split(' '));
    let ran = command.current_dir(arena.path("")).output().unwrap();
    ran.into()
}

/// All files below a folder, with their contents.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut left = vec![folder.to_owned()];
    while let Some(path) = left.pop() {
        for entry in fs::read_dir(&path).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                left.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap();
                files.insert(name.display().to_string(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// Two parts of a tournament, one of whose bots loses by faults, and their merge.
fn parts() -> (Arena, BTreeMap<String, Vec<u8>>) {
    let broken = ("broken", r#"["sh", "-c", "exit 3"]"#);
    let text = config(&[RANDOM, GREEDY, broken]);
    let arena = Arena::new(&format!("rounds = 20\n{text}"));
    for part in 1..=2 {
        let args = format!("tournament t.toml --quiet --shard {part}/2 --out part-{part}");
        good(run_in(&arena, &args));
    }
    good(run_in(&arena, MERGE));
    let whole = tree(&arena.path("all"));
    assert!(whole.keys().any(|name| name.starts_with("failures/")));
    fs::rename(arena.path("all"), arena.path("whole")).unwrap();
    (arena, whole)
}

const MERGE: &str = "merge part-1 part-2 --out all";

/// Repeats the command, which must succeed with the same result.
#[track_caller]
fn merged(arena: &Arena, whole: &BTreeMap<String, Vec<u8>>) {
    good(run_in(arena, MERGE));
    let there = tree(&arena.path("all"));
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&there), names(whole));
    assert!(there == *whole, "the same bytes");
}

#[test]
fn a_merge_that_is_killed_at_any_moment_can_be_repeated() {
    let (arena, whole) = parts();
    let mut finished = 0;
    for delay in 0.. {
        let mut child = Command::new(referee());
        let child = child.args(MERGE.split(' ')).current_dir(arena.path(""));
        let mut child = child.stdout(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(delay * 2));
        let _ = child.kill();
        let ended = child.wait().unwrap();
        if ended.signal().is_none() {
            assert_eq!(ended.code(), Some(0));
            finished += 1;
            fs::remove_dir_all(arena.path("all")).unwrap();
        } else if arena.path("all/games.jsonl").exists() {
            // Where the log is, all is.
            assert_eq!(
                fs::read(arena.path("all/games.jsonl")).unwrap(),
                whole["games.jsonl"]
            );
        } else {
            // Nobody takes what is there for a tournament.
            let ran = run_in(&arena, "tournament t.toml --quiet --resume --out all");
            assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        }
        if finished == 3 || delay == 60 {
            break;
        }
        // Sometimes twice in a row.
        if delay % 3 != 0 && arena.path("all").exists() {
            if arena.path("all/games.jsonl").exists() && !arena.path("all/merge.part").exists() {
                refused(&run_in(&arena, MERGE), 2, "already holds a tournament");
            } else {
                merged(&arena, &whole);
            }
            fs::remove_dir_all(arena.path("all")).unwrap();
        }
    }
    verified(arena.path("whole"));
}

#[test]
fn a_merge_goes_on_from_each_of_its_last_moments() {
    let (arena, whole) = parts();
    let names = |folder: &str| {
        let entries = fs::read_dir(arena.path(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort_by_key(|name| (name == "games.jsonl", name == "tournament.toml"));
        names
    };
    let all = names("whole");
    for placed in 0..=all.len() {
        // As it is when so many of them have their places.
        let (part, out) = (arena.path("all/merge.part"), arena.path("all"));
        fs::create_dir_all(&out).unwrap();
        let mut copy = Command::new("cp");
        let copied = copy.arg("-r").arg(arena.path("whole")).arg(&part).status();
        assert!(copied.unwrap().success());
        for name in &all[..placed] {
            fs::rename(part.join(name), out.join(name)).unwrap();
        }
        merged(&arena, &whole);
        refused(&run_in(&arena, MERGE), 2, "already holds a tournament");
        fs::remove_dir_all(&out).unwrap();
    }
    // Somebody went on in the meantime: nothing is lost.
    good(run_in(&arena, "merge part-1 --out all"));
    fs::create_dir(arena.path("all/merge.part")).unwrap();
    let before = fs::read(arena.path("all/games.jsonl")).unwrap();
    refused(&run_in(&arena, MERGE), 2, "already holds a tournament");
    assert_eq!(fs::read(arena.path("all/games.jsonl")).unwrap(), before);
}

#[test]
fn a_merge_without_room_leaves_nothing_and_can_be_repeated() {
    let (arena, whole) = parts();
    let log = whole["games.jsonl"].len() / 512;
    for blocks in [0, 1, log / 2, log - 1] {
        // Some shells count in blocks of 1024 bytes; the last one may be enough then.
        let ran = after(&arena, &format!("trap '' XFSZ; ulimit -f {blocks}"), MERGE);
        if ran.code == Some(0) {
            fs::remove_dir_all(arena.path("all")).unwrap();
            continue;
        }
        refused(&ran, 4, "cannot be written");
        assert!(!arena.path("all").exists(), "nothing is left");
        // The same by a signal in the middle of a write.
        let killed = after(&arena, &format!("ulimit -f {blocks}"), MERGE);
        assert_ne!(killed.code, Some(0));
        assert!(!arena.path("all/games.jsonl").exists());
        merged(&arena, &whole);
        fs::remove_dir_all(arena.path("all")).unwrap();
    }
}

#[test]
fn a_merge_on_a_full_disk_can_be_repeated_when_there_is_room() {
    if !has(Need::Namespaces) {
        return;
    }
    let (arena, _) = parts();
    let script = "mkdir disk && mount -t tmpfs -o size=96k none disk && mkdir disk/all && \
         \"$0\" merge part-1 part-2 --out disk/all; echo \"code $?\"; find disk | sort; \
         mount -o remount,size=64m disk && \"$0\" merge part-1 part-2 --out disk/all; echo \"code $?\"; \
         cmp disk/all/games.jsonl whole/games.jsonl && echo same; ls disk/all | grep part";
    let ran = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
        .arg(referee())
        .current_dir(arena.path(""))
        .output();
    let ran: Ran = ran.unwrap().into();
    assert_contains(&ran.stderr, "No space left");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(
        &lines[..3],
        ["code 4", "disk", "disk/all"],
        "{}",
        ran.stdout
    );
    assert_eq!(
        &lines[lines.len() - 2..],
        ["code 0", "same"],
        "{}",
        ran.stdout
    );
}

#[test]
fn two_merges_into_one_folder_do_not_mix() {
    let (arena, whole) = parts();
    // Another one holds its log.
    fs::create_dir_all(arena.path("all/merge.part")).unwrap();
    let log = fs::File::create(arena.path("all/merge.part/games.jsonl")).unwrap();
    log.lock().unwrap();
    refused(&run_in(&arena, MERGE), 4, "another referee is writing");
    drop(log);
    merged(&arena, &whole);
}

#[test]
fn a_tournament_that_was_killed_before_it_began_begins_again() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    for resume in ["", " --resume"] {
        fs::create_dir(arena.path("out")).unwrap();
        fs::write(arena.path("out/games.jsonl"), "").unwrap();
        let args = format!("tournament t.toml --quiet --out out{resume}");
        good(run_in(&arena, &args));
        assert_eq!(arena.matches().len(), 2);
        fs::remove_dir_all(arena.path("out")).unwrap();
    }
}

/// A checkpoint may be the work of days.
#[test]
fn a_checkpoint_is_not_written_over() {
    let arena = Arena::new("");
    let solve = "solve amazons --options {\"size\":5} --memory 1MB --positions 50 --checkpoint";
    let ran = run_in(&arena, &format!("{solve} a.solve"));
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
    let before = fs::read(arena.path("a.solve")).unwrap();
    let tiles =
        "solve elephant-run --starting-tiles --memory 1MB --positions 50 --checkpoint a.solve";
    for args in [&*format!("{solve} a.solve"), tiles] {
        let ran = run_in(&arena, args);
        refused(
            &ran,
            2,
            "`a.solve` is there already, and nothing was changed",
        );
        assert_contains(&ran.stderr, "--resume");
        assert_eq!(fs::read(arena.path("a.solve")).unwrap(), before);
    }
    let ran = run_in(&arena, &format!("{solve} a.solve --resume"));
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
    // An empty file has nothing to lose, but no device is replaced by a file.
    fs::write(arena.path("empty"), "").unwrap();
    let ran = run_in(&arena, &format!("{solve} empty"));
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
    fs::create_dir(arena.path("folder")).unwrap();
    for other in ["folder", "/dev/null"] {
        let ran = run_in(&arena, &format!("{solve} {other}"));
        refused(&ran, 2, "no regular file");
    }
    assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
}

#[test]
fn what_can_be_made_again_replaces_its_like_and_nothing_else() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    good(arena.play());
    let log = fs::read(arena.path("out/games.jsonl")).unwrap();
    let bot = "import sys\n";
    arena.write("bot.py", bot);
    let makes = [
        "standings out --out",
        "standings out --format csv --out",
        "standings out --svg",
        "report out --bot greedy --out",
        "report out --bot greedy --format html --out",
    ];
    for make in makes {
        for file in ["page.txt", "page.txt"] {
            let ran = run_in(&arena, &format!("{make} {file}"));
            assert_eq!(ran.code, Some(0), "{make}: {}", ran.stderr);
        }
        assert_ne!(fs::read(arena.path("page.txt")).unwrap(), b"");
        for work in ["bot.py", "t.toml", "out/games.jsonl", "out/tournament.toml"] {
            let before = fs::read(arena.path(work)).unwrap();
            let ran = run_in(&arena, &format!("{make} {work}"));
            refused(&ran, 2, "is not replaced");
            assert_eq!(fs::read(arena.path(work)).unwrap(), before);
        }
        let ran = run_in(&arena, &format!("{make} /dev/full"));
        refused(&ran, 4, "`/dev/full` cannot be written: No space left");
        // What was there stays if there is no room for the new one.
        fs::write(arena.path("page.txt"), "the one before").unwrap();
        let ran = after(
            &arena,
            "trap '' XFSZ; ulimit -f 0",
            &format!("{make} page.txt"),
        );
        refused(&ran, 4, "cannot be written");
        let there = arena.read("page.txt");
        assert_eq!(there, "the one before");
        assert!(!arena.path("page.txt.part").exists());
    }
    let site = "report out --all --out site";
    good(run_in(&arena, site));
    let pages = tree(&arena.path("site"));
    for name in pages.keys().step_by(2) {
        fs::write(arena.path("site").join(name), "cut off").unwrap();
    }
    good(run_in(&arena, site));
    assert_eq!(tree(&arena.path("site")), pages);
    // A trace replaces a trace.
    let play = "play amazons --options {\"size\":5} --quiet --bot random --bot random --trace";
    for _ in 0..2 {
        good(run_in(&arena, &format!("{play} t.jsonl")));
    }
    for work in ["bot.py", "t.toml", "out/games.jsonl"] {
        refused(
            &run_in(&arena, &format!("{play} {work}")),
            2,
            "is not replaced",
        );
    }
    // A match goes to the end of a log, and of nothing else.
    let play = "play amazons --options {\"size\":5} --quiet --bot random --bot random --log";
    let ran = run_in(&arena, &format!("{play} bot.py"));
    assert_ne!(ran.code, Some(0));
    assert_eq!(arena.read("bot.py"), bot);
    assert_eq!(fs::read(arena.path("out/games.jsonl")).unwrap(), log);
}

#[test]
fn an_analysis_that_was_killed_can_be_repeated() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    good(arena.play());
    let args = [
        "analyse",
        "out",
        "--match",
        "m-000001",
        "--each-ply",
        "--time",
        "20ms",
        "--bot",
        "greedy",
        "--out",
        "copy.jsonl",
    ];
    for delay in [0, 30, 100, 300] {
        let mut child = Command::new(referee());
        let child = child.args(args).current_dir(arena.path(""));
        let mut child = child.stdout(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(delay));
        let _ = child.kill();
        child.wait().unwrap();
        if arena.path("copy.jsonl").exists() {
            verified(arena.path("copy.jsonl"));
            fs::remove_file(arena.path("copy.jsonl")).unwrap();
        }
    }
    // So did versions that made the file at once.
    fs::write(arena.path("copy.jsonl"), "").unwrap();
    good(run_in(&arena, &args.join(" ")));
    verified(arena.path("copy.jsonl"));
    assert!(!arena.path("copy.jsonl.part").exists());
    let before = fs::read(arena.path("copy.jsonl")).unwrap();
    refused(&run_in(&arena, &args.join(" ")), 2, "is there already");
    assert_eq!(fs::read(arena.path("copy.jsonl")).unwrap(), before);
    let two = Command::new(referee())
        .args(["analyse", "out"])
        .args(["--match", "m-000001", "--each-ply", "--out"])
        .arg(OsStr::new("/dev/full"))
        .current_dir(arena.path(""))
        .output();
    refused(&two.unwrap().into(), 2, "is there already");
}
