//! A note of the rules beside a log, where all that reads logs looks for them.

use std::fs;
use std::path::Path;

use toml::{Table, Value};
use tournament::folder::CONFIG_NAME;

use crate::answer::Answer;

/// Notes these sources, whose relative paths start at the current folder.
pub(super) fn write(folder: &Path, sources: &[String]) -> Answer<()> {
    if sources.is_empty() {
        return Ok(());
    }
    let here = std::env::current_dir()?;
    let rules = sources.iter().map(|source| noted(source, &here));
    let rules = rules.collect::<Answer<Vec<Value>>>()?;
    let table = Table::from_iter([("rules".to_owned(), Value::Array(rules))]);
    let text = format!("# The rules of the matches that are logged here.\n{table}");
    Ok(fs::write(folder.join(CONFIG_NAME), text)?)
}

/// A source as a table of a configuration.
fn noted(source: &str, here: &Path) -> Answer<Value> {
    let mut table = match source.trim_start().starts_with('{') {
        true => format!("it = {source}").parse::<Table>()?.remove("it"),
        false => Some(Table::from_iter([("command".to_owned(), source.into())]).into()),
    };
    if let Some(Value::Table(table)) = &mut table {
        let dir = table.get("dir").and_then(Value::as_str).unwrap_or_default();
        let dir = here.join(dir).to_string_lossy().into_owned();
        table.insert("dir".to_owned(), dir.into());
    }
    Ok(table.unwrap_or_else(|| source.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_found_from_anywhere() {
        let noted = |source: &str| noted(source, Path::new("/home")).unwrap();
        let plain = noted("python3 game.py");
        assert_eq!(plain["command"].as_str(), Some("python3 game.py"));
        assert_eq!(plain["dir"].as_str(), Some("/home/"));
        let table = noted("{ command = 'x.kif', prefix = 'my', dir = 'sheets' }");
        assert_eq!(table["prefix"].as_str(), Some("my"));
        assert_eq!(table["dir"].as_str(), Some("/home/sheets"));
    }
}
