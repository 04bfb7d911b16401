//! Long runs that test the referee: they print findings as figures, and errors as sentences.

mod findings;
pub mod hostile;
mod modes;
mod play;
pub mod quick;
pub mod redteam;
mod watch;

pub use findings::Findings;
use play::play;
