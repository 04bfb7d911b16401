//! The keyboard alone, and texts for screen readers.

use crate::chromium::Browser;
use crate::served::{all_games, page, watch};

const RIGHT: &str = "\u{e014}";
const LEFT: &str = "\u{e012}";
const UP: &str = "\u{e013}";
const HOME: &str = "\u{e011}";
const END: &str = "\u{e010}";
const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";

/// Presses Tab until the focus is where the expression is true.
fn tab_to(browser: &Browser, expression: &str) {
    for _ in 0..60 {
        if browser.text(&format!("Boolean({expression})")) == "true" {
            return;
        }
        browser.press(TAB);
    }
    panic!("Tab never leads to: {expression}");
}

#[test]
fn a_match_is_found_and_replayed_by_keyboard_alone() {
    let Some(browser) = Browser::open(1200, 900) else {
        return;
    };
    let server = watch(all_games());
    browser.go(&page(&server, "/"));
    browser.wait("document.querySelector('.cross a')");
    tab_to(&browser, "document.activeElement.closest('.cross a')");
    browser.press(ENTER);
    browser.wait("location.hash.includes('with=') && document.querySelector('tbody a')");
    tab_to(&browser, "document.activeElement.matches('tbody a')");
    browser.press(ENTER);
    browser.wait("document.querySelector('.board .spot')");

    let position = "document.querySelector('input[type=range]').value";
    let said = "document.querySelector('#announcer').innerText";
    browser.press(HOME);
    browser.wait(&format!("{position} === '0'"));
    browser.press(RIGHT);
    browser.press(RIGHT);
    browser.wait(&format!(
        "{position} === '2' && {said}.startsWith('Move 2, ')"
    ));
    browser.press(LEFT);
    browser.wait(&format!("{position} === '1'"));
    browser.press(END);
    browser.wait(&format!("{said}.includes('The end')"));
    browser.press("?");
    browser.wait("document.querySelector('dialog').open");
    browser.press(ESCAPE);
    browser.wait("!document.querySelector('dialog').open");
    let first = "document.querySelector('.board.large .cell').getBoundingClientRect().x";
    let before = browser.text(first);
    browser.press("f");
    browser.wait(&format!("String({first}) !== '{before}'"));
    browser.press("f");
    browser.press(HOME);
    browser.press(" ");
    browser.wait(&format!("Number({position}) >= 1"));
    browser.press(" ");

    tab_to(
        &browser,
        "document.activeElement.matches('.board.large .spot')",
    );
    let cell = "document.activeElement.dataset.cell";
    let start = browser.text(cell);
    browser.press(RIGHT);
    browser.wait(&format!("{cell} !== '{start}'"));
    let right = browser.text(cell);
    browser.press(UP);
    browser.press(LEFT);
    assert_ne!(browser.text(cell), right);
    assert_eq!(
        browser.text("document.querySelectorAll('.board.large .spot[tabindex=\"0\"]').length"),
        "1"
    );
}

#[test]
fn boards_are_grids_with_spoken_cells_and_nothing_moves_for_those_who_want_it_still() {
    let Some(browser) = Browser::open(1200, 900) else {
        return;
    };
    let server = watch(all_games());
    let still =
        serde_json::json!({"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]});
    browser.devtools("Emulation.setEmulatedMedia", &still);
    browser.go(&page(&server, "/match/m-000001/0"));
    browser.wait("document.querySelector('.board .spot')");
    let outside = "[...document.querySelectorAll('.board.large [role=gridcell]')].filter((cell) => \
                   !cell.parentElement.matches('[role=row]') || !cell.closest('[role=grid]') || !cell.getAttribute('aria-label')).length";
    assert_eq!(browser.text(outside), "0");
    browser.press(RIGHT);
    browser.wait("document.querySelector('input[type=range]').value === '1'");
    assert_eq!(browser.text("document.getAnimations().length"), "0");
    let nameless = "[...document.querySelectorAll('button, a, input, select')].filter((node) => \
                    !(node.innerText || node.getAttribute('aria-label') || node.closest('label')?.innerText)).length";
    assert_eq!(browser.text(nameless), "0");
    // Light and dark, by the system and by choice.
    let dark = serde_json::json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]});
    browser.devtools("Emulation.setEmulatedMedia", &dark);
    browser.wait("document.documentElement.dataset.theme === 'dark'");
    browser.click("#theme");
    browser.wait("document.documentElement.dataset.theme === 'light'");
}
