use super::*;
use crate::playing::openings;
use schedule::Next;
use schedule::Scheduled;
use serde_json::{Value, json};
use std::fs;

const CONFIG: &str = "name = \"t\"\nrounds = 2\n\
    games = [{ id = \"amazons\", options = { size = 5 } }]\n\
    [[bots]]\nname = \"a\"\ncommand = \"referee bot random\"\n\
    [[bots]]\nname = \"b\"\ncommand = \"referee bot random\"\n";

struct ResumedFolder {
    folder: tempfile::TempDir,
    config: Config,
    schedule: Vec<Scheduled>,
}

fn known(config: &Config) -> Vec<Scheduled> {
    Schedule::new(&config.shape()).known().collect()
}

impl ResumedFolder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(CONFIG_NAME), CONFIG).unwrap();
        let config = Config::parse(CONFIG, Path::new("/")).unwrap();
        ResumedFolder {
            schedule: known(&config),
            folder,
            config,
        }
    }

    /// The line of the n-th match.
    fn line(&self, n: usize) -> String {
        self.changed(n, |_| ())
    }

    fn changed(&self, n: usize, change: impl FnOnce(&mut Value)) -> String {
        let scheduled = &self.schedule[n - 1];
        let player = |bot: &usize| {
            let name = &self.config.bots[*bot].name;
            json!({"name": name, "role": "x", "command": []})
        };
        let mut record = json!({
            "format": 1, "match": scheduled.id(), "game": "amazons",
            "options": self.config.games[0].rules.options().to_json(),
            "seed": openings::seed(&self.config, scheduled), "start": {},
            "players": scheduled.seats.iter().map(player).collect::<Vec<_>>(),
            "time": {"startup_ms": 1, "margin_ms": 1},
            "limits": {"max_plies": null, "repetition": null}, "opening": 0, "moves": [],
            "result": {"scores": [], "outcome": [0.5, 0.5], "reason": "x", "faults": []},
            "started": "", "duration_ms": 1, "referee": ""
        });
        change(&mut record);
        format!("{record}\n")
    }

    fn resume(&self, log: &str) -> (Result<Resumed, ResumeError>, Vec<String>) {
        self.write(log);
        let mut taken = Vec::new();
        let take = |record: &Record| taken.push(record.match_id.clone());
        let resumed = open(self.folder.path(), &self.config, Allowed::Nothing, take);
        (resumed, taken)
    }

    fn write(&self, log: &str) {
        fs::write(self.folder.path().join(LOG_NAME), log).unwrap();
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join(LOG_NAME)).unwrap()
    }

    /// Opens this log, which must be refused and left as it is; returns the reason.
    #[track_caller]
    fn refused(&self, log: &str) -> String {
        let error = self.resume(log).0.err().unwrap();
        assert_eq!(self.log(), log, "nothing is changed");
        error.to_string()
    }
}

/// The numbers of the matches that are left.
fn numbers(mut schedule: Schedule) -> Vec<usize> {
    let mut numbers = Vec::new();
    while let Next::Match(scheduled) = schedule.take() {
        numbers.push(scheduled.number);
    }
    numbers
}

#[test]
fn what_was_played_is_taken_and_the_rest_is_left() {
    let place = ResumedFolder::new();
    let log = place.line(3) + &place.line(1);
    let (resumed, taken) = place.resume(&log);
    let resumed = resumed.unwrap();
    assert_eq!(taken, ["m-000003", "m-000001"]);
    assert_eq!(resumed.cut, None);
    assert_eq!(numbers(resumed.schedule), [2, 4]);
    let all: String = (1..=4).map(|n| place.line(n)).collect();
    drop(resumed.folder);
    assert!(place.resume(&all).0.unwrap().schedule.is_over());
}

#[test]
fn a_cut_line_is_dropped() {
    let place = ResumedFolder::new();
    let whole = place.line(1);
    for bytes in [1, 30, whole.len() - 1] {
        let (resumed, taken) = place.resume(&format!("{whole}{}", &place.line(2)[..bytes]));
        let resumed = resumed.unwrap();
        assert_eq!(resumed.cut, Some(CutLine { line: 2, bytes }));
        assert_eq!((taken.len(), place.log()), (1, whole.clone()));
        assert_eq!(numbers(resumed.schedule), [2, 3, 4]);
    }
}

#[test]
fn what_is_not_of_this_tournament_is_refused() {
    let place = ResumedFolder::new();
    let first = place.line(1);
    let after = |line: &str| place.refused(&format!("{first}{line}"));
    let twice = after(&first);
    assert!(
        twice.contains("line 2: the match `m-000001` is there already, in line 1"),
        "{twice}"
    );
    let changed =
        |field: &str, value: Value| after(&place.changed(2, |record| record[field] = value));
    assert!(changed("match", json!("m-000005")).contains("`m-000005` is not in the schedule"));
    assert!(changed("game", json!("siam")).contains("has the game siam, but"));
    assert!(changed("seed", json!(7)).contains("has the seed 7, but"));
    assert!(changed("options", json!({"size": 6})).contains("has the options {\"size\":6}, but"));
    assert!(changed("format", json!(99)).contains("format 99"));
    let swapped = after(&place.changed(2, |record| {
        record["players"].as_array_mut().unwrap().reverse();
    }));
    assert!(
        swapped.contains("has the players a, b, but is scheduled with b, a"),
        "{swapped}"
    );
    assert!(after("nonsense\n").contains("line 2 is not a match"));
    // Also before a line that is cut off.
    assert!(after(&format!("{first}{{\"form")).contains("already"));
}

#[test]
fn another_configuration_is_refused() {
    let mut place = ResumedFolder::new();
    let text = CONFIG.replace("rounds = 2", "rounds = 3");
    place.config = Config::parse(&text, Path::new("/")).unwrap();
    let error = place.refused("");
    assert!(error.contains("`rounds` was 2 and is 3 now"), "{error}");
}

#[test]
fn what_is_no_folder_of_a_tournament_is_refused() {
    let place = ResumedFolder::new();
    let path = place.folder.path();
    let open = |path: &Path| {
        let opened = open(path, &place.config, Allowed::Nothing, |_| ());
        opened.err().unwrap()
    };
    assert!(matches!(
        open(&path.join("x")),
        ResumeError::NoFolder { .. }
    ));
    assert!(matches!(
        open(path),
        ResumeError::Nothing {
            missing: LOG_NAME,
            ..
        }
    ));
    fs::write(path.join(CONFIG_NAME), "name = ").unwrap();
    place.write("");
    assert!(matches!(open(path), ResumeError::Copy { .. }));
    fs::remove_file(path.join(CONFIG_NAME)).unwrap();
    place.write("{}");
    assert!(matches!(
        open(path),
        ResumeError::Nothing {
            missing: CONFIG_NAME,
            ..
        }
    ));
}

#[test]
fn a_start_that_was_killed_at_once_goes_on() {
    let place = ResumedFolder::new();
    fs::remove_file(place.folder.path().join(CONFIG_NAME)).unwrap();
    let resumed = place.resume("").0.unwrap();
    assert_eq!(numbers(resumed.schedule).len(), 4);
    let copy = fs::read_to_string(place.folder.path().join(CONFIG_NAME)).unwrap();
    assert_eq!(copy, CONFIG);
}

/// Three bots in three seats.
fn of_three() -> (Config, String) {
    let text = CONFIG
        .replace(
            "games = [{ id = \"amazons\", options = { size = 5 } }]",
            THREE,
        )
        .replace("rounds = 2", "rounds = 4")
        + "[[bots]]\nname = \"c\"\ncommand = \"referee bot random\"\n";
    (Config::parse(&text, Path::new("/")).unwrap(), text)
}

const THREE: &str = "games = [{ id = \"penguins\", options = { players = 3 } }]";

#[test]
fn a_tournament_keeps_the_version_of_its_schedule() {
    let (config, text) = of_three();
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::create(&place.path().join("new"), &text, None, config.deals()).unwrap();
    drop(folder);
    let old = place.path().join("old");
    fs::create_dir(&old).unwrap();
    fs::write(old.join(CONFIG_NAME), &text).unwrap();
    fs::write(old.join(LOG_NAME), "").unwrap();
    let orders = |path: &Path, config: &Config, allowed| -> Vec<Vec<usize>> {
        let resumed = open(path, config, allowed, |_| ()).unwrap();
        let known = resumed.schedule.known();
        known.map(|scheduled| scheduled.seats.to_vec()).collect()
    };
    let new = place.path().join("new");
    let [first, second] = [&old, &new].map(|path| orders(path, &config, Allowed::Nothing));
    let rotations = [[0, 1, 2], [1, 2, 0], [2, 0, 1]];
    assert_eq!(first, [rotations; 4].concat());
    assert!(second.contains(&vec![0, 2, 1]) && second.contains(&vec![0, 1, 2]));
    assert_eq!(
        second,
        known(&config)
            .iter()
            .map(|m| m.seats.to_vec())
            .collect::<Vec<_>>()
    );
    // An extension continues from these matches.
    let more = text.replace("rounds = 4", "rounds = 6");
    let more = Config::parse(&more, Path::new("/")).unwrap();
    for (path, before) in [(&old, &first), (&new, &second)] {
        let extended = orders(path, &more, Allowed::Additions);
        assert_eq!(extended[..before.len()], before[..]);
        assert_eq!(extended.len(), 18);
    }
    assert_eq!(
        orders(&old, &more, Allowed::Nothing),
        [rotations; 6].concat()
    );
    fs::write(new.join(SCHEDULE_NAME), "version = 99").unwrap();
    let error = open(&new, &more, Allowed::Nothing, |_| ()).err().unwrap();
    let error = error.to_string();
    assert!(
        error.contains("schedule.toml") && error.contains("up to 2 only"),
        "{error}"
    );
}

#[test]
fn one_at_a_time() {
    let place = ResumedFolder::new();
    let first = place.resume("").0.unwrap();
    let error = place.refused("");
    assert!(error.contains("another referee is writing"), "{error}");
    drop(first);
    place.resume("").0.unwrap();
}
