//! The subcommands: one line each.

use std::fmt::Write as _;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::{CliError, games, logs, play, tools, tournament};

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
}

pub(super) struct Subcommand {
    name: &'static str,
    role: Role,
    /// False without the feature that it needs.
    is_built: bool,
    describe: fn(Command) -> Command,
    parse: fn(&ArgMatches) -> Result<Run, clap::Error>,
}

macro_rules! subcommand {
    ($name:expr, $role:ident, $args:ty) => {
        subcommand!($name, $role, $args, built true)
    };
    ($name:expr, $role:ident, $args:ty, $feature:literal) => {
        subcommand!($name, $role, $args, built cfg!(feature = $feature))
    };
    ($name:expr, $role:ident, $args:ty, built $is_built:expr) => {
        Subcommand {
            name: $name,
            role: Role::$role,
            is_built: $is_built,
            describe: <$args as Args>::augment_args,
            parse: |matches| {
                let args = <$args as FromArgMatches>::from_arg_matches(matches)?;
                Ok(Box::new(move || args.run()))
            },
        }
    };
}

/// All subcommands, in the groups and the order of the help.
const GROUPS: &[(&str, &[Subcommand])] = &[
    (
        "Play and watch",
        &[
            subcommand!("tournament", RunsBots, tournament::tournament::Args),
            subcommand!("play", RunsBots, play::play::Args),
            subcommand!("watch", Plain, logs::watch::Args),
            subcommand!("examples", Plain, tools::examples::Args),
        ],
    ),
    (
        "Write bots and games",
        &[
            subcommand!("new-bot", Plain, tools::new::NewBot),
            subcommand!("check", RunsBots, tools::check::Args),
            subcommand!("new-rules", Plain, tools::new::NewRules),
            subcommand!("protocol", Plain, tools::protocol::Args),
            subcommand!("model", Plain, games::model::Args),
            subcommand!("bot", IsABot, tools::bot::Args),
            subcommand!("ggp-player", RunsBots, tools::ggp_player::Args),
            subcommand!("mcp", RunsBots, tools::mcp::Args, "mcp"),
        ],
    ),
    (
        "Read results",
        &[
            subcommand!("standings", Plain, logs::standings::Args),
            subcommand!("report", Plain, logs::report::Args),
            subcommand!("replay", RunsBots, logs::replay::Args),
            subcommand!("export", Plain, logs::export::Args),
        ],
    ),
    (
        "Games and positions",
        &[
            subcommand!("games", Plain, games::games::Args),
            subcommand!("rules", Plain, games::rules::Args),
            subcommand!("analyse", RunsBots, play::analyse::Args),
            subcommand!("solve", Plain, games::solve::Args),
            subcommand!("perft", Plain, games::perft::Args),
        ],
    ),
    (
        "Larger tournaments",
        &[
            subcommand!("config", Plain, tournament::config::Args),
            subcommand!("bundle", Plain, tournament::bundle::Args),
            subcommand!("merge", Plain, tournament::merge::Args),
            subcommand!(
                "worker",
                RunsBots,
                tournament::cluster::worker::Args,
                "cluster"
            ),
            subcommand!(
                "workers",
                Plain,
                tournament::cluster::workers::Args,
                "cluster"
            ),
        ],
    ),
    (
        "This machine",
        &[
            subcommand!("doctor", Plain, tools::doctor::Args),
            subcommand!("completions", Plain, tools::shell::Completions),
            subcommand!("man", Plain, tools::shell::Man),
        ],
    ),
];

impl Subcommand {
    /// One that is not built can only say so.
    fn command(&self) -> Command {
        (self.describe)(Command::new(self.name)).hide(!self.is_built)
    }
}

fn subcommands() -> impl Iterator<Item = &'static Subcommand> {
    GROUPS.iter().flat_map(|(_, group)| *group)
}

/// Adds the subcommand with this name to the program.
pub(super) fn add_one(program: Command, name: &str) -> Option<Command> {
    let named = subcommands().find(|subcommand| subcommand.name == name)?;
    Some(
        program
            .subcommand_required(true)
            .subcommand(named.command()),
    )
}

/// Adds all subcommands to the program. Its help lists them by group, which clap does for options only.
pub(super) fn add_all(program: Command) -> Command {
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{START_HERE}\n{}\
         Options:\n{{options}}{{after-help}}",
        listed()
    );
    program
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(subcommands().map(Subcommand::command))
        .help_template(template)
}

const START_HERE: &str = "\
Start here:
  referee tournament quickstart          a tournament of the built-in bots
  referee play siam --human 0            a match against one of them
  referee new-bot python mybot           a bot of your own, ready to change
  referee COMMAND --help                 what a command can do, with examples
";

/// The groups of subcommands, a line each, at most 80 columns wide.
fn listed() -> String {
    let mut text = String::new();
    for (title, group) in GROUPS {
        let listed: Vec<_> = group.iter().filter(|it| it.is_built).collect();
        if !listed.is_empty() {
            let _ = writeln!(text, "{title}:");
        }
        for subcommand in &listed {
            let about = subcommand.command().get_about().map(ToString::to_string);
            let about = about.unwrap_or_default();
            let _ = writeln!(text, "  {:<12} {about}", subcommand.name);
        }
        if !listed.is_empty() {
            text.push('\n');
        }
    }
    text
}

/// The subcommand of a command line, with its arguments.
///
/// # Errors
/// If arguments that clap has accepted one by one do not go together.
pub(super) fn chosen(matches: &ArgMatches) -> Result<(Role, Run), clap::Error> {
    let (name, matches) = matches.subcommand().expect("clap requires a subcommand");
    let chosen = subcommands().find(|subcommand| subcommand.name == name);
    let chosen = chosen.expect("clap knows the subcommands of the table only");
    Ok((chosen.role, (chosen.parse)(matches)?))
}
