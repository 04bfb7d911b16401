//! Bots in the configuration of a tournament's folder.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use files::MOST_TEXT;
use supervisor::spec::Wanted;

use super::Entry;
use super::untrusted::Allowed;
use crate::error::{ConfigError, Problem};
use crate::reading::layers;

/// A bot in a recorded configuration, apart from its command, which is in the log.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RecordedBot {
    /// Added to its environment.
    pub env: BTreeMap<String, String>,
    /// Its working directory, relative to the folder of the original configuration.
    pub dir: PathBuf,
    /// For submissions: the sandbox to use again, with paths relative to that folder.
    pub wanted: Option<Wanted>,
    /// Other paths that a submission may name, relative to that folder.
    pub allowed: Vec<PathBuf>,
}

/// Reads a bot of the configuration in this file; `None` if there is no such file or no such bot.
///
/// # Errors
/// If the file cannot be used, or a variable is not set.
pub fn recorded_bot(path: &Path, bot: &str) -> Result<Option<RecordedBot>, ConfigError> {
    let text = match files::read(path, 4 * MOST_TEXT) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ConfigError::new(path, Problem::Read(error))),
    };
    let recorded = layers::parse(&text, |read, _| {
        let folder = path.parent().unwrap_or(Path::new("."));
        let allowed = Allowed::of(&read.file, folder)?;
        let mut bots = read.file.bots.iter().enumerate();
        let found = bots.find(|(_, table)| table.name.trim() == bot);
        let found = found.map(|(index, table)| {
            let entry = Entry {
                file: &read.file,
                allowed: &allowed,
                table,
                name: bot,
                index,
                has_variables: true,
            };
            let dir = table.dir.as_ref();
            let dir = dir.map(|dir| entry.dir(dir));
            Ok(RecordedBot {
                env: entry.environment()?,
                dir: dir.transpose()?.unwrap_or_default().into(),
                wanted: match entry.is_submission() || table.must_pass_check {
                    true => Some(entry.wanted(Path::new(""))?),
                    false => None,
                },
                allowed: read
                    .file
                    .readable
                    .iter()
                    .chain(&read.file.submissions.readable)
                    .cloned()
                    .collect(),
            })
        });
        found.transpose()
    });
    recorded.map_err(|error| error.in_file(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_recorded_bot_is_read_or_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tournament.toml");
        let read = |text: &str, bot: &str| {
            fs::write(&path, text).expect("a file");
            recorded_bot(&path, bot).map_err(|error| error.to_string())
        };
        let text = "name = \"t\"\ngames = [\"siam\"]\n[[bots]]\nname = \"a\"\ncommand = \"x\"\n\
                    dir = \"../${NO_SUCH_VARIABLE:-mine}\"\n\
                    env = { WORD = \"${NO_SUCH_VARIABLE:-left}\", OTHER = \"$$\" }\n";
        let found = read(text, "a").expect("a configuration").expect("a bot");
        let expected = [("OTHER", "$"), ("WORD", "left")].map(|(k, v)| (k.into(), v.into()));
        assert_eq!(found.env, BTreeMap::from(expected));
        assert_eq!(found.dir, Path::new("../mine"));
        assert_eq!(read(text, "b"), Ok(None));
        let unset = read(&text.replace(":-left", ""), "a").expect_err("a variable");
        assert!(
            unset.contains("line 7: bot `a`: `env`: there is no environment variable"),
            "{unset}"
        );
        assert!(read("name = ", "a").is_err());
        fs::remove_file(&path).expect("a file");
        let none = recorded_bot(&path, "a").expect("no configuration is no error");
        assert_eq!(none, None);
    }
}
