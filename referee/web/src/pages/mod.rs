//! What the author of a bot should know after a tournament: a page about each bot, and a site of all
//! of them.

mod bot_page;
mod highlights;
mod left_out_page;
mod page;
mod played;
mod site;

pub use bot_page::{PageFormat, page};
pub use page::{Page, bot, rules_of, statistics};
pub use played::Played;
pub use site::{SiteError, about, write_site};
