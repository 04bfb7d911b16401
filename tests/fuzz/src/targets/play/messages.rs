//! Lines of the protocol, both ways. Valid ones are written and read again.

use games::Rng;
use protocol::{FromBot, SearchInfo, ToBot};
use serde_json::Value;

/// Lines from bots.
const FROM_BOT: [&str; 9] = [
    r#"{"type":"hello","protocol":1,"name":"alpha","version":"1.2","author":"…","games":["siam"],"wants":{"state":true,"legal":false},"colour":"red"}"#,
    r#"{"type":"hello","protocol":1,"name":"x"}"#,
    r#"{"type":"ready","more":1}"#,
    "{\"type\":\"resign\"}\r\n",
    r#"{"type":"move","move":"c2-c3n","ply":12,"info":{"depth":5,"nodes":12345,"value":0.31,"pv":["c2-c3n"],"text":"…"}}"#,
    r#"{"type":"move","move":"d1-d7/g7"}"#,
    r#"{"type":"info","lines":[{"value":0.61,"pv":["d1-d7/g7","a1"],"depth":5,"nodes":77},{"value":1,"pv":[]}],"value":0.61}"#,
    r#"{"type":"info","depth":3,"nested":{"a":[1,2.5,null,true,"\u0000"]}}"#,
    r#"{"move":"a1","type":"move","ply":4294967295}"#,
];

/// Lines from the referee.
const TO_BOT: [&str; 8] = [
    r#"{"type":"hello","protocol":1,"referee":"referee 0.1.0"}"#,
    r#"{"type":"start","match":"m-000017","game":"siam","options":{"opening_ban":false},"seat":0,"role":"elephants","players":[{"name":"alpha","role":"elephants"},{"name":"beta","role":"rhinos"}],"state":{"ply":0},"time":{"per_move_ms":100,"base_ms":9400.5,"increment_ms":1,"startup_ms":10000,"margin_ms":50},"limits":{"max_plies":300,"repetition":3}}"#,
    r#"{"type":"turn","ply":12,"moves":[{"seat":0,"move":"c1-c2n"},{"seat":1,"move":"+e3w"}],"state":{"ply":12},"legal":["c2-c3n"],"clock":{"move_ms":100,"remaining_ms":[9400,null],"increment_ms":0.001}}"#,
    r#"{"type":"turn","ply":0,"moves":[],"clock":{}}"#,
    r#"{"type":"turn","ply":0,"moves":[],"clock":{"move_ms":5000},"lines":3}"#,
    r#"{"type":"error","code":"illegal_move","message":"no"}"#,
    r#"{"type":"end","moves":[],"result":{"scores":[1,0],"outcome":[1.0,0.0],"reason":"forfeit","faults":[{"seat":0,"code":"timeout","ply":12,"message":"late"}]}}"#,
    r#"{"type":"quit"}"#,
];

fn lines(lines: &[&str]) -> Vec<Vec<u8>> {
    lines.iter().map(|line| line.as_bytes().to_vec()).collect()
}

pub(crate) fn from_bot_seeds(_: &mut Rng) -> Vec<Vec<u8>> {
    lines(&FROM_BOT)
}

pub(crate) fn to_bot_seeds(_: &mut Rng) -> Vec<Vec<u8>> {
    lines(&TO_BOT)
}

pub(crate) fn from_bot(input: &[u8]) -> bool {
    match FromBot::from_line(input) {
        Ok(message) => {
            let line = message.to_line();
            assert_one_line(&line);
            assert_eq!(
                FromBot::from_line(line.as_bytes()).ok(),
                Some(message.clone())
            );
            read_search_info(message);
            true
        }
        Err(error) => {
            assert_short(&error.to_string());
            false
        }
    }
}

/// Reads search information: the valid part makes sense.
fn read_search_info(message: FromBot) {
    const ASKED: usize = 3;
    let info = match message {
        FromBot::Info(info) => Value::Object(info.fields),
        FromBot::Move(made) => made.info.unwrap_or_default(),
        _ => return,
    };
    let (read, complaints) = SearchInfo::read(&info, ASKED);
    let values = read.lines.iter().map(|line| line.value);
    let mut values = values.chain([read.value]).flatten();
    assert!(values.all(|value| (0.0..=1.0).contains(&value)) && read.lines.len() <= ASKED);
    complaints
        .iter()
        .for_each(|complaint| assert_short(complaint));
}

pub(crate) fn to_bot(input: &[u8]) -> bool {
    match ToBot::from_line(input) {
        Ok(message) => {
            let line = message.to_line();
            assert_one_line(&line);
            // Times are rounded when they are written, but only once.
            let again = ToBot::from_line(line.as_bytes());
            let again = again.unwrap_or_else(|error| panic!("{error}, written by itself"));
            assert_eq!(again.to_line(), line);
            if let ToBot::Turn(turn) = message {
                bots_can_tell_the_time(&turn);
            }
            true
        }
        Err(error) => {
            assert_short(&error.to_string());
            false
        }
    }
}

fn bots_can_tell_the_time(turn: &protocol::Turn) {
    for seat in 0..4 {
        if let Some(spend) = bots::clock::allot(&turn.clock, seat) {
            let limit = turn.clock.move_ms.unwrap_or(spend.into());
            assert!(spend <= limit.0);
        }
    }
}

fn assert_one_line(line: &str) {
    assert!(line.ends_with('\n') && line.lines().count() == 1, "{line}");
}

/// Errors quote their cause, but not a whole MiB of it.
fn assert_short(message: &str) {
    assert!(
        message.len() < 100_000 && !message.contains('\n'),
        "{message}"
    );
}
