//! The command line: one thin file a subcommand. What a subcommand needs stands in its file;
//! here is only the list of them.

mod bot;
mod check;
mod config;
mod doctor;
mod dry_run;
mod export;
mod format;
mod games;
mod human;
#[cfg(target_os = "linux")]
mod init;
mod input;
mod launch;
mod model;
mod new_bot;
mod perft;
mod play;
mod privacy;
mod replay;
mod rerun;
mod shell;
mod standings;
mod supervise;
mod tournament;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use supervisor::shortage;
use supervisor::{FactoryError, TraceError};
use thiserror::Error;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tracing_subscriber::EnvFilter;

use crate::log::{LogError, WriteError};
use crate::new_bot::NewBotError;
use crate::report::{tell, terminal};
use crate::tournament::ConfigError;
use crate::tournament::capacity::TooMuch;
use crate::tournament::folder::FolderError;
use crate::tournament::resume::ResumeError;
use crate::tournament::run::RunError;

/// General Game Playing referee: matches and tournaments of bots over line-delimited JSON.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    all went well, faults of bots included
  2    the command line or the configuration is wrong
  3    a log did not verify, or a bot did not pass `referee check`
  4    the referee could not go on (disk, permissions, descriptors, processes, memory)
  130  interrupted; what was finished is in the log, `--resume` goes on

Environment:
  RUST_LOG  what the program tells about itself on stderr: error, warn (the default), info, …
  NO_COLOR  no colours, whatever its value; they are left out by themselves where no terminal is";

#[derive(Debug, Subcommand)]
enum Command {
    Tournament(tournament::Args),
    Play(play::Args),
    Check(check::Args),
    Standings(standings::Args),
    Replay(replay::Args),
    Export(export::Args),
    Model(model::Args),
    Perft(perft::Args),
    Games(games::Args),
    Bot(bot::Args),
    NewBot(new_bot::Args),
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

    /// Whether bots run at its command, which the user may not have written.
    fn runs_bots(&self) -> bool {
        matches!(
            self,
            Command::Tournament(_) | Command::Play(_) | Command::Check(_) | Command::Replay(_)
        )
    }
}

/// Why a command did not go well.
#[derive(Debug, Error)]
enum CliError {
    /// A value of the command line is wrong.
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Resume(#[from] ResumeError),
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A tournament that stopped in the middle.
    #[error("{error}; {advice}")]
    Stopped {
        error: WriteError,
        /// Where its results are, and how to go on.
        advice: String,
    },
    /// The machine has no more of something.
    #[error("{why}{advice}")]
    Short {
        /// What.
        why: String,
        /// What can be done, as the rest of the sentence.
        advice: String,
    },
    #[error(transparent)]
    Capacity(#[from] TooMuch),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    BotFactory(#[from] FactoryError),
    #[error(transparent)]
    Trace(#[from] TraceError),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    NewBot(#[from] NewBotError),
    /// A log was read but does not hold what it should, or a bot does not do what it should.
    #[error("{0}")]
    Verify(String),
    /// Input or output of the program itself.
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("interrupted")]
    Interrupted,
}

impl CliError {
    /// The documented exit code.
    fn code(&self) -> u8 {
        match self {
            CliError::Usage(_) | CliError::Config(_) => 2,
            CliError::Folder(FolderError::Taken { .. }) => 2,
            CliError::NewBot(NewBotError::Write { .. }) => 4,
            CliError::NewBot(_) => 2,
            CliError::BotFactory(FactoryError::Sandbox(_)) => 2,
            CliError::Log(LogError::Io { .. }) => 2,
            CliError::Log(LogError::Line { .. }) | CliError::Verify(_) => 3,
            CliError::Resume(
                ResumeError::NoFolder { .. }
                | ResumeError::NoneYet { .. }
                | ResumeError::Nothing { .. }
                | ResumeError::Copy { .. }
                | ResumeError::Changed { .. }
                | ResumeError::NotExtended { .. }
                | ResumeError::Format,
            ) => 2,
            CliError::Resume(
                ResumeError::Log(_)
                | ResumeError::Line { .. }
                | ResumeError::Chain { .. }
                | ResumeError::Write(_),
            ) => 4,
            CliError::Folder(_) | CliError::Write(_) | CliError::Stopped { .. } => 4,
            CliError::Short { .. } | CliError::Capacity(_) => 4,
            CliError::Trace(_) | CliError::Run(_) | CliError::BotFactory(_) | CliError::Io(_) => 4,
            CliError::Interrupted => 130,
        }
    }
}

/// Runs the program with the arguments of this process.
pub fn run() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| terminal::Stderr)
        .init();
    let command = Cli::parse().command;
    if !command.is_part_of_a_bot() {
        shortage::raise_descriptors();
    }
    if command.runs_bots()
        && let Err(error) = privacy::keep_to_itself()
    {
        tracing::warn!("other programs of this user may look into the referee: {error}");
    }
    let done = match command {
        Command::Tournament(args) => args.run(),
        Command::Play(args) => args.run(),
        Command::Check(args) => args.run(),
        Command::Standings(args) => args.run(),
        Command::Replay(args) => args.run(),
        Command::Export(args) => args.run(),
        Command::Model(args) => args.run(),
        Command::Perft(args) => args.run(),
        Command::Games(args) => args.run(),
        Command::Bot(args) => args.run(),
        Command::NewBot(args) => args.run(),
        Command::Doctor(args) => args.run(),
        Command::Config(args) => args.run(),
        Command::Completions(args) => args.run(),
        Command::Man(args) => args.run(),
        Command::Supervise(args) => args.run(),
        Command::Launch(args) => args.run(),
        #[cfg(target_os = "linux")]
        Command::Init(args) => args.run(),
    };
    match done.and_then(|()| not_short()) {
        Ok(()) => ExitCode::SUCCESS,
        // Who reads the output has seen enough, as in `referee games | head -1`.
        Err(CliError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            tell(format_args!("error: {error}\n"));
            ExitCode::from(error.code())
        }
    }
}

/// Whatever came out while the machine had no more of something is worth nothing.
fn not_short() -> Result<(), CliError> {
    match shortage::noted() {
        None => Ok(()),
        Some(why) => Err(CliError::Short {
            why: why.to_owned(),
            advice: String::new(),
        }),
    }
}

/// Prints to stdout, without colours where they would only be in the way.
fn print(text: &str) -> Result<(), CliError> {
    let mut out = anstream::stdout().lock();
    out.write_all(terminal::fit(text).as_bytes())?;
    Ok(out.flush()?)
}

/// Turns true at the first Ctrl-C, SIGTERM or hang-up; a second one ends the program at once, and
/// with it its bots.
fn on_interrupt() -> Result<watch::Receiver<bool>, CliError> {
    let (sender, receiver) = watch::channel(false);
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hang_up.recv() => {}
            }
            if sender.send_replace(true) {
                std::process::exit(i32::from(CliError::Interrupted.code()));
            }
        }
    });
    Ok(receiver)
}

/// The asynchronous part of a command; in it, a file that grows beyond the
/// limit on file sizes is an error of the write, not the end of the program by SIGXFSZ. (Bots do
/// not inherit the handler.)
fn block_on<T>(future: impl Future<Output = T>) -> Result<T, CliError> {
    // One more thread, for signals: this one may be held up by who reads what it prints.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let _runtime = runtime.enter();
    let _too_large = signal(SignalKind::from_raw(nix::libc::SIGXFSZ))?;
    Ok(runtime.block_on(future))
}
