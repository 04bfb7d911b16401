//! Hints for command lines that cannot be parsed.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use config::schema::{self, Key};

/// Adds a hint if a key of configurations was taken for an option.
pub(crate) fn explained(mut error: Error) -> Error {
    let unknown = error.kind() == ErrorKind::UnknownArgument;
    let argument = error.get(ContextKind::InvalidArg).map(ToString::to_string);
    let has_set = |word: &String| ["tournament", "check"].contains(&&**word);
    if unknown
        && std::env::args().nth(1).as_ref().is_some_and(has_set)
        && let Some(key) = argument.as_deref().and_then(key)
    {
        let hint = format!("`{key}` is a key of the configuration: use `--set {key}=VALUE`");
        let hint = ContextValue::StyledStrs(vec![hint.into()]);
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, hint);
    }
    error
}

/// The key whose name the argument has; of several, the one in the fewest tables.
fn key(argument: &str) -> Option<String> {
    let name = argument.strip_prefix("--")?.replace('-', "_");
    let depth = |key: &Key| key.key.matches('.').count();
    let keys = schema::keys().into_iter();
    let named =
        keys.filter(|key| !key.key.contains("[]") && key.key.rsplit('.').next() == Some(&name));
    named.min_by_key(depth).map(|key| key.key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_by_their_last_part() {
        for (argument, expected) in [
            ("--rounds", Some("rounds")),
            ("--per-move", Some("time.per_move")),
            ("--random-plies", Some("opening.random_plies")),
            ("--rnds", None),
            ("-x", None),
        ] {
            assert_eq!(key(argument).as_deref(), expected, "{argument}");
        }
    }
}
