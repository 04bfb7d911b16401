//! People who play in the browser.

pub(crate) mod play;
pub(crate) mod play_routes;
pub(crate) mod rules_card;
