//! The command line: one thin file per subcommand, in groups by what people do. `command.rs` lists them.

mod command;
mod common;
mod games;
mod internal;
mod logs;
mod play;
mod scaffold;
mod text;
mod tools;
mod tournament;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use ::report::{print_notice, terminal};
use clap::Command;
use machine::program;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use command::Role;
use common::{hints, panics, privacy, signals};
use supervisor::resource_exhausted;
use supervisor::system::spawner;
use text::paragraphs;

pub(crate) use common::error::{CliError, check_resources};
pub(crate) use common::format::print;
pub(crate) use common::runtime::{block_on, on_interrupt, on_stop};

/// For `--help`; `-h` fits on a screen.
const EXIT_CODES: &str = "\
Exit codes:
  0    success, even if bots had faults
  2    the command line or the configuration is wrong
  3    a log did not verify, or a bot did not pass `referee check`
  4    the referee could not continue (disk, permissions, descriptors, processes, memory)
  5    `referee solve` does not know the value: it ended at a limit, or nobody can force an end
  101  the referee itself has a fault; what was finished is in the log, `--resume` continues
  130  interrupted; what was finished is in the log or the checkpoint, `--resume` continues

Environment:
  RUST_LOG  what the program logs about itself on stderr: error, warn (the default), info, …
  NO_COLOR  turns colours off, whatever its value; without a terminal there are none anyway
  REFEREE_YARDSTICK  if it is `off`, tournaments and workers do not measure the machine's speed";

/// The version, with the commit and its date.
pub(crate) const VERSION: &str = env!("REFEREE_VERSION");

/// The program without its subcommands.
fn bare() -> Command {
    Command::new("referee")
        .version(VERSION)
        .about(
            "General Game Playing referee: matches and tournaments of bots over line-delimited JSON",
        )
        .max_term_width(100)
        .after_long_help(EXIT_CODES)
}

/// The whole command line.
pub(crate) fn program() -> Command {
    command::add_all(bare())
}

/// The part of the command line that can parse these arguments. To describe all subcommands takes milliseconds,
/// which each start of a built-in bot would pay.
fn program_for(args: &[OsString]) -> Command {
    let named = args
        .get(1)
        .and_then(|name| command::add_one(bare(), name.to_str()?));
    paragraphs::unwrapped(named.unwrap_or_else(program))
}

/// Runs the program with the arguments of this process.
pub fn run() -> ExitCode {
    ExitCode::from(run_to_code())
}

/// The command line, as `--help`, completions, manual pages and the book's reference describe it.
#[must_use]
pub fn command() -> Command {
    paragraphs::unwrapped(program())
}

/// Filters events by `RUST_LOG` (`debug`, `referee=trace,supervisor=info`); by default, warnings
/// and errors.
fn log_filter() -> Targets {
    let wanted = std::env::var("RUST_LOG").ok();
    let filter = wanted.and_then(|wanted| wanted.parse().ok());
    filter.unwrap_or_else(|| {
        // Their errors are explained to users in this program's words.
        let default = Targets::new()
            .with_target("async_nats", LevelFilter::OFF)
            .with_target("rmcp", LevelFilter::OFF);
        default.with_default(LevelFilter::WARN)
    })
}

/// Like [`run`]; returns the exit code as a number.
pub(crate) fn run_to_code() -> u8 {
    program::set_version(VERSION);
    tracing_subscriber::registry()
        .with(tracing_subscriber::fmt::layer().with_writer(|| terminal::Stderr))
        .with(log_filter())
        .init();
    let args: Vec<OsString> = std::env::args_os().collect();
    if let Some(done) = internal::run(&args) {
        return code(done.and_then(|()| check_resources()), false);
    }
    let args = tools::protocol::document(args);
    let mut program = program_for(&args);
    let parsed = program
        .try_get_matches_from_mut(args)
        .and_then(|matches| command::chosen(&matches).map_err(|error| error.format(&mut program)));
    let (role, run) = parsed.unwrap_or_else(|error| hints::explained(error).exit());
    if role != Role::IsABot {
        resource_exhausted::raise_descriptors();
        panics::report_in_a_sentence();
    }
    if role == Role::RunsBots
        && let Err(error) = privacy::forbid_inspection()
    {
        tracing::warn!("other programs of this user may look into the referee: {error}");
    }
    let done = panics::caught(run);
    // What follows finds no process of this program left.
    spawner::stop();
    let Some(done) = done else {
        return panics::CODE;
    };
    let has_fault = panics::happened() && !signals::was_received();
    code(done.and_then(|()| check_resources()), has_fault)
}

/// Reports the error of a command, and returns the exit code. With `has_fault`, a panic has lost a
/// part of the work, and was reported.
fn code(done: Result<(), CliError>, has_fault: bool) -> u8 {
    match done {
        Ok(()) => 0,
        // The reader of the output has seen enough, as in `referee games | head -1`.
        Err(CliError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        // The user did not interrupt it.
        Err(CliError::Interrupted) if has_fault => panics::CODE,
        Err(error) => {
            print_notice(format_args!("error: {error}\n"));
            error.code()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_the_program_is_no_interruption() {
        assert_eq!(code(Ok(()), false), 0);
        assert_eq!(code(Err(CliError::Interrupted), false), 130);
        assert_eq!(code(Err(CliError::Interrupted), true), 101);
        assert_eq!(code(Err(CliError::Unsolved("why")), true), 5);
    }
}
