//! What all commands have in common, and the smaller ones.

mod bad_input;
mod bounds;
mod commands;
mod config;
mod documents;
mod interruptions;
mod signals;
mod small_print;
mod terminal;
