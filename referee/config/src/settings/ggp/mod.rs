//! Bots that are GGP players on the network: keys and restrictions.

mod address;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gdl::Script;
use protocol::{ClockKind, Player, TimeControl};
use supervisor::{BotSpec, GgpPlayer};

use crate::error::{Diagnostic, KeyProblem, Problem};
use crate::setup::game::GameSetup;
use crate::tables::{BotTable, ConfigFile, TimeScaling};

pub use address::Address;

/// Default attempts to reach a player before it is at fault.
const START_ATTEMPTS: u32 = 3;

/// The spec of the player at this address; `all` is the time control of the other bots.
///
/// # Errors
/// If a key of its table says what cannot be.
pub(crate) fn spec(
    file: &ConfigFile,
    table: &BotTable,
    url: &str,
    own_time: Option<TimeControl>,
    all: &TimeControl,
    folder: &Path,
) -> Result<BotSpec, KeyProblem> {
    let wrong = |message: String| KeyProblem::new("ggp", message);
    if table.command.is_some() {
        return Err(wrong(
            "a bot cannot have both this and `command`".to_owned(),
        ));
    }
    if let Some(key) = useless_key(table) {
        let message = "it cannot be given with `ggp`: the player is not started here";
        return Err(KeyProblem::new(key, message));
    }
    let address = Address::parse(url).map_err(wrong)?;
    let host = &address.host;
    let mut hosts = file.network.ggp_hosts.iter();
    if !address.is_loopback() && !hosts.any(|named| named.eq_ignore_ascii_case(host)) {
        return Err(wrong(format!(
            "`{host}` is another machine; the configuration must name it, as in \
             `[network] ggp_hosts = [\"{host}\"]`"
        )));
    }
    let is_own = own_time.is_some();
    let time = own_time.unwrap_or_else(|| all.clone());
    check_time(&time).map_err(|message| wrong(message.to_owned()))?;
    let mut command = vec![Player::GGP.to_owned(), format!("http://{}", address.text())];
    if table.scramble {
        command.push("scramble".to_owned());
    }
    let name = table.name.trim().to_owned();
    let mut spec = BotSpec::new(name, command, folder.to_owned(), &time);
    spec.shows_dir = false;
    spec.own_time = is_own;
    let attempts = table.start_attempts.or(file.start_attempts);
    spec.start_attempts = attempts.unwrap_or(START_ATTEMPTS);
    spec.ggp = Some(GgpPlayer {
        address: address.text(),
        scramble: table.scramble,
    });
    Ok(spec)
}

/// A key that only makes sense for a process.
fn useless_key(table: &BotTable) -> Option<&'static str> {
    let given = [
        ("build", table.build.is_some()),
        ("setup", table.setup.is_some()),
        ("in_place", table.in_place),
        ("must_pass_check", table.must_pass_check),
        ("dir", table.dir.is_some()),
        ("env", !table.env.is_empty()),
        ("restart", table.restart.is_some()),
        ("sandbox", table.sandbox.is_some()),
        ("readable", !table.readable.is_empty()),
    ];
    let useless = given.into_iter().find(|(_, is_given)| *is_given);
    useless.map(|(key, _)| key)
}

/// GGP players only know whole seconds for each move.
fn check_time(time: &TimeControl) -> Result<(), &'static str> {
    if time.clock == ClockKind::Cpu {
        return Err(
            "the CPU time of a player that is not started here is not known; `clock = \"wall\"` \
             is needed",
        );
    }
    let second = Duration::from_secs(1);
    if time.per_move.is_none_or(|limit| limit.0 < second) {
        return Err(
            "a player learns only how many seconds each move may take, so it needs a `time.per_move` \
             of at least 1s, its own or the tournament's",
        );
    }
    Ok(())
}

/// A host as in a URL.
fn bracketed(host: &str) -> String {
    if host.contains(':') {
        format!("[{host}]")
    } else {
        host.to_owned()
    }
}

/// Checks that these bots can play these games.
pub(crate) fn check(
    file: &ConfigFile,
    bots: &[Arc<BotSpec>],
    games: &[GameSetup],
) -> Result<(), Diagnostic> {
    let is_host = |host: &str| Address::parse(&format!("http://{}:1", bracketed(host))).is_ok();
    if let Some(host) = file.network.ggp_hosts.iter().find(|host| !is_host(host)) {
        let message =
            format!("{host:?} is not a name or an address of a machine, as in \"10.0.0.5\"");
        return Err(Diagnostic::value("network.ggp_hosts", message));
    }
    let scaled = file.time.scale == Some(TimeScaling::Yardstick);
    if let Some(player) = bots.iter().find(|bot| bot.ggp.is_some() && scaled) {
        let message = format!(
            "it cannot be \"yardstick\" while `{}` plays by `ggp`: the speed of this machine says nothing \
             about a player that is not started here",
            player.name
        );
        return Err(Diagnostic::value("time.scale", message));
    }
    let mut addresses: Vec<(&str, &str)> = Vec::new();
    for (index, bot) in bots.iter().enumerate() {
        let Some(player) = &bot.ggp else { continue };
        let wrong = |message: String| {
            let (bot, key) = (bot.name.clone(), "ggp".to_owned());
            let problem = Problem::Bot { bot, key, message };
            Diagnostic::new(format!("bots.{index}.ggp"), problem)
        };
        let address = &*player.address;
        if let Some((other, _)) = addresses.iter().find(|(_, taken)| *taken == address) {
            let message = format!(
                "the bot `{other}` is the same player; one player cannot play against itself"
            );
            return Err(wrong(message));
        }
        addresses.push((&bot.name, address));
        for game in games {
            let info = game.rules.info();
            if Script::of(&*game.rules).is_none() {
                let id = &info.id;
                let message = format!(
                    "a GGP player needs the rules as a sheet (`*.kif`), and there is none of `{id}`"
                );
                return Err(wrong(message));
            }
            if info.hidden && (file.opening.random_plies > 0 || file.opening.book.is_some()) {
                let message = format!(
                    "`{}` has hidden information, and after an opening a player cannot be told what it \
                     knows; leave out `opening`",
                    info.id
                );
                return Err(wrong(message));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::Config;

    /// The problem of a tic-tac-toe configuration with this bot, after these lines.
    fn problem(more: &str, bot: &str) -> String {
        let sheets = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/sheets");
        let text = format!(
            "name = \"t\"\nrules = [\"tic-tac-toe.kif\", \"kuhn-poker.kif\"]\n{more}\n[[bots]]\n\
             name = \"a\"\n{bot}\n[[bots]]\nname = \"b\"\ncommand = \"referee bot random\"\n"
        );
        match Config::parse(&text, Path::new(sheets)) {
            Ok(_) => "none".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn players_elsewhere_need_a_sheet_seconds_and_a_host_that_is_named() {
        let games = "games = [\"tic-tac-toe\"]\ntime.per_move = \"2s\"";
        let here = "ggp = \"http://127.0.0.1:9147\"";
        assert_eq!(problem(games, here), "none");
        assert_eq!(problem(games, &format!("{here}\nscramble = true")), "none");
        let there = "ggp = \"http://10.0.0.5:9147\"";
        let named = format!("{games}\nnetwork.ggp_hosts = [\"10.0.0.5\"]");
        assert_eq!(problem(&named, there), "none");
        let hidden = games.replace("tic-tac-toe", "kuhn-poker");
        assert_eq!(problem(&hidden, here), "none");
        let opened = format!("{hidden}\nopening.random_plies = 1");
        for (more, bot, says) in [
            (
                games,
                there,
                "line 7: bot `a`: `ggp`: `10.0.0.5` is another machine",
            ),
            (
                games,
                "ggp = \"127.0.0.1\"",
                "line 7: bot `a`: `ggp`: \"127.0.0.1\" does not begin",
            ),
            (
                games,
                &*format!("{here}\ncommand = \"sh\""),
                "line 7: bot `a`: `ggp`: a bot cannot have both",
            ),
            (
                games,
                &*format!("{here}\nsandbox = \"strict\""),
                "line 8: bot `a`: `sandbox`: it cannot be given with `ggp`",
            ),
            (
                games,
                &*format!("{here}\nin_place = true"),
                "line 8: bot `a`: `in_place`: it cannot be given with `ggp`",
            ),
            (
                &*format!("{games}\ntime.scale = \"yardstick\"\ntime.reference = 300"),
                here,
                "line 5: `time.scale`: it cannot be \"yardstick\" while `a` plays by `ggp`",
            ),
            (
                games,
                "command = \"sh\"\nscramble = true",
                "`scramble`: it needs `ggp`",
            ),
            (
                games,
                "",
                "missing field `command` (or `ggp`) of the bot `a`",
            ),
            (
                "games = [\"tic-tac-toe\"]\ntime.per_move = \"900ms\"",
                here,
                "at least 1s",
            ),
            (
                "games = [\"tic-tac-toe\"]\ntime.base = \"9s\"",
                here,
                "at least 1s",
            ),
            (
                "games = [\"amazons\"]\ntime.per_move = \"2s\"",
                here,
                "needs the rules as a sheet (`*.kif`), and there is none of `amazons`",
            ),
            (
                &*opened,
                here,
                "`kuhn-poker` has hidden information, and after an opening",
            ),
        ] {
            let problem = problem(more, bot);
            assert!(problem.contains(says), "{problem} instead of {says}");
        }
        let twice = format!("{here}\n[[bots]]\nname = \"c\"\n{here}");
        assert!(problem(games, &twice).contains("the bot `a` is the same player"));
    }
}
