//! What a configuration may say where clients may not have programs run. The list has what is allowed:
//! a key that is not in it is refused, also one that configurations get later.

use config::variables_in;
use supervisor::REFEREE;
use supervisor::spec::command::split;
use toml::{Table, Value};

use crate::answer::{Answer, Refusal};
use crate::commands;

/// Keys that run nothing, and reach nothing of this machine but the files of sheets and openings.
const KEYS: &[&str] = &[
    "name",
    "seed",
    "secret",
    "format",
    "rounds",
    "challengers",
    "seat_orders",
    "knockout",
    "sprt",
    "concurrency",
    "restart",
    "start_attempts",
    "clock",
    "idle",
    "affinity",
    "sandbox",
    "resources",
    "keep",
    "best_effort",
    "rules",
    "rules_timeout",
    "games",
    "time",
    "machine",
    "workers",
    "limits",
    "adjudicate",
    "opening",
    "bots",
    "on_broken",
];
/// Such keys of a bot.
const BOT_KEYS: &[&str] = &[
    "name",
    "command",
    "games",
    "deterministic",
    "must_pass_check",
    "time",
    "restart",
    "start_attempts",
    "sandbox",
    "resources",
];
/// Such keys of a sheet.
const SHEET_KEYS: &[&str] = &["command", "prefix"];

/// Refuses a configuration that would run anything but reference bots.
pub(super) fn check_text(text: &str) -> Answer<()> {
    let table = text.parse::<Table>();
    let table = table.map_err(|error| {
        let message: Vec<&str> = error.message().lines().collect();
        Refusal(format!(
            "the configuration is not TOML: {}",
            message.join(", ")
        ))
    })?;
    check(&table)
}

fn check(table: &Table) -> Answer<()> {
    only(table, KEYS, "")?;
    without_variables(&Value::Table(table.clone()))?;
    for rules in list(table, "rules") {
        check_rules(rules)?;
    }
    for bot in list(table, "bots").iter().filter_map(Value::as_table) {
        let name = bot.get("name").and_then(Value::as_str).unwrap_or("?");
        let of = format!("bot `{name}`: ");
        only(bot, BOT_KEYS, &of)?;
        if let Some(command) = bot.get("command") {
            check_command(command).map_err(|Refusal(why)| Refusal(format!("{of}{why}")))?;
        }
    }
    Ok(())
}

fn list<'t>(table: &'t Table, key: &str) -> &'t [Value] {
    let list = table.get(key).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

fn only(table: &Table, known: &[&str], of: &str) -> Answer<()> {
    match table.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(Refusal(format!(
            "{of}`{key}` is not among the keys that run nothing but reference bots; `referee mcp \
             --allow-commands` would allow all keys"
        ))),
    }
}

/// The program in the configuration's words, without those of a reference bot in front.
fn check_command(command: &Value) -> Answer<()> {
    let words = words(command)?;
    match words.first() {
        Some(program) if program == REFEREE => commands::allowed(words, false).map(drop),
        _ => Err(Refusal::new(commands::NOT_ALLOWED)),
    }
}

fn words(command: &Value) -> Answer<Vec<String>> {
    let wrong = || Refusal::new("a command is a list of words, or one string");
    match command {
        Value::String(line) => Ok(split(line)?),
        Value::Array(words) => {
            let words = words.iter().map(|word| word.as_str().map(str::to_owned));
            words.collect::<Option<_>>().ok_or_else(wrong)
        }
        _ => Err(wrong()),
    }
}

/// Sheets are read, programs would be run.
fn check_rules(rules: &Value) -> Answer<()> {
    let command = match rules {
        Value::Table(table) => {
            only(table, SHEET_KEYS, "rules: ")?;
            table.get("command").unwrap_or(rules)
        }
        line => line,
    };
    match &words(command)?[..] {
        [sheet] if sheet.ends_with(".kif") => Ok(()),
        _ => Err(Refusal::new(
            "only sheets (*.kif) may be rules here; `referee mcp --allow-commands` would allow programs, \
             and its `--rules` adds games for everybody",
        )),
    }
}

/// Refuses texts in which a configuration would have variables of the environment.
fn without_variables(value: &Value) -> Answer<()> {
    match value {
        Value::String(text) => match variables_in(text).first() {
            Some(name) => Err(Refusal(format!(
                "`${{{name}}}` would be a variable of the server's environment"
            ))),
            None => Ok(()),
        },
        Value::Array(list) => list.iter().try_for_each(without_variables),
        Value::Table(table) => table.values().try_for_each(without_variables),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use config::schema::schema;

    use super::*;

    fn refused(text: &str) -> String {
        match check(&text.parse().unwrap()) {
            Ok(()) => panic!("allowed: {text}"),
            Err(Refusal(why)) => why,
        }
    }

    #[test]
    fn nothing_but_reference_bots_runs() {
        let plain = r#"
            name = "x"
            games = ["siam"]
            rules = ["games/sheets/nim.kif", { command = "hex.kif", prefix = "my" }]
            [[bots]]
            name = "a"
            command = ["referee", "bot", "mcts", "--playouts", "10"]
            [[bots]]
            name = "b"
            command = "referee bot random"
        "#;
        assert_eq!(check(&plain.parse().unwrap()), Ok(()));
        for (text, part) in [
            (
                "bots = [{ name = 'a', command = 'python3 bot.py' }]",
                "bot `a`: only reference bots",
            ),
            (
                "bots = [{ name = 'a', command = ['mcts'] }]",
                "only reference bots",
            ),
            (
                "bots = [{ name = 'a', command = 'referee tournament x' }]",
                "only reference bots",
            ),
            (
                "bots = [{ name = 'a', command = 'referee bot mcts', build = 'id' }]",
                "`build`",
            ),
            (
                "bots = [{ name = 'a', command = 'referee bot mcts', env = { A = 'b' } }]",
                "`env`",
            ),
            (
                "bots = [{ name = 'a', command = 'referee bot mcts', dir = '/' }]",
                "`dir`",
            ),
            ("bots = [{ name = 'a', ggp = '127.0.0.1:1' }]", "`ggp`"),
            ("bots_from = 'submissions'", "`bots_from`"),
            ("include = ['other.toml']", "`include`"),
            ("rules = ['python3 game.py']", "only sheets"),
            ("rules = [['sh', 'x.kif']]", "only sheets"),
            (
                "rules = [{ command = 'x.kif', env = { A = 'b' } }]",
                "`env`",
            ),
            ("name = '${HOME}'", "`${HOME}`"),
        ] {
            let why = refused(text);
            assert!(why.contains(part), "{text}: {why}");
        }
    }

    #[test]
    fn the_keys_are_those_of_configurations() {
        let schema = serde_json::to_value(schema()).unwrap();
        let is_key = |key: &&&str| schema["properties"].get(**key).is_some();
        let unknown: Vec<_> = KEYS.iter().filter(|key| !is_key(key)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
