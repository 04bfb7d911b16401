//! Tournaments over a real NATS server.

#![expect(
    clippy::unwrap_used,
    reason = "in tests, also in what several tests share"
)]

mod bundles;
mod deals;
mod hostile;
mod machines;
mod messages;
mod rechecks;
mod roles;
mod simulation;
mod storms;
mod tournaments;
