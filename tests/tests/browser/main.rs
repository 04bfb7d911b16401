//! The pages in real headless Chromium, served by the built program.

#![expect(
    clippy::unwrap_used,
    reason = "in tests, also in what several tests share"
)]

mod access;
mod analysed;
mod chromium;
mod events;
mod exported;
mod formats;
mod in_flight;
mod playing;
mod served;
mod untrusted;
mod watching;
