//! Attacks by authors of bots: through `bot.toml`, their folder, and their build.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use super::super::judge::{Verdict, moves_of};
use super::super::options::Tier;
use super::super::site::{Played, Site};
use super::scene::{Scene, Stage, Tiers};

pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "submission-files",
        by: "an author",
        cannot: "have files opened by a `bot.toml` that are not the bot's own",
        tiers: Tiers::Each,
        promised: |_, _| true,
        play: files,
    },
    Scene {
        name: "submission-variables",
        by: "an author",
        cannot: "have a `bot.toml` pass the referee's environment on",
        tiers: Tiers::Each,
        promised: |_, _| true,
        play: variables,
    },
    Scene {
        name: "submission-loader",
        by: "an author",
        cannot: "set variables for processes outside of the sandbox",
        tiers: Tiers::Each,
        promised: |tier, _| tier >= Tier::Restricted,
        play: loader,
    },
    Scene {
        name: "submission-swaps",
        by: "an author",
        cannot: "put links in the place of files after they were checked",
        tiers: Tiers::Each,
        promised: |tier, _| tier >= Tier::Restricted,
        play: swaps,
    },
    Scene {
        name: "build-rewrites",
        by: "an author",
        cannot: "have a build change the `bot.toml`",
        tiers: Tiers::Each,
        promised: |tier, _| tier >= Tier::Restricted,
        play: rewrites,
    },
    Scene {
        name: "build-fills-disk",
        by: "an author",
        cannot: "fill the disk by a build",
        tiers: Tiers::Each,
        promised: |_, _| true,
        play: fills,
    },
    Scene {
        name: "build-fork-bomb",
        by: "an author",
        cannot: "leave processes of a build behind, or have more than allowed",
        tiers: Tiers::Each,
        promised: |_, _| true,
        play: fork_bomb,
    },
    Scene {
        name: "rules-fork-bomb",
        by: "a rules program",
        cannot: "leave processes behind, or have more than allowed",
        tiers: Tiers::Each,
        promised: |_, _| true,
        play: rules_fork_bomb,
    },
];

/// Maximum number of processes of a fork bomb; each ends by itself.
const BOMB: &str = "i=0; while [ $i -lt 300 ]; do sleep 20 & i=$((i+1)); done; wait";

/// The verdict on a submission that was admitted.
const PLAYS: &str = "it plays";

struct Class<'a> {
    site: Site<'a>,
    stage: &'a Stage<'a>,
    names: Vec<String>,
}

impl<'a> Class<'a> {
    fn new(stage: &'a Stage<'a>) -> Self {
        Class {
            site: Site::new(stage.programs, stage.user, Some(1)),
            stage,
            names: Vec::new(),
        }
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.site.arena.path(&format!("submissions/{name}"))
    }

    /// The command of a bot that plays.
    fn plays(&self) -> String {
        let hostile = self.stage.programs.hostile();
        format!("command = ['{}', 'plays']\n", hostile.display())
    }

    /// A submission, with more lines in its file; its folder.
    fn hand_in(&mut self, name: &str, file: &str) -> PathBuf {
        let folder = self.folder(name);
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("bot.toml"), file).expect("a file");
        self.names.push(name.to_owned());
        folder
    }

    /// Plays with these permissions.
    fn play(&self, allowed: &str) -> Played {
        let witness = self.site.bot("witness", "['./script']", "opponent", "");
        let honest = format!("['{}', 'plays']", self.stage.programs.hostile().display());
        let honest = self.site.bot("honest", &honest, "attacker", "");
        let configuration = format!(
            "name = \"class\"\nseed = 1\nsandbox = \"{}\"\nformat = \"gauntlet\"\n\
             challengers = [\"witness\"]\nconcurrency = 3\nbots_from = \"submissions/*\"\n\
             readable = [\"shared\", '{}']\n\
             games = [{{ id = \"amazons\", options = {{ size = 5 }} }}]\n\
             [limits]\nmax_plies = 4\n[time]\nper_move = \"60s\"\nstartup = \"60s\"\n{}\
             [build]\ndisk = \"20MiB\"\nfiles = 300\nresources = {{ processes = 40 }}\n\
             {allowed}{witness}{honest}",
            self.stage.tier.name(),
            self.stage.programs.folder().display(),
            Site::resources(self.stage.tier),
        );
        // What a tournament before has left.
        let _ = fs::remove_dir_all(self.site.arena.path("out"));
        for socket in ["private/socket", "shared/socket"] {
            let _ = fs::remove_file(self.site.arena.path(socket));
        }
        self.site.play(&configuration)
    }

    /// Rejected submissions, with reasons.
    fn left_out(&self) -> BTreeMap<String, String> {
        let text = fs::read_to_string(self.site.arena.path("out/left-out.toml"));
        let file: toml::Table = text.unwrap_or_default().parse().unwrap_or_default();
        let list = file.get("left_out").and_then(toml::Value::as_array);
        let entry = |entry: &toml::Value| {
            let text = |key| Some(entry.get(key)?.as_str()?.to_owned());
            Some((text("bot")?, text("why")?))
        };
        list.into_iter().flatten().filter_map(entry).collect()
    }

    /// False if there is nothing to judge.
    fn went_well(&self, played: &Played, verdict: &mut Verdict) -> bool {
        if !played.left.is_empty() {
            verdict.tried(format!("processes are left: {:?}", played.left), true);
        }
        if played.ran.code != Some(0) {
            let stderr = played.ran.stderr.trim();
            let code = played.ran.code;
            verdict
                .unknown
                .push(format!("exit code {code:?}: {stderr}"));
        }
        played.ran.code == Some(0)
    }

    /// Plays with these permissions, and judges the outcome, if there is one.
    fn judged(&self, allowed: &str, judge: impl FnOnce(&Played, &mut Verdict)) -> Verdict {
        let mut verdict = Verdict::default();
        let played = self.play(allowed);
        if self.went_well(&played, &mut verdict) {
            judge(&played, &mut verdict);
        }
        verdict
    }

    /// All submissions, each with the reason why it was left out, or the fact that it plays.
    fn fates(&self) -> Vec<(&str, String)> {
        let mut left_out = self.left_out();
        let fate = |name: &String| left_out.remove(name).unwrap_or_else(|| PLAYS.to_owned());
        let fates: Vec<String> = self.names.iter().map(fate).collect();
        self.names.iter().map(|name| &**name).zip(fates).collect()
    }

    /// Judges submissions that must all be left out, unless the organiser allows them: then they must play,
    /// or nothing was tested.
    fn must_be_left_out(&self, allowed: &str) -> Verdict {
        self.judged("", |_, verdict| {
            for (name, why) in self.fates() {
                verdict.tried(format!("{name}: {why}"), why == PLAYS);
            }
            let played = self.play(allowed);
            if self.went_well(&played, verdict) {
                for (name, why) in self.left_out() {
                    let what = format!("{name} is left out also where that is allowed: {why}");
                    verdict.unknown.push(what);
                }
            }
        })
    }
}

fn files(stage: &Stage) -> Verdict {
    let mut class = Class::new(stage);
    let top = class.site.arena.path("");
    let top = top.display().to_string().trim_end_matches('/').to_owned();
    let plays = class.plays();
    let readable = [
        ("parent", "..".to_owned()),
        ("opponent", "../../opponent".to_owned()),
        ("configuration", "../../t.toml".to_owned()),
        ("log", "../../runs".to_owned()),
        ("absolute", format!("{top}/private")),
        ("link", "link".to_owned()),
        ("link-inside", "link/writable".to_owned()),
        ("round-about", "../round-about/../../private".to_owned()),
    ];
    fs::create_dir(class.site.arena.path("runs")).expect("a folder");
    class.site.arena.write("runs/games.jsonl", "{}\n");
    class.site.arena.write("private/writable", "secret\n");
    for (name, path) in readable {
        let folder = class.hand_in(name, &format!("{plays}readable = ['{path}']\n"));
        symlink("../../private", folder.join("link")).expect("a link");
    }
    let script = "#!/bin/sh\nexit 1\n";
    for (name, command) in [
        (
            "argument",
            format!("['sh', '-c', 'exit 1', '{top}/opponent/secret']"),
        ),
        (
            "linked-argument",
            "['sh', '-c', 'exit 1', 'link/secret']".to_owned(),
        ),
    ] {
        let build = format!("{plays}build = {command}\n");
        let folder = class.hand_in(name, &build.replace("exit 1", "exit 0"));
        symlink("../../opponent", folder.join("link")).expect("a link");
    }
    // The first line of a script names what its sandbox shows as its interpreter.
    let tool = class.site.arena.path("opponent/tool");
    fs::write(&tool, "").expect("a file");
    let sh = fs::canonicalize("/bin/sh").expect("a shell");
    fs::copy(sh, &tool).expect("a copy");
    fs::set_permissions(&tool, Permissions::from_mode(0o755)).expect("a mode");
    let hostile = stage.programs.hostile();
    let start = format!("exec '{}' plays\n", hostile.display());
    for (name, begin) in [
        ("interpreter", format!("#!{top}/opponent/tool\n")),
        ("program", script.replace("exit 1\n", "")),
    ] {
        let command = if name == "program" {
            "./linked"
        } else {
            "./bot"
        };
        let folder = class.hand_in(name, &format!("command = ['{command}']\n"));
        let bot = folder.join("bot");
        fs::write(&bot, format!("{begin}{start}")).expect("a script");
        fs::set_permissions(&bot, Permissions::from_mode(0o755)).expect("a mode");
        fs::copy(&bot, class.site.arena.path("opponent/bot")).expect("a copy");
        symlink("../../opponent/bot", folder.join("linked")).expect("a link");
    }
    class.must_be_left_out("[submissions]\nreadable = ['/']\n")
}

fn variables(stage: &Stage) -> Verdict {
    let mut class = Class::new(stage);
    let plays = class.plays();
    for (name, line) in [
        ("env", "env = { X = '${RED_SECRET}' }"),
        ("env-default", "env = { X = '${RED_SECRET:-0}' }"),
        ("build", "build = ['sh', '-c', 'echo ${RED_SECRET}']"),
        ("build-line", "build = \"echo ${RED_SECRET:-0}\""),
        ("setup", "setup = \"echo ${RED_SECRET}\""),
    ] {
        class.hand_in(name, &format!("{plays}{line}\n"));
    }
    let command = plays.replace("'plays'", "'plays', '${RED_SECRET}'");
    class.hand_in("command", &command);
    class.must_be_left_out("[submissions]\nvariables = ['RED_SECRET']\n")
}

fn loader(stage: &Stage) -> Verdict {
    let mut class = Class::new(stage);
    let output = class.site.arena.path("private/writable-by-all");
    fs::create_dir(&output).expect("a folder");
    fs::set_permissions(&output, Permissions::from_mode(0o777)).expect("a mode");
    let plays = class.plays();
    class.hand_in(
        "loader",
        &format!(
            "{plays}env = {{ LD_DEBUG = 'files', LD_DEBUG_OUTPUT = '{}/out' }}\n\
             build = ['sh', '-c', 'exit 0']\n",
            output.display()
        ),
    );
    class.judged("", |_, verdict| {
        let written = fs::read_dir(&output).expect("a folder").count();
        let what = format!("{written} files were written outside of the sandbox");
        verdict.tried(what, written > 0);
    })
}

fn swaps(stage: &Stage) -> Verdict {
    let mut class = Class::new(stage);
    let top = class.site.arena.path("");
    let targets = class.site.arena.path("shared/targets.json");
    let hostile = stage.programs.hostile();
    let raid = format!(
        "command = ['{}', 'redteam', 'read-files']\nenv = {{ RED_TARGETS = '{}' }}\n",
        hostile.display(),
        targets.display()
    );
    for (name, script) in [
        ("folder", "mv data aside; ln -s TOP/opponent data"),
        ("folder-relative", "rm -rf data; ln -s ../../opponent data"),
        (
            "file",
            "rm -f data/file; ln -s TOP/opponent/secret data/file",
        ),
        ("itself", "mv data aside; ln -s TOP data; ls data/"),
    ] {
        let script = script.replace("TOP", &top.display().to_string());
        let file = format!(
            "{raid}readable = ['data', 'data/file']\nbuild = ['sh', '-c', '{script}; exit 0']\n"
        );
        let folder = class.hand_in(name, &file);
        fs::create_dir(folder.join("data")).expect("a folder");
        fs::write(folder.join("data/file"), "own\n").expect("a file");
    }
    class.judged("", |played, verdict| {
        for (name, why) in class.fates() {
            if why != PLAYS {
                verdict.tried(format!("{name}: {why}"), false);
                continue;
            }
            let moves = moves_of(played, name);
            let reports = moves.iter().filter_map(|mv| mv["info"].as_object());
            let secret = "/opponent/secret";
            let attempts: Vec<bool> = reports
                .flatten()
                .filter(|(what, _)| what.starts_with("read"))
                .filter(|(_, attempt)| attempt.to_string().contains(secret))
                .filter_map(|(_, attempt)| attempt["succeeded"].as_bool())
                .collect();
            let read = attempts.contains(&true);
            verdict.tried(format!("{name}: reads its opponent's secret"), read);
        }
    })
}

fn rewrites(stage: &Stage) -> Verdict {
    let mut class = Class::new(stage);
    let plays = class.plays();
    for (name, script) in [
        ("writes", "echo >> bot.toml"),
        ("replaces", "echo > new; mv -f new bot.toml"),
        ("removes", "rm -f bot.toml"),
        (
            "links",
            "rm -f bot.toml; ln -s ../../private/secret bot.toml",
        ),
        ("makes-a-folder", "rm -f bot.toml; mkdir bot.toml"),
        ("changes-its-mode", "chmod 777 bot.toml; echo x > bot.toml"),
        (
            "moves-the-folder",
            "mv ../moves-the-folder ../elsewhere; echo > bot.toml",
        ),
    ] {
        class.hand_in(
            name,
            &format!("{plays}build = ['sh', '-c', '{script}; exit 0']\n"),
        );
    }
    let text = |name: &str| fs::read_to_string(class.folder(name).join("bot.toml")).ok();
    let before: Vec<Option<String>> = class.names.iter().map(|name| text(name)).collect();
    class.judged("", |_, verdict| {
        for (name, before) in class.names.iter().zip(before) {
            verdict.tried(
                format!("{name}: it is another one now"),
                text(name) != before,
            );
        }
    })
}

fn fills(stage: &Stage) -> Verdict {
    let mut class = Class::new(stage);
    let plays = class.plays();
    // Each is bounded: 200 MB, or 20,000 files.
    for (name, script) in [
        (
            "bytes",
            "for i in $(seq 40); do head -c 5000000 /dev/zero > f$i; done",
        ),
        ("files", "for i in $(seq 20000); do : > f$i; done"),
        ("folders", "for i in $(seq 20000); do mkdir d$i; done"),
        (
            "deep",
            "for i in $(seq 20000); do mkdir d; cd d || exit; done",
        ),
        ("links", "for i in $(seq 20000); do ln -s x l$i; done"),
        (
            "closed",
            "mkdir d; cd d; for i in $(seq 20); do head -c 5000000 /dev/zero > f$i; done; chmod 0 .",
        ),
    ] {
        // Those that are like others, and take long.
        if stage.short && ["folders", "links"].contains(&name) {
            continue;
        }
        class.hand_in(
            name,
            &format!("{plays}build = ['sh', '-c', '{script}; sleep 30']\n"),
        );
    }
    class.judged("", |_, verdict| {
        for (name, why) in class.fates() {
            let ended = why.contains("was ended");
            verdict.tried(format!("{name}: {why}"), !ended);
            let left = fs::read_dir(class.folder(name)).map_or(0, |list| list.count());
            verdict.tried(format!("{name}: {left} files are left"), left > 2);
        }
    })
}

fn fork_bomb(stage: &Stage) -> Verdict {
    let mut class = Class::new(stage);
    let (plays, mark) = (class.plays(), class.site.mark());
    for (name, bomb) in [
        ("children", BOMB.to_owned()),
        ("daemons", BOMB.replace("sleep 20 &", "(sleep 20 &)")),
        (
            "left-behind",
            format!("({BOMB}) & exit 0").replace("300", "20"),
        ),
    ] {
        class.hand_in(
            name,
            &format!("{plays}env = {{ {mark} }}\nbuild = ['sh', '-c', '{bomb}']\n"),
        );
    }
    class.judged("", |_, verdict| {
        for (name, why) in class.fates() {
            let within = why.contains("processes") || why.contains("exited with code");
            if name != "left-behind" {
                verdict.tried(format!("{name}: {why}"), !within);
            }
        }
        verdict.tried("processes are left", false);
    })
}

fn rules_fork_bomb(stage: &Stage) -> Verdict {
    let class = Class::new(stage);
    let mark = class.site.mark();
    let limit = match stage.tier {
        // Without a sandbox nothing is limited; what is started is ended all the same.
        Tier::None => String::new(),
        _ => ", resources = { processes = 40 }".to_owned(),
    };
    let rules = format!(
        "name = \"rules\"\nrules_timeout = \"4s\"\n\
         rules = [{{ command = ['sh', '-c', '{BOMB}'], sandbox = \"{}\", env = {{ {mark} }}{limit} }}]\n\
         games = [\"run\"]\nbots = [{{ name = \"a\", command = \"referee bot random\" }}, \
         {{ name = \"b\", command = \"referee bot random\" }}]\n",
        stage.tier.name(),
    );
    let played = class.site.play(&rules);
    let mut verdict = Verdict::default();
    let (code, stderr) = (played.ran.code, played.ran.stderr.trim());
    // The referee does not wait for the supervisor of rules that it refuses.
    let left = class.site.left_for_good();
    verdict.tried(format!("processes are left: {left:?}"), !left.is_empty());
    let refused = matches!(code, Some(2 | 4)) && !stderr.is_empty();
    verdict.tried(format!("exit code {code:?}: {stderr}"), !refused);
    verdict
}
