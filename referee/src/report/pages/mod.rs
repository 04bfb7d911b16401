//! What the author of a bot should know after a tournament: a page about each bot, and a site of all
//! of them.

mod bot_page;
mod highlights;
mod left_out_page;
mod played;
mod site;

pub(crate) use bot_page::{PageFormat, page};
pub(crate) use played::Played;
pub(crate) use site::write_site;
