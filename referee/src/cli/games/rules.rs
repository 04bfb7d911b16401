//! `referee rules`: the rules of a game, for people.

use clap::ValueEnum;
use games::kit::info::Info;
use games::registry::Entry;

use crate::cli::common::args::{self, RulesArgs};
use crate::cli::text::markdown;
use crate::cli::{CliError, print};

/// Prints the rules of a game, with drawings and examples
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  referee rules siam
  referee rules siam --format markdown > siam.md")]
pub(crate) struct Args {
    #[command(flatten)]
    rules: RulesArgs,
    /// The game; `referee games` lists them
    id: String,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: GuideFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum GuideFormat {
    /// Laid out for the terminal
    #[default]
    Text,
    /// As it was written
    Markdown,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let catalog = self.rules.open()?.catalog;
        let entry = args::find(&catalog, &self.id)?;
        let guide = if entry.guide.trim().is_empty() {
            stand_in(entry)
        } else {
            entry.guide.clone()
        };
        match self.format {
            GuideFormat::Text => print(&markdown::for_terminal(&guide)),
            GuideFormat::Markdown => print(&guide),
        }
    }
}

/// For games whose rules program has no guide.
fn stand_in(entry: &Entry) -> String {
    let Info {
        id, title, summary, ..
    } = &entry.info;
    format!(
        "# {title}\n\n{summary}\n\nIts rules program has no `guide`. `referee games {id}`, with the same \
         `--rules`, shows options, moves and a start.\n"
    )
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use games::{GAMES, Rules, Session};
    use serde_json::Value;

    use super::*;
    use crate::cli::text::board;

    /// A position of a guide, from the text behind the name of a block: the options, then `state`
    /// or `seed`, then `moves`, and `ends` for the expected end of the game.
    fn open(entry: &Entry, example: &Value) -> Box<dyn Session> {
        let known = ["options", "state", "seed", "moves", "ends"];
        let fields = example.as_object().expect("an object");
        assert!(
            fields.keys().all(|key| known.contains(&&**key)),
            "{example}"
        );
        let rules: std::sync::Arc<dyn Rules> = entry
            .configure(&example["options"])
            .unwrap_or_else(|error| panic!("{example}: {error}"));
        let mut session = match &example["state"] {
            Value::Null => rules
                .start(example["seed"].as_u64().unwrap_or_default())
                .unwrap(),
            state => rules
                .load(state)
                .unwrap_or_else(|error| panic!("{example}: {error}")),
        };
        for mv in moves(example) {
            session
                .play(mv)
                .unwrap_or_else(|error| panic!("{example}: {error}"));
        }
        let end = session.reason();
        assert_eq!(end.as_deref(), example["ends"].as_str(), "{example}");
        session
    }

    fn moves(example: &Value) -> Vec<&str> {
        let moves = example["moves"].as_array().into_iter().flatten();
        moves.filter_map(Value::as_str).collect()
    }

    fn drawing(session: &dyn Session, example: &Value) -> String {
        let last = moves(example).pop().map(board::cells_of);
        let drawn = board::board(&session.view().unwrap().unwrap(), &last.unwrap_or_default());
        anstream::adapter::strip_str(&drawn).to_string()
    }

    /// JSON, broken after commas in long lines.
    fn broken(json: &str) -> String {
        let mut text = String::new();
        let mut column = 0;
        for part in json.split_inclusive(',') {
            if column > 0 && column + part.len() > 90 {
                text.push('\n');
                column = 0;
            }
            text.push_str(part);
            column += part.len();
        }
        text + "\n"
    }

    /// A guide with its drawings and states generated again, and the examples of moves that are
    /// wrong.
    fn made_anew(entry: &Entry, guide: &str) -> (String, Vec<String>) {
        let (mut text, mut wrong) = (String::new(), Vec::new());
        let mut session = None;
        let mut lines = guide.lines();
        while let Some(line) = lines.next() {
            let _ = writeln!(text, "{line}");
            let Some(head) = line.strip_prefix("```") else {
                continue;
            };
            let (name, example) = head.split_once(' ').unwrap_or((head, "null"));
            let example: Value =
                serde_json::from_str(example).unwrap_or_else(|error| panic!("{line}: {error}"));
            if !example.is_null() {
                session = Some(open(entry, &example));
            }
            let session = session.as_mut().expect("a position comes first");
            let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            match name {
                "board" => text += &drawing(&**session, &example),
                "state" => text += &broken(&session.state().unwrap().to_string()),
                "legal" | "illegal" => {
                    for line in inside {
                        let _ = writeln!(text, "{line}");
                        let mv = line.split(' ').next().unwrap_or_default();
                        let played = session.fork().play(mv);
                        if played.is_ok() != (name == "legal") {
                            wrong.push(format!("{}: {name} {line}: {played:?}", entry.info.id));
                        }
                    }
                }
                other => panic!("a block `{other}`"),
            }
            text += "```\n";
        }
        (text, wrong)
    }

    /// The file of a guide.
    fn path(id: &str) -> String {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../games/src/rules");
        let id = id.replace('-', "_");
        let paths = [
            format!("{folder}/{id}.md"),
            format!("{folder}/{id}/{id}.md"),
        ];
        let mut there = paths
            .into_iter()
            .filter(|path| std::fs::exists(path).unwrap());
        there.next().expect("a guide")
    }

    /// With `UPDATE_GUIDES` set, writes the drawings and states.
    #[test]
    fn drawings_states_and_moves_of_the_guides_are_right() {
        let update = std::env::var_os("UPDATE_GUIDES").is_some();
        let mut all_wrong = Vec::new();
        for entry in GAMES.iter() {
            let path = path(&entry.info.id);
            let guide = std::fs::read_to_string(&path).unwrap();
            let (made, wrong) = made_anew(entry, &guide);
            all_wrong.extend(wrong);
            if update {
                std::fs::write(path, &made).unwrap();
            } else {
                assert_eq!(guide, made, "{}", entry.info.id);
            }
        }
        assert_eq!(all_wrong, Vec::<String>::new());
    }

    #[test]
    fn guides_fit_narrow_terminals() {
        for entry in GAMES.iter() {
            let text = markdown::render(&entry.guide, 60);
            let wide: Vec<&str> = text.lines().filter(|l| l.chars().count() > 60).collect();
            assert_eq!(wide, Vec::<&str>::new(), "{}", entry.info.id);
        }
    }

    #[test]
    fn games_without_a_guide_have_a_few_words() {
        let entry = games::test_games::entry(games::test_games::RockPaperScissors::new(3));
        let text = stand_in(&entry);
        assert!(
            text.starts_with("# rock-paper-scissors\n\nA game for tests.\n"),
            "{text}"
        );
        assert!(
            text.contains("`referee games rock-paper-scissors`"),
            "{text}"
        );
    }

    #[test]
    fn every_option_role_reason_and_form_of_a_move_is_in_the_guide() {
        for entry in GAMES.iter() {
            let (info, guide) = (&entry.info, &entry.guide);
            let options = info
                .options
                .iter()
                .map(|option| format!("- `{}`: ", option.name));
            let roles = info.roles.iter().cloned();
            let limit = info.limits.max_plies.map(|plies| format!("{plies} plies"));
            for part in options.chain(roles).chain(limit) {
                assert!(guide.contains(&part), "{}: {part}", info.id);
            }
            for part in ["board", "legal", "illegal", "state"] {
                assert!(
                    guide.contains(&format!("\n```{part}")),
                    "{}: {part}",
                    info.id
                );
            }
        }
    }
}
