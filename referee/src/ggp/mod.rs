//! A bot of ours as a player for other people's game managers.

pub(crate) mod server;
