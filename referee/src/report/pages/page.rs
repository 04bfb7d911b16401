//! Pages beside those of matches, as the browser shows them: about a bot, all statistics, rules.

use games::registry::Entry;
use serde::Serialize;

use super::bot_page;
use super::played::Played;
use crate::report::sheet::{self, Part, heading};
use crate::web::guide;

/// A page that is a text with tables.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) parts: Vec<Part>,
    /// Where it is a text with marks, that instead: nothing of it came from outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) html: Option<String>,
}

impl Page {
    /// About a bot that played.
    pub(super) fn of_bot(played: &Played, name: &str) -> Self {
        Page {
            title: name.to_owned(),
            parts: bot_page::parts(played, name, true),
            html: None,
        }
    }

    /// As it stands in a file, for where no script runs.
    pub(super) fn plain(&self, root: &str) -> String {
        format!(
            "<p><a href=\"{root}index.html\">All bots</a></p>\n{}",
            sheet::html(self.parts.clone())
        )
    }
}

/// About a bot; `None` if there is none with this name.
pub(crate) fn bot(played: &Played, name: &str) -> Option<Page> {
    if played.report().bots.iter().any(|bot| bot.name == name) {
        return Some(Page::of_bot(played, name));
    }
    let left_out = played.left_out.iter().find(|it| it.bot == name)?;
    Some(Page {
        title: name.to_owned(),
        parts: vec![
            heading(&protocol::shown(name)),
            Part::Note("It played no match, because it was left out:".to_owned()),
            Part::Code(protocol::shown_lines(&left_out.why)),
        ],
        html: None,
    })
}

/// All statistics.
pub(crate) fn statistics(played: &Played) -> Page {
    Page {
        title: "Statistics".to_owned(),
        parts: sheet::all_parts(&played.sheet),
        html: None,
    }
}

/// The rules of a game, from the text that `referee rules` prints.
pub(crate) fn rules_of(game: &Entry) -> Page {
    Page {
        title: game.info.title.clone(),
        parts: Vec::new(),
        html: Some(guide(&game.guide)),
    }
}
