//! What is offered to game managers, and what they ask.

use std::time::Duration;

use play::ggp::message::Request;
use supervisor::BotSpec;
use tokio::sync::oneshot;

/// A bot that is offered to game managers.
#[derive(Debug)]
pub struct Offer {
    /// What it is called in answers to `INFO`: one word.
    pub name: String,
    /// How it is started. Its time control is made from the clocks of each match.
    pub spec: BotSpec,
    /// How much of each clock is left for the way to the game manager and back.
    pub reserve: Duration,
    /// Names under which game managers may ask, besides those that mean this machine.
    pub allowed_hosts: Vec<String>,
}

/// A request with the place for its answer; if that is dropped, there is none.
pub(super) type Asked = (Request, oneshot::Sender<String>);
