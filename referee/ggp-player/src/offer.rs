//! The offer to game managers, and their requests.

use std::time::Duration;

use play::ggp::message::Request;
use supervisor::BotSpec;
use tokio::sync::oneshot;

/// A bot that is offered to game managers.
#[derive(Debug)]
pub struct Offer {
    /// Its name in answers to `INFO`, which is one word.
    pub name: String,
    /// Its process. The time control follows from the clocks of each match.
    pub spec: BotSpec,
    /// The part of each clock that is reserved for the network.
    pub reserve: Duration,
    /// Host names that game managers may use, besides those of this machine.
    pub allowed_hosts: Vec<String>,
}

/// A request with the sender of its answer; dropping it means no answer.
pub(super) type Asked = (Request, oneshot::Sender<String>);
