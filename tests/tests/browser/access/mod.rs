//! By keyboard, on every size of screen, in light and dark.

mod keyboard;
mod narrow;
mod pictures;
