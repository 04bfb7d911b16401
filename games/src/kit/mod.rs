//! What rules are made of: boards and sets of cells, moves along lines, options, states, keys.

pub mod board;
pub mod drawing;
pub mod info;
pub mod options;
pub mod outcome;
pub mod rng;
pub mod solving;
pub mod state;
pub mod text;
pub mod to_move;
pub mod view;
pub mod zobrist;
