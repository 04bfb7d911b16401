//! Messages and bytes, by what they are for: as the server sees them, so that what it passes on counts
//! twice, and with the lines of the NATS protocol around them.

use std::fmt;

/// The purpose of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Jobs from the coordinator, and that the server has them.
    Publish,
    /// Workers that ask for a job, and that there is none.
    Ask,
    /// Jobs to workers.
    Delivery,
    /// Leases that are renewed.
    Progress,
    /// News from workers to the coordinator.
    News,
    /// Results from workers, and that the server has them.
    Result,
    /// Acknowledgements, and that the server has noted them.
    Acknowledgement,
    /// The coordinator that asks for results, and gets one or none.
    Fetch,
    /// The coordinator's periodic checks.
    Housekeeping,
    /// Workers that say that they are there.
    Heartbeat,
}

use Kind::*;

const ALL: [(Kind, &str); 10] = [
    (Publish, "publish"),
    (Ask, "request for a job"),
    (Delivery, "delivery"),
    (Progress, "progress"),
    (News, "news"),
    (Result, "result"),
    (Acknowledgement, "acknowledgement"),
    (Fetch, "fetch of results"),
    (Housekeeping, "housekeeping"),
    (Heartbeat, "heartbeat"),
];

/// Messages and bytes of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic([(u64, u64); ALL.len()]);

impl Traffic {
    pub(super) fn add(&mut self, kind: Kind, bytes: u64) {
        let (messages, sum) = &mut self.0[kind as usize];
        *messages += 1;
        *sum += bytes;
    }

    /// Messages of a kind, and their bytes.
    pub fn of(&self, kind: Kind) -> (u64, u64) {
        self.0[kind as usize]
    }

    /// The same of all kinds together.
    pub fn all(&self) -> (u64, u64) {
        let sum = |(a, b): (u64, u64), &(c, d): &(u64, u64)| (a + c, b + d);
        self.0.iter().fold((0, 0), sum)
    }
}

impl fmt::Display for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut row = |name: &str, (messages, bytes): (u64, u64)| {
            let megabytes = bytes as f64 / 1e6;
            writeln!(f, "| {name:<18} | {messages:>12} | {megabytes:>10.1} |")
        };
        row("all", self.all())?;
        ALL.iter()
            .try_for_each(|&(kind, name)| row(name, self.of(kind)))
    }
}

/// The bytes of a message: `PUB` or `MSG` with its subjects (0 for no reply), headers, and payload.
pub(super) fn message(subject: usize, reply: usize, headers: usize, payload: usize) -> u64 {
    let digits = |n: usize| n.max(1).ilog10() as usize + 1;
    let replying = if reply > 0 { reply + 1 } else { 0 };
    let heading = if headers > 0 {
        1 + digits(headers) + 1
    } else {
        0
    };
    let body = headers + payload;
    (4 + subject + replying + heading + 1 + digits(body) + 2 + body + 2) as u64
}
