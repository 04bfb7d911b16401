//! Bots that answer alike. Two bots have a position in common if matches of both reached it by the same
//! moves, as in both seat orders of a pairing while both bots answer alike, or in matches of one opening.
//! Their answers there are compared.

use std::collections::{BTreeMap, HashMap};

use smallvec::SmallVec;

use crate::matches::{Fingerprint, MatchSummary, Number};

/// The most plies of a match that are compared.
const MAX_PLIES: usize = 500;
/// The most matches of an opening that are stored for comparison.
const MAX_LINES: usize = 8;
/// The most plies stored for comparison; beyond that, all are dropped. Most logs have the matches of one
/// opening close together.
const MAX_KEPT: usize = 1 << 17;
/// The most positions of two bots that are stored as evidence.
const MAX_EVIDENCE: usize = 400;

/// A ply after the opening.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    seat: u8,
    /// The referee made it for a seat at fault.
    forced: bool,
    hash: u64,
}

/// The plies of a match after its opening.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The number of plies of the opening.
    opening: u32,
    answers: Box<[Answer]>,
}

/// Two bots that always answered alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alike {
    pub bots: [String; 2],
    /// By position: a match in which one of them answered, and the ply.
    pub positions: Vec<(Number, u32)>,
}

/// The agreement of bots so far, and matches to compare the next ones with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Agreement {
    /// By opening.
    lines: HashMap<u64, Vec<Kept>>,
    /// The plies in `lines`.
    kept: usize,
    /// By the bots' numbers, in ascending order. `None` if they have differed.
    pairs: BTreeMap<(u16, u16), Option<Evidence>>,
}

/// By position where two bots answered alike: a match and the ply.
type Evidence = BTreeMap<u64, (Number, u32)>;

#[derive(Clone, Debug)]
struct Kept {
    bots: SmallVec<[u16; 4]>,
    line: Line,
}

impl Line {
    pub(super) fn of(played: &MatchSummary) -> Self {
        let last_seat = played.players.len().saturating_sub(1).min(255) as u8;
        let after = played.moves.list.iter().skip(played.opening as usize);
        let answers = after.take(MAX_PLIES).map(|ply| Answer {
            // Chance is no answer of a bot.
            seat: ply.seat.unwrap_or(0).min(last_seat),
            forced: ply.forced || ply.seat.is_none(),
            hash: ply.hash,
        });
        Line {
            opening: played.opening,
            answers: answers.collect(),
        }
    }
}

impl Agreement {
    /// Compares a match with earlier ones of its opening, and stores it for later ones.
    pub(super) fn add(&mut self, opening: u64, number: Number, bots: &[u16], line: &Line) {
        let others = self.lines.entry(opening).or_default();
        for other in &*others {
            compare(&mut self.pairs, opening, number, (bots, line), other);
        }
        if others.len() < MAX_LINES {
            let line = line.clone();
            self.kept += line.answers.len();
            others.push(Kept {
                bots: bots.into(),
                line,
            });
        }
        if self.kept > MAX_KEPT {
            self.lines = HashMap::new();
            self.kept = 0;
        }
    }

    /// The pairs of bots with at least this many positions in common that always answered alike.
    pub(super) fn found(
        &self,
        positions: usize,
    ) -> impl Iterator<Item = ([u16; 2], Vec<(Number, u32)>)> {
        let pairs = self.pairs.iter();
        pairs.filter_map(move |(&(one, other), alike)| {
            let alike = alike.as_ref().filter(|alike| alike.len() >= positions)?;
            Some(([one, other], alike.values().copied().collect()))
        })
    }
}

/// Compares two matches of one opening up to their first difference.
fn compare(
    pairs: &mut BTreeMap<(u16, u16), Option<Evidence>>,
    opening: u64,
    number: Number,
    (bots, line): (&[u16], &Line),
    other: &Kept,
) {
    let mut position = opening;
    let both = line.answers.iter().zip(&other.line.answers);
    for (ply, (here, there)) in (line.opening..).zip(both) {
        let seats = (usize::from(here.seat), usize::from(there.seat));
        let (one, two) = (bots[seats.0], other.bots[seats.1]);
        let alike = here.hash == there.hash;
        if one != two && !here.forced && !there.forced {
            let pair = pairs.entry((one.min(two), one.max(two)));
            let pair = pair.or_insert_with(|| Some(Evidence::new()));
            match pair {
                Some(known) if alike => {
                    if known.len() < MAX_EVIDENCE {
                        known.entry(position).or_insert((number, ply));
                    }
                }
                pair => *pair = None,
            }
        }
        if !alike {
            return;
        }
        position = Fingerprint::of((position, here.hash)).0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(moves: &[u64]) -> Line {
        let answers = moves.iter().zip([0, 1].into_iter().cycle());
        let answers = answers.map(|(&hash, seat)| Answer {
            seat,
            forced: hash == 0,
            hash,
        });
        Line {
            opening: 2,
            answers: answers.collect(),
        }
    }

    /// Of matches: the opening, the two bots and their moves.
    fn agreement(matches: &[(u64, [u16; 2], &[u64])]) -> Agreement {
        let mut agreement = Agreement::default();
        for (count, (opening, [first, second], moves)) in matches.iter().enumerate() {
            let number = Number::new(0, &format!("m-{count}"));
            agreement.add(*opening, number, &[*first, *second], &line(moves));
        }
        agreement
    }

    fn found(matches: &[(u64, [u16; 2], &[u64])], least: usize) -> Vec<([u16; 2], usize)> {
        let agreement = agreement(matches);
        let found = agreement.found(least);
        found.map(|(pair, alike)| (pair, alike.len())).collect()
    }

    #[test]
    fn both_seat_orders_of_twins_are_one_match() {
        let swapped: [(u64, [u16; 2], &[u64]); 2] =
            [(9, [1, 2], &[5, 6, 7]), (9, [2, 1], &[5, 6, 7])];
        assert_eq!(found(&swapped, 3), [([1, 2], 3)]);
        assert_eq!(found(&swapped, 4), [], "too few");
        // The same positions again say nothing new; another opening does.
        let again = [swapped, swapped].concat();
        assert_eq!(found(&again, 1), [([1, 2], 3)]);
        let other: [(u64, [u16; 2], &[u64]); 2] = [(8, [1, 2], &[5, 6]), (8, [2, 1], &[5, 6])];
        assert_eq!(found(&[swapped, other].concat(), 1), [([1, 2], 5)]);
    }

    #[test]
    fn one_other_answer_is_enough() {
        assert_eq!(
            found(&[(9, [1, 2], &[5, 6, 7]), (9, [2, 1], &[5, 6, 8])], 1),
            []
        );
        // After that the positions differ.
        assert_eq!(
            found(&[(9, [1, 3], &[5, 6, 7]), (9, [2, 3], &[5, 8, 9])], 1),
            [([1, 2], 1)]
        );
    }

    #[test]
    fn bots_are_compared_against_a_third_one_and_not_with_themselves() {
        let third: [(u64, [u16; 2], &[u64]); 3] = [
            (9, [1, 3], &[5, 6, 7]),
            (9, [2, 3], &[5, 6, 7]),
            (9, [1, 3], &[5, 6, 7]),
        ];
        assert_eq!(found(&third, 1), [([1, 2], 2)]);
        // The referee's own moves say nothing.
        assert_eq!(found(&[(9, [1, 3], &[0, 6]), (9, [2, 3], &[0, 6])], 1), []);
    }
}
