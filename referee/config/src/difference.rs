//! Differences between two configurations, in words. Comments, layout and the order of keys do not
//! count; the order of bots and games does.

use protocol::excerpt;
use toml::{Table, Value};

/// At most this many differences are described; the others are only counted.
const MOST_DESCRIBED: usize = 3;
/// Longer values are cut.
const LONGEST: usize = 200;
/// Lists whose entries have names: list, key of the name, noun for an entry.
const LISTS: [(&str, &str, &str); 2] = [("bots", "name", "bot"), ("games", "id", "game")];

/// Each difference as a part of a sentence; empty if the configurations are the same.
pub fn differences(old: &Table, new: &Table) -> Vec<String> {
    let (old, new) = (&comparable(old), &comparable(new));
    let mut found = Vec::new();
    tables(old, new, &KeyPath::default(), &mut found);
    found
}

/// The differences apart from new bots, games and rounds, which can be played afterwards.
pub fn beyond_additions(old: &Table, new: &Table) -> Vec<String> {
    let mut new = new.clone();
    let before = names(old);
    let added: Vec<String> = names(&new)
        .into_iter()
        .filter(|name| !before.contains(name))
        .collect();
    if let Some(Value::Array(bots)) = new.get_mut("bots") {
        bots.retain(|bot| name(bot).is_none_or(|name| before.contains(&name)));
    }
    if let Some(Value::Array(challengers)) = new.get_mut("challengers") {
        let is_new = |name: &str| added.iter().any(|added| added == name.trim());
        challengers.retain(|name| !name.as_str().is_some_and(is_new));
    }
    if let (Some(Value::Array(games)), Some(Value::Array(before))) =
        (new.get_mut("games"), old.get("games"))
    {
        let mut before = before.iter().peekable();
        games.retain(|game| {
            let known = |other: &&Value| whole_game(other) == whole_game(game);
            before.next_if(known).is_some()
        });
    }
    let rounds = |table: &Table| table.get("rounds").map_or(Some(1), Value::as_integer);
    if rounds(&new) > rounds(old) {
        new.remove("rounds");
        let rounds = old.get("rounds").cloned();
        new.extend(rounds.map(|rounds| ("rounds".to_owned(), rounds)));
    }
    differences(old, &new)
}

/// Drops the keys that do not affect matches: budgets, permissions of submissions, and which bots are
/// submissions. Earlier versions did not write the latter.
fn comparable(table: &Table) -> Table {
    let mut table = table.clone();
    table.remove("submissions");
    table.remove("budget");
    if let Some(Value::Array(bots)) = table.get_mut("bots") {
        for bot in bots.iter_mut().filter_map(Value::as_table_mut) {
            bot.remove("submission");
        }
    }
    table
}

pub fn names(table: &Table) -> Vec<String> {
    let bots = table.get("bots").and_then(Value::as_array);
    bots.into_iter().flatten().filter_map(name).collect()
}

fn name(bot: &Value) -> Option<String> {
    Some(bot.get("name")?.as_str()?.trim().to_owned())
}

/// A game as a table; it may be only an id.
fn whole_game(game: &Value) -> Value {
    match game {
        Value::String(_) => Value::Table(Table::from_iter([("id".to_owned(), game.clone())])),
        game => game.clone(),
    }
}

/// The first differences in one sentence, and the number of the others.
pub fn in_words(differences: &[String]) -> String {
    let described = differences[..differences.len().min(MOST_DESCRIBED)].join("; ");
    match differences.len().saturating_sub(MOST_DESCRIBED) {
        0 => described,
        1 => format!("{described}; and 1 more difference"),
        more => format!("{described}; and {more} more differences"),
    }
}

/// The path of a table: an entry of a list, and the keys from there.
#[derive(Default)]
struct KeyPath {
    keys: String,
    entry: String,
}

impl KeyPath {
    fn name(&self, key: &str) -> String {
        format!("`{}{key}`{}", self.keys, self.entry)
    }
}

fn tables(old: &Table, new: &Table, place: &KeyPath, found: &mut Vec<String>) {
    let added = new.keys().filter(|key| !old.contains_key(*key));
    for key in old.keys().chain(added) {
        let name = place.name(key);
        match (old.get(key), new.get(key)) {
            (Some(old), Some(new)) if old == new => {}
            (Some(Value::Table(old)), Some(Value::Table(new))) => {
                let place = KeyPath {
                    keys: format!("{}{key}.", place.keys),
                    entry: place.entry.clone(),
                };
                tables(old, new, &place, found);
            }
            (Some(old), Some(new)) => {
                let list = LISTS.iter().find(|(list, ..)| name == format!("`{list}`"));
                let entries = list.and_then(|&(_, label, what)| {
                    let entries = |value| Entries::read(value, label, what);
                    Some((entries(old)?, entries(new)?))
                });
                match entries {
                    Some((old, new)) => lists(&old, &new, &name, found),
                    None => {
                        found.push(format!("{name} was {} and is {} now", text(old), text(new)))
                    }
                }
            }
            (Some(old), None) => {
                found.push(format!("{name} was {} and is not there now", text(old)));
            }
            (None, Some(new)) => {
                found.push(format!("{name} was not there and is {} now", text(new)));
            }
            (None, None) => {}
        }
    }
}

/// A list of named tables.
struct Entries<'a> {
    what: &'a str,
    entries: Vec<(String, Table)>,
}

impl<'a> Entries<'a> {
    /// `None` if the value is no such list.
    fn read(list: &Value, label: &str, what: &'a str) -> Option<Self> {
        let entry = |entry: &Value| match entry {
            Value::Table(table) => Some((table.get(label)?.as_str()?.to_owned(), table.clone())),
            // A game may be only an id.
            Value::String(name) => {
                let table = Table::from_iter([(label.to_owned(), entry.clone())]);
                Some((name.clone(), table))
            }
            _ => None,
        };
        let entries = list.as_array()?.iter().map(entry).collect::<Option<_>>()?;
        Some(Entries { what, entries })
    }

    fn names(&self) -> Vec<&str> {
        self.entries.iter().map(|(name, _)| &**name).collect()
    }

    /// The n-th entry of this name, from 0.
    fn find(&self, name: &str, nth: usize) -> Option<&Table> {
        let mut twins = self.entries.iter().filter(|(other, _)| other == name);
        twins.nth(nth).map(|(_, table)| table)
    }

    /// Each entry, with the number of earlier entries of the same name.
    fn numbered(&self) -> impl Iterator<Item = (&str, usize, &Table)> {
        self.entries.iter().enumerate().map(|(i, (name, table))| {
            let twins = self.entries[..i].iter().filter(|(other, _)| other == name);
            (&**name, twins.count(), table)
        })
    }

    /// The name of an entry in a message.
    fn title(&self, name: &str, nth: usize) -> String {
        match nth {
            0 => format!("the {} `{name}`", self.what),
            nth => format!("the {} `{name}` (number {})", self.what, nth + 1),
        }
    }
}

fn lists(old: &Entries<'_>, new: &Entries<'_>, list: &str, found: &mut Vec<String>) {
    let before = found.len();
    for (name, nth, table) in old.numbered() {
        let title = old.title(name, nth);
        match new.find(name, nth) {
            Some(other) => {
                let place = KeyPath {
                    keys: String::new(),
                    entry: format!(" of {title}"),
                };
                tables(table, other, &place, found);
            }
            None => found.push(format!("{title} is not there any more")),
        }
    }
    for (name, nth, _) in new.numbered() {
        if old.find(name, nth).is_none() {
            found.push(format!("{} is new", new.title(name, nth)));
        }
    }
    if found.len() == before && old.names() != new.names() {
        let order = |entries: &Entries<'_>| entries.names().join(", ");
        let (old, new) = (order(old), order(new));
        found.push(format!("the order of {list} was {old} and is {new} now"));
    }
}

/// A value as a user would write it.
fn text(value: &Value) -> String {
    excerpt(value.to_string().as_bytes(), LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = r#"
name = "t"
rounds = 2
games = ["siam", { id = "amazons", options = { size = 6 } }]
[time]
per_move = "100ms"
[[bots]]
name = "a"
command = ["x", "y"]
[[bots]]
name = "b"
command = "z"
"#;

    fn found(old: &str, new: &str) -> Vec<String> {
        let read = |text: &str| text.parse::<Table>().unwrap();
        differences(&read(old), &read(new))
    }

    /// Replaces a text in the configuration, and returns the differences.
    fn changed(from: &str, to: &str) -> Vec<String> {
        assert!(BASE.contains(from));
        found(BASE, &BASE.replace(from, to))
    }

    #[test]
    fn layout_comments_and_the_order_of_keys_do_not_count() {
        let other = r#"
# Another look.
rounds = 2
name = 't'
time.per_move = "100ms"
games = [
    { id = "siam" },
    { options = { size = 6 }, id = "amazons" },
]
bots = [{ name = "a", command = ["x", "y"] }, { command = "z", name = "b" }]
"#;
        assert_eq!(found(BASE, other), [""; 0]);
    }

    #[test]
    fn values_are_named_with_path_old_and_new() {
        assert_eq!(
            changed("\"100ms\"", "\"200ms\""),
            ["`time.per_move` was \"100ms\" and is \"200ms\" now"]
        );
        assert_eq!(
            changed("rounds = 2", ""),
            ["`rounds` was 2 and is not there now"]
        );
        assert_eq!(
            changed("rounds = 2", "rounds = 2\nseed = 7"),
            ["`seed` was not there and is 7 now"]
        );
        assert_eq!(
            changed("[time]", "[limits]\nmax_plies = 3\n[time]"),
            ["`limits` was not there and is { max_plies = 3 } now"]
        );
        assert_eq!(
            changed("rounds = 2", "rounds = \"2\""),
            ["`rounds` was 2 and is \"2\" now"]
        );
    }

    #[test]
    fn bots_and_games_are_named() {
        assert_eq!(
            changed("[\"x\", \"y\"]", "[\"y\", \"x\"]"),
            ["`command` of the bot `a` was [\"x\", \"y\"] and is [\"y\", \"x\"] now"]
        );
        assert_eq!(
            changed("size = 6", "size = 8"),
            ["`options.size` of the game `amazons` was 6 and is 8 now"]
        );
        assert_eq!(
            changed("\"siam\"", "{ id = \"siam\", options = { x = 1 } }"),
            ["`options` of the game `siam` was not there and is { x = 1 } now"]
        );
        assert_eq!(
            changed("name = \"b\"", "name = \"c\""),
            ["the bot `b` is not there any more", "the bot `c` is new"]
        );
        assert_eq!(
            changed("\"siam\", ", "\"siam\", \"siam\", "),
            ["the game `siam` (number 2) is new"]
        );
    }

    #[test]
    fn the_order_of_bots_and_games_counts() {
        let swapped = BASE
            .replace("\"a\"\ncommand = [\"x\", \"y\"]", "\"q\"\ncommand = \"z\"")
            .replace("\"b\"\ncommand = \"z\"", "\"a\"\ncommand = [\"x\", \"y\"]")
            .replace("\"q\"", "\"b\"");
        assert_eq!(
            found(BASE, &swapped),
            ["the order of `bots` was a, b and is b, a now"]
        );
    }

    #[test]
    fn bots_games_and_rounds_may_be_added() {
        let beyond = |new: &str| {
            let read = |text: &str| text.parse::<Table>().unwrap();
            beyond_additions(&read(BASE), &read(new))
        };
        let added = BASE
            .replace("rounds = 2", "rounds = 3")
            .replace("[\"siam\", ", "[\"run\", { id = \"siam\" }, \"siam\", ")
            .replace(
                "[[bots]]\nname = \"b\"",
                "[[bots]]\nname = \"c\"\n[[bots]]\nname = \"b\"",
            );
        assert_eq!(beyond(&added), [""; 0]);
        assert!(!found(BASE, &added).is_empty());
        let fewer = added.replace("rounds = 3", "");
        assert_eq!(beyond(&fewer), ["`rounds` was 2 and is not there now"]);
        let other = added.replace("size = 6", "size = 8");
        assert_eq!(beyond(&other), ["the game `amazons` is not there any more"]);
        let other = added.replace("\"100ms\"", "\"1s\"");
        assert_eq!(beyond(&other).len(), 1);
        let other = added.replace("command = \"z\"", "command = \"y\"");
        assert_eq!(
            beyond(&other),
            ["`command` of the bot `b` was \"z\" and is \"y\" now"]
        );
        let challengers = "challengers = [\"a\"]\n";
        let read = |text: String| text.parse::<Table>().unwrap();
        let old = read(format!("{challengers}{BASE}"));
        let new = |names: &str| read(format!("challengers = [{names}]\n{added}"));
        assert!(beyond_additions(&old, &new("\"c\", \"a\"")).is_empty());
        assert!(!beyond_additions(&old, &new("\"a\", \"b\"")).is_empty());
    }

    #[test]
    fn of_many_differences_some_are_told() {
        let of = |n: usize| {
            in_words(
                &[
                    "a".to_owned(),
                    "b".into(),
                    "c".into(),
                    "d".into(),
                    "e".into(),
                ][..n],
            )
        };
        assert_eq!(of(1), "a");
        assert_eq!(of(3), "a; b; c");
        assert_eq!(of(4), "a; b; c; and 1 more difference");
        assert_eq!(of(5), "a; b; c; and 2 more differences");
    }

    #[test]
    fn long_values_are_cut() {
        let long = format!("rounds = \"{}\"", "ä".repeat(300));
        let found = changed("rounds = 2", &long);
        assert!(found[0].ends_with("ä… now"), "{}", found[0]);
    }
}
