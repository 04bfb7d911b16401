//! The files of the pages, compiled into the program.

pub(crate) struct Asset {
    /// Its path in `pages/`, which is also its address.
    pub(crate) name: &'static str,
    pub(crate) content_type: &'static str,
    pub(crate) text: &'static str,
}

macro_rules! assets {
    ($($name:literal: $type:expr,)*) => {
        [$(Asset {
            name: $name,
            content_type: $type,
            text: include_str!(concat!("../../pages/", $name)),
        },)*]
    };
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

/// The frame of all pages.
pub(crate) const INDEX: &str = "index.html";

pub(crate) static ASSETS: &[Asset] = &assets![
    "index.html": HTML,
    "api.js": JS,
    "app.js": JS,
    "board/board.js": JS,
    "board/clicks.js": JS,
    "board/palette.js": JS,
    "dom.js": JS,
    "guide.js": JS,
    "match/controls.js": JS,
    "match/graphs.js": JS,
    "match/match.js": JS,
    "match/move_facts.js": JS,
    "match/positions.js": JS,
    "matches.js": JS,
    "overview/live.js": JS,
    "overview/overview.js": JS,
    "overview/plot.js": JS,
    "play.js": JS,
    "reports.js": JS,
    "style.css": CSS,
];

pub(crate) fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const MOST_BYTES: usize = 200 * 1000;

    #[test]
    fn the_page_is_small() {
        let bytes: usize = ASSETS.iter().map(|asset| asset.text.len()).sum();
        assert!(bytes <= MOST_BYTES, "{bytes} bytes");
    }

    #[test]
    fn every_file_of_the_folder_is_part_of_the_program() {
        let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("pages");
        let mut folders = vec![pages.clone()];
        let mut served = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.strip_prefix(&pages).unwrap().to_str().unwrap();
                let is_served = !name.ends_with(".d.ts");
                assert_eq!(find(name).is_some(), is_served, "{name}");
                served += usize::from(is_served);
            }
        }
        assert_eq!(served, ASSETS.len());
    }
}
