//! Errors of commands, and their exit codes.

use std::io;
use std::path::PathBuf;

use bundle::BundleError;
use config::ConfigError;
use games::BrokenRules;
use log::{LogError, WriteError};
use rules::RulesError;
use supervisor::{FactoryError, TraceError, resource_exhausted};
use thiserror::Error;
use tournament::folder::FolderError;
use tournament::folder::dealing::DealingError;
use tournament::playing::one_match::MatchError;
use tournament::resume::ResumeError;
use tournament::{AdmissionError, MergeError, TournamentError};
use web::pages::SiteError;

use crate::cli::scaffold::ScaffoldError;

#[derive(Debug, Error)]
pub(crate) enum CliError {
    /// A value of the command line is wrong.
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A tournament that does not begin. One that stops needs advice: [`CliError::Stopped`] and
    /// [`CliError::ResourceExhausted`].
    #[error(transparent)]
    Tournament(#[from] TournamentError),
    #[error(transparent)]
    Merge(#[from] MergeError),
    #[error(transparent)]
    Bundle(#[from] BundleError),
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A tournament that stopped in the middle.
    #[error("{error}; {advice}")]
    Stopped {
        error: WriteError,
        /// Where its results are, and how to continue.
        advice: String,
    },
    #[error("{why}{advice}")]
    ResourceExhausted {
        why: String,
        /// The rest of the sentence.
        advice: String,
    },
    /// Rules from outside do not work.
    #[error(transparent)]
    Rules(#[from] BrokenRules),
    #[error(transparent)]
    RulesSource(#[from] RulesError),
    #[error(transparent)]
    BotFactory(#[from] FactoryError),
    #[error(transparent)]
    Trace(#[from] TraceError),
    #[error(transparent)]
    Log(#[from] LogError),
    /// Of a part of the program that not every build has: its own errors are known only there.
    #[error("{message}")]
    Optional { message: String, code: u8 },
    #[error(transparent)]
    Scaffold(#[from] ScaffoldError),
    /// A log does not hold what it should, or a bot does not behave as it should.
    #[error("{0}")]
    Verify(String),
    /// An output file cannot be written.
    #[error("`{}` cannot be written: {error}", path.display())]
    Output { path: PathBuf, error: io::Error },
    #[error(transparent)]
    Site(#[from] SiteError),
    /// Input or output of the program itself.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A search ended without an answer.
    #[error("not solved: {0}")]
    Unsolved(&'static str),
    #[error("interrupted")]
    Interrupted,
}

impl From<MatchError> for CliError {
    fn from(error: MatchError) -> Self {
        match error {
            MatchError::Factory(error) => CliError::BotFactory(error),
            MatchError::Broken(broken) => CliError::Rules(broken),
            MatchError::Rules(error) => CliError::RulesSource(error),
            MatchError::System(error) => CliError::Io(error),
            MatchError::ResourceExhausted(why) => CliError::ResourceExhausted {
                why,
                advice: String::new(),
            },
            MatchError::Game(_)
            | MatchError::Options(_)
            | MatchError::Seats { .. }
            | MatchError::Command { .. } => CliError::Usage(error.to_string()),
        }
    }
}

impl CliError {
    /// For commands that need a feature which this build lacks.
    #[cfg(not(all(feature = "cluster", feature = "mcp")))]
    pub(crate) fn without(what: &str, feature: &str) -> Self {
        CliError::Optional {
            message: format!(
                "this `referee` was built without {what}; `cargo build --profile dist --features {feature}` \
                 builds one that has it"
            ),
            code: 2,
        }
    }

    pub(crate) fn code(&self) -> u8 {
        match self {
            CliError::Config(error) => config_code(error),
            CliError::Usage(_) => 2,
            CliError::Tournament(error) => tournament_code(error),
            CliError::Merge(error) => merge_code(error),
            CliError::Bundle(error) => bundle_code(error),
            CliError::BotFactory(error) => factory_code(error),
            CliError::RulesSource(error) => rules_code(error),
            CliError::Scaffold(ScaffoldError::Write { .. }) => 4,
            CliError::Scaffold(_) => 2,
            CliError::Log(error) => log_code(error),
            CliError::Output { error, .. } | CliError::Site(SiteError { error, .. }) => {
                output_code(error)
            }
            CliError::Trace(TraceError { error, .. })
                if error.kind() == io::ErrorKind::AlreadyExists =>
            {
                2
            }
            CliError::Optional { code, .. } => *code,
            CliError::Verify(_) => 3,
            CliError::Write(_) | CliError::Stopped { .. } | CliError::ResourceExhausted { .. } => 4,
            CliError::Trace(_) | CliError::Io(_) | CliError::Rules(_) => 4,
            CliError::Unsolved(_) => 5,
            CliError::Interrupted => 130,
        }
    }
}

fn config_code(error: &ConfigError) -> u8 {
    if error.is_broken_rules() { 4 } else { 2 }
}

fn tournament_code(error: &TournamentError) -> u8 {
    match error {
        TournamentError::Admission(AdmissionError::TooFew { error, .. }) => config_code(error),
        TournamentError::Folder(FolderError::Taken { .. }) => 2,
        TournamentError::BotFactory(error)
        | TournamentError::Admission(AdmissionError::Factory(error)) => factory_code(error),
        TournamentError::Admission(AdmissionError::SetUp { .. }) => 4,
        TournamentError::Admission(AdmissionError::Bundle(error)) => bundle_code(error),
        TournamentError::Admission(_) => 2,
        TournamentError::Resume(error) => resume_code(error),
        TournamentError::Scale(_) | TournamentError::NoSharedSecret => 2,
        TournamentError::Folder(_)
        | TournamentError::Capacity(_)
        | TournamentError::Write(_)
        | TournamentError::Stopped { .. }
        | TournamentError::ResourceExhausted(_)
        | TournamentError::Broken(_) => 4,
    }
}

fn bundle_code(error: &BundleError) -> u8 {
    match error {
        BundleError::Io { error, .. } if error.kind() != io::ErrorKind::NotFound => 4,
        _ => 2,
    }
}

/// A bad path is a usage error, a full disk is not.
fn output_code(error: &io::Error) -> u8 {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull, WriteZero};
    let is_full = [FileTooLarge, QuotaExceeded, StorageFull, WriteZero].contains(&error.kind());
    if is_full { 4 } else { 2 }
}

fn log_code(error: &LogError) -> u8 {
    match error {
        LogError::Io { .. } | LogError::Configuration { .. } => 2,
        LogError::Line { .. } => 3,
    }
}

fn merge_code(error: &MergeError) -> u8 {
    match error {
        MergeError::Log(error) => log_code(error),
        MergeError::Config(error) => config_code(error),
        MergeError::Chain { .. }
        | MergeError::NotScheduled { .. }
        | MergeError::Mismatch { .. }
        | MergeError::Twice { .. } => 3,
        MergeError::Write(_) => 4,
        MergeError::Taken { .. } | MergeError::Out(FolderError::Taken { .. }) => 2,
        MergeError::Out(_) => 4,
        MergeError::Unreadable { .. }
        | MergeError::OtherTournament { .. }
        | MergeError::OtherDeal { .. }
        | MergeError::Admission(_)
        | MergeError::Folder(_) => 2,
    }
}

fn rules_code(error: &RulesError) -> u8 {
    match error {
        RulesError::Source(_) | RulesError::Taken { .. } => 2,
        RulesError::Factory(error) => factory_code(error),
        RulesError::Broken(_) => 4,
    }
}

fn factory_code(error: &FactoryError) -> u8 {
    if matches!(error, FactoryError::Sandbox(_)) {
        2
    } else {
        4
    }
}

fn resume_code(error: &ResumeError) -> u8 {
    match error {
        ResumeError::NoFolder { .. }
        | ResumeError::NoneYet { .. }
        | ResumeError::Nothing { .. }
        | ResumeError::Copy { .. }
        | ResumeError::Changed { .. }
        | ResumeError::NotExtended { .. }
        | ResumeError::OtherShard { .. }
        | ResumeError::Format
        | ResumeError::FixedResults
        | ResumeError::NoBot { .. } => 2,
        ResumeError::Dealing(DealingError::Write(_)) => 4,
        ResumeError::Dealing(_) => 2,
        ResumeError::Log(_)
        | ResumeError::Line { .. }
        | ResumeError::Chain { .. }
        | ResumeError::Write(_) => 4,
    }
}

/// Fails if a resource of the machine was exhausted meanwhile: results are worth nothing then.
pub(crate) fn check_resources() -> Result<(), CliError> {
    match resource_exhausted::noted() {
        None => Ok(()),
        Some(why) => Err(CliError::ResourceExhausted {
            why: why.to_owned(),
            advice: String::new(),
        }),
    }
}
