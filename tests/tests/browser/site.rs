//! The folder of pages that `report --all` writes, from disk.

use serde_json::json;

use crate::chromium::Browser;
use crate::served::all_games;

#[test]
fn a_folder_of_pages_is_the_pages_of_the_browser() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    let log = all_games().to_str().unwrap();
    let ran = tests::run(["report", log, "--all", "--out", site.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let address = |page: &str| format!("file://{}/{page}", site.display());
    // A match is about 20 kB.
    let data = std::fs::read_dir(site.join("data")).unwrap().flatten();
    let bytes: u64 = data.map(|entry| entry.metadata().unwrap().len()).sum();
    assert!(bytes < 16 * 40_000, "{bytes} bytes");
    for (width, height) in [(1280, 800), (390, 844)] {
        let Some(browser) = Browser::open(width, height) else {
            return;
        };
        let fits = format!("document.documentElement.scrollWidth <= {width}");
        for page in [
            "index.html",
            "statistics.html",
            "bots/first.html",
            "bots/second.html",
            "rules/siam.html",
        ] {
            browser.go("about:blank");
            browser.go(&address(page));
            browser.wait(
                "document.querySelector('#pages a') && !document.querySelector('#main > .plain')",
            );
            browser.wait(&format!("document.querySelector('.sheet') && {fits}"));
        }
        browser.go(&address("bots/second.html"));
        browser.wait("document.querySelector('.report a[href*=decisive]')");
        browser.click(".report a[href*=decisive]");
        browser.wait("document.querySelector('.board.large .piece')");
        browser.click("#pages a[href='#/matches']");
        browser.wait_for_text("1 to 16 of 16 matches");
        browser.click("#pages a[href='#/']");
        browser.wait("document.querySelectorAll('.interval .dot').length >= 2");
        browser.wait(&fits);
        assert_eq!(browser.complaints(), [""; 0]);
        // Without scripts, the text is there.
        browser.devtools(
            "Emulation.setScriptExecutionDisabled",
            &json!({"value": true}),
        );
        browser.go("about:blank");
        browser.go(&address("index.html"));
        browser.devtools(
            "Emulation.setScriptExecutionDisabled",
            &json!({"value": false}),
        );
        browser.wait("document.querySelector('.plain td a')?.innerText === 'first'");
        browser.wait(&fits);
    }
}
