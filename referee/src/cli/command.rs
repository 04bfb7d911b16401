//! The subcommands: one line each.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::{CliError, games, internal, logs, play, tools, tournament};

/// A parsed command line, ready to run.
type Run = Box<dyn FnOnce() -> Result<(), CliError>>;

/// The relation of a subcommand's process to bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It starts no bots.
    Plain,
    /// It starts bots, which may be untrusted.
    RunsBots,
    /// It is a bot.
    IsABot,
    /// It stands between the referee and a bot; the help does not list it.
    Internal,
}

pub(super) struct Subcommand {
    name: &'static str,
    role: Role,
    describe: fn(Command) -> Command,
    parse: fn(&ArgMatches) -> Result<Run, clap::Error>,
}

macro_rules! subcommand {
    ($name:expr, $role:ident, $args:ty) => {
        Subcommand {
            name: $name,
            role: Role::$role,
            describe: <$args as Args>::augment_args,
            parse: |matches| {
                let args = <$args as FromArgMatches>::from_arg_matches(matches)?;
                Ok(Box::new(move || args.run()))
            },
        }
    };
}

/// All subcommands, in the order of the help.
const SUBCOMMANDS: &[Subcommand] = &[
    subcommand!("tournament", RunsBots, tournament::tournament::Args),
    subcommand!("worker", RunsBots, tournament::worker::Args),
    subcommand!("workers", Plain, tournament::workers::Args),
    subcommand!("play", RunsBots, play::play::Args),
    subcommand!("analyse", RunsBots, play::analyse::Args),
    subcommand!("check", RunsBots, tools::check::Args),
    subcommand!("merge", Plain, tournament::merge::Args),
    subcommand!("bundle", RunsBots, tournament::bundle::Args),
    subcommand!("standings", Plain, logs::standings::Args),
    subcommand!("report", Plain, logs::report::Args),
    subcommand!("watch", Plain, logs::watch::Args),
    subcommand!("replay", RunsBots, logs::replay::Args),
    subcommand!("export", Plain, logs::export::Args),
    subcommand!("model", Plain, games::model::Args),
    subcommand!("perft", Plain, games::perft::Args),
    subcommand!("solve", Plain, games::solve::Args),
    subcommand!("games", Plain, games::games::Args),
    subcommand!("rules", Plain, games::rules::Args),
    subcommand!("protocol", Plain, tools::protocol::Args),
    subcommand!("bot", IsABot, tools::bot::Args),
    subcommand!("ggp-player", RunsBots, tools::ggp_player::Args),
    subcommand!("mcp", RunsBots, tools::mcp::Args),
    subcommand!("new-bot", Plain, tools::new::NewBot),
    subcommand!("new-rules", Plain, tools::new::NewRules),
    subcommand!("examples", Plain, tools::examples::Args),
    subcommand!("doctor", Plain, tools::doctor::Args),
    subcommand!("config", Plain, tournament::config::Args),
    subcommand!("completions", Plain, tools::shell::Completions),
    subcommand!("man", Plain, tools::shell::Man),
    subcommand!(
        supervisor::process::plan::SUBCOMMAND,
        Internal,
        internal::supervise::Args
    ),
    subcommand!(
        supervisor::sandbox::launch::SUBCOMMAND,
        Internal,
        internal::launch::Args
    ),
    #[cfg(target_os = "linux")]
    subcommand!(
        supervisor::sandbox::launch::init::SUBCOMMAND,
        Internal,
        internal::init::Args
    ),
];

/// Adds all subcommands to the program.
pub(super) fn add_to(program: Command) -> Command {
    let subcommands = SUBCOMMANDS.iter().map(|subcommand| {
        let command = (subcommand.describe)(Command::new(subcommand.name));
        command.hide(subcommand.role == Role::Internal)
    });
    program
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(subcommands)
}

/// The subcommand of a command line, with its arguments.
///
/// # Errors
/// If arguments that clap has accepted one by one do not go together.
pub(super) fn chosen(matches: &ArgMatches) -> Result<(Role, Run), clap::Error> {
    let (name, matches) = matches.subcommand().expect("clap requires a subcommand");
    let mut all = SUBCOMMANDS.iter();
    let chosen = all.find(|subcommand| subcommand.name == name);
    let chosen = chosen.expect("clap knows the subcommands of the table only");
    Ok((chosen.role, (chosen.parse)(matches)?))
}
