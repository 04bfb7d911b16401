//! What keeps a bot within its bounds: limits of the kernel, and walls around it. What is wanted
//! comes from the configuration, what this machine can do is looked up, and a [`Cage`] is what
//! follows from both.

pub mod bubblewrap;
pub mod cgroup;
pub mod launch;
pub mod limits;
pub mod machine;
pub mod view;
pub mod walls;

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use protocol::{Confined, Enforced};
use tempfile::TempDir;
use thiserror::Error;

use super::keeper::{Plan, Watch};
use super::spec::{BotSpec, CommandError, REFEREE_VARIABLE};
use super::tree;
use bubblewrap::Bubblewrap;
use cgroup::{Cgroups, Group};
use launch::{Launch, Rlimit};
use limits::{Sandbox, Wanted};
pub use machine::Machine;
use view::View;
use walls::Walls;

/// What a bot in the strict sandbox keeps of the referee's environment.
const KEPT_VARIABLES: [&str; 5] = ["LANG", "LC_ALL", "LC_CTYPE", "TERM", "TZ"];

/// Why a bot cannot be kept within its bounds.
#[derive(Debug, Error)]
pub enum CageError {
    /// The machine cannot enforce everything.
    #[error(
        "bot `{bot}`: this machine cannot enforce {}; `referee doctor` tells how to get that, \
         and `best_effort = true` goes on without",
        missing.join(", ")
    )]
    Missing {
        /// The bot.
        bot: String,
        /// What, in words.
        missing: Vec<String>,
    },
    /// It would see too much.
    #[error("bot `{bot}`: {why}")]
    View {
        /// The bot.
        bot: String,
        /// What is wrong.
        why: String,
    },
    /// Its program is not there.
    #[error("bot `{bot}`: {error}")]
    Command {
        /// The bot.
        bot: String,
        /// Why not.
        error: CommandError,
    },
}

/// How one bot is kept.
#[derive(Clone, Debug)]
pub struct Cage {
    wanted: Wanted,
    /// Program and arguments.
    command: Vec<String>,
    dir: PathBuf,
    cgroups: Cgroups,
    rlimits: Vec<(Rlimit, u64)>,
    watch: Watch,
    strict: Option<Strict>,
    confined: Option<Confined>,
}

/// What the strict sandbox is made of.
#[derive(Clone, Debug)]
enum Strict {
    Bubblewrap(Bubblewrap, View),
    Walls(View),
    /// Nothing: the machine can do none of it, and that is good enough.
    Open,
}

/// A cage for one process.
pub(super) struct Prepared {
    pub(super) plan: Plan,
    pub(super) group: Option<Group>,
    /// The bot's own `/tmp`, where that is a folder; it goes with this.
    pub(super) tmp: Option<TempDir>,
    /// Whether nothing of the referee's environment is handed on but what is in `env`.
    pub(super) clear_env: bool,
    pub(super) env: Vec<(OsString, OsString)>,
}

impl Cage {
    /// The cage of a bot on this machine. In the strict sandbox it does not see these folders,
    /// unless its own lies in them.
    ///
    /// # Errors
    /// If not everything can be enforced that is asked for.
    pub fn build(spec: &BotSpec, machine: &Machine, hidden: &[PathBuf]) -> Result<Self, CageError> {
        let bot = || spec.name.clone();
        let wanted = spec.wanted.clone();
        let program = |error| CageError::Command { bot: bot(), error };
        let mut cage = Cage {
            command: spec.command.clone(),
            dir: spec.dir.clone(),
            cgroups: Cgroups::default(),
            rlimits: Vec::new(),
            watch: Watch::default(),
            strict: None,
            confined: None,
            wanted,
        };
        let mut found = Findings::default();
        cage.limit(machine, &mut found);
        match cage.wanted.sandbox {
            Sandbox::Strict => {
                let view = cage.look_out(spec, hidden)?;
                cage.strict = Some(strict(machine, view, &mut found));
            }
            _ => cage.command[0] = text(&spec.program().map_err(program)?),
        }
        if !found.missing.is_empty() && !cage.wanted.best_effort {
            let missing = found.missing;
            return Err(CageError::Missing {
                bot: bot(),
                missing,
            });
        }
        if cage.wanted.sandbox != Sandbox::None {
            cage.confined = Some(Confined {
                sandbox: cage.wanted.sandbox.name().to_owned(),
                walls: found.walls,
                limits: found.limits,
                missing: found.missing,
            });
        }
        Ok(cage)
    }

    /// Decides how each limit is enforced.
    fn limit(&mut self, machine: &Machine, found: &mut Findings) {
        let resources = &self.wanted.resources;
        found.add_if(
            resources.cpu_time.map(|time| time.as_millis() as u64),
            "cpu_time_ms",
            || {
                machine
                    .cpu_times
                    .then_some("clock")
                    .ok_or("the limit `cpu_time`")
            },
        );
        for (key, value) in [
            ("output_bytes", resources.output_bytes),
            ("output_lines", resources.output_lines),
            ("stderr_bytes", resources.stderr_bytes),
        ] {
            found.add_if(Some(value), key, || Ok("referee"));
        }
        if self.wanted.sandbox == Sandbox::None {
            return;
        }
        self.cgroups = machine.cgroups.clone();
        let (in_group, watched) = (machine.cgroups.memory(), machine.trees);
        found.add_if(resources.memory, "memory", || match (in_group, watched) {
            (true, _) => Ok("cgroup"),
            (_, true) => Ok("rlimit, watch"),
            _ => Err("the limit `memory`"),
        });
        if let (Some(bytes), false) = (resources.memory, in_group) {
            self.rlimits.push((Rlimit::Data, bytes));
            self.watch.memory = Some(bytes);
        }
        let in_group = machine.cgroups.pids();
        found.add_if(resources.processes, "processes", || {
            match (in_group, watched) {
                (true, _) => Ok("cgroup"),
                (_, true) => Ok("watch"),
                _ => Err("the limit `processes`"),
            }
        });
        if !in_group {
            self.watch.processes = resources.processes;
        }
        self.rlimits.push((Rlimit::Core, 0));
        for (key, limit, value) in [
            ("file_size", Rlimit::FileSize, resources.file_size),
            ("open_files", Rlimit::OpenFiles, resources.open_files),
        ] {
            found.add_if(value, key, || Ok("rlimit"));
            self.rlimits.extend(value.map(|value| (limit, value)));
        }
    }

    /// What the bot sees in the strict sandbox. Its program is looked for where it can see it.
    fn look_out(&mut self, spec: &BotSpec, hidden: &[PathBuf]) -> Result<View, CageError> {
        let view = |readable: &[PathBuf]| {
            let seen = View::of_bot(&spec.dir, readable, hidden);
            seen.map_err(|why| CageError::View {
                bot: spec.name.clone(),
                why,
            })
        };
        let mut readable = spec.wanted.readable.clone();
        readable.extend(env::current_exe());
        let path = shown_path(&view(&readable)?);
        let program = spec.program_on(&path).or_else(|_| spec.program());
        let program = program.map_err(|error| CageError::Command {
            bot: spec.name.clone(),
            error,
        })?;
        self.command[0] = text(&program);
        readable.push(program);
        view(&readable)
    }

    /// What is enforced, for the log; `None` where there is no sandbox.
    pub fn confined(&self) -> Option<&Confined> {
        self.confined.as_ref()
    }

    /// What the bot may use.
    pub fn resources(&self) -> &limits::Resources {
        &self.wanted.resources
    }

    /// Makes the cage for a process.
    pub(super) fn prepare(&self) -> io::Result<Prepared> {
        let resources = &self.wanted.resources;
        let mut prepared = Prepared {
            plan: Plan::new(self.command.clone()),
            group: None,
            tmp: None,
            clear_env: false,
            env: vec![(
                REFEREE_VARIABLE.into(),
                env::current_exe().unwrap_or_default().into(),
            )],
        };
        if self.wanted.sandbox == Sandbox::None {
            return Ok(prepared);
        }
        let group = self.cgroups.make(resources.memory, resources.processes)?;
        let mut launch = Launch {
            groups: group.dirs().to_vec(),
            rlimits: self.rlimits.clone(),
            no_new_privileges: self.strict.is_some(),
            walls: None,
            command: self.command.clone(),
        };
        prepared.plan.watch = self.watch.clone();
        prepared.plan.groups = group.dirs().to_vec();
        prepared.group = Some(group);
        if let Some(strict) = &self.strict {
            let shown = strict.view();
            prepared.clear_env = true;
            prepared.env.extend(strict_environment(shown));
            let mut home = PathBuf::from("/tmp");
            match strict {
                Strict::Bubblewrap(bubblewrap, view) => {
                    launch.command =
                        bubblewrap.command(view, resources.tmp, &self.dir, &self.command);
                    prepared.plan.wrapped = true;
                }
                Strict::Walls(view) => {
                    let tmp = tempfile::Builder::new().prefix("referee-").tempdir()?;
                    home = tmp.path().to_owned();
                    launch.walls = Some(around(view, &home));
                    prepared.tmp = Some(tmp);
                }
                Strict::Open => {}
            }
            for name in ["HOME", "TMPDIR"] {
                prepared.env.push((name.into(), home.clone().into()));
            }
        }
        prepared.plan.launch(launch)?;
        Ok(prepared)
    }
}

impl Strict {
    fn view(&self) -> Option<&View> {
        match self {
            Strict::Bubblewrap(_, view) | Strict::Walls(view) => Some(view),
            Strict::Open => None,
        }
    }
}

fn strict(machine: &Machine, view: View, found: &mut Findings) -> Strict {
    if let Ok(bubblewrap) = &machine.bubblewrap {
        found.walls.push(bubblewrap.version.clone());
        return Strict::Bubblewrap(bubblewrap.clone(), view);
    }
    if machine.walls.is_none() {
        found
            .walls
            .extend(["landlock", "seccomp"].map(str::to_owned));
        found
            .missing
            .push("the size of `/tmp` (`sandbox = \"strict\"`)".to_owned());
        return Strict::Walls(view);
    }
    found.missing.push("`sandbox = \"strict\"`".to_owned());
    Strict::Open
}

/// What a bot may read and write without a file system of its own.
fn around(view: &View, tmp: &Path) -> Walls {
    let secret: Vec<&PathBuf> = view.masked.iter().chain(&view.hidden).collect();
    let shown = view.readable().flat_map(|path| without(path, &secret));
    let mut readable: Vec<PathBuf> = shown.collect();
    // As its own process's, the only one that it may look at.
    readable.push("/proc/self".into());
    readable.extend(walls::DEVICES.map(PathBuf::from));
    Walls {
        readable,
        listed: view
            .readable()
            .filter(|path| path.is_dir())
            .cloned()
            .collect(),
        writable: vec![tmp.to_owned(), "/dev/null".into()],
    }
}

/// What is to be shown of a path instead of all of it, so that these stay hidden: walls can only be
/// opened. Links count as what they lead to, which is shown by itself or not at all.
fn without(path: &Path, secret: &[&PathBuf]) -> Vec<PathBuf> {
    if secret.iter().any(|secret| path == *secret) {
        return Vec::new();
    }
    if !secret.iter().any(|secret| secret.starts_with(path)) {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let real = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    real.flat_map(|entry| without(&entry.path(), secret))
        .collect()
}

/// The folders of the PATH that a bot sees.
fn shown_path(view: &View) -> OsString {
    let path = env::var_os("PATH").unwrap_or_default();
    let shown = env::split_paths(&path).filter(|folder| {
        let linked = view.links.iter().any(|(link, _)| folder.starts_with(link));
        linked || view.readable().any(|shown| folder.starts_with(shown))
    });
    env::join_paths(shown).unwrap_or_default()
}

fn strict_environment(view: Option<&View>) -> Vec<(OsString, OsString)> {
    let kept = KEPT_VARIABLES
        .iter()
        .filter_map(|name| Some((name.into(), env::var_os(name)?)));
    let path = view.map_or_else(|| env::var_os("PATH").unwrap_or_default(), shown_path);
    kept.chain([("PATH".into(), path)]).collect()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// What turned out while a cage was thought through.
#[derive(Debug, Default)]
struct Findings {
    limits: BTreeMap<String, Enforced>,
    walls: Vec<String>,
    missing: Vec<String>,
}

impl Findings {
    /// Takes note of a limit, if there is one, and of who enforces it, or of its not being
    /// enforced.
    fn add_if(
        &mut self,
        limit: Option<u64>,
        key: &str,
        by: impl FnOnce() -> Result<&'static str, &'static str>,
    ) {
        let Some(limit) = limit else { return };
        match by() {
            Ok(by) => {
                let by = by.to_owned();
                self.limits.insert(key.to_owned(), Enforced { limit, by });
            }
            Err(missing) => self.missing.push(missing.to_owned()),
        }
    }
}

/// Whether this machine tells the CPU time of processes.
pub fn tells_cpu_time() -> bool {
    tree::CpuClock::of(nix::unistd::Pid::this()).is_some()
}
