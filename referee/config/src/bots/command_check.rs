//! Diagnoses commands that would fail only when the bot starts: missing reference bots, options
//! they do not take, missing scripts.

use std::path::Path;

use supervisor::spec::Tier;
use supervisor::{BotSpec, REFEREE};

use bots::command_line;

/// Programs that run a script named in their arguments.
const INTERPRETERS: [&str; 18] = [
    "Rscript", "bash", "bun", "dash", "deno", "java", "julia", "lua", "luajit", "node", "perl",
    "php", "pypy", "python", "ruby", "sh", "swipl", "zsh",
];
/// File extensions of scripts.
const ENDINGS: [&str; 16] = [
    "R", "bash", "cjs", "jar", "jl", "js", "lua", "mjs", "php", "pl", "py", "pyz", "rb", "sh",
    "ts", "zsh",
];
/// Options followed by code or a module name, not a script.
const CODE: [&str; 6] = ["-c", "-e", "-m", "-p", "--eval", "-cp"];

/// Diagnoses a bot's command without starting it.
pub fn check(spec: &BotSpec) -> Result<(), String> {
    if let [first, second, arguments @ ..] = &*spec.command
        && first == REFEREE
        && second == "bot"
    {
        command_line::check(arguments).map_err(|error| error.to_string())?;
        return check_network(spec, arguments);
    }
    match script(&spec.command) {
        Some(script) if !spec.dir.join(script).exists() => Err(format!(
            "there is no script `{script}` in the folder `{}`",
            spec.dir.display()
        )),
        _ => Ok(()),
    }
}

/// Diagnoses a reference bot that asks a server, in a sandbox without network.
fn check_network(spec: &BotSpec, arguments: &[String]) -> Result<(), String> {
    let tier = spec.wanted.tier;
    let has_network = match tier {
        Tier::None | Tier::Limits => true,
        Tier::Restricted => false,
        Tier::Strict => spec.wanted.network,
    };
    if has_network || !command_line::needs_network(arguments) {
        return Ok(());
    }
    Err(format!(
        "no network: the bot asks a server, and the sandbox \"{}\" does not let it; use \"limits\" or \"none\" for \
         this bot",
        tier.name()
    ))
}

/// The script that an interpreter is to run.
fn script(command: &[String]) -> Option<&str> {
    let (program, arguments) = command.split_first()?;
    let name = Path::new(program).file_name()?.to_str()?;
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !INTERPRETERS.contains(&name) {
        return None;
    }
    let mut arguments = arguments
        .iter()
        .take_while(|argument| !CODE.contains(&&***argument));
    let script = arguments.find(|argument| {
        let ending = Path::new(argument).extension();
        let ending = ending.and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ENDINGS.contains(&ending)) && !argument.starts_with('-')
    })?;
    Some(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_found_among_arguments() {
        let found = |line: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            script(&words).map(str::to_owned)
        };
        for (line, expected) in [
            ("python3 bot.py", Some("bot.py")),
            (
                "/usr/bin/python3.12 -u -W ignore bots/bot.py --fast x.py",
                Some("bots/bot.py"),
            ),
            ("java -jar build/bot.jar", Some("build/bot.jar")),
            ("node --max-old-space-size=100 bot.mjs", Some("bot.mjs")),
            ("python3 -m mybot.py", None),
            ("sh -c ./bot.sh", None),
            ("./bot.py", None),
            ("python3 bot", None),
        ] {
            assert_eq!(found(line).as_deref(), expected, "{line}");
        }
    }
}
