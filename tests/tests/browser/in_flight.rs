//! The page of a match in flight.

use crate::chromium::Browser;
use crate::served::{Running, page, watch};

const SLOW_GAME: &str = r#"games = ["amazons"]"#;

#[test]
fn a_match_in_flight_has_the_page_of_a_match_which_grows() {
    let Some(browser) = Browser::open(390, 844) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let _running = Running::start(folder.path(), SLOW_GAME, 1);
    let server = watch(&folder.path().join("out"));
    browser.go(&page(&server, "/"));
    browser.wait("document.querySelector('.live .board.small .piece')");
    browser.click(".live a");
    browser.wait(
        "location.hash.startsWith('#/live/') && document.querySelector('.board.large .spot')",
    );
    // The heading says who plays which game, not an id of it.
    browser.wait(
        "/^(first|second) against (first|second)$/.test(document.querySelector('h1').textContent)",
    );
    browser.wait("document.querySelector('.heading').innerText.includes('Game of the Amazons')");
    let moves = "document.querySelectorAll('.moves li').length";
    browser.wait(&format!("{moves} > 3"));
    browser.run(&format!("window.before = {moves}"));
    // On a busy machine the match may be over by now.
    browser.wait(&format!(
        "{moves} > window.before + 2 || document.querySelector('[data-key=replay]')"
    ));
    browser.wait("document.querySelectorAll('.graph .bar-of').length > 3");
    browser.wait(
        "document.querySelector('.seat .clock')?.innerText.includes('used')
            || document.querySelector('[data-key=replay]')",
    );
    // One column.
    let left = |css: &str| format!("document.querySelector('{css}').getBoundingClientRect().left");
    let one = format!("Math.abs({} - {}) < 20", left(".boards"), left(".movelist"));
    assert_eq!(browser.text(&one), "true");
    assert_eq!(
        browser.text("document.documentElement.scrollWidth <= 390"),
        "true"
    );
    // Who looks at an earlier move stays there while the match goes on.
    browser.run("document.querySelector('.moves li:nth-child(2) button').click()");
    browser.run(&format!("window.before = {moves}"));
    let position = "document.querySelector('input[type=range]').value";
    browser.wait(&format!(
        "{moves} > window.before || document.querySelector('[data-key=replay]')"
    ));
    assert_eq!(browser.text(position), "1");
    // When it is over, its result is there, with a button that replays it.
    browser.wait("document.querySelector('button[data-key=replay]')");
    browser.wait("document.querySelector('[aria-label=Result]').innerText.includes('wins')");
    browser.click("button[data-key=replay]");
    browser.wait(&format!("Number({position}) >= 1"));
    assert_eq!(browser.complaints(), [""; 0]);
}
