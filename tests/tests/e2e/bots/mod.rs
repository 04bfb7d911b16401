//! Bots from people: made, checked, built, bundled.

mod bot_games;
mod bridges;
mod builds;
mod bundles;
mod chat;
mod check;
mod class;
pub(crate) mod new_bot;
pub(crate) mod submissions;
mod trace;
mod untrusted;
