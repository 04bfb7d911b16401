//! One file a game.

pub(crate) mod amazon_penguins;
pub(crate) mod amazons;
pub(crate) mod elephant_run;
pub(crate) mod giantslayer;
pub(crate) mod paper_penguins;
pub(crate) mod penguins;
pub(crate) mod run;
pub(crate) mod siam;
