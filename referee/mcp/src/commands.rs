//! Bots by their commands: reference bots for everybody, other programs only if the server's user allows
//! it.

use std::net::IpAddr;
use std::sync::Arc;

use bots::command_line::{as_command, check, needs_network};
use protocol::TimeControl;
use schemars::JsonSchema;
use serde::Serialize;
use supervisor::spec::command::split;
use supervisor::{BotSpec, REFEREE};
use tournament::playing::one_match::bot_spec;

use crate::Server;
use crate::answer::{Answer, Refusal};
use crate::client::Caller;
use crate::rulebook::NoParameters;

pub(crate) const NOT_ALLOWED: &str =
    "only reference bots may play here; `referee mcp --allow-commands` would allow other programs";

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Bots {
    bots: Vec<BotLine>,
    /// Commands of other programs are allowed, too.
    commands_allowed: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct BotLine {
    name: String,
    /// One sentence.
    summary: String,
}

pub(crate) async fn list_bots(caller: Caller, _: NoParameters) -> Answer<Bots> {
    let bots = bots::BOTS.iter().map(|bot| BotLine {
        name: bot.name.to_owned(),
        summary: bot.summary.to_owned(),
    });
    Ok(Bots {
        bots: bots.collect(),
        commands_allowed: caller.server.settings.allow_commands,
    })
}

/// The words of a command, if this server runs it.
pub(crate) fn allowed(words: Vec<String>, allow_commands: bool) -> Answer<Vec<String>> {
    let words = as_command(words);
    match &words[..] {
        [program, bot, arguments @ ..] if program == REFEREE && bot == "bot" => {
            check(arguments)?;
            if !allow_commands {
                stays_here(arguments)?;
            }
        }
        _ if !allow_commands => return Err(Refusal::new(NOT_ALLOWED)),
        _ => {}
    }
    Ok(words)
}

/// Refuses a reference bot that would carry this user's keys or files to a place that a client chose.
fn stays_here(arguments: &[String]) -> Answer<()> {
    // Its name may come after its flags.
    if !needs_network(arguments) {
        return Ok(());
    }
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (word, None),
        };
        match flag {
            "--url" if !is_on_this_machine(value.or_else(|| words.next()).unwrap_or_default()) => {
                return Err(Refusal::new(
                    "`chat` may ask a server on this machine only; `referee mcp --allow-commands` would \
                     allow others",
                ));
            }
            "--key-from" | "--prompt" => {
                return Err(Refusal(format!(
                    "`{flag}` reads what belongs to the user of this server; `referee mcp \
                     --allow-commands` would allow it"
                )));
            }
            _ => {}
        }
    }
    Ok(())
}

fn is_on_this_machine(url: &str) -> bool {
    let rest = url
        .strip_prefix("http://")
        .or_else(|| url.strip_prefix("https://"));
    let authority = rest.unwrap_or_default().split(['/', '?', '#']).next();
    let authority = authority.unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority
            .rsplit_once(':')
            .map_or(authority, |(host, _)| host),
    };
    host == "localhost"
        || host
            .parse()
            .is_ok_and(|address: IpAddr| address.is_loopback())
}

/// The bot for a line of a client.
pub(crate) fn spec(
    server: &Server,
    line: &str,
    others: &[Arc<BotSpec>],
    time: &TimeControl,
) -> Answer<BotSpec> {
    let wrong = |why: String| Refusal(format!("bot `{line}`: {why}"));
    let words = split(line).map_err(|error| wrong(error.to_string()))?;
    let words = allowed(words, server.settings.allow_commands);
    let words = words.map_err(|Refusal(why)| wrong(why))?;
    let mut spec = bot_spec(line, words, others, time)?;
    spec.wanted.tier = server.settings.sandbox;
    server.settings.rules.equip(&mut spec);
    spec.program().map_err(|error| wrong(error.to_string()))?;
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed_as(line: &str, allow_commands: bool) -> Result<Vec<String>, String> {
        allowed(split(line).unwrap(), allow_commands).map_err(|Refusal(why)| why)
    }

    #[test]
    fn without_a_permission_only_reference_bots_run() {
        for line in [
            "mcts --playouts 100",
            "referee bot greedy",
            "random --seed 3",
        ] {
            let words = allowed_as(line, false).unwrap();
            assert_eq!(words[..2], ["referee", "bot"], "{line}");
        }
        for line in [
            "./mybot",
            "python3 bot.py",
            "referee tournament x",
            "referee",
            "/bin/sh -c id",
        ] {
            assert_eq!(allowed_as(line, false).unwrap_err(), NOT_ALLOWED, "{line}");
            assert!(allowed_as(line, true).is_ok(), "{line}");
        }
        for line in ["mcts --nodes 3", "referee bot", "referee bot python3"] {
            assert!(allowed_as(line, false).is_err(), "{line}");
        }
    }

    #[test]
    fn a_client_does_not_choose_where_keys_go() {
        let stays = |line: &str| stays_here(&split(&format!("{line} --model x")).unwrap()).is_ok();
        assert!(stays("chat --url http://127.0.0.1:8080/v1"));
        assert!(stays("chat --url=http://localhost/v1") && stays("chat --url http://[::1]:9/v1"));
        for line in [
            "chat --url http://example.org/v1",
            "chat --url=https://127.0.0.1.example.org/",
            "chat --url http://localhost@example.org/",
            "chat --url http://127.0.0.1:1@example.org:80/",
            "--url http://example.org chat",
            "--seed 1 --url http://example.org/v1 chat",
            "chat --url http://localhost --key-from SECRET",
            "chat --url http://localhost --prompt=/etc",
        ] {
            assert!(!stays(line), "{line}");
        }
    }
}
