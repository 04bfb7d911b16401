//! The secret of deals: read once, and left out of all copies of the configuration.

use deals::Secret;
use toml::Table;
use toml::de::DeTable;

use crate::error::Diagnostic;

const KEY: &str = "secret";

/// Reads the secret of the configuration. Messages never quote it, as people share them.
pub(crate) fn secret(given: Option<&str>) -> Result<Option<Secret>, Diagnostic> {
    let Some(digits) = given else {
        return Ok(None);
    };
    let secret = Secret::parse(digits.trim()).ok_or_else(|| {
        let message = "64 hexadecimal digits are needed, as `openssl rand -hex 32` prints them";
        Diagnostic::value(KEY, message)
    })?;
    Ok(Some(secret))
}

/// Removes the secret from a configuration's values and text.
pub(crate) fn take_out(table: &mut Table, text: &mut String) {
    let Some(secret) = table.remove(KEY) else {
        return;
    };
    let is_same = |text: &String| {
        let read: Result<Table, _> = text.parse();
        read.is_ok_and(|read| read == *table)
    };
    let shorter = without(text).filter(is_same);
    *text = shorter.unwrap_or_else(|| table.to_string());
    // Comments may contain it, too: the user's, and the one about the sources of a merged text.
    let digits = secret.as_str().map(str::trim);
    if let Some(digits) = digits.filter(|digits| Secret::parse(digits).is_some()) {
        let masked = masked(text, digits);
        *text = Some(masked)
            .filter(is_same)
            .unwrap_or_else(|| table.to_string());
    }
}

/// The text with these digits masked, in upper or lower case.
fn masked(text: &str, digits: &str) -> String {
    let mut text = text.to_owned();
    while let Some(at) = text.to_ascii_lowercase().find(&digits.to_ascii_lowercase()) {
        text.replace_range(at..at + digits.len(), "…");
    }
    text
}

/// The text without the key, and without its line if that is empty then.
fn without(text: &str) -> Option<String> {
    let tree = DeTable::parse(text).ok()?;
    let (key, value) = tree.get_ref().get_key_value(KEY)?;
    let (begin, mut end) = (key.span().start, value.span().end);
    let line = text[..begin].rfind('\n').map_or(0, |at| at + 1);
    let rest = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    if !text[line..begin].trim().is_empty() {
        return None;
    }
    if text[end..rest].trim().is_empty() || text[end..rest].trim_start().starts_with('#') {
        end = rest;
    }
    Some([&text[..line], &text[end..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use std::path::Path;

    const DIGITS: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

    fn taken_out(text: &str) -> String {
        let (mut table, mut text) = (text.parse().unwrap(), text.to_owned());
        take_out(&mut table, &mut text);
        assert_eq!(text.parse::<Table>().unwrap(), table);
        assert!(!text.contains(&DIGITS[..8]), "{text}");
        text
    }

    #[test]
    fn no_copy_of_a_configuration_has_its_secret() {
        let line = format!("secret = \"{DIGITS}\"");
        for (text, expected) in [
            (
                format!("# A\nname = \"t\" # b\n{line}\n\n[time]\n"),
                "# A\nname = \"t\" # b\n\n[time]\n",
            ),
            (format!("{line} # mine: {DIGITS}\nseed = 1"), "seed = 1"),
            (format!("seed = 1\n{line}"), "seed = 1\n"),
            (
                format!("\"secret\" = \'\'\'\n{DIGITS}\'\'\'\nseed = 1"),
                "seed = 1",
            ),
            (
                format!("\"s\\u0065cret\" = \"{DIGITS}\"\nseed = 1"),
                "seed = 1",
            ),
        ] {
            assert_eq!(taken_out(&text), expected);
        }
        let remark = format!(
            "# --set secret={}\nseed = 1\n{line}\n",
            DIGITS.to_uppercase()
        );
        assert_eq!(taken_out(&remark), "# --set secret=…\nseed = 1\n");
        assert_eq!(taken_out("seed = 1 # no secret"), "seed = 1 # no secret");
    }

    #[test]
    fn what_is_no_secret_is_refused_and_not_quoted() {
        let bots = "[[bots]]\nname = \"a\"\ncommand = \"referee bot random\"\n\
                    [[bots]]\nname = \"b\"\ncommand = \"referee bot random\"\n";
        let config = |digits: &str| {
            let text = format!("name = \"t\"\nsecret = \"{digits}\"\ngames = [\"run\"]\n{bots}");
            Config::parse(&text, Path::new("/"))
        };
        let known = config(DIGITS).unwrap();
        assert_eq!(known.secret, Secret::parse(DIGITS));
        assert!(
            !known.source.text.contains("secret") && !known.source.table.contains_key("secret")
        );
        let fewer = Config::parse(&known.source.text, Path::new("/")).unwrap();
        assert_eq!(fewer.secret, None);
        let wrong = config(&DIGITS[1..]).err().unwrap().to_string();
        assert!(
            wrong.starts_with("line 2: `secret`: 64 hexadecimal digits are needed"),
            "{wrong}"
        );
        assert!(!wrong.contains("112233"), "{wrong}");
    }
}
