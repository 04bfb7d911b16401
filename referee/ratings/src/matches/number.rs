//! Numbers of matches.

use serde::{Serialize, Serializer};

use super::fingerprint::Fingerprint;

/// The place of a match in the order of the schedule: its log, from 0, and the number in its id, in 64 bits.
/// Ids without a number come last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(u64);

impl Number {
    /// Set for ids without a number.
    const NONE: u64 = 1 << 63;
    /// The bits of the number in the id.
    const BITS: u32 = 44;

    /// The number of the match with this id, in log number `log`, from 0.
    pub fn new(log: u64, id: &str) -> Self {
        let digits = id.trim_start_matches(|c: char| !c.is_ascii_digit());
        let number: Option<u64> = digits.parse().ok();
        match number.filter(|number| number >> Self::BITS == 0) {
            Some(number) => Number(log.min(0x7_ffff) << Self::BITS | number),
            None => Number(Fingerprint::of((log, id)).0 | Self::NONE),
        }
    }

    /// The number in the match's id, if there is one.
    pub fn in_log(self) -> Option<u64> {
        (self.0 < Self::NONE).then_some(self.0 & ((1 << Self::BITS) - 1))
    }

    /// The log, from 0; `None` for ids without a number.
    pub fn log(self) -> Option<u64> {
        (self.0 < Self::NONE).then_some(self.0 >> Self::BITS)
    }
}

impl Serialize for Number {
    /// Serialized as the number in the id, for compatibility with reports of a single log.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.in_log().unwrap_or(self.0))
    }
}
