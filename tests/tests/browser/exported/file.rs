//! The exported file, from disk: all pages work without loading anything.

use std::path::Path;
use tests::good;

use crate::chromium::Browser;
use crate::served::all_games;

/// Exports matches of the tournament; the address of the file.
fn export(folder: &Path, filter: &[&str]) -> String {
    let log = all_games().to_str().unwrap();
    let arguments = ["export", log, "--format", "html"];
    let ran = good(tests::run(arguments.iter().chain(filter)));
    let file = folder.join("export.html");
    std::fs::write(&file, ran.stdout).unwrap();
    format!("file://{}", file.display())
}

/// Files that the page loaded besides itself.
const LOADED: &str = "performance.getEntriesByType('resource').map((entry) => entry.name).filter((name) => !name.startsWith('data:')).join()";

#[test]
fn a_report_with_its_matches_works_from_disk() {
    let Some(browser) = Browser::open(1200, 900) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    browser.go(&export(folder.path(), &[]));
    browser.wait("document.querySelectorAll('.interval .dot').length >= 2");
    browser.click(".cross a");
    browser.wait_for_text("1 to 16 of 16 matches");
    browser.wait("document.querySelector('[name=game]')");
    browser.run(
        "const game = document.querySelector('[name=game]'); game.value = 'siam'; game.dispatchEvent(new Event('change'))",
    );
    browser.wait_for_text("1 to 2 of 2 matches");
    browser.click("tbody a");
    browser.wait("document.querySelector('.board.large .piece')");
    let position = "document.querySelector('input[type=range]').value";
    browser.click("button[title='To the start']");
    browser.click("button[title='One move on']");
    browser.wait(&format!(
        "{position} === '1' && location.hash.endsWith('/1')"
    ));
    browser.click("#theme");
    browser.wait("document.documentElement.dataset.theme");
    assert_eq!(browser.text(LOADED), "");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_file_of_one_match_opens_with_it_and_fits_a_phone() {
    let Some(browser) = Browser::open(360, 780) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    browser.go(&export(folder.path(), &["--match", "m-000001"]));
    browser.wait("document.querySelector('.board.large .piece')");
    browser.wait("location.hash.startsWith('#/match/m-000001')");
    browser.click(".moves li:nth-child(2) button");
    browser.wait("document.querySelectorAll('.board').length === 2");
    browser.wait("document.documentElement.scrollWidth <= 360");
    assert_eq!(browser.text(LOADED), "");
    assert_eq!(browser.complaints(), [""; 0]);
}
