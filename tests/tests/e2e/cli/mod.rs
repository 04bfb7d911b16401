//! Behaviour that all commands share, and the smaller commands.

mod bad_input;
mod bounds;
mod commands;
mod config;
mod documents;
mod examples;
mod interruptions;
mod signals;
mod small_print;
mod terminal;
