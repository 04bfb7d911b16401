//! The features of each game.

pub(crate) mod amazon_penguins;
pub(crate) mod amazons;
pub(crate) mod elephant_run;
pub(crate) mod fish;
pub(crate) mod flood;
pub(crate) mod giantslayer;
pub(crate) mod paper_penguins;
pub(crate) mod penguins;
pub(crate) mod run;
pub(crate) mod siam;
pub(crate) mod staged_moves;
