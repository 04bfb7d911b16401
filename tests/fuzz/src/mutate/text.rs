//! Mutations of bytes, words and lines, for inputs of any kind.

use games::Rng;

use super::material::{EXTREMES, LONGEST, pick, stretch};

/// Pieces that often matter in these texts.
const WORDS: [&str; 24] = [
    "\"", "\\", "{", "}", "[", "]", ",", ":", "\n", "\r\n", "\0", "-", "x", "/", "=", ">", "+",
    "@", "é", "🐧", "\\u0000", "\\ud800", "null", "true",
];

pub(super) fn change(input: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    match rng.below(9) {
        0 => flip(input, rng),
        1 => replace_number(input, rng),
        2 => insert(input, pick(&WORDS, rng).as_bytes(), rng),
        3 => {
            let (from, to) = stretch(input.len(), rng);
            input.drain(from..to);
        }
        4 => {
            let (from, to) = stretch(input.len(), rng);
            let copy = input[from..to].to_vec();
            insert(input, &copy, rng);
        }
        5 => {
            let (from, to) = stretch(other.len(), rng);
            insert(input, &other[from..to], rng);
        }
        6 => {
            // The start of one and the end of the other.
            input.truncate(rng.index(input.len() + 1));
            input.extend(&other[rng.index(other.len() + 1)..]);
        }
        7 => change_lines(input, other, rng),
        _ => {
            let word = pick(&["[", "{\"a\":", "(", "a.", "[["], rng);
            let times = 1 << rng.below(10);
            insert(input, word.repeat(times).as_bytes(), rng);
        }
    }
    input.truncate(LONGEST);
}

fn flip(input: &mut [u8], rng: &mut Rng) {
    if !input.is_empty() {
        let at = rng.index(input.len());
        input[at] = match rng.below(2) {
            0 => input[at] ^ 1 << rng.below(8),
            _ => rng.below(256) as u8,
        };
    }
}

fn insert(input: &mut Vec<u8>, what: &[u8], rng: &mut Rng) {
    let at = rng.index(input.len() + 1);
    input.splice(at..at, what.iter().copied());
}

/// Replaces a number by an extreme one.
fn replace_number(input: &mut Vec<u8>, rng: &mut Rng) {
    let digit = |at: &usize| input[*at].is_ascii_digit();
    let first = |at: &usize| digit(at) && (*at == 0 || !digit(&(at - 1)));
    let starts: Vec<usize> = (0..input.len()).filter(first).collect();
    if starts.is_empty() {
        return;
    }
    let from = *pick(&starts, rng);
    let to = (from..input.len()).find(|at| !digit(at));
    let number = pick(&EXTREMES, rng).bytes();
    input.splice(from..to.unwrap_or(input.len()), number);
}

/// Drops, repeats or swaps lines, or takes one from another input.
fn change_lines(input: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let split = |text: &[u8]| -> Vec<Vec<u8>> {
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        lines.map(<[u8]>::to_vec).collect()
    };
    let (mut lines, others) = (split(input), split(other));
    if lines.is_empty() || others.is_empty() {
        return;
    }
    let at = rng.index(lines.len());
    match rng.below(4) {
        0 => drop(lines.remove(at)),
        1 => {
            let to = rng.index(lines.len());
            lines.swap(at, to);
        }
        2 => {
            let line = lines[at].clone();
            lines.insert(rng.index(lines.len()), line);
        }
        _ => lines.insert(at, pick(&others, rng).clone()),
    }
    *input = lines.concat();
}
