//! Bots think about positions: of a match that was played, or of one that begins anywhere. An analysis
//! is a match up to the position, of which one more ply is asked.

mod each_ply;
mod position;
mod think;
mod thought;

pub(crate) use each_ply::{PlyAnalysis, each_ply, with_analysis};
pub(crate) use position::{AnalysedMatch, AnalysedPosition, NoAnalysis};
pub(crate) use think::think;
pub(crate) use thought::Thought;
