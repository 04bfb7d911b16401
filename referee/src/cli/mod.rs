//! The command line: one thin file per subcommand. What a subcommand needs is in its file; this is
//! only the list of them.

mod analyse;
mod bot;
mod bundle;
mod check;
mod config;
mod doctor;
mod dry_run;
mod environment;
mod error;
mod export;
mod filter;
mod format;
mod games;
mod ggp_player;
mod hints;
mod human;
#[cfg(target_os = "linux")]
mod init;
mod input;
mod launch;
mod merge;
mod model;
mod new_bot;
mod new_rules;
mod panics;
mod paragraphs;
mod perft;
mod picture;
mod play;
mod play_web;
mod privacy;
mod protocol;
mod replay;
mod report;
mod rerun;
mod rules;
mod runtime;
mod scaffold;
mod shell;
mod signals;
mod solve;
mod standings;
mod supervise;
mod tournament;
mod watch;
#[cfg(not(feature = "cluster"))]
mod without_cluster;
#[cfg(feature = "cluster")]
mod worker;
#[cfg(feature = "cluster")]
mod workers;

use std::io;
use std::process::ExitCode;

use ::report::{tell, terminal};
use clap::{CommandFactory, FromArgMatches as _, Parser, Subcommand};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

pub(crate) use error::{CliError, not_short};
pub(crate) use format::print;
pub(crate) use runtime::{block_on, on_interrupt, on_stop};
use supervisor::shortage;
#[cfg(not(feature = "cluster"))]
use without_cluster as worker;
#[cfg(not(feature = "cluster"))]
use without_cluster as workers;

/// General Game Playing referee: matches and tournaments of bots over line-delimited JSON.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    success, even if bots had faults
  2    the command line or the configuration is wrong
  3    a log did not verify, or a bot did not pass `referee check`
  4    the referee could not continue (disk, permissions, descriptors, processes, memory)
  5    `referee solve` gave up, at the limit of positions, before it knew the value
  101  the referee itself has a fault; what was finished is in the log, `--resume` continues
  130  interrupted; what was finished is in the log or the checkpoint, `--resume` continues

Environment:
  RUST_LOG  what the program logs about itself on stderr: error, warn (the default), info, …
  NO_COLOR  turns colours off, whatever its value; without a terminal there are none anyway
  REFEREE_YARDSTICK  if it is `off`, tournaments and workers do not measure the machine's speed";

#[derive(Debug, Subcommand)]
enum Command {
    Tournament(tournament::Args),
    Worker(worker::Args),
    Workers(workers::Args),
    Play(play::Args),
    Analyse(analyse::Args),
    Check(check::Args),
    Merge(merge::Args),
    Bundle(bundle::Args),
    Standings(standings::Args),
    Report(report::Args),
    Watch(watch::Args),
    Replay(replay::Args),
    Export(export::Args),
    Model(model::Args),
    Perft(perft::Args),
    Solve(solve::Args),
    Games(games::Args),
    Rules(rules::Args),
    Protocol(protocol::Args),
    Bot(bot::Args),
    GgpPlayer(ggp_player::Args),
    NewBot(new_bot::Args),
    NewRules(new_rules::Args),
    Doctor(doctor::Args),
    Config(config::Args),
    Completions(shell::Completions),
    Man(shell::Man),
    #[command(name = supervisor::process::plan::SUBCOMMAND, hide = true)]
    Supervise(supervise::Args),
    #[command(name = supervisor::sandbox::launch::SUBCOMMAND, hide = true)]
    Launch(launch::Args),
    #[cfg(target_os = "linux")]
    #[command(name = supervisor::sandbox::init::SUBCOMMAND, hide = true)]
    Init(init::Args),
}

impl Command {
    /// Whether this process is a bot or is between the referee and one.
    fn is_part_of_a_bot(&self) -> bool {
        match self {
            Command::Supervise(_) | Command::Launch(_) | Command::Bot(_) => true,
            #[cfg(target_os = "linux")]
            Command::Init(_) => true,
            _ => false,
        }
    }

    /// Whether it starts bots, which somebody else may have written.
    fn runs_bots(&self) -> bool {
        matches!(
            self,
            Command::Tournament(_)
                | Command::Play(_)
                | Command::Analyse(_)
                | Command::Check(_)
                | Command::Bundle(_)
                | Command::Replay(_)
                | Command::GgpPlayer(_)
                | Command::Worker(_)
        )
    }
}

/// Runs the program with the arguments of this process.
pub fn run() -> ExitCode {
    ExitCode::from(run_to_code())
}

/// Which events are logged: what `RUST_LOG` says (`debug`, `referee=trace,supervisor=info`), or
/// warnings and errors.
fn log_filter() -> Targets {
    let wanted = std::env::var("RUST_LOG").ok();
    let filter = wanted.and_then(|wanted| wanted.parse().ok());
    filter.unwrap_or_else(|| {
        // What its errors mean for users is said here.
        let default = Targets::new().with_target("async_nats", LevelFilter::OFF);
        default.with_default(LevelFilter::WARN)
    })
}

/// The same; gives the exit code as a number.
pub(crate) fn run_to_code() -> u8 {
    tracing_subscriber::registry()
        .with(tracing_subscriber::fmt::layer().with_writer(|| terminal::Stderr))
        .with(log_filter())
        .init();
    let args = protocol::document(std::env::args_os().collect());
    let mut command = paragraphs::unwrapped(Cli::command());
    let command = command
        .try_get_matches_from_mut(args)
        .and_then(|matches| {
            Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
        })
        .unwrap_or_else(|error| hints::explained(error).exit())
        .command;
    if !command.is_part_of_a_bot() {
        shortage::raise_descriptors();
        panics::say_in_a_sentence();
    }
    if command.runs_bots()
        && let Err(error) = privacy::keep_to_itself()
    {
        tracing::warn!("other programs of this user may look into the referee: {error}");
    }
    let Some(done) = panics::caught(|| command.run()) else {
        return panics::CODE;
    };
    let has_fault = panics::happened() && !signals::came();
    code(done.and_then(|()| not_short()), has_fault)
}

/// The exit code for what a command came to; what went wrong is said. With `has_fault`, a part of the work
/// was not done because of the program itself, which said so.
fn code(done: Result<(), CliError>, has_fault: bool) -> u8 {
    match done {
        Ok(()) => 0,
        // Who reads the output has seen enough, as in `referee games | head -1`.
        Err(CliError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        // Nobody has asked for that.
        Err(CliError::Interrupted) if has_fault => panics::CODE,
        Err(error) => {
            tell(format_args!("error: {error}\n"));
            error.code()
        }
    }
}

impl Command {
    fn run(self) -> Result<(), CliError> {
        match self {
            Command::Tournament(args) => args.run(),
            Command::Worker(args) => args.run(),
            Command::Workers(args) => args.run(),
            Command::Play(args) => args.run(),
            Command::Analyse(args) => args.run(),
            Command::Check(args) => args.run(),
            Command::Merge(args) => args.run(),
            Command::Bundle(args) => args.run(),
            Command::Standings(args) => args.run(),
            Command::Report(args) => args.run(),
            Command::Watch(args) => args.run(),
            Command::Replay(args) => args.run(),
            Command::Export(args) => args.run(),
            Command::Model(args) => args.run(),
            Command::Perft(args) => args.run(),
            Command::Solve(args) => args.run(),
            Command::Games(args) => args.run(),
            Command::Rules(args) => args.run(),
            Command::Protocol(args) => args.run(),
            Command::Bot(args) => args.run(),
            Command::GgpPlayer(args) => args.run(),
            Command::NewBot(args) => args.run(),
            Command::NewRules(args) => args.run(),
            Command::Doctor(args) => args.run(),
            Command::Config(args) => args.run(),
            Command::Completions(args) => args.run(Cli::command()),
            Command::Man(args) => args.run(Cli::command()),
            Command::Supervise(args) => args.run(),
            Command::Launch(args) => args.run(),
            #[cfg(target_os = "linux")]
            Command::Init(args) => args.run(),
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
        assert_eq!(code(Err(CliError::Unsolved), true), 5);
    }
}
