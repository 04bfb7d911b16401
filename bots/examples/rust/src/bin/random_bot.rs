//! Plays every game, at random.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io;

use ladder::json::Json;

fn main() {
    for line in io::stdin().lines().map_while(Result::ok) {
        let Some(message) = Json::parse(&line) else {
            continue;
        };
        match message.get("type").and_then(Json::text) {
            Some("hello") => println!(r#"{{"type":"hello","protocol":1,"name":"random-rust"}}"#),
            Some("start") => println!(r#"{{"type":"ready"}}"#),
            Some("turn") => {
                let legal = message.get("legal").map_or(&[][..], Json::items);
                // The standard library's one source of random numbers.
                let random = RandomState::new().build_hasher().finish() as usize;
                let mv = &legal[random % legal.len()];
                println!(r#"{{"type":"move","move":{}}}"#, mv.raw);
            }
            Some("quit") => break,
            _ => {}
        }
    }
}
