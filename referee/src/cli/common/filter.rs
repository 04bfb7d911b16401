//! Selects matches of a log for `replay` and `export`.

use std::collections::BTreeSet;
use std::path::Path;

use protocol::Record;

use crate::cli::CliError;

/// Names in a message.
const MOST_NAMES: usize = 20;

#[derive(Debug, clap::Args)]
pub(crate) struct MatchFilter {
    /// Only this match
    #[arg(long = "match", value_name = "ID")]
    pub(crate) match_id: Option<String>,
    /// Only matches of this bot; if given several times, those in which all of them play
    #[arg(long = "player", value_name = "NAME")]
    players: Vec<String>,
}

/// Facts about a log for the message that nothing in it was selected.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    /// The match whose id ends with the requested number.
    similar: Option<String>,
    players: BTreeSet<String>,
    found: bool,
}

impl MatchFilter {
    /// Selects the match with this id.
    pub(crate) fn only(match_id: &str) -> Self {
        MatchFilter {
            match_id: Some(match_id.to_owned()),
            players: Vec::new(),
        }
    }

    /// True if a match is selected; takes notes for [`MatchFilter::check`].
    pub(crate) fn wants(&self, record: &Record, scanned: &mut Scanned) -> bool {
        let wanted = self.matches(record);
        scanned.found |= wanted;
        if !scanned.found {
            if let Some(id) = &self.match_id
                && number(id).is_some()
                && number(id) == number(&record.match_id)
            {
                scanned.similar = Some(record.match_id.clone());
            }
            if !self.players.is_empty() {
                let names = record.players.iter().map(|player| &player.name);
                let new = names.filter(|name| !scanned.players.contains(*name));
                let new: Vec<String> = new.cloned().collect();
                scanned.players.extend(new);
            }
        }
        wanted
    }

    /// Like [`MatchFilter::wants`], without notes.
    pub(crate) fn matches(&self, record: &Record) -> bool {
        let plays = |name: &String| record.players.iter().any(|player| player.name == *name);
        let id = self.match_id.as_ref();
        id.is_none_or(|id| *id == record.match_id) && self.players.iter().all(plays)
    }

    /// True if all matches are selected.
    pub(crate) fn is_empty(&self) -> bool {
        self.match_id.is_none() && self.players.is_empty()
    }

    /// Fails if some matches were requested and none was found.
    pub(crate) fn check(&self, scanned: &Scanned, log: &Path) -> Result<(), CliError> {
        if scanned.found || self.is_empty() {
            return Ok(());
        }
        let path = log::locate(log);
        let path = path.display();
        if let Some(name) = self
            .players
            .iter()
            .find(|it| !scanned.players.contains(*it))
        {
            return Err(CliError::Usage(format!(
                "--player: `{name}` plays in no match of `{path}`; {}",
                listed(&scanned.players)
            )));
        }
        Err(CliError::Usage(match (&self.match_id, &scanned.similar) {
            (None, _) => format!(
                "--player: no match of `{path}` has all of {}",
                quoted(self.players.iter())
            ),
            (Some(id), Some(similar)) => {
                format!("there is no match `{id}` in `{path}`; did you mean `{similar}`?")
            }
            (Some(id), None) if self.players.is_empty() => {
                format!("there is no match `{id}` in `{path}`")
            }
            (Some(id), None) => format!(
                "there is no match `{id}` of {} in `{path}`",
                quoted(self.players.iter())
            ),
        }))
    }
}

/// The number at the end of an id.
fn number(id: &str) -> Option<u64> {
    let text = id.trim_end_matches(|c: char| c.is_ascii_digit());
    id[text.len()..].parse().ok()
}

fn quoted<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn listed(names: &BTreeSet<String>) -> String {
    let shown = quoted(names.iter().take(MOST_NAMES));
    match names.len().checked_sub(MOST_NAMES) {
        _ if names.is_empty() => "it has no match".to_owned(),
        None | Some(0) => format!("its players are {shown}"),
        Some(more) => format!("its players are {shown} and {more} more"),
    }
}
