//! People play: by clicks, choices and keys, against bots and against each other.

use tests::web::Server;

use crate::chromium::Browser;

const ENTER: &str = "\u{e007}";

/// Plays by random clicks until the match is over: on cells that are marked as possible, and the
/// buttons below the board. Each click is followed by a pause for the page.
const PLAY_BY_CLICKS: &str = r"
    let seed = 7;
    const below = (limit) => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % limit; };
    window.clicks = 0;
    window.playing = setInterval(() => {
        const open = [...document.querySelectorAll('.spot.is-target, .turn .choices button:not(.quiet)')];
        if (open.length === 0) return;
        open[below(open.length)].click();
        window.clicks += 1;
    }, 5);
";

/// A slow network, which is not in order: answers take a while, and each event comes once more after
/// those that follow it.
const OUT_OF_ORDER: &str = r"
    window.posts = 0;
    const fetched = window.fetch;
    window.fetch = async (...asked) => {
        if (asked[1]?.method === 'POST') window.posts += 1;
        const answer = await fetched(...asked);
        await new Promise((done) => setTimeout(done, 40));
        return answer;
    };
    const listen = EventSource.prototype.addEventListener;
    EventSource.prototype.addEventListener = function (name, handle) {
        const seen = [];
        listen.call(this, name, (event) => {
            handle(event);
            for (const data of seen.slice(-3)) setTimeout(() => handle({ data }), 15);
            seen.push(event.data);
        });
    };
";

/// Another window of the same person was faster: the first move is refused. The new position comes
/// a while later.
const REFUSED: &str = r"
    window.refused = 0;
    let isFirst = true;
    const fetched = window.fetch;
    window.fetch = async (...asked) => {
        const isMove = asked[1]?.method === 'POST';
        if (isMove && isFirst) await fetched(...asked);
        isFirst = isFirst && !isMove;
        const answer = await fetched(...asked);
        if (isMove && !answer.ok) window.refused += 1;
        if (!isMove) await new Promise((done) => setTimeout(done, 300));
        return answer;
    };
    const listen = EventSource.prototype.addEventListener;
    EventSource.prototype.addEventListener = function (name, handle) {
        listen.call(this, name, (event) => setTimeout(() => handle(event), 400));
    };
";

/// Clicks on cells that are marked as possible, and where none is, again on the three of the last move.
const CLICK_AGAIN: &str = r"
    const last = [];
    window.playing = setInterval(() => {
        const open = document.querySelector('.spot.is-target');
        if (!open) {
            for (const cell of last.slice(-3)) document.querySelector(`[data-cell=${cell}]`).click();
            return;
        }
        last.push(open.dataset.cell);
        open.click();
    }, 5);
";

/// The page's line about the turn.
const STATUS: &str = "document.querySelector('.status').innerText";

/// Plays a game to its end against random bots, by clicks.
fn play(game: &str, options: &str, others: usize) {
    play_with(&["play", game, "--options", options], others);
}

/// The same with other arguments.
fn play_with(arguments: &[&str], others: usize) {
    let Some(browser) = Browser::open(1200, 900) else {
        return;
    };
    let mut arguments = [arguments, &["--human", "0", "--web"]].concat();
    for _ in 0..others {
        arguments.extend(["--bot", "random"]);
    }
    let server = Server::start(arguments, 1);
    browser.go(&server.links[0]);
    browser.wait(&format!(
        "document.querySelector('.status') && {STATUS}.startsWith('Your move')"
    ));
    browser.run(PLAY_BY_CLICKS);
    browser.wait(&format!("{STATUS}.startsWith('The game is over')"));
    browser.run("clearInterval(window.playing)");
    assert_eq!(browser.text("window.clicks > 0"), "true");
    browser.wait("document.querySelector('[data-key=\"/api/play/rematch\"]')");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn amazons_is_played_to_the_end_by_clicks() {
    play("amazons", r#"{"size":5}"#, 1);
}

#[test]
fn amazon_penguins_is_played_to_the_end_by_clicks() {
    play("amazon-penguins", "{}", 1);
}

#[test]
fn elephant_run_is_played_to_the_end_by_clicks() {
    play("elephant-run", "{}", 1);
}

#[test]
fn giantslayer_is_played_to_the_end_by_clicks() {
    play("giantslayer", "{}", 1);
}

#[test]
fn paper_penguins_is_played_to_the_end_by_clicks() {
    play("paper-penguins", r#"{"size":5}"#, 1);
}

#[test]
fn penguins_with_three_seats_is_played_to_the_end_by_clicks() {
    play("penguins", r#"{"players":3}"#, 2);
}

#[test]
fn run_is_played_to_the_end_by_clicks() {
    play("run", "{}", 1);
}

#[test]
fn siam_is_played_to_the_end_by_clicks() {
    // Random animals can go round in circles for a long time.
    play_with(&["play", "siam", "--max-plies", "200"], 1);
}

#[test]
fn rules_that_are_not_compiled_in_are_played_by_clicks() {
    let program = |name: &str| {
        format!(
            "python3 {}/games/examples/{name}.py",
            tests::root().display()
        )
    };
    let four = program("connect_four");
    play_with(&["play", "connect-four", "--rules", &four], 1);
    // Without a board, with hidden cards and both players at once.
    let goofspiel = program("goofspiel");
    play_with(&["play", "goofspiel", "--rules", &goofspiel], 1);
}

#[test]
fn sheets_are_played_on_the_board_and_have_their_rules() {
    let Some(browser) = Browser::open(1280, 800) else {
        return;
    };
    let sheet = format!("{}/games/sheets/tic-tac-toe.kif", tests::root().display());
    let bot = "referee bot mcts --playouts 50";
    let arguments = [
        "play",
        "tic-tac-toe",
        "--rules",
        &sheet,
        "--human",
        "0",
        "--bot",
        bot,
        "--web",
    ];
    let server = Server::start(arguments, 1);
    browser.go(&server.links[0]);
    browser.wait("document.querySelectorAll('.spot.is-target').length === 9");
    browser.click(".spot[data-cell='2,2']");
    browser.wait("document.querySelector('.moves li')?.innerText.includes('(mark 2 2)')");
    browser.wait("document.querySelectorAll('.moves li').length === 2");
    // What the bot thought is there for who unfolds it.
    browser.wait("document.querySelector('.moves .thought summary')");
    browser.wait("document.querySelector('.moves .thought').open === false");
    browser.wait("document.querySelector('[data-clock]').innerText.includes('used')");
    browser.wait("document.querySelector('.guide h2')?.textContent === 'Seats'");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn what_can_be_clicked_hides_no_fish() {
    let Some(browser) = Browser::open(390, 844) else {
        return;
    };
    let arguments = [
        "play", "penguins", "--human", "0", "--bot", "random", "--web",
    ];
    let server = Server::start(arguments, 1);
    browser.go(&server.links[0]);
    browser.wait("document.querySelectorAll('.spot.is-target').length > 3");
    assert_eq!(
        browser.text("document.querySelectorAll('.target-dot').length"),
        "0"
    );
    assert_eq!(
        browser.text("document.querySelectorAll('.mark.target').length > 3"),
        "true"
    );
    // Nothing is left free for what is not there: the card ends where its last line does.
    let blank = "(() => { const card = document.querySelector('[aria-label=\"Your move\"]'); \
                 const last = card.lastElementChild.firstElementChild.getBoundingClientRect(); \
                 return card.getBoundingClientRect().bottom - last.bottom; })()";
    assert_eq!(browser.text(&format!("{blank} < 30")), "true");
    // A button has an edge.
    let edge = "getComputedStyle(document.querySelector('[data-key=resign]')).borderTopColor";
    assert_ne!(browser.text(edge), "rgba(0, 0, 0, 0)");
    assert_eq!(
        browser.text("document.documentElement.scrollWidth <= 390"),
        "true"
    );
}

#[test]
fn what_comes_late_is_not_clicked_on() {
    let Some(browser) = Browser::open(1200, 900) else {
        return;
    };
    let script = serde_json::json!({"source": OUT_OF_ORDER});
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", &script);
    let arguments = [
        "play",
        "amazons",
        "--options",
        "{\"size\":5}",
        "--human",
        "0",
        "--bot",
        "random",
        "--web",
    ];
    let server = Server::start(arguments, 1);
    browser.go(&server.links[0]);
    browser.wait("document.querySelector('.spot.is-target')");
    browser.run(PLAY_BY_CLICKS);
    browser.wait(&format!("{STATUS}.startsWith('The game is over')"));
    browser.run("clearInterval(window.playing)");
    browser.wait("document.querySelector('[data-key=\"/api/play/rematch\"]')");
    // A request for each move of the person, and none that was refused.
    let own = "document.querySelectorAll('.moves li:nth-child(odd)').length";
    assert_eq!(browser.text("window.posts"), browser.text(own));
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn after_a_refusal_nothing_is_clicked_for_the_position_that_is_gone() {
    let Some(browser) = Browser::open(1200, 900) else {
        return;
    };
    let script = serde_json::json!({"source": REFUSED});
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", &script);
    let amazons = ["play", "amazons", "--options", r#"{"size":5}"#];
    let people = ["--human", "0", "--bot", "random", "--web"];
    let server = Server::start(amazons.into_iter().chain(people), 1);
    browser.go(&server.links[0]);
    browser.wait("document.querySelector('.spot.is-target')");
    browser.run(CLICK_AGAIN);
    browser.wait(&format!("{STATUS}.startsWith('The game is over')"));
    browser.run("clearInterval(window.playing)");
    assert_eq!(browser.text("window.refused"), "1");
}

#[test]
fn who_wants_another_match_at_the_same_time_gets_the_same_one() {
    let (Some(first), Some(second)) = (Browser::open(1200, 900), Browser::open(1200, 900)) else {
        return;
    };
    let amazons = ["play", "amazons", "--options", r#"{"size":5}"#];
    let people = ["--human", "0", "--human", "1", "--web"];
    let server = Server::start(amazons.into_iter().chain(people), 2);
    first.go(&server.links[0]);
    second.go(&server.links[1]);
    second.wait("document.querySelector('.status')");
    // Whose turn it is not cannot resign, and sends nothing.
    second.wait("document.querySelector('[data-key=resign][aria-disabled]')");
    second.run("document.querySelector('[data-key=resign]').click()");
    assert_eq!(
        second.text("document.querySelector('dialog[open]')"),
        "null"
    );
    first.wait("document.querySelector('.spot.is-target')");
    first.click("[data-key=resign]");
    first.click("dialog button[value=yes]");
    let again = "[data-key=\"/api/play/rematch\"]";
    for browser in [&first, &second] {
        browser.wait(&format!("document.querySelector('{again}')"));
    }
    // The second one has not received it yet.
    second.run(&format!("window.again = document.querySelector('{again}')"));
    first.click(again);
    first.wait(&format!("{STATUS}.startsWith('Your move')"));
    second.run("window.again.click()");
    second.wait(&format!("{STATUS}.startsWith('Waiting for light')"));
    first.wait(&format!("{STATUS}.startsWith('Your move')"));
    for browser in [first, second] {
        assert_eq!(browser.complaints(), [""; 0]);
    }
}

#[test]
fn a_person_takes_back_resigns_and_plays_again_by_keyboard_alone() {
    let Some(browser) = Browser::open(360, 780) else {
        return;
    };
    let arguments = ["play", "siam", "--human", "0", "--bot", "random", "--web"];
    let server = Server::start(arguments, 1);
    browser.go(&server.links[0]);
    browser.wait("document.querySelector('.spot.is-target')");
    let focus = |css: &str| {
        browser.wait(&format!("document.querySelector('{css}')"));
        browser.run(&format!("document.querySelector('{css}').focus()"));
    };
    focus(".spot.is-target");
    browser.press(ENTER);
    browser.wait("document.querySelectorAll('.turn .choices button').length >= 3");
    browser.wait("document.querySelector('.spot[aria-selected=true]')");
    focus(".turn .choices button");
    browser.press(ENTER);
    browser.wait("document.querySelectorAll('.moves li').length === 2");
    browser.wait("document.querySelector('#announcer').innerText.includes('Your move')");
    focus("[data-key=\"/api/play/undo\"]");
    browser.press(ENTER);
    browser.wait("document.querySelectorAll('.moves li').length === 0");
    browser.wait("document.querySelector('.spot.is-target')");
    // By its text, too, which is what remains where no cell is named.
    focus("summary");
    browser.press(ENTER);
    focus("input[type=text]");
    browser.press("+a1n");
    browser.press(ENTER);
    browser.wait("document.querySelector('.moves li')?.innerText.includes('+a1n')");
    browser.wait("document.querySelector('.spot.is-target')");
    focus("[data-key=resign]");
    browser.press(ENTER);
    focus("dialog button[value=yes]");
    browser.press(ENTER);
    browser.wait(&format!("{STATUS}.startsWith('The game is over')"));
    focus("[data-key=\"/api/play/rematch\"]");
    browser.press(ENTER);
    browser.wait(&format!("{STATUS}.startsWith('Your move')"));
    assert_eq!(
        browser.text("document.documentElement.scrollWidth <= 360"),
        "true"
    );
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn two_people_have_a_link_each() {
    let (Some(first), Some(second)) = (Browser::open(1200, 900), Browser::open(1200, 900)) else {
        return;
    };
    let arguments = [
        "play",
        "amazons",
        "--options",
        r#"{"size":5}"#,
        "--human",
        "0",
        "--human",
        "1",
        "--web",
    ];
    let server = Server::start(arguments, 2);
    first.go(&server.links[0]);
    second.go(&server.links[1]);
    first.wait(&format!(
        "document.querySelector('.status') && {STATUS} === 'Your move, light.'"
    ));
    second.wait(&format!(
        "document.querySelector('.status') && {STATUS} === 'Waiting for light…'"
    ));
    assert_eq!(
        second.text("document.querySelectorAll('.is-target').length"),
        "0"
    );
    for _ in 0..3 {
        first.click(".spot.is-target");
    }
    second.wait(&format!("{STATUS} === 'Your move, dark.'"));
    second.wait("document.querySelectorAll('.moves li').length === 1");
    first.wait(&format!("{STATUS} === 'Waiting for dark…'"));
}
