//! Pages that update themselves: while a tournament runs, and when the server comes back.

use crate::chromium::Browser;
use crate::served::{Running, page, watch_at};

/// Short games.
const SMALL: &str = r#"games = [{ id = "amazons", options = { size = 5 } }]"#;

/// Waits until the value of an expression changes.
fn wait_for_change(browser: &Browser, expression: &str) {
    // What is looked at may be missing for a moment, while the page is redrawn.
    browser.wait(&format!("({expression}) != null"));
    let before = serde_json::json!(browser.text(expression));
    browser.wait(&format!(
        "({expression}) != null && String({expression}) !== {before}"
    ));
}

#[test]
fn a_running_tournament_is_seen_running_even_after_the_server_was_restarted() {
    let Some(browser) = Browser::open(1200, 900) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let _running = Running::start(folder.path(), SMALL, 1);
    // Far from the ports that servers of other tests try: one of them could take it in between.
    let server = watch_at(&folder.path().join("out"), "127.0.0.1:18917");
    let host = server.host().to_owned();
    browser.go(&page(&server, "/"));
    browser.wait("document.querySelector('.live .board.small .piece')");
    browser.wait("document.querySelector('.chip.running')");
    let played = "document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow')";
    wait_for_change(&browser, played);
    wait_for_change(&browser, "document.querySelector('.live')?.innerText");

    drop(server);
    browser.wait("document.querySelector('#connection').innerText.includes('Connection lost')");
    let _server = watch_at(&folder.path().join("out"), &host);
    browser.wait("document.querySelector('#connection').innerText === ''");
    wait_for_change(&browser, played);

    browser.click(".live a");
    browser.wait("location.hash.startsWith('#/live/')");
    // Matches are short: by now this one may be over, and the page says where to find it.
    browser.wait("document.querySelector('.board.large .spot') || document.body.innerText.includes('Replay it')");
}
