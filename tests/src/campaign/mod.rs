//! Long runs that show that the referee holds: they print what they find as figures, and what is
//! wrong as sentences.

pub mod busy;
mod findings;
pub mod hostile;
mod modes;
mod play;
pub mod quick;
pub mod redteam;
mod watch;

pub use findings::Findings;
use play::play;
