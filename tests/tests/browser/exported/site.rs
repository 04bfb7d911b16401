//! The folder of pages that `report --all` writes, from disk.

use std::fs;
use std::path::{Path, PathBuf};
use tests::good;

use serde_json::{Value, json};

use crate::chromium::Browser;
use crate::served::all_games;

/// The bytes of all files below a folder.
fn bytes(folder: &Path) -> usize {
    let files = fs::read_dir(folder).unwrap().flatten();
    let sizes = files.map(|file| match file.file_type().unwrap().is_dir() {
        true => bytes(&file.path()),
        false => file.metadata().unwrap().len() as usize,
    });
    sizes.sum()
}

/// Writes the pages of a log; the folder, and the same in one file.
fn pages_of(log: &Path, folder: &Path) -> (PathBuf, String) {
    let site = folder.join(format!("{}-site", log.file_stem().unwrap().display()));
    let log = log.to_str().unwrap();
    good(tests::run([
        "report",
        log,
        "--all",
        "--out",
        site.to_str().unwrap(),
    ]));
    let file = good(tests::run(["export", log, "--format", "html"]));
    (site, file.stdout)
}

/// A log of the matches of all games, each this many times.
fn copies(folder: &Path, times: usize) -> PathBuf {
    let log = fs::read_to_string(all_games().join("games.jsonl")).unwrap();
    let mut number = 0;
    let mut lines = String::new();
    for _ in 0..times {
        for line in log.lines() {
            number += 1;
            let mut record: Value = serde_json::from_str(line).unwrap();
            record["match"] = json!(format!("m-{number:06}"));
            record.as_object_mut().unwrap().remove("prev");
            lines += &format!("{record}\n");
        }
    }
    let path = folder.join(format!("{times}.jsonl"));
    fs::write(&path, lines).unwrap();
    path
}

/// Size limit of a match with this many moves: 50 moves are 20 kB.
fn most(moves: usize) -> usize {
    5_000 + 300 * moves
}

#[test]
fn a_match_of_50_moves_takes_20_kilobytes_and_many_matches_as_often_that() {
    let folder = tempfile::tempdir().unwrap();
    let (few, few_in_file) = pages_of(&copies(folder.path(), 1), folder.path());
    let mut moves = 0;
    for file in fs::read_dir(few.join("data")).unwrap().flatten() {
        let text = fs::read_to_string(file.path()).unwrap();
        let answer = text
            .strip_prefix("refereeTakes(\"/api/match/")
            .unwrap_or("");
        let Some((id, answer)) = answer.split_once("\",") else {
            continue;
        };
        let shown: Value = serde_json::from_str(answer.trim_end_matches(");\n")).unwrap();
        let played = shown["moves"].as_array().unwrap().len();
        moves += played;
        let (size, most) = (text.len(), most(played));
        assert!(size < most, "{id}: {size} bytes for {played} moves");
    }
    assert!(moves > 200, "there are matches: {moves} moves");
    // Beside the matches, there are the program of the pages and pages about bots and rules, once.
    let (many, many_in_file) = pages_of(&copies(folder.path(), 5), folder.path());
    let more = [
        bytes(&many) - bytes(&few),
        many_in_file.len() - few_in_file.len(),
    ];
    for more in more {
        assert!(
            more < 4 * (16 * most(0) + 300 * moves),
            "{more} bytes for {moves} moves"
        );
    }
    assert!(bytes(&few) < 16 * most(0) + 300 * moves + 300_000);
}

#[test]
fn a_folder_of_pages_is_the_pages_of_the_browser() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    let log = all_games().to_str().unwrap();
    good(tests::run([
        "report",
        log,
        "--all",
        "--out",
        site.to_str().unwrap(),
    ]));
    let address = |page: &str| format!("file://{}/{page}", site.display());
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
        browser.wait("document.querySelector('.plain td a')?.innerText === 'first'");
        browser.wait(&fits);
    }
}
