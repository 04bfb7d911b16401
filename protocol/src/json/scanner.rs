//! The JSON scanner: reads plain JSON in a fraction of serde's time. JSON is plain if its texts are
//! printable ASCII without escapes and its numbers have no exponents. All methods return `None` for
//! anything else, right or wrong; callers then leave the whole text to serde.

use std::time::Duration;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, F64Deserializer};

use crate::Millis;

/// Levels of nesting that are skipped.
const MAX_DEPTH: usize = 32;
/// Levels of nesting in a canonical value.
const MAX_CANONICAL_DEPTH: usize = 8;
/// Keys of one object in a canonical value: each is compared with the others.
const MAX_KEYS: usize = 24;
/// Digits of a number in a canonical value.
const MAX_DIGITS: usize = 15;
/// Up to here, an `f64` holds all integers exactly.
const EXACT: u64 = 1 << 53;
/// The powers of ten that an `f64` holds exactly.
const POWERS: [f64; 17] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
];
/// The powers of ten by the number of digits that are read together.
const TENS: [u64; 9] = {
    let mut tens = [1; 9];
    let mut digits = 1;
    while digits < 9 {
        tens[digits] = 10 * tens[digits - 1];
        digits += 1;
    }
    tens
};
/// The bytes that a JSON text has as they are: printable ASCII except quotes and backslashes.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = b' ';
    while byte <= b'~' {
        plain[byte as usize] = byte != b'"' && byte != b'\\';
        byte += 1;
    }
    plain
};

const ONES: u64 = u64::from_le_bytes([1; 8]);
const HIGH: u64 = ONES << 7;

/// A position in a text. Its methods are small, and most callers are in other crates: hence `#[inline]`.
#[derive(Clone, Debug)]
pub struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// Starts at the first byte of a text.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Scanner { text, at: 0 }
    }

    /// Starts at the first byte of a line; `None` if it is not UTF-8.
    #[must_use]
    pub fn of_line(line: &'a [u8]) -> Option<Self> {
        std::str::from_utf8(line).ok().map(Scanner::new)
    }

    /// The next byte, which may be white space.
    #[must_use]
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips white space.
    #[inline]
    pub fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    /// The next byte that is not white space.
    #[expect(
        clippy::should_implement_trait,
        reason = "bytes are not all that is read"
    )]
    #[inline]
    pub fn next(&mut self) -> Option<u8> {
        self.skip_space();
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Takes this byte if it comes next, after white space.
    #[inline]
    pub fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    /// Takes these bytes if they come next, without white space.
    #[inline]
    pub fn word(&mut self, word: &str) -> Option<()> {
        let rest = &self.text.as_bytes()[self.at..];
        rest.starts_with(word.as_bytes())
            .then(|| self.at += word.len())
    }

    /// Takes `null` if it comes next.
    #[inline]
    pub fn null(&mut self) -> Option<()> {
        self.skip_space();
        self.word("null")
    }

    /// `null`, or what `read` reads.
    pub fn nullable<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.null() {
            Some(()) => Some(None),
            None => read(self).map(Some),
        }
    }

    /// Takes `true` or `false`.
    pub fn flag(&mut self) -> Option<bool> {
        self.skip_space();
        let flag = self.peek()? == b't';
        self.word(if flag { "true" } else { "false" })?;
        Some(flag)
    }

    /// Goes back to where it was if `read` returns `None`.
    pub fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let start = self.at;
        let found = read(self);
        if found.is_none() {
            self.at = start;
        }
        found
    }

    /// A plain text, without its quotes.
    #[inline]
    pub fn text(&mut self) -> Option<&'a str> {
        self.expect(b'"')?;
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        let end = start + plain_bytes(rest);
        self.at = end + 1;
        (self.text.as_bytes().get(end) == Some(&b'"')).then(|| &self.text[start..end])
    }

    /// Appends digits to a number; also returns how many there were, which is at least one. Eight are read
    /// together.
    #[inline]
    fn digits(&mut self, mut number: u64) -> Option<(u64, usize)> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        while let Some(word) = bytes[self.at..].first_chunk() {
            let (value, count) = digits_of(u64::from_le_bytes(*word));
            number = number.checked_mul(TENS[count])?.checked_add(value)?;
            self.at += count;
            if count < 8 {
                return (self.at > start).then_some((number, self.at - start));
            }
        }
        for digit in &bytes[self.at..] {
            let digit = u64::from(digit.wrapping_sub(b'0'));
            if digit > 9 {
                break;
            }
            number = number.checked_mul(10)?.checked_add(digit)?;
            self.at += 1;
        }
        (self.at > start).then_some((number, self.at - start))
    }

    /// The digits before a decimal point; no leading zeros.
    #[inline]
    fn whole(&mut self) -> Option<(u64, usize)> {
        let is_zero = self.peek()? == b'0';
        let (number, count) = self.digits(0)?;
        (count == 1 || !is_zero).then_some((number, count))
    }

    /// True unless a fraction or an exponent comes next.
    #[inline]
    fn is_whole(&self) -> bool {
        !matches!(self.peek(), Some(b'.' | b'e' | b'E'))
    }

    /// A whole number without a sign.
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        self.skip_space();
        let (number, _) = self.whole()?;
        self.is_whole().then_some(number)
    }

    /// A whole number.
    #[inline]
    pub fn integer(&mut self) -> Option<i64> {
        self.skip_space();
        if self.peek()? != b'-' {
            return i64::try_from(self.number()?).ok();
        }
        self.at += 1;
        // Digits follow at once. Serde reads -0 as a float.
        matches!(self.peek()?, b'1'..=b'9').then_some(())?;
        i64::try_from(self.number()?).ok().map(|size| -size)
    }

    /// A number without a sign, exactly as serde reads it.
    #[inline]
    pub fn float(&mut self) -> Option<f64> {
        self.skip_space();
        let (mut number, _) = self.whole()?;
        let mut scale = None;
        if self.peek() == Some(b'.') {
            self.at += 1;
            let (all, places) = self.digits(number)?;
            number = all;
            scale = Some(*POWERS.get(places)?);
        }
        // A quotient of two exact numbers is correctly rounded.
        let is_exact = number <= EXACT && !matches!(self.peek(), Some(b'e' | b'E'));
        is_exact.then(|| scale.map_or(number as f64, |scale| number as f64 / scale))
    }

    /// A number of milliseconds.
    #[inline]
    pub fn millis(&mut self) -> Option<Millis> {
        self.attempt(Self::short_millis).or_else(|| {
            let number: F64Deserializer<Error> = self.float()?.into_deserializer();
            Millis::deserialize(number).ok()
        })
    }

    /// Milliseconds with at most three places, which need no floats.
    #[inline]
    fn short_millis(&mut self) -> Option<Millis> {
        const MAX_MILLIS: u64 = 1_000_000_000;
        let (millis, _) = self.whole()?;
        if millis > MAX_MILLIS {
            return None;
        }
        let mut micros = 1000 * millis;
        if self.peek() == Some(b'.') {
            self.at += 1;
            let (parts, places) = self.digits(0)?;
            micros += match places {
                1 => 100 * parts,
                2 => 10 * parts,
                3 => parts,
                _ => return None,
            };
        }
        let is_plain = !matches!(self.peek(), Some(b'e' | b'E'));
        is_plain.then(|| Millis(Duration::from_micros(micros)))
    }

    /// Calls `item` at each item of a list; it takes the item.
    pub fn list(&mut self, item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.each(b'[', b']', item)
    }

    /// Calls `item` at each item between two brackets, with commas between the items; it takes the item.
    #[inline]
    fn each(
        &mut self,
        open: u8,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.expect(open)?;
        self.skip_space();
        if self.peek()? == close {
            self.at += 1;
            return Some(());
        }
        loop {
            item(self)?;
            match self.next()? {
                b',' => {}
                end if end == close => return Some(()),
                _ => return None,
            }
        }
    }

    /// Calls `field` with each key of an object; it takes the value.
    pub fn object(
        &mut self,
        mut field: impl FnMut(&mut Self, &'a str) -> Option<()>,
    ) -> Option<()> {
        self.fields(|scanner| {
            let key = scanner.key()?;
            field(scanner, key)
        })
    }

    /// The key of a field, up to its value.
    #[inline]
    pub fn key(&mut self) -> Option<&'a str> {
        let key = self.text()?;
        self.expect(b':')?;
        Some(key)
    }

    /// Calls `field` at each field of an object; it takes the key and the value.
    #[inline]
    pub fn fields(&mut self, field: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.each(b'{', b'}', field)
    }

    /// Skips a plain value and returns its text.
    #[inline]
    pub fn skip(&mut self) -> Option<&'a str> {
        self.skip_space();
        let start = self.at;
        self.skip_value(MAX_DEPTH)?;
        Some(&self.text[start..self.at])
    }

    #[inline]
    fn skip_value(&mut self, depth: usize) -> Option<()> {
        self.skip_space();
        match self.peek()? {
            b'"' => self.text().map(drop),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            b'[' => self.list(|scanner| scanner.skip_value(depth.checked_sub(1)?)),
            b'{' => self.object(|scanner, _| scanner.skip_value(depth.checked_sub(1)?)),
            b'-' => {
                self.at += 1;
                self.peek()?.is_ascii_digit().then_some(())?;
                self.float().map(drop)
            }
            _ => self.float().map(drop),
        }
    }

    /// The text of a canonical value, which serde would write in the same way: it has no white space, no
    /// key twice, and only whole numbers.
    pub fn canonical(&mut self) -> Option<&'a str> {
        let start = self.at;
        self.skip_canonical(MAX_CANONICAL_DEPTH)?;
        Some(&self.text[start..self.at])
    }

    fn skip_canonical(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'"' => self.text().map(drop),
            b'{' => self.skip_canonical_object(depth.checked_sub(1)?),
            b'[' => self.skip_canonical_list(depth.checked_sub(1)?),
            b'n' => self.word("null"),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'0'..=b'9' | b'-' => {
                let start = self.at;
                self.integer()?;
                (self.at - start <= MAX_DIGITS).then_some(())
            }
            _ => None,
        }
    }

    fn skip_canonical_list(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        if self.peek()? == b']' {
            self.at += 1;
            return Some(());
        }
        loop {
            self.skip_canonical(depth)?;
            if !self.goes_on(b']')? {
                return Some(());
            }
        }
    }

    fn skip_canonical_object(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(());
        }
        let mut keys = [""; MAX_KEYS];
        for count in 0..MAX_KEYS {
            (self.peek()? == b'"').then_some(())?;
            let key = self.text()?;
            if keys[..count].contains(&key) {
                return None;
            }
            keys[count] = key;
            self.word(":")?;
            self.skip_canonical(depth)?;
            if !self.goes_on(b'}')? {
                return Some(());
            }
        }
        None
    }

    /// True if a comma comes next, false if it is `end`.
    fn goes_on(&mut self, end: u8) -> Option<bool> {
        let byte = self.peek()?;
        self.at += 1;
        match byte {
            b',' => Some(true),
            _ => (byte == end).then_some(false),
        }
    }

    /// Takes the end of the text, with white space before it.
    pub fn end(&mut self) -> Option<()> {
        self.next().is_none().then_some(())
    }
}

/// The value of the digits at the start of a word, from the lowest byte, and how many they are.
#[inline]
fn digits_of(word: u64) -> (u64, usize) {
    // What follows the first byte that is no digit may be wrong by a carry, and does not matter.
    let values = word ^ (ONES * u64::from(b'0'));
    let others = ((values.wrapping_add(ONES * (0x7f - 9))) | values) & HIGH;
    let count = others.trailing_zeros() as usize / 8;
    if count == 0 {
        return (0, 0);
    }
    // As eight digits, with zeros before them; then pairs of digits, and of pairs.
    let eight = values << (64 - 8 * count);
    let twos = (10 * eight).wrapping_add(eight >> 8);
    let [high, low] = [twos, twos >> 16].map(|pairs| pairs & 0x0000_00ff_0000_00ff);
    let sum = high
        .wrapping_mul(100 + (1_000_000 << 32))
        .wrapping_add(low.wrapping_mul(1 + (10_000 << 32)));
    (sum >> 32, count)
}

/// The number of plain bytes at the start. Eight are looked at together: most of a log is texts.
#[inline]
fn plain_bytes(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let found = first_not_plain(u64::from_le_bytes(*word));
        if found < 8 {
            return 8 * at + found;
        }
    }
    let rest = 8 * words.len();
    let plain = bytes[rest..].iter().take_while(|byte| is_plain(**byte));
    rest + plain.count()
}

/// The place of the first byte of a word, from the lowest one, that is not plain; 8 if all are.
#[inline]
fn first_not_plain(word: u64) -> usize {
    // The highest bit of each byte below `limit`, and of some that follow one.
    let below = |word: u64, limit: u8| word.wrapping_sub(ONES * u64::from(limit)) & !word & HIGH;
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    let found = below(word, b' ') | equal(b'"') | equal(b'\\') | equal(b'\x7f') | (word & HIGH);
    found.trailing_zeros() as usize / 8
}

/// True for a byte that JSON has in a text as it is.
#[inline]
pub(crate) fn is_plain(byte: u8) -> bool {
    PLAIN[usize::from(byte)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::near_misses::near_misses;
    use serde_json::Value;

    const VALUES: [&str; 6] = [
        r#"{"ply":12,"to_move":null,"rows":["..1","2 x"],"deep":{"a":[[],{}],"b":[-7,true,false]}}"#,
        r#"[{"a":1,"b":1},{"a":2,"c":{"a":3}},999999999999999]"#,
        r#"{"a":0,"a":1}"#,
        r#"[[[[[[[[0]]]]]]]]"#,
        r#"[-0,01,1e3,1.5]"#,
        r#""text""#,
    ];

    #[test]
    fn each_byte_is_plain_or_not_wherever_it_is() {
        for byte in 0..=u8::MAX {
            for at in 0..20 {
                for other in [b'a', b' ', b'~', b'!', b'#', b'[', b']'] {
                    let mut bytes = [other; 20];
                    bytes[at] = byte;
                    // A second one that is not plain changes nothing.
                    for second in [byte, b'"', 0x80, 0] {
                        bytes[19] = second;
                        let first = bytes.iter().position(|byte| !is_plain(*byte));
                        assert_eq!(plain_bytes(&bytes), first.unwrap_or(20), "{bytes:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn digits_end_at_the_first_byte_that_is_none() {
        let digits = "90718253645546372819";
        for count in 0..=digits.len() {
            for after in 0..0x80_u8 {
                for rest in ["", "7", "12345678"] {
                    let after = char::from(after);
                    if after.is_ascii_digit() {
                        continue;
                    }
                    let text = format!("{}{after}{rest}", &digits[..count]);
                    let mut scanner = Scanner::new(&text);
                    let expected = digits[..count].parse::<u64>().ok();
                    let read = scanner.digits(0);
                    assert_eq!(read, expected.map(|number| (number, count)), "{text}");
                    assert!(read.is_none() || scanner.at == count, "{text}");
                }
            }
        }
    }

    #[test]
    fn plain_values_are_taken_as_they_are() {
        for (text, is_plain) in VALUES.iter().zip([true, true, false, true, false, true]) {
            let mut scanner = Scanner::new(text);
            assert_eq!(
                scanner.canonical().is_some_and(|value| value == *text),
                is_plain,
                "{text}"
            );
        }
        for text in [
            "[[[[[[[[[0]]]]]]]]]",
            "1000000000000000",
            "[1 ,2]",
            "é",
            "{a:1}",
            "-",
            "[1,]",
        ] {
            let mut scanner = Scanner::new(text);
            assert!(scanner.canonical().and(scanner.end()).is_none(), "{text}");
        }
    }

    /// Accepted text is equal to serde's output. Tried with all texts that are nearly like some.
    #[test]
    fn nothing_is_taken_that_serde_would_write_in_another_way() {
        let (mut taken, mut all) = (0, 0);
        let mut check = |text: &[u8]| {
            all += 1;
            let Ok(text) = std::str::from_utf8(text) else {
                return;
            };
            let mut scanner = Scanner::new(text);
            if let Some(value) = scanner
                .canonical()
                .filter(|value| value.len() == text.len())
            {
                taken += 1;
                let read: Value = serde_json::from_str(value).unwrap();
                assert_eq!(read.to_string(), value);
            }
        };
        for text in VALUES.map(str::as_bytes) {
            near_misses(text, &mut check);
        }
        assert!(taken > 1000 && all > 10 * taken, "{taken} of {all}");
    }

    #[test]
    fn lists_of_texts_are_read() {
        for (text, expected) in [
            ("[]", Some(&[][..])),
            (r#" [ "a" , "b c" ]"#, Some(&["a", "b c"])),
            (r#"["a",]"#, None),
            (r#"["a" "b"]"#, None),
            (r#"["\n"]"#, None),
            (r#"["a""#, None),
            (r#"[1]"#, None),
        ] {
            let mut read = Vec::new();
            let mut scanner = Scanner::new(text);
            let taken = scanner.list(|scanner| {
                read.push(scanner.text()?);
                Some(())
            });
            assert_eq!(taken.map(|()| &*read), expected, "{text}");
        }
    }
}
