//! Finds moves that a list has twice. Nearly always there is none, and that takes less to see than a set
//! of texts.

use std::collections::HashSet;

use protocol::MoveList;
use smallvec::SmallVec;

/// An odd number without a pattern: 2^64 divided by the golden ratio.
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;
/// Lists of up to half as many moves need no memory from the heap.
const ON_STACK: usize = 256;

/// A move that is listed twice, if there is one.
pub(crate) fn find(moves: &MoveList) -> Option<&str> {
    if are_different(moves) {
        return None;
    }
    let mut seen = HashSet::with_capacity(moves.len());
    moves.iter().find(|mv| !seen.insert(*mv))
}

/// True if all moves are certainly different.
fn are_different(moves: &MoveList) -> bool {
    // A table of open addressing that is at most half full. No brief is 0, as no move has a byte 0.
    let size = (2 * moves.len()).next_power_of_two().max(2);
    let mut table: SmallVec<[u64; ON_STACK]> = SmallVec::from_elem(0, size);
    let shift = u64::BITS - size.trailing_zeros();
    for mv in moves.iter() {
        let brief = brief(mv.as_bytes());
        let mut at = (brief.wrapping_mul(SCATTER) >> shift) as usize;
        while table[at] != 0 {
            if table[at] == brief {
                return false;
            }
            at = (at + 1) & (size - 1);
        }
        table[at] = brief;
    }
    true
}

/// A number that is different for different texts of up to 8 bytes without a 0, and nearly always for
/// longer ones.
fn brief(text: &[u8]) -> u64 {
    let Some(last) = text.last_chunk::<8>().filter(|_| text.len() > 8) else {
        let bytes = text.iter();
        return bytes
            .fold(0, |brief, byte| brief << 8 | u64::from(*byte))
            .max(1);
    };
    let mix = |brief: u64, word: &[u8; 8]| {
        let word = u64::from_le_bytes(*word);
        (brief ^ word).wrapping_mul(SCATTER).rotate_left(29)
    };
    let (words, _) = text.as_chunks();
    mix(words.iter().fold(0, mix), last).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(moves: &[&str]) -> MoveList {
        moves.iter().copied().collect()
    }

    #[test]
    fn moves_that_are_listed_twice_are_found() {
        assert_eq!(find(&list(&["a", "b", "a"])), Some("a"));
        let long = ["a10-b10/c10", "a10-b10/c11", "b10-b10/c10", "a10-b10/c10"];
        assert_eq!(find(&list(&long)), Some(long[0]));
        assert_eq!(find(&list(&long[..3])), None);
        assert_eq!(find(&list(&[])), None);
        assert_eq!(find(&list(&["x"])), None);
    }

    #[test]
    fn many_moves_are_told_apart() {
        let squares = || (0..10).flat_map(|x| (1..=10).map(move |y| (char::from(b'a' + x), y)));
        let moves =
            squares().flat_map(|(a, b)| squares().map(move |(c, d)| format!("{a}{b}-{c}{d}/j10")));
        let moves: Vec<String> = moves.collect();
        let mut moves: MoveList = moves.iter().map(String::as_str).collect();
        assert!(are_different(&moves));
        let again = moves[7_777].to_owned();
        moves.push(&again);
        assert_eq!(find(&moves), Some(&*again));
    }

    #[test]
    fn short_texts_have_different_briefs() {
        let mut briefs = HashSet::new();
        let texts = [
            "a", "b", "ab", "ba", "aab", "abcdefg", "abcdefgh", "bbcdefgh", "abcdefgi", "hgfedcba",
        ];
        assert!(
            texts
                .iter()
                .all(|text| briefs.insert(brief(text.as_bytes())))
        );
    }
}
