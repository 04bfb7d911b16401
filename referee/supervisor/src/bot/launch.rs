//! Starts the sandboxed process of a bot or a service.

use std::process::Stdio;
use std::time::Duration;

use protocol::{Failure, faults};
use tempfile::TempDir;
use tokio::process::Command;

use crate::process::handle::{Pipes, ProcessHandle, ProcessStart, StartError};
use crate::process::prepare::PreparedSandbox;
use crate::sandbox::build::Sandbox;
use crate::sandbox::launch::environment;
use crate::spec::{BotSpec, Tier, shebang};
use crate::system::resource_exhausted;

pub(crate) struct Launched {
    pub(crate) handle: ProcessHandle,
    pub(crate) pipes: Pipes,
    /// Its own `/tmp`, where that is a folder; dropping this removes it.
    pub(crate) tmp: Option<TempDir>,
}

/// The reason why a process does not run.
#[derive(Debug)]
pub(crate) struct LaunchError {
    /// The fault, if the program is a bot.
    pub(crate) failure: Failure,
    /// The start took too long; the next attempt may succeed.
    pub(crate) is_late: bool,
}

/// Starts a process in its sandbox, within `time_limit`. `set_up` completes the command of its
/// supervisor.
pub(crate) async fn launch(
    spec: &BotSpec,
    sandbox: &Sandbox,
    time_limit: Duration,
    set_up: impl FnOnce(&mut Command),
) -> Result<Launched, LaunchError> {
    let prepared = PreparedSandbox::new(sandbox).map_err(|error| {
        resource_exhausted::note("a process cannot be confined", &error);
        LaunchError {
            failure: faults::not_confined(&error),
            is_late: false,
        }
    })?;
    let set_up = |supervisor: &mut Command| {
        if prepared.clear_env {
            supervisor.env_clear();
        }
        supervisor.envs(prepared.env);
        supervisor.envs(environment::renamed(&spec.env));
        supervisor.stderr(Stdio::piped());
        resource_exhausted::restore_descriptor_limit(supervisor);
        set_up(supervisor);
    };
    let start = ProcessStart {
        plan: &prepared.plan,
        dir: &spec.dir,
        group: prepared.group,
        has_init: prepared.has_init,
        time_limit,
    };
    let started = ProcessHandle::start(start, set_up).await;
    let (handle, pipes) = started.map_err(|error| LaunchError {
        failure: faults::not_started(&spec.command[0], &error.to_string()),
        is_late: matches!(error, StartError::NoAnswer),
    })?;
    Ok(Launched {
        handle,
        pipes,
        tmp: prepared.tmp,
    })
}

/// A likely reason why a process ended before its first line, to be appended to a sentence about
/// that; may be empty.
pub(crate) fn hint_at_early_end(spec: &BotSpec) -> String {
    let mut hint = String::new();
    if let Some(why) = shebang::suspicion(&spec.command, &spec.dir) {
        hint = format!("; {why}");
    }
    if spec.wanted.tier >= Tier::Restricted && !spec.shows_dir {
        hint.push_str(
            " (in its sandbox it sees the files that its command names and no others: it may need a \
             `dir` of its own, or `readable`)",
        );
    }
    hint
}
