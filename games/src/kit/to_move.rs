//! The actors of a step: one seat, several at once, chance, or nobody when the game is over.

use std::{fmt, iter};

use serde::de::Error as _;
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::kit::outcome::Seat;
use crate::kit::text::brief;

/// The word for chance where seats are numbered.
pub const CHANCE: &str = "chance";

/// The actors at a position. On the wire: a seat's number, a list for simultaneous moves (chance
/// comes last, as `"chance"`), `"chance"` alone, or null when the game is over.
///
/// ```
/// use games::ToMove;
///
/// let both: ToMove = serde_json::from_str("[0,1]").unwrap();
/// assert_eq!(both, ToMove::together([0, 1], false));
/// assert_eq!((both.count(), both.alone()), (2, None));
/// assert_eq!(serde_json::to_string(&ToMove::seat(1)).unwrap(), "1");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToMove {
    /// A bit for each seat.
    seats: u64,
    chance: bool,
}

/// One of those who act in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A player.
    Seat(Seat),
    /// Nobody: what happens is drawn.
    Chance,
}

impl Actor {
    /// The actor as a key of JSON objects: the number of the seat, or `chance`.
    pub fn key(self) -> String {
        match self {
            Actor::Seat(seat) => seat.to_string(),
            Actor::Chance => CHANCE.to_owned(),
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Actor::Seat(seat) => write!(f, "seat {seat}"),
            Actor::Chance => f.write_str(CHANCE),
        }
    }
}

impl ToMove {
    /// No game has more seats.
    pub const MAX_SEATS: usize = 64;
    /// Nobody: the game is over.
    pub const OVER: ToMove = ToMove {
        seats: 0,
        chance: false,
    };
    /// Chance alone.
    pub const CHANCE: ToMove = ToMove {
        seats: 0,
        chance: true,
    };

    /// One seat.
    ///
    /// # Panics
    /// If the number is not below [`ToMove::MAX_SEATS`].
    pub fn seat(seat: Seat) -> Self {
        Self::together([seat], false)
    }

    /// Seats that act at once, perhaps together with chance.
    ///
    /// # Panics
    /// If a number is not below [`ToMove::MAX_SEATS`].
    pub fn together(seats: impl IntoIterator<Item = Seat>, chance: bool) -> Self {
        let mut bits = 0;
        for seat in seats {
            assert!(seat < Self::MAX_SEATS, "no game has so many seats");
            bits |= 1 << seat;
        }
        ToMove {
            seats: bits,
            chance,
        }
    }

    /// True if the game is over.
    pub fn is_over(self) -> bool {
        self == Self::OVER
    }

    /// The seat that acts alone; `None` if it is not one seat alone.
    pub fn alone(self) -> Option<Seat> {
        let alone = !self.chance && self.seats.count_ones() == 1;
        alone.then(|| self.seats.trailing_zeros() as Seat)
    }

    /// True if this seat acts.
    pub fn includes(self, seat: Seat) -> bool {
        seat < Self::MAX_SEATS && self.seats & (1 << seat) != 0
    }

    /// True if chance takes part.
    pub fn has_chance(self) -> bool {
        self.chance
    }

    /// The number of actors, which is the number of plies that the step adds.
    pub fn count(self) -> usize {
        self.seats.count_ones() as usize + usize::from(self.chance)
    }

    /// The seats that act, ascending.
    pub fn seats(self) -> impl Iterator<Item = Seat> {
        let mut left = self.seats;
        iter::from_fn(move || {
            let seat = (left != 0).then(|| left.trailing_zeros() as Seat)?;
            left &= left - 1;
            Some(seat)
        })
    }

    /// All who act, in the order of their choices: seats ascending, then chance.
    pub fn actors(self) -> impl Iterator<Item = Actor> {
        let chance = self.chance.then_some(Actor::Chance);
        self.seats().map(Actor::Seat).chain(chance)
    }
}

impl From<Option<Seat>> for ToMove {
    fn from(seat: Option<Seat>) -> Self {
        seat.map_or(Self::OVER, Self::seat)
    }
}

impl fmt::Display for ToMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_over() {
            return f.write_str("nobody");
        }
        let names = self.actors().map(|actor| actor.to_string());
        f.write_str(&names.collect::<Vec<_>>().join(" and "))
    }
}

impl Serialize for ToMove {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.alone(), self.seats, self.chance) {
            (Some(seat), ..) => serializer.serialize_u64(seat as u64),
            (None, 0, true) => serializer.serialize_str(CHANCE),
            (None, 0, false) => serializer.serialize_none(),
            (None, _, _) => {
                let mut list = serializer.serialize_seq(Some(self.count()))?;
                for actor in self.actors() {
                    match actor {
                        Actor::Seat(seat) => list.serialize_element(&seat)?,
                        Actor::Chance => list.serialize_element(CHANCE)?,
                    }
                }
                list.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for ToMove {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        read(&value).ok_or_else(|| {
            D::Error::custom(format!(
                "`to_move` is {}; it is a seat's number, a list of two or more in ascending order \
                 with `\"chance\"` last, `\"chance\"`, or null",
                brief(&value)
            ))
        })
    }
}

fn read(value: &Value) -> Option<ToMove> {
    let list = match value {
        Value::Null => return Some(ToMove::OVER),
        Value::String(word) => return (word == CHANCE).then_some(ToMove::CHANCE),
        Value::Number(_) => return Some(ToMove::seat(read_seat(value)?)),
        Value::Array(list) => list,
        Value::Bool(_) | Value::Object(_) => return None,
    };
    let has_chance = list.last().and_then(Value::as_str) == Some(CHANCE);
    let seats = &list[..list.len() - usize::from(has_chance)];
    let seats = seats.iter().map(read_seat).collect::<Option<Vec<_>>>()?;
    let ascending = seats.windows(2).all(|pair| pair[0] < pair[1]);
    let whole = !seats.is_empty() && list.len() > 1;
    (ascending && whole).then(|| ToMove::together(seats, has_chance))
}

fn read_seat(value: &Value) -> Option<Seat> {
    let seat = value.as_u64().and_then(|seat| usize::try_from(seat).ok());
    seat.filter(|seat| *seat < ToMove::MAX_SEATS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for text in [
            "null",
            "0",
            "63",
            "\"chance\"",
            "[0,1]",
            "[2,\"chance\"]",
            "[0,3,\"chance\"]",
        ] {
            let to_move: ToMove = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&to_move).unwrap(), text);
        }
        for text in [
            "64",
            "-1",
            "1.5",
            "\"luck\"",
            "[]",
            "[0]",
            "[1,0]",
            "[0,0]",
            "[\"chance\"]",
            "{}",
            "[\"chance\",0]",
        ] {
            assert!(serde_json::from_str::<ToMove>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn who_acts_is_listed_in_order() {
        let all = ToMove::together([2, 0], true);
        let actors: Vec<Actor> = all.actors().collect();
        assert_eq!(actors, [Actor::Seat(0), Actor::Seat(2), Actor::Chance]);
        assert_eq!(all.to_string(), "seat 0 and seat 2 and chance");
        assert!(all.includes(2) && !all.includes(1) && !all.includes(99));
        assert_eq!(ToMove::from(Some(1)).alone(), Some(1));
        assert!(ToMove::from(None).is_over());
    }
}
