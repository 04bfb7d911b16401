//! Looking at matches: overview, list, match.

use serde_json::{Value, json};
use tests::model::ModelClient;

use crate::chromium::Browser;
use crate::served::{all_games, page, play, watch};

fn records(folder: &std::path::Path) -> Vec<Value> {
    let log = std::fs::read_to_string(folder.join("games.jsonl")).unwrap();
    let lines = log.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// The board of a match after this many plies, as the rules describe it.
fn view_of(model: &mut ModelClient, record: &Value, plies: usize) -> Value {
    let moves = record["moves"].as_array().unwrap();
    let moves: Vec<&Value> = moves[..plies].iter().map(|ply| &ply["move"]).collect();
    model.ok(json!({"op": "new", "game": record["game"], "options": record["options"], "state": record["start"]}));
    let after = model.ok(json!({"op": "play", "moves": moves, "want": ["view"]}));
    after["view"].clone()
}

/// Descriptions of the grid's cells by name, without the additions for the last move.
const CELLS: &str = "Object.fromEntries([...document.querySelectorAll('.board.large .spot')].map((spot) => \
                     [spot.dataset.cell, spot.getAttribute('aria-label').replace(', last move', '')]))";

#[test]
fn all_games_are_drawn_as_their_rules_say() {
    let Some(browser) = Browser::open(1200, 900) else {
        return;
    };
    let folder = all_games();
    let server = watch(folder);
    let mut model = ModelClient::start();
    for record in records(folder).iter().step_by(2) {
        let id = record["match"].as_str().unwrap();
        let plies = record["moves"].as_array().unwrap().len();
        for ply in [0, plies / 2, plies] {
            let view = view_of(&mut model, record, ply);
            browser.go(&page(&server, &format!("/match/{id}/{ply}")));
            browser.wait(&format!("location.hash === '#/match/{id}/{ply}' && document.querySelector('input[type=range]')?.value === '{ply}'"));
            let said = browser.run(&format!("return {CELLS}"));
            check_cells(record, &view, &said);
            let drawn =
                browser.run("return document.querySelectorAll('.board.large .piece').length");
            assert_eq!(
                drawn,
                json!(view["pieces"].as_array().unwrap().len()),
                "{id} at {ply}"
            );
            for note in view["notes"].as_array().unwrap() {
                browser.wait_for_text(note.as_str().unwrap());
            }
        }
    }
    assert_eq!(browser.complaints(), [""; 0]);
}

/// Checks that every cell is there, with a label for its piece.
fn check_cells(record: &Value, view: &Value, said: &Value) {
    let cells = view["cells"].as_array().unwrap();
    assert_eq!(said.as_object().unwrap().len(), cells.len());
    for cell in cells {
        let name = cell["name"].as_str().unwrap();
        let text = said[name].as_str().unwrap();
        let pieces = view["pieces"].as_array().unwrap();
        let piece = pieces.iter().find(|piece| piece["cell"] == cell["name"]);
        let expected = match piece {
            Some(piece) => match piece["seat"].as_u64() {
                Some(seat) => {
                    let role = &record["players"][seat as usize]["role"];
                    format!(
                        "{name}: {} of {}",
                        piece["kind"].as_str().unwrap(),
                        role.as_str().unwrap()
                    )
                }
                None => format!("{name}: {}", piece["kind"].as_str().unwrap()),
            },
            None if cell["ground"] == "gone" => format!("{name}: no ground"),
            None => format!("{name}: empty"),
        };
        assert!(text.starts_with(&expected), "{text:?}, not {expected:?}");
    }
}

#[test]
fn the_overview_leads_to_the_matches_of_two_bots_and_to_one_of_them() {
    let Some(browser) = Browser::open(1200, 900) else {
        return;
    };
    let server = watch(all_games());
    browser.go(&page(&server, "/"));
    browser.wait_for_text("All <b>eight</b>");
    browser.wait("document.querySelectorAll('.interval .dot').length >= 2");
    browser.wait_for_text("Against each other");
    browser.click(".cross a");
    browser.wait("location.hash.includes('with=')");
    browser.wait("document.querySelector('[name=game]')");
    browser.wait_for_text("1 to 16 of 16 matches");
    browser.run("document.querySelector('[name=game]').value = 'siam'; document.querySelector('[name=game]').dispatchEvent(new Event('change'))");
    browser.wait_for_text("1 to 2 of 2 matches");
    browser.click("[data-key='sort plies']");
    browser.wait("document.querySelector('th[aria-sort=ascending]')?.innerText.includes('moves')");
    browser.click("tbody a");
    browser.wait("location.hash.startsWith('#/match/') && document.querySelector('.board .spot')");
    assert_eq!(browser.complaints(), [""; 0]);
}

/// A log that is not read to its end yet, until `window.isRead`.
const READING: &str = r"
    window.isRead = false;
    const fetched = window.fetch;
    const reading = async (answer) => ({ ...await answer.json(), state: 'reading', played: 0, standings: [], crosstable: [], games: [] });
    window.fetch = async (...asked) => {
        const answer = await fetched(...asked);
        if (window.isRead) return answer;
        const path = new URL(asked[0], location.href).pathname;
        if (path === '/api/overview') return Response.json(await reading(answer));
        if (path === '/api/matches') return Response.json({ total: 0, matches: [] });
        return Response.json({ error: 'the log is still being read' }, { status: 503 });
    };
    const listen = EventSource.prototype.addEventListener;
    EventSource.prototype.addEventListener = function (name, handle) {
        window.say = window.say ?? [];
        listen.call(this, name, (event) => {
            const deliver = () => handle(event);
            if (window.isRead) deliver();
            else window.say.push(deliver);
        });
    };
";

#[test]
fn while_the_log_is_read_no_page_says_that_nothing_is_there() {
    let Some(browser) = Browser::open(1200, 900) else {
        return;
    };
    let script = json!({"source": READING});
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", &script);
    let server = watch(all_games());
    for (route, then) in [
        ("/", "document.querySelector('.cross a')"),
        (
            "/matches",
            "document.querySelectorAll('tbody tr').length === 16 && document.querySelectorAll('[name=bot] option').length === 3",
        ),
        ("/match/m-000001", "document.querySelector('.board .piece')"),
        ("/bot/first", "document.querySelector('.report table')"),
        ("/statistics", "document.querySelector('.report table')"),
    ] {
        browser.go("about:blank");
        browser.go(&page(&server, route));
        browser.wait("/reading|being read/.test(document.querySelector('#main').innerText)");
        assert_eq!(
            browser.text("document.querySelector('[role=alert]:not([hidden])')"),
            "null",
            "{route}"
        );
        browser.run(
            "window.isRead = true; (window.say ?? []).splice(0).forEach((deliver) => deliver())",
        );
        browser.wait(then);
        browser.wait("!/reading|being read/.test(document.querySelector('#main').innerText)");
    }
}

#[test]
fn a_match_is_stepped_through_played_and_copied() {
    let Some(browser) = Browser::open(1200, 900) else {
        return;
    };
    let server = watch(all_games());
    let position = "document.querySelector('input[type=range]').value";
    browser.go(&page(&server, "/match/m-000001/3"));
    browser.wait(&format!(
        "document.querySelector('.board .spot') && {position} === '3'"
    ));
    browser.click("button[aria-label='One move back']");
    browser.wait(&format!(
        "{position} === '2' && location.hash.endsWith('/2')"
    ));
    browser.click(".moves li:nth-child(2) button");
    browser.wait(&format!("{position} === '1'"));
    browser.wait("document.querySelector('.moves [aria-current]').innerText.includes('1.')");
    // What the bot said with its move, and its variation on a second board.
    browser.wait("document.querySelectorAll('.board').length === 2");
    browser.wait_for_text("Principal variation");
    browser.wait("document.querySelectorAll('.graph .bar-of').length > 3");
    browser.click("button[title='To the start']");
    browser.wait(&format!("{position} === '0'"));
    browser.click("button[title='Play by itself']");
    browser.wait(&format!("Number({position}) >= 2"));
    browser.click("button[title='Stop']");
    for what in ["Link", "Position", "Command", "Request"] {
        browser.run("document.querySelector('#announcer').textContent = ''");
        browser.click(&format!("[data-key='copy {what}']"));
        browser.wait("document.querySelector('#announcer').textContent === 'Copied.'");
    }
    browser.go(&page(&server, "/match/m-999999"));
    browser.wait("document.querySelector('[role=alert]')");
}

#[test]
fn a_match_with_hidden_cards_is_seen_as_a_whole_or_as_one_seat_sees_it() {
    let Some(browser) = Browser::open(1200, 900) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let program = tests::root().join("games/examples/kuhn_poker.py");
    let program = program.canonicalize().unwrap();
    let mut config = format!(
        "name = \"cards\"\nseed = 1\ngames = [\"kuhn-poker\"]\n[time]\nper_move = \"60s\"\n\
         [[rules]]\ncommand = \"python3 {}\"\n",
        program.display()
    );
    for name in ["a", "b"] {
        config +=
            &format!("[[bots]]\nname = \"{name}\"\ncommand = [\"referee\", \"bot\", \"random\"]\n");
    }
    let server = watch(&play(folder.path(), &config));
    let notes = "(document.querySelector('.notes')?.innerText ?? '')";
    browser.go(&page(&server, "/match/m-000001/2"));
    browser.wait("document.querySelector('.notes li')");
    browser.wait(&format!("/cards: [JQK]{{2}}/.test({notes})"));
    browser.run("const seen = document.querySelector('.beside select'); seen.value = 'first'; seen.dispatchEvent(new Event('change'))");
    browser.wait("location.hash.endsWith('?as=first')");
    browser.wait(&format!("/card: [JQK]\\b/.test({notes})"));
    assert_eq!(
        browser.text(&format!("{notes}.includes('cards:')")),
        "false"
    );
}

#[test]
fn a_match_goes_on_while_a_button_is_held_and_at_the_pace_at_which_it_was_played() {
    let Some(browser) = Browser::open(1200, 900) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut record = records(all_games()).swap_remove(0);
    let moves = record["moves"].as_array_mut().unwrap();
    moves[0]["ms"] = json!(0.1);
    // Far longer than any test has to wait.
    moves[1]["ms"] = json!(1e9);
    let log = folder.path().join("one.jsonl");
    std::fs::write(&log, format!("{record}\n")).unwrap();
    let server = watch(&log);
    let id = record["match"].as_str().unwrap();
    browser.go(&page(&server, &format!("/match/{id}/0")));
    let position = "Number(document.querySelector('input[type=range]')?.value)";
    browser.wait(&format!("{position} === 0"));

    browser.run(
        "const speed = document.querySelector('select[aria-label=Speed]'); \
         speed.value = 'real'; speed.dispatchEvent(new Event('change'));",
    );
    browser.click("[aria-label='Play by itself']");
    browser.wait(&format!("{position} === 1"));
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert_eq!(browser.text(position), "1");
    browser.click("[aria-label=Stop]");

    // Held for as long as it takes, and not a move longer.
    let next = "document.querySelector('[aria-label=\"One move on\"]')";
    let pointer = |what: &str| {
        let event = format!("new PointerEvent('{what}', {{ bubbles: true }})");
        browser.run(&format!("{next}.dispatchEvent({event})"));
    };
    pointer("pointerdown");
    browser.wait(&format!("{position} >= 5"));
    pointer("pointerup");
    browser.run(&format!("{next}.click()"));
    let after = browser.text(position);
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert_eq!(browser.text(position), after);
}
