//! What keeps a bot within its bounds: limits of the kernel, and walls around it. What is wanted
//! comes from the configuration, what this machine can do is looked up, and a [`Cage`] is what
//! follows from both.

pub mod account;
pub mod bubblewrap;
pub mod cgroup;
pub mod filter;
pub(super) mod freezer;
#[cfg(target_os = "linux")]
pub mod init;
pub mod launch;
pub mod limits;
pub mod machine;
#[cfg(target_os = "linux")]
mod mounts;
pub mod promises;
pub mod view;
pub mod walls;

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use protocol::{Confined, CpuTimeBy, Enforced};
use tempfile::TempDir;
use thiserror::Error;

use super::keeper::{self, Plan};
use super::spec::{BotSpec, CommandError, REFEREE_VARIABLE};
use super::tree;
use super::watch::Watch;
use account::{Account, Ids};
use bubblewrap::Bubblewrap;
use cgroup::{Cgroups, Group};
use filter::Filter;
use launch::{Apart, Launch, Rlimit};
use limits::{Sandbox, Wanted};
pub use machine::Machine;
use promises::{Means, Promise};
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
    /// Where the bot becomes another user.
    ids: Option<Ids>,
    rlimits: Vec<(Rlimit, u64)>,
    watch: Watch,
    /// What it is refused, where it is refused any calls.
    filter: Filter,
    kept: Keeping,
    cpu_time: CpuTimeBy,
    confined: Option<Confined>,
}

/// What really keeps a bot apart.
#[derive(Clone, Debug)]
enum Keeping {
    /// Nothing.
    Open,
    /// Its limits.
    Limits,
    /// The sandbox `restricted`.
    Restricted(View),
    /// The sandbox `strict`.
    Strict(Bubblewrap, View),
}

/// A cage for one process.
pub(super) struct Prepared {
    pub(super) plan: Plan,
    pub(super) group: Option<Group>,
    /// Whether the first process in the sandbox stops and continues the bot, as no control group
    /// does.
    pub(super) has_init: bool,
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
            ids: None,
            rlimits: Vec::new(),
            watch: Watch::default(),
            filter: Filter::default(),
            kept: Keeping::Open,
            cpu_time: CpuTimeBy::Estimated,
            confined: None,
            wanted,
        };
        let mut found = Findings::default();
        let sandbox = tier(cage.wanted.sandbox, machine, &mut found);
        if sandbox > Sandbox::None {
            cage.ids = machine.account.ids();
        }
        cage.limit(machine, sandbox, &mut found);
        if Promise::CpuClock.holds(sandbox, machine.means()) {
            cage.cpu_time = CpuTimeBy::Counted;
        }
        cage.kept = match sandbox {
            Sandbox::None => Keeping::Open,
            Sandbox::Limits => Keeping::Limits,
            Sandbox::Restricted => Keeping::Restricted(cage.look_out(spec, hidden, sandbox)?),
            Sandbox::Strict => {
                let view = cage.look_out(spec, hidden, sandbox)?;
                let bubblewrap = machine.bubblewrap.clone();
                Keeping::Strict(bubblewrap.expect("the tier needs it"), view)
            }
        };
        if sandbox <= Sandbox::Limits {
            cage.command[0] = text(&spec.program().map_err(program)?);
        }
        if !found.missing.is_empty() && !cage.wanted.best_effort {
            let missing = found.missing;
            return Err(CageError::Missing {
                bot: bot(),
                missing,
            });
        }
        if cage.wanted.sandbox != Sandbox::None {
            let means = machine.means();
            let weak = unkept(cage.wanted.sandbox, sandbox, means).map(str::to_owned);
            cage.confined = Some(Confined {
                sandbox: sandbox.name().to_owned(),
                walls: found.walls,
                limits: found.limits,
                missing: found.missing.into_iter().chain(weak).collect(),
            });
        }
        Ok(cage)
    }

    /// Decides how each limit is enforced.
    fn limit(&mut self, machine: &Machine, sandbox: Sandbox, found: &mut Findings) {
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
        if sandbox == Sandbox::None {
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
            if sandbox == Sandbox::Strict {
                self.watch.files = bubblewrap::IN_MEMORY.map(PathBuf::from).to_vec();
            }
        }
        let by_signals = !machine.cgroups.freezer();
        self.filter = Filter {
            no_name_spaces: sandbox == Sandbox::Restricted,
            delayed_signals: by_signals,
            unnamed_files: !in_group,
        };
        let in_group = machine.cgroups.pids();
        found.add_if(resources.processes, "processes", || {
            match (in_group, sandbox, watched) {
                (true, ..) => Ok("cgroup"),
                (_, Sandbox::Strict, _) => Ok("rlimit"),
                (.., true) => Ok("watch"),
                _ => Err("the limit `processes`"),
            }
        });
        if !in_group && sandbox != Sandbox::Strict {
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

    /// What the bot sees. Its program is looked for where it can see it.
    fn look_out(
        &mut self,
        spec: &BotSpec,
        hidden: &[PathBuf],
        sandbox: Sandbox,
    ) -> Result<View, CageError> {
        let wrong = |why| CageError::View {
            bot: spec.name.clone(),
            why,
        };
        let view = |more: &[PathBuf]| {
            let mut readable = spec.wanted.readable.clone();
            readable.extend(env::current_exe());
            readable.extend_from_slice(more);
            View::of_bot(spec, &readable, hidden).map_err(wrong)
        };
        let path = shown_path(&view(&[])?);
        let program = spec.program_on(&path).or_else(|_| spec.program());
        let program = program.map_err(|error| CageError::Command {
            bot: spec.name.clone(),
            error,
        })?;
        self.command[0] = text(&program);
        let view = view(&[program])?;
        if self.ids.is_some() {
            view.check_rights(sandbox).map_err(wrong)?;
        }
        Ok(view)
    }

    /// What is enforced, for the log; `None` where there is no sandbox.
    pub fn confined(&self) -> Option<&Confined> {
        self.confined.as_ref()
    }

    /// What the bot may use.
    pub fn resources(&self) -> &limits::Resources {
        &self.wanted.resources
    }

    /// How the CPU time of the bot is known.
    pub fn cpu_time(&self) -> CpuTimeBy {
        self.cpu_time
    }

    /// The sandbox that it really is in.
    pub fn sandbox(&self) -> Sandbox {
        match self.kept {
            Keeping::Open => Sandbox::None,
            Keeping::Limits => Sandbox::Limits,
            Keeping::Restricted(_) => Sandbox::Restricted,
            Keeping::Strict(..) => Sandbox::Strict,
        }
    }

    /// Makes the cage for a process.
    pub(super) fn prepare(&self) -> io::Result<Prepared> {
        let resources = &self.wanted.resources;
        let referee = env::current_exe().unwrap_or_default();
        let mut prepared = Prepared {
            plan: Plan::new(self.command.clone()),
            group: None,
            has_init: false,
            tmp: None,
            clear_env: false,
            env: vec![(REFEREE_VARIABLE.into(), referee.clone().into())],
        };
        let view = match &self.kept {
            Keeping::Open => return Ok(prepared),
            Keeping::Limits => None,
            Keeping::Restricted(view) | Keeping::Strict(_, view) => Some(view),
        };
        // Bubblewrap, and the init with its thread, are there besides.
        let besides = match self.kept {
            Keeping::Strict(..) => 3,
            _ => 0,
        };
        let processes = resources.processes.map(|most| most.saturating_add(besides));
        let group = self.cgroups.make(resources.memory, processes)?;
        let groups = group.dirs().to_vec();
        if let Some(view) = view {
            prepared.clear_env = true;
            prepared.env.extend(strict_environment(view));
        }
        let apart = match &self.kept {
            Keeping::Open | Keeping::Limits => Apart::Limits,
            Keeping::Restricted(view) => {
                let private = Permissions::from_mode(0o700);
                let tmp = tempfile::Builder::new()
                    .prefix("referee-")
                    .permissions(private)
                    .tempdir()?;
                let path = tmp.path().canonicalize()?;
                prepared.plan.tmp = Some(path.clone());
                prepared.tmp = Some(tmp);
                Apart::Restricted {
                    walls: around(view, &path),
                    tmp: path,
                    filter: self.filter,
                }
            }
            Keeping::Strict(bubblewrap, view) => {
                prepared.plan.wrapped = true;
                prepared.has_init = group.freezer().is_none();
                let init = [text(&referee), keeper::INIT.to_owned()];
                Apart::Strict {
                    wrapper: bubblewrap.command(view, resources.tmp, &self.dir, &init),
                    processes: resources.processes,
                    filter: self.filter,
                }
            }
        };
        if view.is_some() {
            let tmp = prepared.tmp.as_ref().map(TempDir::path);
            let home = tmp.unwrap_or(Path::new("/tmp")).to_owned();
            for name in ["HOME", "TMPDIR"] {
                prepared.env.push((name.into(), home.clone().into()));
            }
        }
        prepared.plan.watch = self.watch.clone();
        prepared.plan.groups = groups.clone();
        prepared.plan.keeps_init_line = prepared.has_init;
        prepared.group = Some(group);
        prepared.plan.launch(Launch {
            groups,
            rlimits: self.rlimits.clone(),
            ids: self.ids,
            apart,
            command: self.command.clone(),
        })?;
        Ok(prepared)
    }
}

/// The sandbox that a bot gets on this machine where it is to get this one. What that lacks is
/// among the findings.
fn tier(wanted: Sandbox, machine: &Machine, found: &mut Findings) -> Sandbox {
    let stuck = match &machine.account {
        Account::Stuck(why) => Some(why.clone()),
        Account::Ordinary | Account::Root(_) => None,
    };
    if wanted == Sandbox::Strict {
        match (&machine.bubblewrap, &stuck) {
            (Ok(bubblewrap), None) => {
                found.walls.push(bubblewrap.version.clone());
                found.walls.push("seccomp".to_owned());
                return Sandbox::Strict;
            }
            (Err(why), _) | (_, Some(why)) => {
                found
                    .missing
                    .push(format!("`sandbox = \"strict\"` ({why})"));
            }
        }
    }
    if wanted >= Sandbox::Restricted {
        match machine.walls.as_ref().or(stuck.as_ref()) {
            None => {
                found
                    .walls
                    .extend(["landlock", "seccomp"].map(str::to_owned));
                return Sandbox::Restricted;
            }
            Some(why) => found
                .missing
                .push(format!("`sandbox = \"restricted\"` ({why})")),
        }
    }
    wanted.min(Sandbox::Limits)
}

/// What the sandbox that was asked for should keep a bot from, as it does for root on a machine
/// with control groups, and the one that it is in does not.
fn unkept(asked: Sandbox, is: Sandbox, means: Means) -> impl Iterator<Item = &'static str> {
    let unkept = Promise::ALL
        .into_iter()
        .filter(move |promise| promise.holds(asked, Means::ROOT) && !promise.holds(is, means));
    // What depends on the clock is said where the clock is.
    let unkept = unkept.filter(|promise| *promise != Promise::CpuClock);
    unkept.map(Promise::in_words)
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

fn strict_environment(view: &View) -> Vec<(OsString, OsString)> {
    let kept = KEPT_VARIABLES
        .iter()
        .filter_map(|name| Some((name.into(), env::var_os(name)?)));
    kept.chain([("PATH".into(), shown_path(view))]).collect()
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
