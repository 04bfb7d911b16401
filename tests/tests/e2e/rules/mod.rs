//! External games: sheets, rules programs, players over HTTP; deals; solving.

mod broken;
mod ggp;
pub(crate) mod ggp_player;
mod hidden_deals;
mod new_rules;
mod programs;
mod sheets;
mod solve;
mod sources;
mod strict;
