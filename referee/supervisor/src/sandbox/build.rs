//! Builds the sandbox of one bot from its configuration and the means of this machine.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use protocol::{Confined, CpuTimeBy, Enforced};
use thiserror::Error;

use super::account::{Account, Ids};
use super::interpreter;
use super::launch::Rlimit;
use super::layers::bubblewrap::{self, Bubblewrap};
use super::layers::cgroup::Cgroups;
use super::layers::ownership::Loan;
use super::layers::seccomp::SyscallFilter;
use super::machine::Machine;
use super::mounts::{self, Mounts, MountsError};
use super::promises::{Means, Promise};
use crate::sandbox::watched_limits::WatchedLimits;
use crate::spec::BotSpec;
use crate::spec::command::CommandError;
use crate::spec::shebang;
use crate::spec::{Resources, Tier, Wanted};

/// The reason why a bot cannot have its sandbox.
#[derive(Debug, Error)]
pub enum SandboxError {
    #[error(
        "{whose}: this machine cannot enforce {}; `referee doctor` says how to get that, \
         and `best_effort = true` goes on without",
        missing.join(", ")
    )]
    Missing {
        /// The bot or program, with its name.
        whose: String,
        /// As the object of the sentence.
        missing: Vec<String>,
    },
    #[error("{whose}: {error}")]
    Mounts { whose: String, error: MountsError },
    #[error("{whose}: {error}")]
    Command { whose: String, error: CommandError },
}

impl SandboxError {
    /// The same error for a program that is no bot.
    pub(crate) fn of(mut self, name: String) -> Self {
        let (SandboxError::Missing { whose, .. }
        | SandboxError::Mounts { whose, .. }
        | SandboxError::Command { whose, .. }) = &mut self;
        *whose = name;
        self
    }
}

fn whose(spec: &BotSpec) -> String {
    format!("bot `{}`", spec.name)
}

/// The sandbox of one bot on this machine.
#[derive(Clone, Debug)]
pub struct Sandbox {
    pub(crate) wanted: Wanted,
    /// Program and arguments.
    pub(crate) command: Vec<String>,
    pub(crate) dir: PathBuf,
    pub(crate) cgroups: Cgroups,
    /// The user ids that the bot gets one of; `None` if it stays the referee's user.
    pub(crate) ids: Option<Ids>,
    pub(crate) rlimits: Vec<(Rlimit, u64)>,
    pub(crate) watch: WatchedLimits,
    /// For the tiers that refuse system calls.
    pub(crate) filter: SyscallFilter,
    pub(crate) isolation: Isolation,
    cpu_time: CpuTimeBy,
    confined: Option<Confined>,
    other_program: Option<OtherProgram>,
}

/// A sandbox hides the program that would be run outside, so that another one is run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OtherProgram {
    pub(crate) inside: PathBuf,
    /// The program that would be run without a sandbox.
    pub(crate) outside: PathBuf,
}

/// The isolation of a bot from the machine.
#[derive(Clone, Debug)]
pub(crate) enum Isolation {
    None,
    /// Only limits.
    Limits,
    /// Landlock and seccomp.
    Restricted(Mounts),
    /// Bubblewrap.
    Strict(Bubblewrap, Mounts),
}

impl Sandbox {
    /// Decides on the sandbox of a bot. One that hides files hides the folders `hidden`, except
    /// those that contain the bot's own folder.
    ///
    /// # Errors
    /// If this machine cannot enforce everything that is configured.
    pub fn build(
        spec: &BotSpec,
        machine: &Machine,
        hidden: &[PathBuf],
    ) -> Result<Self, SandboxError> {
        let mut findings = Findings::default();
        let tier = possible_tier(spec.wanted.tier, machine, &mut findings);
        let mut sandbox = Sandbox {
            command: spec.command.clone(),
            dir: spec.dir.clone(),
            cgroups: Cgroups::default(),
            ids: machine.account.ids().filter(|_| tier > Tier::None),
            rlimits: Vec::new(),
            watch: WatchedLimits::default(),
            filter: SyscallFilter::default(),
            isolation: Isolation::None,
            cpu_time: CpuTimeBy::Estimated,
            confined: None,
            other_program: None,
            wanted: spec.wanted.clone(),
        };
        sandbox.limit_by_referee(machine, &mut findings);
        if tier > Tier::None {
            sandbox.limit_by_kernel(machine, tier, &mut findings);
        }
        if Promise::CpuClock.holds(tier, machine.means()) {
            sandbox.cpu_time = CpuTimeBy::Counted;
        }
        sandbox.isolate(spec, machine, hidden, tier)?;
        if !findings.missing.is_empty() && !sandbox.wanted.best_effort {
            return Err(SandboxError::Missing {
                whose: whose(spec),
                missing: findings.missing,
            });
        }
        if spec.wanted.tier != Tier::None {
            let confined = findings.confined(spec.wanted.tier, tier, machine.means());
            sandbox.confined = Some(confined);
        }
        Ok(sandbox)
    }

    /// Decides on the limits that the referee enforces or measures itself.
    fn limit_by_referee(&mut self, machine: &Machine, findings: &mut Findings) {
        let resources = &self.wanted.resources;
        let cpu_time_ms = resources.cpu_time.map(|time| time.as_millis() as u64);
        let clock = machine.cpu_times.then_some("clock");
        findings.add_limit(
            "cpu_time_ms",
            cpu_time_ms,
            clock.ok_or("the limit `cpu_time`"),
        );
        for (key, limit) in [
            ("output_bytes", resources.output_bytes),
            ("output_lines", resources.output_lines),
            ("stderr_bytes", resources.stderr_bytes),
        ] {
            findings.add_limit(key, Some(limit), Ok("referee"));
        }
    }

    /// Decides on the limits that need the kernel, and on the means to enforce each of them.
    fn limit_by_kernel(&mut self, machine: &Machine, tier: Tier, findings: &mut Findings) {
        let resources = &self.wanted.resources;
        self.cgroups = machine.cgroups.clone();
        self.filter = SyscallFilter {
            no_namespaces: tier == Tier::Restricted,
            delayed_signals: !machine.cgroups.freezer(),
            unnamed_files: !machine.cgroups.memory(),
        };
        let by = match (machine.cgroups.memory(), machine.process_trees) {
            (true, _) => Ok("cgroup"),
            (false, true) => Ok("rlimit, watch"),
            (false, false) => Err("the limit `memory`"),
        };
        findings.add_limit("memory", resources.memory, by);
        if let (Some(bytes), false) = (resources.memory, machine.cgroups.memory()) {
            self.rlimits.push((Rlimit::Data, bytes));
            self.watch.memory = Some(bytes);
            if tier == Tier::Strict {
                self.watch.files = bubblewrap::IN_MEMORY.map(PathBuf::from).to_vec();
            }
        }
        let by = match (machine.cgroups.pids(), tier, machine.process_trees) {
            (true, ..) => Ok("cgroup"),
            (false, Tier::Strict, _) => Ok("rlimit"),
            (false, _, true) => Ok("watch"),
            (false, _, false) => Err("the limit `processes`"),
        };
        findings.add_limit("processes", resources.processes, by);
        if !machine.cgroups.pids() && tier != Tier::Strict {
            self.watch.processes = resources.processes;
        }
        self.rlimits.push((Rlimit::Core, 0));
        for (key, rlimit, limit) in [
            ("file_size", Rlimit::FileSize, resources.file_size),
            ("open_files", Rlimit::OpenFiles, resources.open_files),
        ] {
            findings.add_limit(key, limit, Ok("rlimit"));
            self.rlimits.extend(limit.map(|limit| (rlimit, limit)));
        }
    }

    /// Decides on the isolation of the bot, and finds its program where the bot can see it.
    fn isolate(
        &mut self,
        spec: &BotSpec,
        machine: &Machine,
        hidden: &[PathBuf],
        tier: Tier,
    ) -> Result<(), SandboxError> {
        if spec.ggp.is_some() {
            return Ok(());
        }
        if let Some(error) = spec.out_of_bounds() {
            return Err(mounts_error(spec, error.into()));
        }
        if tier <= Tier::Limits {
            let program = spec.program().map_err(|error| command_error(spec, error))?;
            self.command[0] = text(&program);
        }
        self.isolation = match tier {
            Tier::None => Isolation::None,
            Tier::Limits => Isolation::Limits,
            Tier::Restricted => Isolation::Restricted(self.mounts(spec, hidden, tier)?),
            Tier::Strict => {
                let mounts = self.mounts(spec, hidden, tier)?;
                let bubblewrap = machine.bubblewrap.clone();
                Isolation::Strict(bubblewrap.expect("the tier needs it"), mounts)
            }
        };
        Ok(())
    }

    /// Decides on the files that the bot sees. Its program is searched for where the bot can see
    /// it.
    fn mounts(
        &mut self,
        spec: &BotSpec,
        hidden: &[PathBuf],
        tier: Tier,
    ) -> Result<Mounts, SandboxError> {
        let wrong = |error| mounts_error(spec, error);
        let mounts = |more: &[PathBuf]| {
            let mut readable = spec.wanted.readable.clone();
            readable.extend(env::current_exe());
            readable.extend_from_slice(more);
            Mounts::of_bot(spec, &readable, hidden).map_err(wrong)
        };
        let path = mounts(&[])?.visible_path();
        let program = spec.program_on(&path).or_else(|_| spec.program());
        let program = program.map_err(|error| command_error(spec, error))?;
        self.command[0] = text(&program);
        let interpreter = shebang::interpreter(&program, spec.search_path(&path));
        self.other_program = other_program(spec, &program, &path);
        let run = [Some(program), interpreter].into_iter().flatten();
        let run: Vec<PathBuf> = run.collect();
        if let Some(program) = run.iter().find(|program| !spec.may_run(program)) {
            return Err(wrong(MountsError::OutsideFolder(program.clone())));
        }
        let mut mounts = mounts(&run)?;
        // Files may have been replaced since they were checked.
        if let Some(path) = outside(spec, &mounts, &run) {
            return Err(wrong(MountsError::OutsideFolder(path.clone())));
        }
        if spec.bounds.is_some() {
            mounts.guarded = mounts.own.clone();
        }
        for program in &run {
            if let Some(error) = interpreter::hidden_installation(program, &mounts) {
                return Err(wrong(error));
            }
            let links = interpreter::links(program).into_iter();
            let hidden = links.filter(|(link, _)| !mounts.shows(link));
            let hidden: Vec<_> = hidden.collect();
            mounts.way.extend(hidden);
        }
        if spec.wanted.network {
            mounts.add_resolver();
        }
        if self.ids.is_some() {
            mounts.check_rights(tier).map_err(wrong)?;
        }
        Ok(mounts)
    }

    /// The folders that the bot's user owns while the bot runs.
    pub(crate) fn loan(&self) -> Option<Loan> {
        let (Isolation::Restricted(mounts) | Isolation::Strict(_, mounts)) = &self.isolation else {
            return None;
        };
        let folders = mounts.writable.clone();
        let ids = self.ids.filter(|_| !folders.is_empty());
        ids.map(|ids| Loan { ids, folders })
    }

    /// Set if the sandbox hides the program that would be run without it.
    pub(crate) fn other_program(&self) -> Option<&OtherProgram> {
        self.other_program.as_ref()
    }

    /// The layers and limits, for the log; `None` if no sandbox is configured.
    pub fn confined(&self) -> Option<&Confined> {
        self.confined.as_ref()
    }

    pub fn resources(&self) -> &Resources {
        &self.wanted.resources
    }

    pub fn cpu_time(&self) -> CpuTimeBy {
        self.cpu_time
    }

    /// The tier that the bot has on this machine.
    pub fn tier(&self) -> Tier {
        match self.isolation {
            Isolation::None => Tier::None,
            Isolation::Limits => Tier::Limits,
            Isolation::Restricted(_) => Tier::Restricted,
            Isolation::Strict(..) => Tier::Strict,
        }
    }
}

/// The first file beyond its bounds that a bot would be shown, besides programs.
fn outside<'a>(spec: &BotSpec, mounts: &'a Mounts, programs: &[PathBuf]) -> Option<&'a PathBuf> {
    let mut programs: Vec<PathBuf> = programs.iter().map(|path| mounts::real(path)).collect();
    programs.extend(env::current_exe().map(|path| mounts::real(&path)));
    let mut own = mounts.own.iter();
    own.find(|path| !programs.contains(path) && !spec.is_in_bounds(path))
}

/// Set if the command, or the shebang of the script that it names, leads to another program when
/// only the folders `path` are searched.
fn other_program(spec: &BotSpec, program: &Path, path: &OsStr) -> Option<OtherProgram> {
    let usual = env::var_os("PATH").unwrap_or_default();
    let differ = |inside: PathBuf, outside: PathBuf| {
        let other = OtherProgram { inside, outside };
        (other.inside != other.outside).then_some(other)
    };
    let outside = spec.program().ok()?;
    if let Some(other) = differ(program.to_owned(), outside) {
        return Some(other);
    }
    let inside = shebang::interpreter(program, spec.search_path(path))?;
    let outside = shebang::interpreter(program, spec.search_path(&usual))?;
    differ(inside, outside)
}

fn mounts_error(spec: &BotSpec, error: MountsError) -> SandboxError {
    SandboxError::Mounts {
        whose: whose(spec),
        error,
    }
}

fn command_error(spec: &BotSpec, error: CommandError) -> SandboxError {
    SandboxError::Command {
        whose: whose(spec),
        error,
    }
}

/// The strictest tier that this machine can enforce, up to the wanted one. The findings name what
/// is missing for more.
fn possible_tier(wanted: Tier, machine: &Machine, findings: &mut Findings) -> Tier {
    let may_switch_user = match &machine.account {
        Account::Stuck(why) => Err(why),
        Account::Ordinary | Account::Root(_) => Ok(()),
    };
    let lacks = |tier: Tier, why: &str| format!("`sandbox = \"{}\"` ({why})", tier.name());
    if wanted == Tier::Strict {
        match (&machine.bubblewrap, may_switch_user) {
            (Ok(bubblewrap), Ok(())) => {
                findings.layers = vec![bubblewrap.version.clone(), "seccomp".to_owned()];
                return Tier::Strict;
            }
            (Err(why), _) | (_, Err(why)) => findings.missing.push(lacks(Tier::Strict, why)),
        }
    }
    if wanted >= Tier::Restricted {
        match machine.landlock.as_ref().and(may_switch_user) {
            Ok(()) => {
                findings.layers = ["landlock", "seccomp"].map(str::to_owned).to_vec();
                return Tier::Restricted;
            }
            Err(why) => findings.missing.push(lacks(Tier::Restricted, why)),
        }
    }
    wanted.min(Tier::Limits)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Collected for the log while a sandbox is built.
#[derive(Debug, Default)]
struct Findings {
    limits: BTreeMap<String, Enforced>,
    layers: Vec<String>,
    missing: Vec<String>,
}

impl Findings {
    /// Records how a limit is enforced, or that nothing enforces it.
    fn add_limit(&mut self, key: &str, limit: Option<u64>, by: Result<&'static str, &'static str>) {
        let Some(limit) = limit else { return };
        match by {
            Ok(by) => {
                let by = by.to_owned();
                self.limits.insert(key.to_owned(), Enforced { limit, by });
            }
            Err(missing) => self.missing.push(missing.to_owned()),
        }
    }

    /// The entry in the log for a bot that should be in the tier `wanted` and is in `tier`.
    fn confined(self, wanted: Tier, tier: Tier, means: Means) -> Confined {
        let broken = broken_promises(wanted, tier, means).map(str::to_owned);
        Confined {
            sandbox: tier.name().to_owned(),
            walls: self.layers,
            limits: self.limits,
            missing: self.missing.into_iter().chain(broken).collect(),
        }
    }
}

/// The promises of the wanted tier, as they hold for root on a machine with control groups, that
/// the tier of the bot does not keep here.
fn broken_promises(wanted: Tier, tier: Tier, means: Means) -> impl Iterator<Item = &'static str> {
    let broken = Promise::ALL
        .into_iter()
        .filter(move |promise| promise.holds(wanted, Means::ROOT) && !promise.holds(tier, means));
    // The log says how CPU time is measured in a field of its own.
    let broken = broken.filter(|promise| *promise != Promise::CpuClock);
    broken.map(Promise::in_words)
}
