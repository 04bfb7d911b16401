//! What usually went wrong where a bot printed a line that is no message, and how to mend it.

/// Where an object was printed as the language shows it.
const JAVASCRIPT: &str = "that is how JavaScript prints an object: print JSON.stringify(…) instead";

/// The likely mistake behind a line that could not be read; `whole` is false where the JSON is not.
pub(crate) fn hint(line: &[u8], whole: bool) -> Option<&'static str> {
    let line = line.trim_ascii();
    if line.starts_with(b"\xef\xbb\xbf") || line.starts_with(b"\xff\xfe") {
        return Some("it begins with a byte order mark: write UTF-8 without one");
    }
    if line.is_empty() {
        return Some("print nothing but messages on stdout");
    }
    if line.starts_with(b"[object") {
        return Some(JAVASCRIPT);
    }
    if line.starts_with(b"b'{") || line.starts_with(b"'{") {
        return Some("that is how Python prints bytes: print json.dumps(…), without encode()");
    }
    if line.starts_with(b"\"{") {
        return Some("a text that holds the message is no message: turn it into JSON only once");
    }
    if !line.starts_with(b"{") {
        return Some("what is not a message belongs on stderr");
    }
    if whole {
        return None;
    }
    if names_a_field_barely(line) {
        return Some(JAVASCRIPT);
    }
    let (bare, quoted) = words(line);
    let has = |word: &str| bare.iter().any(|found| found == word);
    if quoted || ["True", "False", "None"].into_iter().any(has) {
        return Some("that is how Python prints a dict: print json.dumps(…) instead");
    }
    if ["NaN", "Infinity"].into_iter().any(has) {
        return Some("NaN and Infinity are not JSON: leave such a value out");
    }
    match depth(line) {
        Depth::Open => Some("a message must stand whole on a line of its own"),
        Depth::Twice => Some("there is more than one message in the line: each needs its own"),
        Depth::Closed => None,
    }
}

/// Whether the first field of an object has a name without quotes.
fn names_a_field_barely(line: &[u8]) -> bool {
    let inside = line[1..].trim_ascii_start();
    let name = inside.iter().take_while(|byte| byte.is_ascii_alphabetic());
    let length = name.count();
    length > 0 && inside[length..].trim_ascii_start().starts_with(b":")
}

/// The words outside of JSON's strings, and whether a single quote stands there.
fn words(line: &[u8]) -> (Vec<String>, bool) {
    let (mut words, mut quoted) = (vec![String::new()], false);
    for byte in outside_strings(line) {
        quoted |= byte == b'\'';
        match (byte.is_ascii_alphabetic(), words.last_mut()) {
            (true, Some(word)) => word.push(char::from(byte)),
            _ => words.push(String::new()),
        }
    }
    (words, quoted)
}

/// How the braces of a line come out.
enum Depth {
    /// Not all are closed.
    Open,
    Closed,
    /// After the last was closed, another is opened.
    Twice,
}

fn depth(line: &[u8]) -> Depth {
    let (mut depth, mut closed) = (0usize, false);
    for byte in outside_strings(line) {
        match byte {
            b'{' if closed => return Depth::Twice,
            b'{' => depth += 1,
            b'}' => {
                depth = depth.saturating_sub(1);
                closed = depth == 0;
            }
            _ => {}
        }
    }
    match depth {
        0 => Depth::Closed,
        _ => Depth::Open,
    }
}

fn outside_strings(line: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let (mut inside, mut escaped) = (false, false);
    line.iter().copied().filter(move |byte| {
        let was_inside = inside;
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            _ => {}
        }
        !was_inside && *byte != b'"'
    })
}

#[cfg(test)]
mod tests {
    use crate::FromBot;

    #[track_caller]
    fn told(line: &[u8], part: &str) {
        let error = FromBot::from_line(line).unwrap_err().to_string();
        assert!(error.contains(part), "`{part}` in `{error}`");
    }

    #[test]
    fn the_usual_mistakes_are_named() {
        let python = "print json.dumps";
        told(b"{'type': 'ready'}", python);
        told(br#"{"type": "move", "move": None}"#, python);
        told(br#"{"type": "info", "sure": True}"#, python);
        let javascript = "print JSON.stringify";
        told(b"{ type: 'ready' }", javascript);
        told(b"{type:\"move\",\"move\":\"a1\"}", javascript);
        told(b"[object Object]", javascript);
        told(br#"b'{"type": "ready"}'"#, "Python prints bytes");
        told(br#""{\"type\":\"ready\"}""#, "only once");
        told(b"I am thinking", "belongs on stderr");
        told(b"{thinking", "whole on a line of its own");
        told(b"17", "belongs on stderr");
        told(b"[1,2]", "belongs on stderr");
        told(b"\r", "nothing but messages");
        told(b"{", "whole on a line of its own");
        told(br#"{"type":"move","#, "whole on a line of its own");
        told(
            br#"{"type":"ready"}{"type":"ready"}"#,
            "more than one message",
        );
        told(br#"{"type":"info","value":NaN}"#, "NaN");
        told(b"\xef\xbb\xbf{\"type\":\"ready\"}", "byte order mark");
    }

    #[test]
    fn nobody_is_accused_of_what_stands_in_a_text() {
        for line in [
            r#"{"type":"info","text":"None of 'em: {\" True"} x"#,
            r#"{"type":"mvoe","move":"None"}"#,
            r#"{"type":"move","move":7}"#,
        ] {
            let error = FromBot::from_line(line.as_bytes()).unwrap_err();
            assert_eq!(error.hint, None, "{error}");
        }
    }
}
