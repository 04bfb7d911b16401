//! The processes between the referee and a bot, which it starts itself. They are no part of the command line: each
//! bot waits for their start.

use std::ffi::OsString;

use ::supervisor::process::{plan, supervisor};
use ::supervisor::sandbox::launch::{self, EXIT_NOT_STARTED, init};
use report::print_notice;
use serde::de::DeserializeOwned;

use super::CliError;

/// Runs the process that the first argument names, with the second one, its plan as JSON; `None` if it names none.
pub(super) fn run(args: &[OsString]) -> Option<Result<(), CliError>> {
    let [_, name, plan] = args else {
        return None;
    };
    let (name, plan) = (name.to_str()?, plan.to_str()?);
    Some(match name {
        plan::SUBCOMMAND => read(plan).and_then(|plan| Ok(supervisor::run(&plan)?)),
        launch::SUBCOMMAND => read(plan).map(|plan| not_started(&launch::run(&plan))),
        init::SUBCOMMAND => read(plan)
            .map(|plan| init::run(&plan).unwrap_or_else(|error: String| not_started(&error))),
        _ => return None,
    })
}

fn read<T: DeserializeOwned>(plan: &str) -> Result<T, CliError> {
    let read = serde_json::from_str(plan);
    read.map_err(|error| CliError::Usage(format!("the plan of an internal process: {error}")))
}

fn not_started(error: &str) -> ! {
    print_notice(format_args!("{error}\n"));
    std::process::exit(i32::from(EXIT_NOT_STARTED))
}
