//! Behaviour of all commands, and the smaller commands.

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
