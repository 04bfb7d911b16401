//! The Davidson-Luce model of results, its fit by Newton's method, and how sure the fit is.

mod bounds;
mod chances;
mod choice_set;
mod conjugate;
mod covariance;
mod davidson_luce;
mod dense;
mod game_params;
mod jackknife;
mod local_slopes;
mod newton;
mod opening_spread;
mod pattern;
mod reach;
mod scale;
mod sparse;
mod strengths;

pub(crate) use bounds::{OwnClusters, Paths, Side, bound_of};
pub(crate) use covariance::{Direction, Spread};
pub(crate) use davidson_luce::{Model, PRIOR};
pub(crate) use game_params::GameParams;
pub(crate) use jackknife::Jackknife;
pub(crate) use newton::Fitter;
pub(crate) use scale::{ELO, Scale};
pub use strengths::Anchor;
pub(crate) use strengths::{MOST_MEMBERS, Origin, Strengths, mean};
