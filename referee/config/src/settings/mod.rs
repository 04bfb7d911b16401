//! Settings: checked tables, as the rest of the program uses them.

pub(crate) mod adjudicate;
pub(crate) mod budget;
pub mod format;
pub(crate) mod game_list;
pub mod ggp;
pub(crate) mod keep;
pub mod machine;
pub(crate) mod openings;
pub(crate) mod rules;
pub(crate) mod secret;
pub(crate) mod time;
