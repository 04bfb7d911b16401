//! The names of submissions in a tournament that goes on: its folder has them, whatever their authors or
//! another version of the referee would call them now.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::Value;

use crate::folder::{self, CONFIG_NAME};
use crate::resume;

/// The names of the bots from folders, by these folders as the copy of the configuration has them; of the
/// tournament in this folder, by default the newest one of its name below `runs`.
pub fn earlier_names(folder: Option<&Path>, tournament: &str) -> BTreeMap<String, String> {
    let folder = folder.map(PathBuf::from);
    let folder = folder.or_else(|| folder::newest(tournament));
    // What is wrong with the copy is said when the folder is opened.
    let copy = folder.and_then(|folder| resume::read_copy(&folder.join(CONFIG_NAME)).ok()?);
    let table = copy.map(|copy| copy.table).unwrap_or_default();
    let bots = table.get("bots").and_then(Value::as_array);
    let name = |bot: &Value| {
        let text = |key| Some(bot.get(key)?.as_str()?.to_owned());
        let is_submission = bot.get("must_pass_check").and_then(Value::as_bool) == Some(true);
        is_submission.then_some(())?;
        // As it is written where a folder is called as a variable is.
        Some((text("dir")?.replace("$$", "$"), text("name")?))
    };
    bots.into_iter().flatten().filter_map(name).collect()
}
