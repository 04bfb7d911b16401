//! From a phone to a projector: nothing overflows.

use crate::chromium::Browser;
use crate::served::{all_games, page, watch};

#[test]
fn every_page_fits_360_pixels_and_a_projector() {
    for (width, height) in [(360, 780), (2400, 1350)] {
        let Some(browser) = Browser::open(width, height) else {
            return;
        };
        let server = watch(all_games());
        let matches = (1..=16)
            .step_by(2)
            .map(|number| format!("/match/m-{number:06}/9"));
        for route in ["/".to_owned(), "/matches".to_owned()]
            .into_iter()
            .chain(matches)
        {
            browser.go(&page(&server, &route));
            browser.wait("!document.querySelector('#main > .hint')");
            let ready = if route.starts_with("/match/") {
                ".board .spot"
            } else {
                "tbody tr"
            };
            browser.wait(&format!("document.querySelector('{ready}')"));
            let out = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
            assert_eq!(browser.text(out), "0", "{route} at {width}");
        }
        // The last column of the crosstable, too.
        browser.go(&page(&server, "/"));
        browser.wait("document.querySelector('.cross a')");
        let cut = "[...document.querySelectorAll('.cross td')].some((cell) => \
                   cell.getBoundingClientRect().right > document.documentElement.clientWidth)";
        assert_eq!(browser.text(cut), "false");
        browser.go(&page(&server, "/match/m-000001/9"));
        browser.wait("document.querySelector('.board .spot')");
        // The whole board is in sight, next to what steps through it.
        let fits =
            "document.querySelector('.board.large').getBoundingClientRect().height <= innerHeight";
        assert_eq!(browser.text(fits), "true");
    }
}

/// The size on the screen of the smallest name on a board, which is a drawing of any size.
const SMALLEST: &str = "Math.min(...[...document.querySelectorAll('.board text')] \
    .filter((text) => getComputedStyle(text).display !== 'none') \
    .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))";

#[test]
fn names_on_boards_can_be_read_at_any_size() {
    for (width, height) in [(390, 844), (1280, 800)] {
        let Some(browser) = Browser::open(width, height) else {
            return;
        };
        let server = watch(all_games());
        for number in (1..=16).step_by(2) {
            let route = format!("/match/m-{number:06}/1");
            browser.go(&page(&server, &route));
            browser.wait("document.querySelector('.board .spot')");
            // Boards of variations come a moment later; where there is none, the first one counts.
            browser.wait(&format!("{SMALLEST} >= 9.5"));
        }
    }
}
