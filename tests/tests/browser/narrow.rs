//! From a phone to a projector: nothing sticks out.

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
        // The whole board is in sight, next to what steps through it.
        let fits =
            "document.querySelector('.board.large').getBoundingClientRect().height <= innerHeight";
        assert_eq!(browser.text(fits), "true");
    }
}
