//! Pages that are not about matches: a bot, all statistics, the rules.

use config::LeftOut;
use games::registry::Entry;
use report::sheet::{self, Part};
use serde::Serialize;

use crate::pages::{bot_page, left_out_page};
use crate::state::played::PlayedTournament;
use crate::words::guide;

#[derive(Clone, Debug, Serialize)]
pub struct Page {
    pub title: String,
    pub parts: Vec<Part>,
    /// Replaces the parts. Contains nothing from outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
}

impl Page {
    /// A page for publication: parts may quote bots, builds and the organiser's machine.
    pub(crate) fn for_others(played: &PlayedTournament, title: &str, parts: Vec<Part>) -> Self {
        let shown = |part: Part| part.map(|text| played.without_private_paths(&text));
        Page {
            title: title.to_owned(),
            parts: parts.into_iter().map(shown).collect(),
            html: None,
        }
    }

    pub(crate) fn of_bot(played: &PlayedTournament, name: &str) -> Self {
        Self::for_others(played, name, bot_page::parts(played, name, true))
    }

    pub(crate) fn of_left_out(played: &PlayedTournament, bot: &LeftOut) -> Self {
        Self::for_others(played, &bot.bot, left_out_page::parts(bot))
    }

    /// As plain HTML, for readers without scripts.
    pub(crate) fn plain(&self, root: &str) -> String {
        format!(
            "<p><a href=\"{root}index.html\">All bots</a></p>\n{}",
            sheet::html(self.parts.clone())
        )
    }
}

/// `None` if there is no bot with this name.
pub fn bot(played: &PlayedTournament, name: &str) -> Option<Page> {
    if played.report().bots.iter().any(|bot| bot.name == name) {
        return Some(Page::of_bot(played, name));
    }
    let left_out = played.left_out.iter().find(|it| it.bot == name)?;
    Some(Page::of_left_out(played, left_out))
}

pub fn statistics(played: &PlayedTournament) -> Page {
    Page {
        title: "Statistics".to_owned(),
        parts: sheet::all_parts(&played.sheet),
        html: None,
    }
}

/// The rules of a game, as printed by `referee rules`.
pub fn rules_of(game: &Entry) -> Page {
    Page {
        title: game.info.title.clone(),
        parts: Vec::new(),
        html: Some(guide(&game.guide)),
    }
}
