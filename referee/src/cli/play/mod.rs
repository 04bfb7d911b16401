//! Matches and positions: `referee play`, `referee analyse`.

pub(crate) mod analyse;
pub(crate) mod browser;
pub(crate) mod person;
pub(crate) mod play;
