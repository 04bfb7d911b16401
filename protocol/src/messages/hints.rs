//! Hints: the usual causes of a bot's line that is not a message, and how to fix them.

/// The hint for an object that was printed the way JavaScript displays it.
const JAVASCRIPT: &str = "that is how JavaScript prints an object: print JSON.stringify(…) instead";

/// The likely cause of a line that could not be read. `is_json` says whether the line is JSON at all.
pub(crate) fn hint(line: &[u8], is_json: bool) -> Option<&'static str> {
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
    if is_json {
        return None;
    }
    if begins_with_bare_name(line) {
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
    match braces(line) {
        Braces::Open => Some("a message must stand whole on a line of its own"),
        Braces::Twice => Some("there is more than one message in the line: each needs its own"),
        Braces::Closed => None,
    }
}

/// True if the name of an object's first field is not quoted.
fn begins_with_bare_name(line: &[u8]) -> bool {
    let inside = line[1..].trim_ascii_start();
    let name = inside.iter().take_while(|byte| byte.is_ascii_alphabetic());
    let length = name.count();
    length > 0 && inside[length..].trim_ascii_start().starts_with(b":")
}

/// The words outside the strings of a line of JSON, and whether there is a single quote outside them.
fn words(line: &[u8]) -> (Vec<String>, bool) {
    let (mut words, mut quoted) = (vec![String::new()], false);
    for byte in outside_strings(line) {
        quoted |= byte == b'\'';
        match words.last_mut() {
            Some(word) if byte.is_ascii_alphabetic() => word.push(char::from(byte)),
            _ => words.push(String::new()),
        }
    }
    (words, quoted)
}

/// The balance of braces in a line.
enum Braces {
    /// Some are not closed.
    Open,
    /// All are closed.
    Closed,
    /// Another one is opened after all were closed.
    Twice,
}

fn braces(line: &[u8]) -> Braces {
    let (mut depth, mut closed) = (0usize, false);
    for byte in outside_strings(line) {
        match byte {
            b'{' if closed => return Braces::Twice,
            b'{' => depth += 1,
            b'}' => {
                depth = depth.saturating_sub(1);
                closed = depth == 0;
            }
            _ => {}
        }
    }
    if depth == 0 {
        Braces::Closed
    } else {
        Braces::Open
    }
}

/// The bytes of a line that are outside of JSON strings.
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
    fn hint_has(line: &[u8], part: &str) {
        let error = FromBot::from_line(line).unwrap_err().to_string();
        assert!(error.contains(part), "`{part}` in `{error}`");
    }

    #[test]
    fn the_usual_causes_are_named() {
        let python = "print json.dumps";
        hint_has(b"{'type': 'ready'}", python);
        hint_has(br#"{"type": "move", "move": None}"#, python);
        hint_has(br#"{"type": "info", "sure": True}"#, python);
        let javascript = "print JSON.stringify";
        hint_has(b"{ type: 'ready' }", javascript);
        hint_has(b"{type:\"move\",\"move\":\"a1\"}", javascript);
        hint_has(b"[object Object]", javascript);
        hint_has(br#"b'{"type": "ready"}'"#, "Python prints bytes");
        hint_has(br#""{\"type\":\"ready\"}""#, "only once");
        hint_has(b"I am thinking", "belongs on stderr");
        hint_has(b"{thinking", "whole on a line of its own");
        hint_has(b"17", "belongs on stderr");
        hint_has(b"[1,2]", "belongs on stderr");
        hint_has(b"\r", "nothing but messages");
        hint_has(b"{", "whole on a line of its own");
        hint_has(br#"{"type":"move","#, "whole on a line of its own");
        hint_has(
            br#"{"type":"ready"}{"type":"ready"}"#,
            "more than one message",
        );
        hint_has(br#"{"type":"info","value":NaN}"#, "NaN");
        hint_has(b"\xef\xbb\xbf{\"type\":\"ready\"}", "byte order mark");
    }

    #[test]
    fn the_contents_of_strings_give_no_hint() {
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
