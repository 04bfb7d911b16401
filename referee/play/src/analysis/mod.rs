//! Bots analyse positions, of a recorded match or of one that begins anywhere. An analysis is a match
//! up to the position, continued by one ply.

mod analysts;
mod each_ply;
mod position;
mod think;
mod thought;

pub use analysts::{Analysts, Job};
pub use each_ply::{PlyAnalysis, by_bot, each_ply, with_analysis};
pub use position::{AnalysedMatch, AnalysedPosition, NoAnalysis};
use think::think;
pub use thought::Thought;
