//! The rules, one file or folder a game, and what the games with fish share.

pub mod amazon_penguins;
pub mod amazons;
pub mod elephant_run;
pub mod fish;
pub mod giantslayer;
pub mod paper_penguins;
pub mod penguins;
pub mod run;
pub mod siam;
