//! Matches and positions: `referee play`, `referee analyse`.

pub(crate) mod analyse;
pub(crate) mod browser;
pub(crate) mod person;
#[expect(
    clippy::module_inception,
    reason = "the group has the name of its first command"
)]
pub(crate) mod play;
