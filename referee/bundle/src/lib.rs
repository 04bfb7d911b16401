//! Bundles: the folder of a bot as one archive, for machines that do not have it. The same folder makes
//! the same archive, whose name is its hash.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

mod digest;
mod error;
mod identity;
mod limits;
mod manifest;
mod pack;
mod tree;
mod unpack;
mod unpacked;

pub use digest::Digest;
pub use error::BundleError;
pub use identity::Bundle;
pub use limits::MAX_SIZE;
pub use manifest::{MANIFEST_NAME, Manifest};
pub use unpack::default_cache;
pub use unpacked::{Bundles, Unpacked};

#[cfg(test)]
mod tests;
