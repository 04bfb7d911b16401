//! Starts the sandboxed process of a bot or a service.

use std::time::Duration;

use protocol::{Failure, faults};
use tempfile::TempDir;

use crate::process::handle::{Pipes, ProcessHandle, StartError};
use crate::process::plan::Plan;
use crate::process::prepare::PreparedSandbox;
use crate::sandbox::build::Sandbox;
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

/// Starts a process in its sandbox, within `time_limit`. `set_up` completes the plan of its
/// supervisor.
pub(crate) async fn launch(
    spec: &BotSpec,
    sandbox: &Sandbox,
    time_limit: Duration,
    set_up: impl FnOnce(&mut Plan),
) -> Result<Launched, LaunchError> {
    let mut prepared = PreparedSandbox::new(spec, sandbox).map_err(|error| {
        resource_exhausted::note("a process cannot be confined", &error);
        LaunchError {
            failure: faults::not_confined(&error),
            is_late: false,
        }
    })?;
    set_up(&mut prepared.plan);
    let started = ProcessHandle::start(&prepared.plan, prepared.group, time_limit).await;
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
