//! Pages beside those of matches, as the browser shows them: about a bot, all statistics, rules.

use config::LeftOut;
use games::registry::Entry;
use report::sheet::{self, Part};
use serde::Serialize;

use crate::pages::{bot_page, left_out_page};
use crate::state::played::Played;
use crate::words::guide;

/// A page that is a text with tables.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    pub title: String,
    pub parts: Vec<Part>,
    /// Where it is a text with marks, that instead: nothing of it came from outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
}

impl Page {
    /// Parts in which bots, builds and the organiser's own machine may have been quoted.
    pub(crate) fn for_others(played: &Played, title: &str, parts: Vec<Part>) -> Self {
        let shown = |part: Part| part.map(|text| played.without_places(&text));
        Page {
            title: title.to_owned(),
            parts: parts.into_iter().map(shown).collect(),
            html: None,
        }
    }

    /// About a bot that played.
    pub(crate) fn of_bot(played: &Played, name: &str) -> Self {
        Self::for_others(played, name, bot_page::parts(played, name, true))
    }

    /// About a bot that was left out.
    pub(crate) fn of_left_out(played: &Played, bot: &LeftOut) -> Self {
        Self::for_others(played, &bot.bot, left_out_page::parts(bot))
    }

    /// As it stands in a file, for where no script runs.
    pub(crate) fn plain(&self, root: &str) -> String {
        format!(
            "<p><a href=\"{root}index.html\">All bots</a></p>\n{}",
            sheet::html(self.parts.clone())
        )
    }
}

/// About a bot; `None` if there is none with this name.
pub fn bot(played: &Played, name: &str) -> Option<Page> {
    if played.report().bots.iter().any(|bot| bot.name == name) {
        return Some(Page::of_bot(played, name));
    }
    let left_out = played.left_out.iter().find(|it| it.bot == name)?;
    Some(Page::of_left_out(played, left_out))
}

/// All statistics.
pub fn statistics(played: &Played) -> Page {
    Page {
        title: "Statistics".to_owned(),
        parts: sheet::all_parts(&played.sheet),
        html: None,
    }
}

/// The rules of a game, from the text that `referee rules` prints.
pub fn rules_of(game: &Entry) -> Page {
    Page {
        title: game.info.title.clone(),
        parts: Vec::new(),
        html: Some(guide(&game.guide)),
    }
}
