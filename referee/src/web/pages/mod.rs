//! What the author of a bot should know after a tournament: a page about each bot, and a site of all
//! of them.

mod bot_page;
mod highlights;
mod left_out_page;
mod page;
mod played;
mod site;

pub(crate) use bot_page::{PageFormat, page};
pub(crate) use page::{Page, bot, rules_of, statistics};
pub(crate) use played::Played;
pub(crate) use site::{SiteError, about, write_site};
