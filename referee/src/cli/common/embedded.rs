//! Files of the repository that are part of the program: examples, with their bots and rules, and SDKs.
//! `build.rs` collects them.

/// Each file by its path in the repository, sorted.
pub(crate) const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The files below a folder, by their paths in it.
pub(crate) fn below(folder: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let strip = move |&(path, text): &(&'static str, &'static str)| {
        let path = path.strip_prefix(folder)?.strip_prefix('/')?;
        Some((path, text))
    };
    FILES.iter().filter_map(strip)
}
