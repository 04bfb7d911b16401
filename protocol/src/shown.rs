//! Text from outside, made fit for a terminal: it can neither move the cursor, nor set a colour, nor
//! reverse the direction of writing.

/// True if a character controls a terminal instead of being displayed: control characters (including
/// U+0080 to U+009F, which some terminals interpret as escapes), marks that change the direction of
/// writing, and separators of lines and paragraphs.
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Appends a character as JSON escapes it, `\u001b`, so that a JSON string keeps its meaning.
pub fn push_escaped(out: &mut String, c: char) {
    out.push_str(&format!("\\u{:04x}", u32::from(c)));
}

/// A text on one line, in which characters that control a terminal are escaped, as in `\u001b`.
pub fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            push_escaped(&mut shown, c);
        } else {
            shown.push(c);
        }
    }
    shown
}

/// A text of several lines, fit for a terminal: line ends and tabs stay, all else that steers a
/// terminal is escaped, colours included.
pub fn shown_lines(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) && !matches!(c, '\n' | '\t') {
            push_escaped(&mut shown, c);
        } else {
            shown.push(c);
        }
    }
    shown
}

/// At most `most` characters of a text, fit for a terminal, followed by `…` if there are more. White
/// space at the end of the text is ignored.
pub fn excerpt(text: &[u8], most: usize) -> String {
    let text = text.trim_ascii_end();
    // A character has at most four bytes.
    let head = String::from_utf8_lossy(&text[..text.len().min(4 * most + 4)]);
    match head.char_indices().nth(most) {
        Some((end, _)) => shown(&head[..end]) + "…",
        None => shown(&head),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_steers_a_terminal_is_escaped() {
        for (text, expected) in [
            ("plain, é, 漢字, 🐧", "plain, é, 漢字, 🐧"),
            ("\u{1b}[2J", "\\u001b[2J"),
            ("a\u{9b}2Jb", "a\\u009b2Jb"),
            ("\r\n\t\u{7f}\0", "\\u000d\\u000a\\u0009\\u007f\\u0000"),
            ("\u{202e}evil\u{202c}", "\\u202eevil\\u202c"),
            (
                "\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}",
                "\\u2066\\u2069\\u200e\\u200f\\u061c",
            ),
        ] {
            assert_eq!(shown(text), expected);
            assert!(!shown(text).contains(steers));
        }
    }

    #[test]
    fn lines_keep_their_ends_and_lose_their_colours() {
        assert_eq!(shown_lines("\u{1b}[31mé\n\t\r"), "\\u001b[31mé\n\t\\u000d");
    }

    #[test]
    fn excerpts_are_cut_at_characters() {
        assert_eq!(excerpt(b"abc\n", 3), "abc");
        assert_eq!(excerpt(b"abcd", 3), "abc…");
        assert_eq!(excerpt("ééé".as_bytes(), 2), "éé…");
        assert_eq!(excerpt("éé \r\n".as_bytes(), 2), "éé");
        assert_eq!(excerpt(b"\xff\xff\x1b", 9), "\u{fffd}\u{fffd}\\u001b");
        assert_eq!(excerpt(b"", 3), "");
        assert_eq!(excerpt("🐧".repeat(1000).as_bytes(), 2), "🐧🐧…");
    }
}
