//! Environment variables in a configuration: `${NAME}`, `${NAME:-default}`, and `$$` for a dollar.

/// Splits a line into words with this splitter. Variables stay whole, even if their defaults
/// contain.
pub(crate) fn split<E>(
    line: &str,
    splitter: impl Fn(&str) -> Result<Vec<String>, E>,
) -> Result<Vec<String>, E> {
    /// Stands for a variable while the line is split: a noncharacter, so no text contains it.
    const MARK: char = '\u{fdd0}';
    let (mut plain, mut variables) = (String::new(), Vec::new());
    let mut rest = line;
    while let Some(at) = rest.find("${") {
        let (before, after) = rest.split_at(at);
        plain.push_str(before);
        let dollars = before.len() - before.trim_end_matches('$').len();
        match after[2..].split_once('}') {
            // An odd number of dollars before it: some `$$` and then a variable.
            Some((inside, more)) if dollars.is_multiple_of(2) && is_variable(inside) => {
                plain.push(MARK);
                variables.push(&after[..inside.len() + 3]);
                rest = more;
            }
            _ => {
                plain.push_str("${");
                rest = &after[2..];
            }
        }
    }
    plain.push_str(rest);
    let mut variables = variables.into_iter();
    let whole = |word: String| {
        let mut text = String::new();
        for c in word.chars() {
            match c {
                MARK => text.push_str(variables.next().unwrap_or_default()),
                c => text.push(c),
            }
        }
        text
    };
    Ok(splitter(&plain)?.into_iter().map(whole).collect())
}

/// Expands variables. A `$` before anything else stays as it is, so that commands can contain
/// scripts.
///
/// # Errors
/// The name of a variable that is not there and has no default.
pub(crate) fn expand(text: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        expanded.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if let Some(more) = after.strip_prefix('$') {
            expanded.push('$');
            rest = more;
            continue;
        }
        let variable = after
            .strip_prefix('{')
            .and_then(|inner| inner.split_once('}'));
        match variable {
            Some((inside, more)) if is_variable(inside) => {
                let (name, default) = match inside.split_once(":-") {
                    Some((name, default)) => (name, Some(default)),
                    None => (inside, None),
                };
                let found = value(name).or_else(|| default.map(str::to_owned));
                expanded.push_str(&found.ok_or_else(|| name.to_owned())?);
                rest = more;
            }
            _ => {
                expanded.push('$');
                rest = after;
            }
        }
    }
    expanded.push_str(rest);
    Ok(expanded)
}

/// The names of all variables in a text, with or without defaults.
pub fn variables_in(text: &str) -> Vec<String> {
    let names = std::cell::RefCell::new(Vec::new());
    let noted = |name: &str| {
        names.borrow_mut().push(name.to_owned());
        Some(String::new())
    };
    // Found as they would be expanded.
    let _ = expand(text, noted);
    names.into_inner()
}

pub(crate) fn is_name(text: &str) -> bool {
    is_variable(text) && !text.contains(":-")
}

/// True for names of variables, with or without a default.
fn is_variable(inside: &str) -> bool {
    let name = inside.split_once(":-").map_or(inside, |(name, _)| name);
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Result<String, String> {
        expand(text, |name| match name {
            "HOME" => Some("/home/me".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        })
    }

    #[test]
    fn variables_are_not_torn() {
        let words = |line: &str| {
            let words = |text: &str| Ok::<_, ()>(text.split(' ').map(str::to_owned).collect());
            split(line, words).expect("words")
        };
        for (line, expected) in [
            ("a ${B:-c d} e", &["a", "${B:-c d}", "e"][..]),
            (
                "${A:-b c}${D} $${E f} ${1 2}",
                &["${A:-b c}${D}", "$${E", "f}", "${1", "2}"],
            ),
            ("$$${A:-b c} ${", &["$$${A:-b c}", "${"]),
        ] {
            assert_eq!(words(line), expected, "{line}");
        }
    }

    #[test]
    fn variables_are_put_in() {
        for (text, expected) in [
            ("${HOME}/bots/${HOME}", "/home/me/bots//home/me"),
            ("${NONE:-a b}${NONE:-}${HOME:-x}", "a b/home/me"),
            ("[${EMPTY}] [${EMPTY:-x}]", "[] []"),
            ("$$ $${HOME} $HOME \"$1\" $", "$ ${HOME} $HOME \"$1\" $"),
            ("${a b} ${1} ${} ${HOME", "${a b} ${1} ${} ${HOME"),
            // Defaults are plain text.
            ("${NONE:-$HOME}", "$HOME"),
            ("", ""),
        ] {
            assert_eq!(expanded(text).as_deref(), Ok(expected), "{text}");
        }
        assert_eq!(expanded("x ${NONE} y"), Err("NONE".to_owned()));
    }
}
