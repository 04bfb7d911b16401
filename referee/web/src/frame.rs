//! The frame of all pages as a file: self-contained, or as one of a folder of pages.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use crate::http::assets::{self, ASSETS};

/// The entry module.
const ENTRY: &str = "app.js";
const STYLE: &str = "style.css";
/// All modules as one script, in a folder of pages.
const SCRIPT: &str = "referee.js";
/// The index of answers in a folder of pages.
pub(crate) const FILES: &str = "data/files.js";

/// Escapes JSON for a script element, so that it can neither end the element nor begin another.
pub(crate) fn within_script(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// The parts of a self-contained page before and after its data.
pub(crate) fn page() -> (String, String) {
    let text = |name: &str| assets::find(name).map_or("", |asset| asset.text);
    let (style, script) = (text(STYLE), script());
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; \
         form-action 'none'",
        hash(&script),
        hash(style)
    );
    let mut page = text(assets::INDEX).to_owned();
    for (tag, put) in [
        (
            "<link rel=\"stylesheet\" href=\"style.css\">",
            format!("<style>{style}</style>"),
        ),
        (
            "<script type=\"module\" src=\"app.js\"></script>",
            String::new(),
        ),
        (
            "<meta charset=\"utf-8\">",
            format!(
                "<meta charset=\"utf-8\">\n\
                 <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">"
            ),
        ),
    ] {
        page = page.replacen(tag, &put, 1);
    }
    let (head, tail) = page.split_once("</body>").unwrap_or((&page, ""));
    (
        format!("{head}<script type=\"application/json\" id=\"data\">"),
        format!("}}</script>\n<script type=\"module\">{script}</script>\n</body>{tail}"),
    )
}

/// A page of a folder of pages, which works from disk as well as from a server. It opens at `route`;
/// until then, and without scripts, it shows `body`. `root` is the relative path to the folder.
pub(crate) fn page_of_folder(title: &str, root: &str, route: &str, body: &str) -> String {
    let text = assets::find(assets::INDEX).map_or("", |asset| asset.text);
    // A page from disk has no origin, so the policy allows its files by scheme.
    let policy = "default-src 'none'; script-src 'self' file:; style-src 'self' file: 'unsafe-inline'; \
                  img-src data:; base-uri 'none'; form-action 'none'";
    let html = format!(
        "<html lang=\"en\" data-root=\"{}\" data-route=\"{}\">",
        escape(root),
        escape(route)
    );
    let begin = "<main id=\"main\" tabindex=\"-1\">";
    let mut page = text.to_owned();
    for (tag, put) in [
        ("<html lang=\"en\">", html),
        (
            "<title>referee</title>",
            format!("<title>{}</title>", escape(title)),
        ),
        (
            "<meta charset=\"utf-8\">",
            format!(
                "<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">"
            ),
        ),
        (
            "<link rel=\"stylesheet\" href=\"style.css\">",
            format!("<link rel=\"stylesheet\" href=\"{root}{STYLE}\">"),
        ),
        (
            "<script type=\"module\" src=\"app.js\"></script>",
            format!(
                "<script defer src=\"{root}{FILES}\"></script>\n<script defer src=\"{root}{SCRIPT}\"></script>"
            ),
        ),
        (
            "<noscript><p class=\"problem\">This page needs JavaScript.</p></noscript>\n",
            String::new(),
        ),
        (
            "<main id=\"main\" tabindex=\"-1\"><p class=\"hint\">Loading…</p></main>",
            format!("{begin}\n<div class=\"plain\">\n{body}</div>\n</main>"),
        ),
    ] {
        page = page.replacen(tag, &put, 1);
    }
    page
}

/// The script and the style sheet of a folder of pages.
pub(crate) fn files_of_folder() -> [(&'static str, String); 2] {
    let style = assets::find(STYLE).map_or("", |asset| asset.text);
    [
        (STYLE, style.to_owned()),
        (
            SCRIPT,
            format!("'use strict';\n(() => {{\n{}}})();\n", script()),
        ),
    ]
}

/// Escapes text for a page or an attribute.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// The hash of an inline script or style, as in content security policies.
fn hash(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let at = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            let is_there = digit <= three.len();
            let value = (bits >> (18 - 6 * digit)) as usize % 64;
            text.push(if is_there {
                char::from(DIGITS[value])
            } else {
                '='
            });
        }
    }
    text
}

/// All modules as one script, each after its imports, without imports and exports.
fn script() -> String {
    let mut done = BTreeSet::new();
    let mut script = String::new();
    add_module(ENTRY, &mut done, &mut script);
    script
}

fn add_module(name: &str, done: &mut BTreeSet<String>, script: &mut String) {
    let Some(asset) = ASSETS.iter().find(|asset| file_name(asset.name) == name) else {
        return;
    };
    if !done.insert(name.to_owned()) {
        return;
    }
    let mut own = String::new();
    for line in asset.text.lines() {
        match imported(line) {
            Some(module) => add_module(module, done, script),
            None => {
                own.push_str(line.strip_prefix("export ").unwrap_or(line));
                own.push('\n');
            }
        }
    }
    script.push_str(&own);
}

/// The file name of the module that a line imports, or `None` if it is no import. No two modules of the
/// pages have the same file name.
fn imported(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("import ")?;
    let (_, path) = rest.rsplit_once(" from '")?;
    Some(file_name(path.strip_suffix("';")?))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_become_one_script() {
        let script = script();
        assert!(script.contains("\nfunction route() {"));
        let mut names = BTreeSet::new();
        for line in script.lines() {
            assert!(
                !line.starts_with("import ") && !line.starts_with("export "),
                "{line}"
            );
            assert!(!line.contains("</script"), "{line}");
            let line = line.strip_prefix("async ").unwrap_or(line);
            let declared = ["function ", "class ", "const ", "let "];
            let rest = declared.iter().find_map(|word| line.strip_prefix(word));
            let Some(rest) = rest else { continue };
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
            let name = &rest[..end.unwrap_or(rest.len())];
            assert!(names.insert(name.to_owned()), "two modules have `{name}`");
        }
        assert!(names.contains("Board") && names.contains("TOKEN"));
    }

    #[test]
    fn the_page_holds_all_that_it_needs() {
        let (head, tail) = page();
        assert!(head.contains("script-src 'sha256-") && head.contains("<style>"));
        assert!(!head.contains("src=\"") && !head.contains("href=\"style.css\""));
        assert!(head.ends_with("id=\"data\">") && tail.trim_end().ends_with("</html>"));
        assert_eq!(base64(b"ab"), "YWI=");
        assert_eq!(base64(b"abc"), "YWJj");
        assert_eq!(base64(b"a"), "YQ==");
    }

    #[test]
    fn nothing_in_the_data_ends_it() {
        let text = within_script("\"</script><!--\u{2028}\"");
        assert_eq!(text, "\"\\u003c/script>\\u003c!--\\u2028\"");
    }
}
