//! Lists of moves that keep all their texts in one allocation.

use std::fmt;
use std::ops::Index;

use schemars::JsonSchema;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A list of moves, on the wire a list of texts. Games have thousands of moves; a text of its own
/// for each would cost more than finding them.
///
/// ```
/// let mut moves = protocol::MoveList::default();
/// moves.push("a1-b2");
/// moves.push("a1-c3");
/// assert_eq!((moves.len(), &moves[1]), (2, "a1-c3"));
/// assert_eq!(serde_json::to_string(&moves).unwrap(), r#"["a1-b2","a1-c3"]"#);
/// ```
#[derive(Clone, Default, PartialEq, Eq, JsonSchema)]
#[schemars(with = "Vec<String>")]
pub struct MoveList {
    /// All texts, one after the other.
    text: String,
    /// The end of each of them in `text`.
    ends: Vec<u32>,
}

impl MoveList {
    /// An empty list with room for moves whose texts have this many bytes in all, when the moves are
    /// short.
    pub fn with_room(bytes: usize) -> Self {
        MoveList {
            text: String::with_capacity(bytes),
            ends: Vec::with_capacity(bytes / 4),
        }
    }

    /// Appends a move.
    pub fn push(&mut self, mv: &str) {
        self.text.push_str(mv);
        // A line has at most `MAX_LINE` bytes.
        self.ends.push(self.text.len() as u32);
    }

    /// The texts of all moves, one after the other.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The number of moves.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The move at an index; `None` beyond the last one.
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)? as usize;
        let start = if index == 0 {
            0
        } else {
            self.ends[index - 1] as usize
        };
        Some(&self.text[start..end])
    }

    /// All moves in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let end = *end as usize;
            &self.text[std::mem::replace(&mut start, end)..end]
        })
    }
}

impl Index<usize> for MoveList {
    type Output = str;

    fn index(&self, index: usize) -> &str {
        let len = self.len();
        self.get(index)
            .unwrap_or_else(|| panic!("no move {index} in a list of {len}"))
    }
}

impl<'a> FromIterator<&'a str> for MoveList {
    fn from_iter<I: IntoIterator<Item = &'a str>>(moves: I) -> Self {
        let mut list = MoveList::default();
        moves.into_iter().for_each(|mv| list.push(mv));
        list
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for MoveList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for MoveList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;

        impl<'de> Visitor<'de> for Texts {
            type Value = MoveList;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of moves")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<MoveList, A::Error> {
                let mut list = MoveList::default();
                while let Some(mv) = seq.next_element::<std::borrow::Cow<'de, str>>()? {
                    list.push(&mv);
                }
                Ok(list)
            }
        }

        deserializer.deserialize_seq(Texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_they_are_written() {
        for text in [r#"[]"#, r#"["a"]"#, r#"["","a\"b","c1-c2n"]"#] {
            let list: MoveList = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&list).unwrap(), text);
            assert_eq!(list, list.iter().collect());
            assert_eq!(list.get(list.len()), None);
        }
        assert!(serde_json::from_str::<MoveList>("[1]").is_err());
        assert!(serde_json::from_str::<MoveList>("\"a\"").is_err());
    }
}
