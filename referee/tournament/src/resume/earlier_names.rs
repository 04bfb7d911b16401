//! Names of submissions when a tournament continues. The folder's names hold, even if authors or
//! another version of the referee would choose others now.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::Value;

use crate::folder::{self, CONFIG_NAME};
use crate::resume;

/// The bots' names by their folders, both as in the copy of the configuration; from the tournament
/// in this folder, by default the newest of its name below `runs`.
pub fn earlier_names(folder: Option<&Path>, tournament: &str) -> BTreeMap<String, String> {
    let folder = folder.map(PathBuf::from);
    let folder = folder.or_else(|| folder::newest(tournament));
    // An unreadable copy is reported when the folder is opened.
    let copy = folder.and_then(|folder| resume::read_copy(&folder.join(CONFIG_NAME)).ok()?);
    let table = copy.map(|copy| copy.table).unwrap_or_default();
    let bots = table.get("bots").and_then(Value::as_array);
    let name = |bot: &Value| {
        let text = |key| Some(bot.get(key)?.as_str()?.to_owned());
        let is_submission = bot.get("must_pass_check").and_then(Value::as_bool) == Some(true);
        is_submission.then_some(())?;
        // The copy escapes folders that look like variables.
        Some((text("dir")?.replace("$$", "$"), text("name")?))
    };
    bots.into_iter().flatten().filter_map(name).collect()
}
