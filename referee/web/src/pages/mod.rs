//! The pages about a finished tournament: one about each bot, and a folder of all of them.

mod bot_page;
pub(crate) mod json_change;
mod left_out_page;
pub(crate) mod one_file;
mod page;
pub(crate) mod page_folder;
mod site;

pub use crate::state::played::PlayedTournament;
pub use bot_page::{PageFormat, page};
pub use page::{Page, bot, rules_of, statistics};
pub use site::{SiteError, about, write_site};
