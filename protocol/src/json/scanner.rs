//! Takes plain JSON apart in a fraction of serde's time. What is not plain is left to serde, be it right or
//! wrong.

/// Values within values, at most; deeper ones are left to serde.
const MAX_DEPTH: usize = 8;
/// Keys of one object, at most: each is compared with the others.
const MAX_KEYS: usize = 24;
/// Digits of a number, at most: so many fit into every type that numbers are read into.
const MAX_DIGITS: usize = 15;

/// The rest of a text that is being read.
#[derive(Clone, Debug)]
pub struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// Starts at the beginning of a text.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Scanner { text, at: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    /// The next byte that is not white space.
    #[expect(
        clippy::should_implement_trait,
        reason = "bytes are not all that is read"
    )]
    pub fn next(&mut self) -> Option<u8> {
        self.skip_space();
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Takes this byte if it comes next, after white space.
    pub fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    /// Takes these bytes if they come next, without white space.
    fn word(&mut self, word: &str) -> Option<()> {
        let rest = &self.text.as_bytes()[self.at..];
        rest.starts_with(word.as_bytes())
            .then(|| self.at += word.len())
    }

    /// Takes `null` if it comes next.
    pub fn null(&mut self) -> Option<()> {
        self.skip_space();
        self.word("null")
    }

    /// A plain text between quotes: printable ASCII without escapes.
    pub fn text(&mut self) -> Option<&'a str> {
        self.expect(b'"')?;
        self.text_after_quote()
    }

    fn text_after_quote(&mut self) -> Option<&'a str> {
        let start = self.at;
        let mut at = start;
        let bytes = self.text.as_bytes();
        while is_plain(*bytes.get(at)?) {
            at += 1;
        }
        self.at = at + 1;
        (bytes[at] == b'"').then(|| &self.text[start..at])
    }

    /// A whole number without a sign and leading zeros, of few digits.
    pub fn number(&mut self) -> Option<u64> {
        self.skip_space();
        let bytes = &self.text.as_bytes()[self.at..];
        let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit());
        let (mut count, mut number) = (0, 0);
        for digit in digits.take(MAX_DIGITS + 1) {
            number = 10 * number + u64::from(digit - b'0');
            count += 1;
        }
        let is_shortest = count == 1 || bytes.first() != Some(&b'0');
        self.at += count;
        ((1..=MAX_DIGITS).contains(&count) && is_shortest).then_some(number)
    }

    /// Calls `take` with each text of a list of plain texts.
    pub fn texts(&mut self, mut take: impl FnMut(&'a str) -> Option<()>) -> Option<()> {
        self.expect(b'[')?;
        self.skip_space();
        if self.peek()? == b']' {
            self.at += 1;
            return Some(());
        }
        loop {
            take(self.text()?)?;
            match self.next()? {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    /// Calls `take` with each key of an object of plain keys; it takes the value.
    pub fn fields(&mut self, mut take: impl FnMut(&mut Self, &'a str) -> Option<()>) -> Option<()> {
        self.expect(b'{')?;
        loop {
            let key = self.text()?;
            self.expect(b':')?;
            take(self, key)?;
            match self.next()? {
                b',' => {}
                b'}' => return Some(()),
                _ => return None,
            }
        }
    }

    /// The text of any value that serde would write in the same way if it had read it: without white
    /// space and keys that occur twice, of plain texts and whole numbers of few digits.
    pub fn value(&mut self) -> Option<&'a str> {
        let start = self.at;
        self.skip_value(MAX_DEPTH)?;
        Some(&self.text[start..self.at])
    }

    fn skip_value(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'"' => self.text().map(drop),
            b'{' => self.skip_object(depth.checked_sub(1)?),
            b'[' => self.skip_list(depth.checked_sub(1)?),
            b'n' => self.word("null"),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'0'..=b'9' => self.number().map(drop),
            // But -0, which is no whole number.
            b'-' => {
                self.at += 1;
                matches!(self.peek()?, b'1'..=b'9').then(|| self.number().map(drop))?
            }
            _ => None,
        }
    }

    fn skip_list(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        if self.peek()? == b']' {
            self.at += 1;
            return Some(());
        }
        loop {
            self.skip_value(depth)?;
            if !self.goes_on(b']')? {
                return Some(());
            }
        }
    }

    fn skip_object(&mut self, depth: usize) -> Option<()> {
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
            self.skip_value(depth)?;
            if !self.goes_on(b'}')? {
                return Some(());
            }
        }
        None
    }

    /// Whether a comma comes next, or this byte, which ends what is read.
    fn goes_on(&mut self, end: u8) -> Option<bool> {
        let byte = self.peek()?;
        self.at += 1;
        match byte {
            b',' => Some(true),
            _ => (byte == end).then_some(false),
        }
    }

    /// Takes the end of the text, which may be white space.
    pub fn end(&mut self) -> Option<()> {
        self.next().is_none().then_some(())
    }
}

/// Whether JSON has a byte of a text as it is: printable ASCII but for quotes and backslashes.
pub(crate) fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\'
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
    fn plain_values_are_taken_as_they_are() {
        for (text, is_plain) in VALUES.iter().zip([true, true, false, true, false, true]) {
            let mut scanner = Scanner::new(text);
            assert_eq!(
                scanner.value().is_some_and(|value| value == *text),
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
            assert!(scanner.value().and(scanner.end()).is_none(), "{text}");
        }
    }

    /// What is taken is what serde would write again. Tried with all texts that are nearly like some.
    #[test]
    fn nothing_is_taken_that_serde_would_write_in_another_way() {
        let (mut taken, mut all) = (0, 0);
        let mut check = |text: &[u8]| {
            all += 1;
            let Ok(text) = std::str::from_utf8(text) else {
                return;
            };
            let mut scanner = Scanner::new(text);
            if let Some(value) = scanner.value().filter(|value| value.len() == text.len()) {
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
            let taken = scanner.texts(|text| {
                read.push(text);
                Some(())
            });
            assert_eq!(taken.map(|()| &*read), expected, "{text}");
        }
    }
}
