//! An interrupted tournament continues where it was, regardless of the cause.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tests::{
    Arena, Ran, assert_contains, good, referee, refused_with_all, run, timeless, unchained,
    verified, wait_until,
};

use crate::{GATED, GREEDY, HOSTILE, RANDOM, config};

/// Six matches; the first two are played at once, the others once `go` exists.
fn gated() -> Arena {
    let config = config(&[RANDOM, GREEDY, GATED]).replace("startup = \"20s\"", "startup = \"2m\"");
    Arena::new(&format!("concurrency = 1\n{config}"))
}

/// Twelve matches, played to the end.
fn played() -> Arena {
    let arena = Arena::new(&format!("rounds = 6\n{}", config(&[RANDOM, GREEDY])));
    good(arena.play());
    arena
}

fn log(arena: &Arena) -> PathBuf {
    arena.path("out/games.jsonl")
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).expect("a file")
}

/// The command that goes on with the tournament in a folder.
fn resumption(arena: &Arena, folder: &str) -> Vec<PathBuf> {
    let mut args = arena.tournament();
    args[3] = arena.path(folder);
    args.push("--resume".into());
    args
}

fn resume(arena: &Arena) -> Ran {
    run(resumption(arena, "out"))
}

/// Starts the gated tournament, with one more option.
fn spawn(arena: &Arena, option: &str) -> Child {
    Command::new(referee())
        .args(arena.tournament())
        .arg(option)
        .current_dir(arena.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("referee runs")
}

/// Starts the gated tournament; two matches are played when this returns.
fn start(arena: &Arena) -> Child {
    let child = spawn(arena, "--quiet");
    wait_until("two matches", || {
        fs::read_to_string(log(arena)).is_ok_and(|log| log.lines().count() == 2)
    });
    child
}

fn finish(child: Child) -> Ran {
    child.wait_with_output().expect("a child").into()
}

fn signal(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id()).expect("a process id");
    kill(Pid::from_raw(pid), signal).expect("a running referee");
}

/// Refused with one sentence that has these parts; the log stays as it is.
#[track_caller]
fn refused(arena: &Arena, code: i32, parts: &[&str]) {
    let before = read(log(arena));
    let ran = resume(arena);
    refused_with_all(&ran, code, parts);
    assert_eq!(read(log(arena)), before, "nothing is changed");
}

/// The matches of a log in `folder` are those of an undisturbed run, each once.
#[track_caller]
fn same_as_undisturbed(arena: &Arena, folder: &str) {
    let other = Arena::new(&read(arena.path("t.toml")));
    other.write("go", "");
    good(other.play());
    let expected: Vec<Value> = other.matches().iter().map(timeless).collect();
    let log = read(arena.path(folder).join("games.jsonl"));
    let lines = log.lines().map(|line| serde_json::from_str(line).unwrap());
    let mut matches: Vec<Value> = lines.map(|record: Value| timeless(&record)).collect();
    matches.sort_by_key(|record| record["match"].to_string());
    assert_eq!(matches, expected);
}

#[test]
fn killed_at_random_moments_it_comes_to_the_same_log() {
    let figures = tests::chaos::run(4, 1, |_, _| ());
    assert!(figures.kills >= 4, "{figures}");
}

/// A bot with files of its own, which may change.
fn with_own_files() -> Arena {
    let bot = "[[bots]]\nname = \"mine\"\ncommand = [\"sh\", \"bot.sh\"]\ndir = \"mine\"\n";
    let arena = Arena::new(&(config(&[RANDOM, GREEDY]) + bot));
    fs::create_dir(arena.path("mine")).unwrap();
    arena.write("mine/bot.sh", ". ./level\nexec \"$REFEREE\" bot $level\n");
    arena.write("mine/level", "level=random\n");
    good(arena.play());
    arena
}

#[test]
fn a_bot_that_has_changed_is_noticed_and_plays_again_if_wanted() {
    let arena = with_own_files();
    let warning = "the bot `mine` has changed since it played its 4 matches";
    assert!(!resume(&arena).stderr.contains(warning));
    arena.write("mine/level", "level=greedy\n");
    let ran = resume(&arena);
    assert_contains(&ran.stderr, warning);
    let (before, matches) = (read(log(&arena)), arena.matches());
    let mut args = resumption(&arena, "out");
    args.extend(["--replay-bot", "mine"].map(PathBuf::from));
    let ran = good(run(&args));
    assert_contains(&ran.stderr, "4 matches are played again");
    assert_eq!(read(arena.path("out/games.before-1.jsonl")), before);
    let again = arena.matches();
    assert_eq!(again.len(), matches.len());
    for (now, then) in again.iter().zip(&matches) {
        let is_mine = now["players"].to_string().contains("\"mine\"");
        assert_eq!(now["match"], then["match"]);
        assert_eq!(
            now["started"] != then["started"],
            is_mine,
            "{}",
            now["match"]
        );
    }
    assert!(!resume(&arena).stderr.contains("has changed"));
    verified(log(&arena));
    args.truncate(args.len() - 1);
    args.push("yours".into());
    refused_with_all(
        &run(&args),
        2,
        &["there is no bot `yours`", "random, greedy, mine"],
    );
}

#[test]
fn bots_that_are_copies_of_each_other_are_pointed_out() {
    let arena = with_own_files();
    fs::create_dir(arena.path("copy")).unwrap();
    arena.write("copy/start.sh", &read(arena.path("mine/bot.sh")));
    arena.write("copy/level", &read(arena.path("mine/level")));
    let text = read(arena.path("t.toml"));
    let copy = "[[bots]]\nname = \"copy\"\ncommand = [\"sh\", \"start.sh\"]\ndir = \"copy\"\n";
    arena.write("t.toml", &(text + copy));
    let mut args = arena.tournament();
    args[3] = arena.path("other");
    let ran = run(&args);
    assert_contains(&ran.stderr, "the bots `mine`, `copy` are identical");
    assert_eq!(ran.stderr.matches("are identical").count(), 1);
}

#[test]
fn matches_in_the_log_are_not_played_again() {
    let arena = played();
    let standings = resume(&arena).stdout;
    let all = read(log(&arena));
    let kept: String = all.lines().take(5).flat_map(|line| [line, "\n"]).collect();
    fs::write(log(&arena), &kept).unwrap();
    let ran = good(resume(&arena));
    assert_contains(&ran.stderr, "out`: 5 of 12 matches");
    assert!(!ran.stderr.contains("[5/12]"), "{}", ran.stderr);
    for done in 6..=12 {
        assert!(ran.stderr.contains(&format!("[{done}/12] m-")), "{done}");
    }
    assert_eq!(ran.stdout, standings);
    assert!(read(log(&arena)).starts_with(&kept));
    same_as_undisturbed(&arena, "out");
}

#[test]
fn one_that_is_complete_shows_its_standings() {
    let arena = played();
    let before = read(log(&arena));
    let ran = good(resume(&arena));
    assert_contains(&ran.stderr, "all 12 matches");
    assert!(ran.stdout.starts_with("Standings"), "{}", ran.stdout);
    for bot in ["random", "greedy"] {
        let mut rows = ran.stdout.lines().map(str::split_whitespace);
        let row = rows.find(|row| row.clone().nth(1) == Some(bot));
        let row: Vec<&str> = row.expect("the bot has a row").collect();
        assert!(row.contains(&"12"), "twelve matches: {row:?}");
    }
    assert_eq!(read(log(&arena)), before);
}

#[test]
fn a_last_line_that_was_cut_off_is_dropped_and_played_again() {
    let arena = played();
    let whole = read(log(&arena));
    let last = whole.trim_end().rfind('\n').unwrap() + 1;
    for end in [last + 1, whole.len() - 1] {
        fs::write(log(&arena), &whole[..end]).unwrap();
        let ran = good(resume(&arena));
        assert_contains(&ran.stderr, "line 12, the last one, is cut off");
        assert_contains(&ran.stderr, "[12/12] m-");
        assert!(read(log(&arena)).starts_with(&whole[..last]));
        same_as_undisturbed(&arena, "out");
    }
}

#[test]
fn a_log_of_something_else_is_refused() {
    let arena = played();
    let whole = read(log(&arena));
    let first = &*unchained(whole.lines().next().unwrap());
    let with = |line: &str| {
        fs::write(log(&arena), format!("{first}\n{line}\n")).unwrap();
    };
    with("{}");
    refused(&arena, 4, &["games.jsonl", "line 2 is not a match"]);
    with(&first.replace("\"format\":1", "\"format\":99"));
    refused(&arena, 4, &["line 2", "format 99"]);
    with(first);
    refused(&arena, 4, &["line 2", "is there already, in line 1"]);
    with(&first.replace("\"name\":\"greedy\"", "\"name\":\"other\""));
    refused(&arena, 4, &["line 2"]);
}

#[test]
fn a_configuration_that_changed_is_refused_with_the_difference() {
    let arena = played();
    let text = read(arena.path("t.toml"));
    arena.write(
        "t.toml",
        &text.replace("per_move = \"20s\"", "per_move = \"5s\""),
    );
    refused(
        &arena,
        2,
        &[
            "`time.per_move` was \"20s\" and is \"5s\" now",
            "out/tournament.toml",
        ],
    );
    arena.write("t.toml", &text.replace("\"greedy\"]", "\"random\"]"));
    refused(
        &arena,
        2,
        &["`command` of the bot `greedy` was [\"referee\""],
    );
    // Another look is no change.
    let other = format!(
        "# A remark.\n{}",
        text.replace("rounds = 6\n", "rounds   =   6\n\n")
    );
    arena.write("t.toml", &other);
    good(resume(&arena));
}

#[test]
fn where_there_is_nothing_to_resume_it_is_said() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    refused_with_all(
        &resume(&arena),
        2,
        &["no folder", "out`", "without --resume"],
    );
    assert!(!arena.path("out").exists());
    fs::create_dir(arena.path("out")).unwrap();
    refused_with_all(&resume(&arena), 2, &["nothing to resume", "`games.jsonl`"]);
    arena.write("out/games.jsonl", "{}\n");
    refused(&arena, 2, &["nothing to resume", "`tournament.toml`"]);
}

#[test]
fn without_a_folder_the_newest_one_goes_on() {
    let arena = Arena::new(&config(&[RANDOM, GREEDY]));
    let here = |args: &[&str]| -> Ran {
        let mut command = Command::new(referee());
        command.args(["tournament", "t.toml", "--quiet"]).args(args);
        command.current_dir(arena.path("")).stdin(Stdio::null());
        command.output().expect("referee runs").into()
    };
    let none = here(&["--resume"]);
    refused_with_all(&none, 2, &["no folder `runs/test-N`", "without --resume"]);
    for _ in 0..2 {
        good(here(&[]));
    }
    // Numbers are not words, and other tournaments are others.
    fs::rename(arena.path("runs/test-2"), arena.path("runs/test-10")).unwrap();
    for other in ["test-9", "test-11x", "test-more-12", "tests-13"] {
        fs::create_dir(arena.path("runs").join(other)).unwrap();
    }
    fs::write(arena.path("runs/test-10/games.jsonl"), "").unwrap();
    let ran = good(here(&["--resume"]));
    assert_contains(&ran.stderr, "`runs/test-10`: 0 of 2");
    same_as_undisturbed(&arena, "runs/test-10");
}

#[test]
fn only_one_referee_writes_to_a_folder() {
    let arena = gated();
    let first = start(&arena);
    refused(&arena, 4, &["another referee is writing", "games.jsonl"]);
    refused_with_all(
        &arena.play(),
        2,
        &["already holds a tournament", "--resume"],
    );
    let bots = ["--bot", "random", "--bot", "random", "--quiet"];
    let mut args: Vec<PathBuf> = vec!["play".into(), "amazons".into()];
    args.extend(bots.map(PathBuf::from));
    args.extend(["--log".into(), log(&arena)]);
    refused_with_all(&run(args), 4, &["another referee is writing"]);
    arena.write("go", "");
    good(finish(first));
    same_as_undisturbed(&arena, "out");
}

/// Starts the gated tournament; when this returns, the third match is in flight.
fn start_third(arena: &Arena) -> (Child, impl FnMut(&str)) {
    let mut child = spawn(arena, "--verbose");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let mut read_until = move |part: &str| {
        let found = lines.find(|line| line.as_ref().expect("a line").contains(part));
        assert!(found.is_some(), "`{part}` was not said");
    };
    read_until("m-000002  amazons  greedy – random  ");
    read_until("begins");
    (child, read_until)
}

/// Some of a tournament was played, and it can be resumed.
fn was_interrupted(arena: &Arena, child: Child, mut said: impl FnMut(&str), matches: usize) {
    said(&format!("--resume --out {}`", arena.path("out").display()));
    assert_eq!(finish(child).code, Some(130));
    assert_eq!(arena.matches().len(), matches);
    arena.write("go", "");
    good(resume(arena));
    same_as_undisturbed(arena, "out");
}

#[test]
fn after_one_ctrl_c_the_match_in_flight_is_finished() {
    let arena = gated();
    let (child, mut said) = start_third(&arena);
    signal(&child, Signal::SIGINT);
    said("no new matches begin; finishing the match in flight (Ctrl-C again gives up on that)");
    arena.write("go", "");
    was_interrupted(&arena, child, said, 3);
}

#[test]
fn a_second_ctrl_c_gives_the_match_in_flight_up() {
    let arena = gated();
    let (child, mut said) = start_third(&arena);
    signal(&child, Signal::SIGINT);
    said("finishing the match in flight");
    signal(&child, Signal::SIGINT);
    said("giving up the match in flight (Ctrl-C again ends the referee at once)");
    was_interrupted(&arena, child, said, 2);
}

#[test]
fn programs_that_ask_it_to_end_do_not_wait_for_matches() {
    for how in [Signal::SIGTERM, Signal::SIGHUP] {
        let arena = gated();
        let (child, mut said) = start_third(&arena);
        signal(&child, how);
        said("giving up the match in flight");
        was_interrupted(&arena, child, said, 2);
    }
}

#[test]
fn a_third_signal_ends_it_at_once() {
    for again in [Signal::SIGINT, Signal::SIGTERM] {
        let arena = gated();
        // Nobody reads the standings, so that an orderly end never comes.
        let (nobody, pipe) = io::pipe().expect("a pipe");
        let mut filler = pipe.try_clone().expect("a pipe");
        let filling = thread::spawn(move || while filler.write_all(&[0; 512]).is_ok() {});
        let mut child = Command::new(referee())
            .args(arena.tournament())
            .current_dir(arena.path(""))
            .stdin(Stdio::null())
            .stdout(pipe)
            .stderr(Stdio::null())
            .spawn()
            .expect("referee runs");
        wait_until("two matches", || {
            fs::read_to_string(log(&arena)).is_ok_and(|log| log.lines().count() == 2)
        });
        signal(&child, Signal::SIGINT);
        // Signals that come too close together are one.
        wait_until("the end", || {
            thread::sleep(Duration::from_millis(100));
            let ended = child.try_wait().expect("a child").is_some();
            if !ended {
                signal(&child, again);
            }
            ended
        });
        assert_eq!(child.wait().unwrap().code(), Some(130));
        drop(nobody);
        filling.join().unwrap();
    }
}

/// Plays with a limit on the size of files, in units of 512 bytes (some shells: 1024).
fn limited(arena: &Arena, blocks: u32) -> Ran {
    let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).arg(referee());
    shell.args(arena.tournament()).arg("--quiet");
    let output = shell.stdin(Stdio::null()).output();
    output.expect("a shell").into()
}

#[test]
fn a_log_that_cannot_grow_stops_it_and_is_whole() {
    let arena = Arena::new(&format!("rounds = 20\n{}", config(&[RANDOM, GREEDY])));
    let ran = limited(&arena, 16);
    refused_with_all(&ran, 4, &["games.jsonl` cannot be written", "--resume"]);
    let before = read(log(&arena));
    assert!(before.ends_with('\n'), "the last line is whole");
    let matches = arena.matches().len();
    assert!((1..40).contains(&matches), "{matches}");
    let ran = good(resume(&arena));
    assert!(!ran.stderr.contains("cut off"), "{}", ran.stderr);
    assert!(read(log(&arena)).starts_with(&before));
    same_as_undisturbed(&arena, "out");
}

#[test]
fn a_configuration_that_cannot_be_copied_stops_it() {
    let long = format!("# {}\n{}", "long ".repeat(500), config(&[RANDOM, GREEDY]));
    let arena = Arena::new(&long);
    for (blocks, file) in [(0, "out/schedule.toml"), (1, "out/tournament.toml")] {
        let ran = limited(&arena, blocks);
        refused_with_all(&ran, 4, &[&format!("{file}` cannot be written")]);
    }
    assert_eq!(arena.play().code, Some(0), "the folder can be used again");
}

#[test]
fn a_device_is_no_log() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let ran = run(
        "play amazons --options {\"size\":5} --quiet --bot random --bot random --log /dev/full"
            .split(' '),
    );
    refused_with_all(&ran, 2, &["`/dev/full` cannot be used", "a device"]);
}

#[test]
fn what_was_finished_survives_the_folder() {
    let arena = gated();
    let child = start(&arena);
    fs::remove_dir_all(arena.path("out")).unwrap();
    // What is there already is left alone.
    fs::create_dir(arena.path("out.rescued")).unwrap();
    arena.write("go", "");
    let ran = finish(child);
    let parts = ["out/games.jsonl` was removed", "out.rescued-2`", "--resume"];
    refused_with_all(&ran, 4, &parts);
    assert_eq!(fs::read_dir(arena.path("out.rescued")).unwrap().count(), 0);
    // What is played while the loss is noticed is saved, too.
    let saved = read(arena.path("out.rescued-2/games.jsonl"));
    assert!((3..=6).contains(&saved.lines().count()), "{saved}");
    good(run(resumption(&arena, "out.rescued-2")));
    same_as_undisturbed(&arena, "out.rescued-2");
}

#[test]
fn a_folder_that_was_moved_is_noticed_and_the_new_one_left_alone() {
    let arena = gated();
    let child = start(&arena);
    fs::rename(arena.path("out"), arena.path("moved")).unwrap();
    fs::create_dir(arena.path("out")).unwrap();
    arena.write("out/games.jsonl", "mine");
    arena.write("go", "");
    let ran = finish(child);
    refused_with_all(&ran, 4, &["out/games.jsonl` was removed or replaced"]);
    if cfg!(target_os = "linux") {
        assert_contains(&ran.stderr, "moved/games.jsonl`");
    }
    assert_eq!(read(arena.path("out/games.jsonl")), "mine");
    assert!(!arena.path("out.rescued").exists(), "nothing is lost");
    good(run(resumption(&arena, "moved")));
    same_as_undisturbed(&arena, "moved");
}

#[test]
fn a_folder_behind_a_link_is_that_folder() {
    let arena = played();
    fs::rename(arena.path("out"), arena.path("real")).unwrap();
    symlink(arena.path("real"), arena.path("out")).unwrap();
    let whole = read(log(&arena));
    let first = whole.lines().next().unwrap();
    fs::write(log(&arena), format!("{first}\n")).unwrap();
    good(resume(&arena));
    same_as_undisturbed(&arena, "real");
}

#[test]
fn stderr_of_bots_is_kept_beside_that_of_the_first_run() {
    let noisy = ("noisy", &*format!("['{HOSTILE}', 'noisy']"));
    let head = "rounds = 4\nconcurrency = 1\nrestart = \"each-match\"\n";
    let arena = Arena::new(&format!("{head}{}", config(&[RANDOM, noisy])));
    good(arena.play());
    let files = || {
        let entries = fs::read_dir(arena.path("out/stderr")).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = paths.map(|path| (path.clone(), read(path))).collect();
        files.sort();
        files
    };
    let before = files();
    assert_eq!(before.len(), 2 * 8, "each has its index");
    // The first seven are played again, so that their processes start in the same order.
    let last = read(log(&arena)).lines().last().unwrap().to_owned();
    // As in a log of before there was a chain: else the lines before it would be missed.
    let (record, _) = last.split_once(",\"prev\"").unwrap();
    fs::write(log(&arena), format!("{record}}}\n")).unwrap();
    good(resume(&arena));
    let after = files();
    assert_eq!(after.len(), 2 * (8 + 7));
    assert!(before.iter().all(|file| after.contains(file)));
}
