//! The files of the page, which are part of the program.

/// A file of the page.
pub(crate) struct Asset {
    /// What it is asked for as.
    pub(crate) name: &'static str,
    pub(crate) content_type: &'static str,
    pub(crate) text: &'static str,
}

macro_rules! assets {
    ($($name:literal: $type:expr,)*) => {
        [$(Asset {
            name: $name,
            content_type: $type,
            text: include_str!(concat!("../../", $name)),
        },)*]
    };
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

/// The page that all others are part of.
pub(crate) const INDEX: &str = "index.html";

/// All files.
pub(crate) static ASSETS: &[Asset] = &assets![
    "index.html": HTML,
    "api.js": JS,
    "app.js": JS,
    "board.js": JS,
    "clicks.js": JS,
    "controls.js": JS,
    "dom.js": JS,
    "guide.js": JS,
    "live.js": JS,
    "match.js": JS,
    "matches.js": JS,
    "overview.js": JS,
    "palette.js": JS,
    "play.js": JS,
    "plot.js": JS,
    "reports.js": JS,
    "said.js": JS,
    "stored.js": JS,
    "style.css": CSS,
    "values.js": JS,
];

/// The file with this name.
pub(crate) fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What all files may take together.
    const MOST_BYTES: usize = 200 * 1000;

    #[test]
    fn the_page_is_small() {
        let bytes: usize = ASSETS.iter().map(|asset| asset.text.len()).sum();
        assert!(bytes <= MOST_BYTES, "{bytes} bytes");
    }

    #[test]
    fn every_file_of_the_folder_is_part_of_the_program() {
        let folder = env!("CARGO_MANIFEST_DIR");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let served = [".html", ".css", ".js"]
                .iter()
                .any(|end| name.ends_with(end));
            assert_eq!(find(&name).is_some(), served, "{name}");
        }
    }
}
