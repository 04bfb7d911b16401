//! Tournaments of every format, resumed, in shards, on several machines.

mod early_ends;
mod formats;
mod machines;
mod resume;
mod seats;
mod shards;
mod tournament;
mod upgrade;
