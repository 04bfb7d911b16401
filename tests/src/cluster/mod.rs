//! Tournaments over NATS: real processes, hostile ones, and a simulation.

pub mod announcer;
pub mod cut_off;
pub mod liar;
pub mod nats;
pub mod simulation;
pub mod storms;
pub mod workers;
