//! The processes between the referee and a bot, which it starts itself. They are no part of the command line: each
//! bot waits for their start.

use std::ffi::OsString;

use ::supervisor::process::supervisor;
use ::supervisor::sandbox::launch::{EXIT_NOT_STARTED, init};
use ::supervisor::system::spawner;
use report::print_notice;

use super::CliError;

/// Runs the process that the first argument names; `None` if it names none.
pub(super) fn run(args: &[OsString]) -> Option<Result<(), CliError>> {
    let args: Vec<&str> = args
        .get(1..)?
        .iter()
        .map_while(|arg| arg.to_str())
        .collect();
    match args[..] {
        [spawner::SUBCOMMAND] => Some(spawner::run(supervisor::run).map_err(CliError::from)),
        [init::SUBCOMMAND, plan] => Some(run_init(plan)),
        _ => None,
    }
}

fn run_init(plan: &str) -> Result<(), CliError> {
    let plan = serde_json::from_str(plan);
    let plan = plan.map_err(|error| CliError::Usage(format!("the plan of an init: {error}")))?;
    init::run(&plan).unwrap_or_else(|error: String| not_started(&error));
    Ok(())
}

fn not_started(error: &str) -> ! {
    print_notice(format_args!("{error}\n"));
    std::process::exit(i32::from(EXIT_NOT_STARTED))
}
