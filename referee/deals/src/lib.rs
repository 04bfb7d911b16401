//! Deals and chance outcomes follow from a secret of the tournament, so that no bot can compute
//! them. The log has the hash of the secret. Once the secret is published, everybody can check the
//! deals.

#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};

use arbiter::chance::DealKey;
use games::Rules;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Separates keys of pairings from everything else that the secret may be hashed for.
const PURPOSE: &[u8] = b"referee deal 1\0";
/// Separates keys of seat orders from those of pairings.
const SEAT_ORDER: &[u8] = b"referee deal of a seat order 1\0";

/// The secret that all deals of a tournament follow from: 32 bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret([u8; 32]);

impl Secret {
    /// A new, unpredictable one.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn random() -> io::Result<Self> {
        let mut bytes = [0; 32];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Secret(bytes))
    }

    /// The secret that 64 hexadecimal digits stand for; `None` if they are something else.
    pub fn parse(digits: &str) -> Option<Self> {
        bytes_of(digits).map(Secret)
    }

    /// As it is written. Nothing that bots or visitors may read contains it.
    pub fn digits(&self) -> String {
        hex(&self.0)
    }

    /// The commitment in the log: its SHA-256 in hexadecimal digits.
    pub fn commitment(&self) -> String {
        hex(&Sha256::digest(self.0))
    }

    /// The key of a pairing: the same for all its seat orders. No key says anything about another.
    pub fn key(&self, pairing: &Pairing<'_>) -> DealKey {
        let mut hasher = Sha256::new_with_prefix(PURPOSE);
        hasher.update(self.0);
        hasher.update(Sha256::digest(pairing.text()));
        DealKey::new(hasher.finalize().into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0 = [0; 32];
    }
}

/// The properties that the matches of a pairing share and that distinguish pairings.
pub struct Pairing<'a> {
    /// The rules of its game.
    pub rules: &'a dyn Rules,
    /// The seed, which the matches of a pairing share.
    pub seed: u64,
    /// The bots, in any order.
    pub names: Vec<&'a str>,
}

impl Pairing<'_> {
    fn text(&self) -> String {
        let mut names = self.names.clone();
        names.sort_unstable();
        let (id, options) = (
            &self.rules.description().own_id,
            self.rules.options().to_json(),
        );
        // JSON, so that no name can be taken for two.
        serde_json::json!([id, options, self.seed, names]).to_string()
    }
}

/// The source of a tournament's deals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Deals {
    /// From the seeds of matches, as versions before secrets did.
    #[default]
    BySeed,
    /// From a secret that is not known here, but what the log says of it is.
    Committed(String),
    /// From this secret.
    Secret(Secret),
}

impl Deals {
    /// The commitment to the secret, in games that need one.
    pub fn commitment(&self) -> Option<String> {
        match self {
            Deals::BySeed => None,
            Deals::Committed(commitment) => Some(commitment.clone()),
            Deals::Secret(secret) => Some(secret.commitment()),
        }
    }

    /// The secret, if it is known.
    pub fn secret(&self) -> Option<&Secret> {
        match self {
            Deals::Secret(secret) => Some(secret),
            Deals::BySeed | Deals::Committed(_) => None,
        }
    }

    /// The deal of a match; `None` if its game has nothing to deal, or deals from the seed.
    pub fn deal(&self, pairing: &Pairing<'_>) -> Option<Deal> {
        let secret = self.secret().filter(|_| pairing.rules.info().has_deals())?;
        Some(Deal {
            key: secret.key(pairing),
            commitment: secret.commitment(),
        })
    }
}

/// The deal of one match. It reveals nothing about the deals of other pairings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "WireDeal", try_from = "WireDeal")]
pub struct Deal {
    /// The key of the pairing.
    pub key: DealKey,
    /// The commitment to the secret.
    pub commitment: String,
}

impl Deal {
    /// The deal of one seat order alone, the bots' names in the order of their seats.
    pub fn of_seat_order(&self, names: &[&str]) -> Self {
        Deal {
            key: seat_order_key(self.key, names),
            commitment: self.commitment.clone(),
        }
    }
}

/// The key of one seat order of a pairing. Nobody who knows only this key can compute that of another
/// order.
pub fn seat_order_key(pairing: DealKey, names: &[&str]) -> DealKey {
    let mut hasher = Sha256::new_with_prefix(SEAT_ORDER);
    hasher.update(pairing.bytes());
    hasher.update(serde_json::json!(names).to_string());
    DealKey::new(hasher.finalize().into())
}

/// A deal in a message to a worker.
#[derive(Clone, Serialize, Deserialize)]
struct WireDeal {
    key: String,
    commitment: String,
}

impl From<Deal> for WireDeal {
    fn from(deal: Deal) -> Self {
        WireDeal {
            key: hex(deal.key.bytes()),
            commitment: deal.commitment,
        }
    }
}

impl TryFrom<WireDeal> for Deal {
    type Error = &'static str;

    fn try_from(wire: WireDeal) -> Result<Self, &'static str> {
        let key = bytes_of(&wire.key).ok_or("a key has 64 hexadecimal digits")?;
        bytes_of(&wire.commitment).ok_or("a commitment has 64 hexadecimal digits")?;
        Ok(Deal {
            key: DealKey::new(key),
            commitment: wire.commitment,
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes_of(digits: &str) -> Option<[u8; 32]> {
    let digits = digits.as_bytes();
    if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let pair = std::str::from_utf8(pair).ok()?;
        *byte = u8::from_str_radix(pair, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn secret(digit: char) -> Secret {
        Secret::parse(&digit.to_string().repeat(64)).unwrap()
    }

    #[test]
    fn a_secret_is_64_digits_and_is_never_shown() {
        let known = secret('0');
        assert_eq!(
            known.commitment(),
            "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"
        );
        assert_eq!(
            Secret::parse(&"aB".repeat(32)),
            Secret::parse(&"Ab".repeat(32))
        );
        assert_eq!(Secret::parse(&known.digits()), Some(known.clone()));
        for wrong in [
            "",
            "0",
            &"0".repeat(63),
            &"0".repeat(65),
            &"g".repeat(64),
            &"é".repeat(32),
        ] {
            assert_eq!(Secret::parse(wrong), None, "{wrong}");
        }
        assert_eq!(
            format!("{known:?} {:?}", Deals::Secret(known.clone())),
            "Secret(…) Secret(Secret(…))"
        );
        assert_ne!(Secret::random().unwrap(), Secret::random().unwrap());
    }

    #[test]
    fn all_seat_orders_of_a_pairing_have_one_key_and_no_other_pairing_has_it() {
        let rules = games::find("amazons")
            .unwrap()
            .configure(&json!({}))
            .unwrap();
        let key = |secret: &Secret, seed, names: &[&'static str]| {
            let names = names.to_vec();
            secret.key(&Pairing {
                rules: &*rules,
                seed,
                names,
            })
        };
        let one = secret('1');
        assert_eq!(key(&one, 7, &["a", "b"]), key(&one, 7, &["b", "a"]));
        for other in [
            key(&secret('2'), 7, &["a", "b"]),
            key(&one, 8, &["a", "b"]),
            key(&one, 7, &["a", "c"]),
            key(&one, 7, &["a\",\"b"]),
        ] {
            assert_ne!(key(&one, 7, &["a", "b"]), other);
        }
    }

    #[test]
    fn each_seat_order_may_have_a_key_of_its_own() {
        let deal = |byte| Deal {
            key: DealKey::new([byte; 32]),
            commitment: secret('3').commitment(),
        };
        let ordered = deal(7).of_seat_order(&["a", "b"]);
        assert_eq!(ordered, deal(7).of_seat_order(&["a", "b"]));
        assert_eq!(ordered.commitment, deal(7).commitment);
        for other in [
            deal(7),
            deal(7).of_seat_order(&["b", "a"]),
            deal(7).of_seat_order(&["a\",\"b"]),
            deal(8).of_seat_order(&["a", "b"]),
        ] {
            assert_ne!(ordered.key, other.key);
        }
    }

    #[test]
    fn workers_get_keys_as_text() {
        let deal = Deal {
            key: DealKey::new([7; 32]),
            commitment: secret('3').commitment(),
        };
        let text = serde_json::to_string(&deal).unwrap();
        assert_eq!(serde_json::from_str::<Deal>(&text).unwrap(), deal);
        assert!(serde_json::from_str::<Deal>(&text.replace("07", "0")).is_err());
    }
}
