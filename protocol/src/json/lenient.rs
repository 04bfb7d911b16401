//! Lines that are JSON, but not all of which can be kept: halves of surrogate pairs, numbers beyond
//! a double, nesting without end. Writers of many languages print them, and in fields that nobody
//! judges that is no reason to lose a match: what cannot be kept is replaced by U+FFFD or `null`.
//! What is judged (the type, the move, its ply) is left as it is.

use serde_json::Value;

/// Values within values, at most, in what is kept: all who read a log have some limit, and 128 is a usual one.
pub(crate) const MAX_DEPTH: usize = 64;
/// The fields of messages that are judged; but in `info` nothing is.
const JUDGED: [&str; 10] = [
    "type", "move", "ply", "protocol", "games", "wants", "kind", "outcome", "scores", "code",
];

/// The line of a bot with values that can be kept; `None` if it is no JSON object.
pub(crate) fn repaired(line: &[u8]) -> Option<Vec<u8>> {
    let fields = fields(line)?;
    let is_type = |key: &[u8]| text(key).as_deref() == Some("type");
    let kind = fields.iter().find(|(key, _)| is_type(key));
    let is_info = kind.is_some_and(|(_, value)| text(value).as_deref() == Some("info"));
    let mut out = b"{".to_vec();
    for (at, (key, value)) in fields.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        // The names of fields are judged: another encoding is no slip in a text.
        std::str::from_utf8(key).ok()?;
        write_text(key, &mut out);
        out.push(b':');
        let is_judged = match text(key) {
            Some(key) if is_info => key == "type",
            Some(key) => JUDGED.contains(&&*key),
            None => false,
        };
        if is_judged {
            out.extend_from_slice(value);
        } else {
            let mut reader = Reader::new(value);
            reader.value(&mut out)?;
        }
    }
    out.push(b'}');
    Some(out)
}

/// Replaces what is nested too deep.
pub(crate) fn cut(value: &mut Value) {
    fn cut(value: &mut Value, depth: usize) {
        match value {
            Value::Array(_) | Value::Object(_) if depth == 0 => *value = Value::Null,
            Value::Array(list) => list.iter_mut().for_each(|inner| cut(inner, depth - 1)),
            Value::Object(fields) => fields.values_mut().for_each(|inner| cut(inner, depth - 1)),
            _ => {}
        }
    }
    cut(value, MAX_DEPTH);
}

/// True if anything in a line can be nested too deep.
pub(crate) fn may_be_deep(line: &[u8]) -> bool {
    let opening = |byte: &&u8| matches!(byte, b'[' | b'{');
    line.iter().filter(opening).count() > MAX_DEPTH
}

/// The fields of an object, as they stand in the text.
fn fields(line: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let mut reader = Reader::new(line);
    let mut fields = Vec::new();
    let mut nowhere = Vec::new();
    reader.expect(b'{')?;
    if reader.next()? == b'}' {
        reader.at += 1;
    } else {
        loop {
            let start = reader.start()?;
            reader.text()?;
            let key = &line[start..reader.at];
            reader.expect(b':')?;
            let start = reader.start()?;
            nowhere.clear();
            reader.value(&mut nowhere)?;
            fields.push((key, &line[start..reader.at]));
            match reader.take()? {
                b',' => {}
                b'}' => break,
                _ => return None,
            }
        }
    }
    reader.next().is_none().then_some(fields)
}

/// Decodes a quoted text; `None` if it is invalid.
fn text(quoted: &[u8]) -> Option<String> {
    serde_json::from_slice(quoted).ok()
}

/// Reads JSON piece by piece, without going deeper for what is nested deeper.
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a [u8]) -> Self {
        Reader { text, at: 0 }
    }

    /// The next byte that is no white space, which is not taken.
    fn next(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.text.get(self.at) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn start(&mut self) -> Option<usize> {
        self.next().map(|_| self.at)
    }

    fn take(&mut self) -> Option<u8> {
        let byte = self.next()?;
        self.at += 1;
        Some(byte)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.take()? == byte).then_some(())
    }

    /// Takes a value, and writes what of it can be kept.
    fn value(&mut self, out: &mut Vec<u8>) -> Option<()> {
        /// The expected next token of a container.
        #[derive(Clone, Copy, PartialEq)]
        enum Open {
            List,
            Object,
        }
        let mut open: Vec<Open> = Vec::new();
        loop {
            // A value begins here. What is too deep is read, but not written.
            let is_kept = open.len() <= MAX_DEPTH;
            match self.next()? {
                byte @ (b'[' | b'{') => {
                    self.at += 1;
                    let (kind, close) = match byte {
                        b'[' => (Open::List, b']'),
                        _ => (Open::Object, b'}'),
                    };
                    if open.len() < MAX_DEPTH {
                        out.push(byte);
                    } else if is_kept {
                        out.extend_from_slice(b"null");
                    }
                    if self.next()? == close {
                        self.at += 1;
                        if open.len() < MAX_DEPTH {
                            out.push(close);
                        }
                    } else {
                        open.push(kind);
                        if kind == Open::Object {
                            self.key(open.len() <= MAX_DEPTH, out)?;
                        }
                        continue;
                    }
                }
                b'"' => {
                    let start = self.at;
                    self.text()?;
                    if is_kept {
                        write_text(&self.text[start..self.at], out);
                    }
                }
                b'-' | b'0'..=b'9' => {
                    let start = self.at;
                    self.number()?;
                    if is_kept {
                        write_number(&self.text[start..self.at], out);
                    }
                }
                _ => {
                    let words: [&[u8]; 3] = [b"null", b"true", b"false"];
                    let rest = &self.text[self.at..];
                    let word = words.into_iter().find(|word| rest.starts_with(word))?;
                    self.at += word.len();
                    if is_kept {
                        out.extend_from_slice(word);
                    }
                }
            }
            // A value ended here.
            loop {
                let Some(&kind) = open.last() else {
                    return Some(());
                };
                let is_kept = open.len() <= MAX_DEPTH;
                let close = match kind {
                    Open::List => b']',
                    Open::Object => b'}',
                };
                match self.take()? {
                    b',' => {
                        if is_kept {
                            out.push(b',');
                        }
                        if kind == Open::Object {
                            self.key(is_kept, out)?;
                        }
                        break;
                    }
                    byte if byte == close => {
                        if is_kept {
                            out.push(close);
                        }
                        open.pop();
                    }
                    _ => return None,
                }
            }
        }
    }

    /// Takes a key and its colon.
    fn key(&mut self, is_kept: bool, out: &mut Vec<u8>) -> Option<()> {
        let start = self.start()?;
        self.text()?;
        if is_kept {
            write_text(&self.text[start..self.at], out);
            out.push(b':');
        }
        self.expect(b':')
    }

    /// Takes a text with its quotes.
    fn text(&mut self) -> Option<()> {
        self.expect(b'"')?;
        loop {
            let byte = *self.text.get(self.at)?;
            self.at += 1;
            match byte {
                b'"' => return Some(()),
                b'\\' => {
                    let escaped = *self.text.get(self.at)?;
                    self.at += 1;
                    match escaped {
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                        b'u' => {
                            let digits = self.text.get(self.at..self.at + 4)?;
                            digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
                            self.at += 4;
                        }
                        _ => return None,
                    }
                }
                0..=0x1f => return None,
                _ => {}
            }
        }
    }

    /// Takes a number as JSON has it.
    fn number(&mut self) -> Option<()> {
        let digits = |reader: &mut Self| {
            let start = reader.at;
            while reader.text.get(reader.at).is_some_and(u8::is_ascii_digit) {
                reader.at += 1;
            }
            (reader.at > start).then_some(reader.at - start)
        };
        if self.text.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        let is_zero = self.text.get(self.at) == Some(&b'0');
        let count = digits(self)?;
        if is_zero && count > 1 {
            return None;
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            digits(self)?;
        }
        if let Some(b'e' | b'E') = self.text.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.text.get(self.at) {
                self.at += 1;
            }
            digits(self)?;
        }
        Some(())
    }
}

/// Writes a text with its quotes; halves of surrogate pairs, and bytes that are cut off from a character,
/// become U+FFFD.
fn write_text(quoted: &[u8], out: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(quoted);
    let mut rest = &*text;
    while let Some(at) = rest.find("\\") {
        let (before, escape) = rest.split_at(at);
        out.extend_from_slice(before.as_bytes());
        let unit = |text: &str| {
            let digits = text.strip_prefix("\\u")?.get(..4)?;
            u16::from_str_radix(digits, 16).ok()
        };
        let length = match unit(escape) {
            None => 2,
            Some(0xd800..=0xdbff)
                if escape
                    .get(6..)
                    .and_then(unit)
                    .is_some_and(|low| (0xdc00..=0xdfff).contains(&low)) =>
            {
                12
            }
            Some(0xd800..=0xdfff) => {
                out.extend_from_slice("\u{fffd}".as_bytes());
                rest = &escape[6..];
                continue;
            }
            Some(_) => 6,
        };
        out.extend_from_slice(&escape.as_bytes()[..length]);
        rest = &escape[length..];
    }
    out.extend_from_slice(rest.as_bytes());
}

/// Writes a number, or `null` for one beyond a double.
fn write_number(number: &[u8], out: &mut Vec<u8>) {
    let is_finite = serde_json::from_slice::<f64>(number).is_ok_and(f64::is_finite);
    out.extend_from_slice(if is_finite { number } else { b"null" });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::near_misses::near_misses;
    use crate::{BotInfo, FromBot};
    use serde_json::json;

    fn info(line: &str) -> Value {
        match FromBot::from_line(line.as_bytes()) {
            Ok(FromBot::Move(made)) => {
                assert_eq!((&*made.mv, made.ply), ("a1", Some(3)), "{line}");
                made.info.unwrap()
            }
            other => panic!("{line}: {other:?}"),
        }
    }

    fn of(value: &str) -> Value {
        let line = format!(r#"{{"type":"move","move":"a1","ply":3,"info":{value}}}"#);
        let read = info(&line);
        let BotInfo { fields } =
            match FromBot::from_line(format!(r#"{{"type":"info","v":{value}}}"#).as_bytes()) {
                Ok(FromBot::Info(info)) => info,
                other => panic!("{value}: {other:?}"),
            };
        assert_eq!(fields["v"], read, "{value}");
        // Reading is idempotent.
        let again: Value = serde_json::from_str(&read.to_string()).unwrap();
        assert_eq!(again, read, "{value}");
        read
    }

    #[test]
    fn whatever_a_writer_of_json_prints_is_kept_as_far_as_it_can_be() {
        for (value, kept) in [
            (r#"{"text":"ok \ud83d"}"#, json!({"text": "ok \u{fffd}"})),
            (
                r#"{"text":"\udc00\ud800x"}"#,
                json!({"text": "\u{fffd}\u{fffd}x"}),
            ),
            (r#"{"text":"\ud83d\ude00"}"#, json!({"text": "😀"})),
            (
                r#"{"text":"\ud83d\ud83d\ude00"}"#,
                json!({"text": "\u{fffd}😀"}),
            ),
            (r#"{"text":"\\ud83d"}"#, json!({"text": "\\ud83d"})),
            (
                r#"{"text":"\\\ud83d\n\/"}"#,
                json!({"text": "\\\u{fffd}\n/"}),
            ),
            (r#"{"a\ud83d":1,"b":2}"#, json!({"a\u{fffd}": 1, "b": 2})),
            (r#"{"value":1e400}"#, json!({"value": null})),
            (r#"[-1e400,1E+400,1e-400]"#, json!([null, null, 0.0])),
            (r#"[-0,1E+2,1e2,0.5]"#, json!([-0.0, 100.0, 100.0, 0.5])),
            (r#"{"a":1,"a":"\ud800"}"#, json!({"a": "\u{fffd}"})),
            (r#""\ud800""#, json!("\u{fffd}")),
        ] {
            assert_eq!(of(value), kept, "{value}");
        }
        let nothing = br#"{"type":"move","move":"a1","info":1e999}"#;
        assert!(
            matches!(FromBot::from_line(nothing), Ok(FromBot::Move(made)) if made.info.is_none())
        );
        let long = "9".repeat(400);
        assert_eq!(of(&format!("[{long},{long}.5]")), json!([null, null]));
        // A text that was cut in bytes.
        let line = b"{\"type\":\"move\",\"move\":\"a1\",\"ply\":3,\"info\":{\"text\":\"caf\xc3\"}}";
        let Ok(FromBot::Move(made)) = FromBot::from_line(line) else {
            panic!("no move")
        };
        assert_eq!(made.info, Some(json!({"text": "caf\u{fffd}"})));
    }

    fn depth(value: &Value) -> usize {
        match value {
            Value::Array(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
            Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    #[test]
    fn what_is_nested_too_deep_is_cut() {
        for deep in [
            1, 63, 64, 65, 100, 124, 125, 126, 127, 128, 129, 1000, 100_000,
        ] {
            for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
                let value = open.repeat(deep) + "1" + &close.repeat(deep);
                let read = of(&value);
                assert_eq!(depth(&read), deep.min(MAX_DEPTH), "{open} {deep}");
            }
            let mixed =
                "[1,{\"a\":2,\"b\":".repeat(deep) + "[]" + &",\"c\":3},4]".repeat(deep) + "";
            let read = of(&mixed);
            assert!(depth(&read) <= MAX_DEPTH && read[2] == 4, "{deep}");
            assert_eq!(read[1]["c"], 3);
        }
    }

    #[test]
    fn what_is_judged_stays_as_it_is() {
        let wrong = |line: &str| FromBot::from_line(line.as_bytes()).unwrap_err().to_string();
        for line in [
            r#"{"type":"move","move":"a\ud800","ply":3}"#,
            r#"{"type":"move","move":"a1","ply":1e400}"#,
            r#"{"type":"mo\ud800ve","move":"a1"}"#,
            r#"{"type":"hello","protocol":1e400,"name":"x"}"#,
            r#"{"type":"offer","kind":"settle","outcome":[1e400,0]}"#,
            // Not JSON in any language.
            r#"{"type":"move","move":"a1","info":{"value":NaN}}"#,
            r#"{"type":"move","move":"a1","info":{"value":Infinity}}"#,
            r#"{"type":"move","move":"a1","info":{"value":01}}"#,
            r#"{"type":"move","move":"a1","info":{"value":1.}}"#,
            r#"{"type":"move","move":"a1","info":{"value":+1}}"#,
            r#"{"type":"move","move":"a1","info":{"text":'a'}}"#,
            r#"{"type":"move","move":"a1","info":{"text":"\x41"}}"#,
            r#"{"type":"move","move":"a1","info":{"text":"\ud83"}}"#,
            r#"{"type":"move","move":"a1","info":[[[}"#,
            r#"{"type":"move","move":"a1","info":[1,]}"#,
            r#"{"type":"move","move":"a1","info":{"a":1e400},}"#,
            r#"{"type":"move","move":"a1","info":1e400} x"#,
            "{\"type\":\"move\",\"move\":\"a1\",\"info\":{\"text\":\"\n\",\"v\":1e400}}",
        ] {
            assert!(!wrong(line).is_empty());
        }
        // What is wrong is said of what is wrong.
        let both = wrong(r#"{"type":"move","move":7,"info":{"text":"\ud83d"}}"#);
        assert!(both.contains("expected a string"), "{both}");
    }

    #[test]
    fn names_and_unknown_fields_are_kept_as_well() {
        let line = r#"{"type":"hello","protocol":1,"name":"a\ud83d","version":"\udc00","author":"b\ud83d","x":1e400}"#;
        let Ok(FromBot::Hello(hello)) = FromBot::from_line(line.as_bytes()) else {
            panic!("no hello")
        };
        assert_eq!(hello.name, "a\u{fffd}");
        assert_eq!(hello.version.as_deref(), Some("\u{fffd}"));
        assert_eq!(hello.author.as_deref(), Some("b\u{fffd}"));
        for line in [
            r#"{"type":"ready","note":"\ud800"}"#,
            r#"{"type":"resign","note":1e400}"#,
            r#"{"type":"info","move":"\ud800","ply":1e400}"#,
        ] {
            assert!(FromBot::from_line(line.as_bytes()).is_ok(), "{line}");
        }
        let deep = format!(
            r#"{{"type":"ready","x":{}1{}}}"#,
            "[".repeat(500),
            "]".repeat(500)
        );
        assert!(FromBot::from_line(deep.as_bytes()).is_ok());
    }

    /// Serde's input is left unchanged, and accepted input is JSON. Tried with all lines that are
    /// nearly messages.
    #[test]
    fn only_json_is_taken_and_what_can_be_kept_stays_what_it_is() {
        let (mut taken, mut all) = (0, 0);
        let mut check = |line: &[u8]| {
            all += 1;
            let read = serde_json::from_slice::<Value>(line);
            let repaired = repaired(line);
            let Some(repaired) = repaired else {
                let is_object = read.is_ok_and(|read| read.is_object());
                assert!(!is_object, "{}", String::from_utf8_lossy(line));
                return;
            };
            taken += 1;
            if let Ok(read) = read {
                let again: Value = serde_json::from_slice(&repaired).unwrap();
                assert_eq!(again, read, "{}", String::from_utf8_lossy(line));
            }
        };
        for line in [
            r#"{"type":"move","move":"a1","ply":3,"info":{"text":"\ud83d\ude00","v":-1.5e-3}}"#,
            r#"{"type": "info" , "a":[ ],"b":{ },"c":[1,[2 , {"d":null}],true]} "#,
            r#"{ }"#,
        ] {
            near_misses(line.as_bytes(), &mut check);
        }
        assert!(taken > 500 && all > 3 * taken, "{taken} of {all}");
    }
}
