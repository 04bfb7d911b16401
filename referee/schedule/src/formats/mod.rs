//! Tournament formats, one file each: a [`Planner`] decides which matches come next.

mod cycles;
mod knockout;
mod matching;
mod round_robin;
mod sprt;
mod swiss;
mod top_down;

use super::planner::Planner;
use super::shape::{Earlier, Format, Shape};

/// The planner of a shape. Only round robins and gauntlets can be extended; others ignore `earlier`.
pub(super) fn planner(shape: &Shape, earlier: &[Earlier]) -> Box<dyn Planner> {
    match &shape.format {
        Format::RoundRobin | Format::Gauntlet { .. } => {
            Box::new(round_robin::Fixed::new(shape, earlier))
        }
        Format::Swiss => Box::new(swiss::Swiss::new(shape)),
        Format::Knockout {
            drawn,
            tie_breaks,
            third_place,
        } => Box::new(knockout::Knockout::new(
            shape,
            *drawn,
            *tie_breaks,
            *third_place,
        )),
        Format::Sprt {
            hypotheses,
            max_pairs,
        } => Box::new(sprt::Sprt::new(shape, hypotheses.clone(), *max_pairs)),
    }
}
