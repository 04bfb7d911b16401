//! Which pushes a line of five cells allows, by table.
//!
//! A row or column is a number with one digit to base 5 a cell, kept up to date as pieces come
//! and go. Forward is east in a row and north in a column.

use super::pieces::{ROCK, SIZE};

const EMPTY: usize = 0;
const STONE: usize = 1;
/// An animal that faces forward.
const FORWARD: usize = 2;
/// An animal that faces backward.
const BACKWARD: usize = 3;
/// An animal that faces to a side.
const SIDEWAYS: usize = 4;

/// The places' values: the powers of 5.
pub(super) const POWERS: [u16; SIZE] = [1, 5, 25, 125, 625];
const NUMBERS: usize = 3125;

/// The places of the line whose animal can push, as bits; then whether an animal can enter with a push forward
/// at the first place, and backward at the last one.
pub(super) static PUSHES: [u8; NUMBERS] = pushes();
/// The bits of [`PUSHES`] that are places.
pub(super) const PUSHERS: u8 = (1 << SIZE) - 1;
/// The bits of a set of places of a column, as cells of the leftmost one.
pub(super) static SPREAD: [u32; 1 << SIZE] = spread();

/// The digits of a kind of piece in its row and in its column.
pub(super) fn digits(kind: u8) -> [u16; 2] {
    const DIGITS: [[u16; 2]; 4] = [
        [SIDEWAYS as u16, FORWARD as u16],
        [FORWARD as u16, SIDEWAYS as u16],
        [SIDEWAYS as u16, BACKWARD as u16],
        [BACKWARD as u16, SIDEWAYS as u16],
    ];
    match kind {
        ROCK => [STONE as u16; 2],
        _ => DIGITS[kind as usize % 4],
    }
}

const fn digit(number: usize, place: usize) -> usize {
    number / POWERS[place] as usize % 5
}

/// True if a pusher that stands before `place` can push what is there, forward or backward.
const fn can_push(number: usize, mut place: usize, forward: bool) -> bool {
    let with = if forward { FORWARD } else { BACKWARD };
    let (mut strength, mut rocks) = (1, 0);
    let mut pushed = false;
    // Below place 0 the index wraps round, out of the line too.
    while place < SIZE && digit(number, place) != EMPTY {
        match digit(number, place) {
            STONE => rocks += 1,
            SIDEWAYS => {}
            facing if facing == with => strength += 1,
            _ => strength -= 1,
        }
        if strength < 1 || strength < rocks {
            return false;
        }
        pushed = true;
        place = if forward {
            place + 1
        } else {
            place.wrapping_sub(1)
        };
    }
    pushed
}

const fn pushes() -> [u8; NUMBERS] {
    let mut table = [0; NUMBERS];
    let mut number = 0;
    while number < NUMBERS {
        let mut place = 0;
        while place < SIZE {
            let can = match digit(number, place) {
                FORWARD => can_push(number, place + 1, true),
                BACKWARD => can_push(number, place.wrapping_sub(1), false),
                _ => false,
            };
            table[number] |= (can as u8) << place;
            place += 1;
        }
        let forward = can_push(number, 0, true);
        let backward = can_push(number, SIZE - 1, false);
        table[number] |= (forward as u8 | (backward as u8) << 1) << SIZE;
        number += 1;
    }
    table
}

const fn spread() -> [u32; 1 << SIZE] {
    let mut table = [0; 1 << SIZE];
    let mut set = 0;
    while set < 1 << SIZE {
        let mut place = 0;
        while place < SIZE {
            table[set] |= ((set >> place & 1) as u32) << (place * SIZE);
            place += 1;
        }
        set += 1;
    }
    table
}
