//! Text from outside stays text.

mod hostile;
mod text;
