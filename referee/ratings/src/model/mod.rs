//! The Davidson-Luce model of results, its fit by Newton's method, and the uncertainty of the fit.

mod bounds;
mod covariance;
mod davidson_luce;
mod fit;
mod jackknife;
mod linear;
mod reach;
mod scale;
mod strengths;

pub(crate) use bounds::{OwnClusters, Paths, Side, bound_of};
pub(crate) use covariance::{Direction, Spread};
pub(crate) use davidson_luce::{DavidsonLuce, GameParams, PRIOR};
pub(crate) use fit::Fitter;
pub(crate) use jackknife::Jackknife;
pub(crate) use scale::{ELO, Scale};
pub use strengths::Anchor;
pub(crate) use strengths::{MOST_MEMBERS, Origin, Strengths, mean};
