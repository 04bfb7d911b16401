//! Prepares a sandbox for one process: control groups, a temporary folder, the environment, and the
//! plan of the supervisor.

use std::env;
use std::ffi::OsString;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::cores::Cores;
use super::plan::{Plan, Program};
use crate::sandbox::build::{Isolation, Sandbox};
use crate::sandbox::launch::environment::Environment;
use crate::sandbox::launch::init;
use crate::sandbox::launch::{Confinement, Launch};
use crate::sandbox::layers::cgroup::Group;
use crate::sandbox::layers::landlock::LandlockRules;
use crate::sandbox::mounts::Mounts;
use crate::sandbox::watched_limits::WatchedLimits;
use crate::spec::{BotSpec, REFEREE_VARIABLE};

/// The variables of the referee's environment that are passed to a bot in a sandbox that hides
/// files.
const PASSED_VARIABLES: [&str; 5] = ["LANG", "LC_ALL", "LC_CTYPE", "TERM", "TZ"];
/// The processes and threads of the strict sandbox itself: bubblewrap, and the init with its
/// thread.
const OWN_PROCESSES: u64 = 3;

pub(crate) struct PreparedSandbox {
    pub(crate) plan: Plan,
    pub(crate) group: Option<Group>,
    /// The bot's own `/tmp`, where that is a folder; dropping this removes it.
    pub(crate) tmp: Option<TempDir>,
}

impl PreparedSandbox {
    /// # Errors
    /// If the kernel refuses a control group or a temporary folder.
    pub(crate) fn new(spec: &BotSpec, sandbox: &Sandbox) -> io::Result<Self> {
        let referee = env::current_exe().unwrap_or_default();
        let environment = Environment {
            is_cleared: false,
            variables: vec![(REFEREE_VARIABLE.into(), referee.clone().into())],
            own: spec.env.clone(),
        };
        let mut prepared = PreparedSandbox {
            plan: Plan {
                program: Program::Bot(sandbox.command.clone()),
                dir: spec.dir.clone().into(),
                environment,
                cores: Cores::of_this_thread(),
                has_short_slices: false,
                watch: WatchedLimits::default(),
                groups: Vec::new(),
                wrapped: false,
                has_init: false,
                tmp: None,
                loan: None,
            },
            group: None,
            tmp: None,
        };
        let group = match sandbox.isolation {
            Isolation::None => return Ok(prepared),
            Isolation::Limits | Isolation::Restricted(_) => make_group(sandbox, 0)?,
            Isolation::Strict(..) => make_group(sandbox, OWN_PROCESSES)?,
        };
        let confinement = prepared.confine(sandbox, &group, &referee)?;
        if let Isolation::Restricted(mounts) | Isolation::Strict(_, mounts) = &sandbox.isolation {
            prepared.replace_environment(mounts);
        }
        prepared.plan.loan = sandbox.loan();
        let groups = group.dirs().to_vec();
        prepared.plan.watch = sandbox.watch.clone();
        prepared.plan.groups = groups.clone();
        prepared.group = Some(group);
        prepared.plan.program = Program::Launcher(Box::new(Launch {
            groups,
            rlimits: sandbox.rlimits.clone(),
            ids: sandbox.ids,
            loan: sandbox.loan(),
            guarded: match &sandbox.isolation {
                Isolation::Restricted(mounts) | Isolation::Strict(_, mounts) => {
                    mounts.guarded.clone()
                }
                Isolation::None | Isolation::Limits => Vec::new(),
            },
            confinement,
            command: sandbox.command.clone(),
        }));
        Ok(prepared)
    }

    /// The confinement for the launcher. Makes the bot's temporary folder if it needs one.
    fn confine(
        &mut self,
        sandbox: &Sandbox,
        group: &Group,
        referee: &Path,
    ) -> io::Result<Confinement> {
        Ok(match &sandbox.isolation {
            Isolation::None | Isolation::Limits => Confinement::Limits,
            Isolation::Restricted(mounts) => {
                let tmp = tempfile::Builder::new()
                    .prefix("referee-")
                    .permissions(Permissions::from_mode(0o700))
                    .tempdir()?;
                let path = tmp.path().canonicalize()?;
                self.plan.tmp = Some(path.clone());
                self.tmp = Some(tmp);
                Confinement::Restricted {
                    landlock: LandlockRules::for_mounts(mounts, &path),
                    tmp: path,
                    filter: sandbox.filter,
                }
            }
            Isolation::Strict(bubblewrap, mounts) => {
                self.plan.wrapped = true;
                self.plan.has_init = group.freezer().is_none();
                let referee = referee.to_string_lossy().into_owned();
                let init = [referee, init::SUBCOMMAND.to_owned()];
                let resources = sandbox.resources();
                Confinement::Strict {
                    wrapper: bubblewrap.command(
                        mounts,
                        resources.tmp,
                        &sandbox.dir,
                        &init,
                        sandbox.wanted.network,
                    ),
                    processes: resources.processes,
                    filter: sandbox.filter,
                }
            }
        })
    }

    /// Replaces the environment of a bot that does not see all files.
    fn replace_environment(&mut self, mounts: &Mounts) {
        let environment = &mut self.plan.environment;
        environment.is_cleared = true;
        let passed = PASSED_VARIABLES
            .iter()
            .filter_map(|name| Some((name.into(), env::var_os(name)?)));
        environment.variables.extend(passed);
        environment
            .variables
            .push(("PATH".into(), mounts.visible_path()));
        let tmp = self.tmp.as_ref().map(|tmp| tmp.path().to_owned());
        let home: OsString = tmp.unwrap_or_else(|| PathBuf::from("/tmp")).into();
        for name in ["HOME", "TMPDIR"] {
            environment.variables.push((name.into(), home.clone()));
        }
    }
}

/// Makes the control groups of a process, with room for some processes besides the bot's.
fn make_group(sandbox: &Sandbox, more_processes: u64) -> io::Result<Group> {
    let resources = sandbox.resources();
    let processes = resources.processes;
    let processes = processes.map(|most| most.saturating_add(more_processes));
    sandbox.cgroups.make(resources.memory, processes)
}
