//! Environment variables in a configuration: `${NAME}`, `${NAME:-default}`, and `$$` for a dollar.

/// Puts in the values of variables. A `$` before anything else stays as it is, so that scripts
/// can be written in commands.
///
/// # Errors
/// The name of a variable that is not there and has no default.
pub(super) fn expand(text: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, String> {
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

/// Whether it is a name, or a name with a default.
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
