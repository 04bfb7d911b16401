//! Removes paths of this machine from texts that others read.

use std::path::Path;

/// A text without the paths of these folders, and of the user's home: what others read says nothing about
/// the machine. Paths in one of the folders are relative to it then.
pub fn hide(text: &str, folders: &[&Path]) -> String {
    let mut text = text.to_owned();
    for folder in folders {
        text = hide_folder(&text, folder, "", ".");
    }
    match std::env::var_os("HOME") {
        Some(home) => hide_folder(&text, Path::new(&home), "~/", "~"),
        None => text,
    }
}

/// A text without the path of a folder: `inside` is in its place before what is in the folder, `itself`
/// where it is meant itself.
fn hide_folder(text: &str, folder: &Path, inside: &str, itself: &str) -> String {
    let folder = folder.to_string_lossy();
    if folder.trim_matches('/').is_empty() {
        return text.to_owned();
    }
    let is_named = |c: char| c.is_alphanumeric() || "-_.~".contains(c);
    let mut parts = text.split(&*folder);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // Another folder that ends, or begins, like it.
        let is_other = shown.ends_with(is_named) || part.starts_with(is_named);
        match part.strip_prefix('/') {
            _ if is_other => shown.extend([&*folder, part]),
            Some(part) => shown.extend([inside, part]),
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
        let shown = |text: &str| hide_folder(text, Path::new("/home/anna/class"), "", ".");
        assert_eq!(
            shown("in `/home/anna/class/b/c.py`, line 3"),
            "in `b/c.py`, line 3"
        );
        assert_eq!(shown("in `/home/anna/class`"), "in `.`");
        assert_eq!(shown("/home/anna/class-2/x"), "/home/anna/class-2/x");
        assert_eq!(shown("up/home/anna/class/x"), "up/home/anna/class/x");
        assert_eq!(hide_folder("/a/b", Path::new("/"), "", "."), "/a/b");
    }
}
