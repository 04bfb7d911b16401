//! Attacks from outside of a match: the author of a submission, a worker or a coordinator over the
//! network, a spectator. A scene is one function and one line in the list of its file.

mod analysts;
mod authors;
pub(super) mod deals;
mod limits;
mod neighbours;
mod network;
mod scene;
mod spectators;
mod workers;

use super::options::Options;
pub(super) use scene::{Scene, Stage, Tiers};

const ALL: &[&[Scene]] = &[
    analysts::SCENES,
    authors::SCENES,
    deals::SCENES,
    limits::SCENES,
    neighbours::SCENES,
    network::SCENES,
    spectators::SCENES,
    workers::SCENES,
];

/// The requested scenes.
pub(super) fn chosen(options: &Options) -> impl Iterator<Item = &'static Scene> {
    let all = ALL.iter().copied().flatten();
    all.filter(move |scene| options.trick.as_ref().is_none_or(|only| only == scene.name))
}

pub(super) fn exists(name: &str) -> bool {
    ALL.iter()
        .copied()
        .flatten()
        .any(|scene| scene.name == name)
}
