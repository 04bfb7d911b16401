//! Texts that others read, without the places of this machine.

use std::path::Path;

/// A text without the paths of these folders, and of the user's home: what others read says nothing about
/// the machine. Paths in one of the folders are relative to it then.
pub(crate) fn without_places(text: &str, folders: &[&Path]) -> String {
    let mut text = text.to_owned();
    for folder in folders {
        text = without_place(&text, folder, "", ".");
    }
    match std::env::var_os("HOME") {
        Some(home) => without_place(&text, Path::new(&home), "~/", "~"),
        None => text,
    }
}

/// A text without the path of a folder: `inside` is in its place before what is in the folder, `itself`
/// where it is meant itself.
fn without_place(text: &str, folder: &Path, inside: &str, itself: &str) -> String {
    let folder = folder.to_string_lossy();
    if folder.trim_matches('/').is_empty() {
        return text.to_owned();
    }
    let mut parts = text.split(&*folder);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let goes_on = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        match part.strip_prefix('/') {
            Some(part) => shown.extend([inside, part]),
            // Another folder that begins like it.
            None if part.starts_with(goes_on) => shown.extend([&*folder, part]),
            None => shown.extend([itself, part]),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_a_machine_are_not_shown() {
        let shown = |text: &str| without_place(text, Path::new("/home/anna/class"), "", ".");
        assert_eq!(
            shown("in `/home/anna/class/b/c.py`, line 3"),
            "in `b/c.py`, line 3"
        );
        assert_eq!(shown("in `/home/anna/class`"), "in `.`");
        assert_eq!(shown("/home/anna/class-2/x"), "/home/anna/class-2/x");
        assert_eq!(without_place("/a/b", Path::new("/"), "", "."), "/a/b");
    }
}
