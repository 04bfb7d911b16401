//! The pages in real headless Chromium, served by the built program.

#![expect(
    clippy::unwrap_used,
    reason = "in tests, also in what several tests share"
)]

mod analysed;
mod chromium;
mod events;
mod file;
mod formats;
mod hostile;
mod in_flight;
mod keyboard;
mod narrow;
mod pictures;
mod playing;
mod served;
mod site;
mod text;
mod watching;
