//! The page of a match with results of `analyse`.

use std::fs;
use tests::good;

use crate::chromium::Browser;
use crate::served::{page, play, watch};

const CONFIG: &str = r#"
name = "analysed"
seed = 4
games = [{ id = "amazons", options = { size = 5 } }]
[time]
per_move = "60s"
startup = "60s"
[[bots]]
name = "thinks"
command = "referee bot alphabeta --nodes 200"
[[bots]]
name = "guesses"
command = "referee bot random"
"#;

#[test]
fn an_analysis_is_shown_and_leads_to_the_decisive_move() {
    let Some(browser) = Browser::open(1280, 900) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let out = play(folder.path(), CONFIG);
    let analyses = out.join("analysis");
    fs::create_dir(&analyses).unwrap();
    let copy = analyses.join("first.jsonl");
    let bot = "referee bot alphabeta --nodes 2000";
    good(tests::run([
        "analyse",
        out.to_str().unwrap(),
        "--match",
        "m-000001",
        "--each-ply",
        "--time",
        "60s",
        "--bot",
        bot,
        "--out",
        copy.to_str().unwrap(),
    ]));
    // How bad a move is found to be differs; this one is a blunder.
    let mut line: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&copy).unwrap()).unwrap();
    let loser = usize::from(line["result"]["outcome"][1] == 0.0);
    let moves = line["moves"].as_array_mut().unwrap();
    let blunder = moves
        .iter_mut()
        .find(|played| played["seat"] == loser)
        .unwrap();
    blunder["analysis"][0]["loss"] = serde_json::json!(0.9);
    fs::write(&copy, format!("{line}\n")).unwrap();

    let server = watch(&out);
    let shown = server.json("/api/match/m-000001");
    let decisive = &shown["decisive"];
    assert_eq!(decisive["why"], "analysis");
    let losses = shown["moves"].as_array().unwrap().iter().map(|played| {
        let is_loser = played["seat"] == decisive["seat"];
        played["analysis"][0]["loss"]
            .as_f64()
            .filter(|_| is_loser)
            .unwrap_or(0.0)
    });
    let worst = losses.fold(0.0, f64::max);
    assert_eq!(decisive["loss"].as_f64(), Some(worst));

    // From the bot's page: its matches that it lost, and why.
    let loser = shown["players"][loser]["name"].as_str().unwrap();
    browser.go(&page(&server, &format!("/bot/{loser}")));
    browser.wait_for_text("By game and seat");
    browser.click("a[href*='result=loss']");
    browser.wait("document.querySelector('tbody a.why')");
    browser.click("tbody a.why");
    let ply = decisive["ply"].to_string();
    browser.wait(&format!(
        "document.querySelector('input[type=range]')?.value === '{ply}'"
    ));
    browser.wait("document.querySelector('.moves [aria-current].blunder')");
    browser.wait("document.querySelector('.said').innerText.includes('best line')");
    // What was found out is in view beside the board, not behind a scroll bar.
    let analysed =
        "document.querySelector('.said .analysed:last-of-type').getBoundingClientRect().bottom";
    let bottom = "document.querySelector('.said').getBoundingClientRect().bottom";
    assert_eq!(browser.text(&format!("{analysed} <= {bottom} + 1")), "true");
    browser.wait("document.querySelector('.graph .curve.analysis') && document.querySelector('.graph .dot-of.blunder')");
    browser.wait_for_text(bot);
    // From any other place of the page, with one click.
    browser.press("\u{e011}");
    browser.wait("document.querySelector('input[type=range]').value === '0'");
    browser.click("[data-key=decisive]");
    browser.wait(&format!(
        "document.querySelector('input[type=range]').value === '{ply}'"
    ));
    // The graph is below the board, the moves are beside both, and its numbers lead to moves.
    browser.run("window.scrollTo(0, 0)");
    let rect = |css: &str| format!("document.querySelector('{css}').getBoundingClientRect()");
    let (board, graph, list) = (rect(".board.large"), rect(".values .graph"), rect(".moves"));
    let below = browser.text(&format!(
        "[{graph}.top > {board}.bottom, {graph}.bottom <= innerHeight, {graph}.bottom, innerHeight]"
    ));
    assert!(below.starts_with("true,true,"), "{below}");
    assert_eq!(
        browser.text(&format!(
            "{list}.left > {graph}.right && {list}.bottom <= innerHeight"
        )),
        "true"
    );
    browser.run("window.scrollTo(0, 400)");
    assert_eq!(
        browser.text(&format!("{list}.top >= 0 && {list}.top < innerHeight / 2")),
        "true"
    );
    browser.click(".values .numbers button:nth-child(2)");
    browser.wait("document.querySelector('input[type=range]').value === document.querySelector('.values .numbers button:nth-child(2)').innerText");

    // Without the analysis, what the bots themselves expected.
    fs::remove_file(copy).unwrap();
    let plain = server.json("/api/match/m-000001");
    assert!(plain["moves"][0].get("analysis").is_none());
    assert_eq!(browser.complaints(), [""; 0]);
}
