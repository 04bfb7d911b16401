//! The one way in which a confined process starts, whoever talks to it then.

use std::process::Stdio;
use std::time::Duration;

use protocol::{Failure, faults};
use tempfile::TempDir;
use tokio::process::Command;

use super::shebang;
use super::spec::BotSpec;
use crate::process::environment;
use crate::process::handle::{Pipes, ProcessHandle, ProcessStart};
use crate::sandbox::build::Sandbox;
use crate::sandbox::limits::Tier;
use crate::sandbox::prepare::PreparedSandbox;
use crate::shortage;

/// A process that runs.
pub(crate) struct Launched {
    pub(crate) handle: ProcessHandle,
    pub(crate) pipes: Pipes,
    /// Its own `/tmp`, where that is a folder; dropping this removes it.
    pub(crate) tmp: Option<TempDir>,
}

/// Why a process does not run.
#[derive(Debug)]
pub(crate) struct LaunchError {
    /// The fault, if it was to be a bot.
    pub(crate) failure: Failure,
    /// Whether it took too long, so that the next attempt may succeed.
    pub(crate) is_late: bool,
}

/// Starts a process in its sandbox, under a supervisor, which may take this long. `set_up` has the
/// last word on the supervisor's command.
///
/// # Errors
/// Why it does not run.
pub(crate) async fn launch(
    spec: &BotSpec,
    sandbox: &Sandbox,
    time_limit: Duration,
    set_up: impl FnOnce(&mut Command),
) -> Result<Launched, LaunchError> {
    let prepared = PreparedSandbox::new(sandbox).map_err(|error| {
        shortage::note("a process cannot be confined", &error);
        LaunchError {
            failure: faults::not_confined(&error),
            is_late: false,
        }
    })?;
    let set_up = |supervisor: &mut Command| {
        if prepared.clear_env {
            supervisor.env_clear();
        }
        supervisor
            .envs(prepared.env)
            .envs(environment::carried(&spec.env));
        supervisor.stderr(Stdio::piped());
        shortage::restore_descriptor_limit(supervisor);
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
        failure: faults::not_started(&spec.command[0], &error.why),
        is_late: error.is_late,
    })?;
    Ok(Launched {
        handle,
        pipes,
        tmp: prepared.tmp,
    })
}

/// What may be wrong if a process ended before it said anything, to be added to a sentence about
/// that; empty if nothing is suspected.
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
