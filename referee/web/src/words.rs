//! Sentences about matches, for pages.

use protocol::Record;
use pulldown_cmark::{Event, Options, Parser, html};
use report::points;
use serde_json::Value;

pub(crate) fn has_options(record: &Record) -> bool {
    record
        .options
        .as_object()
        .is_some_and(|options| !options.is_empty())
}

/// The game with its options, and the origin of the start.
pub(crate) fn start_in_words(record: &Record, title: &str) -> String {
    let mut text = title.to_owned();
    if has_options(record) {
        let label = ratings::game_label(&record.game, &record.options);
        if let Some((_, options)) = label.split_once(" (") {
            text.push_str(&format!(" ({options}"));
        }
    }
    text.push_str(&format!(", seed {}", record.seed));
    match record.opening {
        0 => {}
        1 => text.push_str("; the referee made the first move"),
        moves => text.push_str(&format!("; the referee made the first {moves} moves")),
    }
    text
}

/// Winner, scores and reason.
pub(crate) fn result_in_words(record: &Record) -> String {
    let outcome = &record.result.outcome;
    let name = |seat: usize| record.players.get(seat).map_or("?", |player| &*player.name);
    let best = outcome.iter().copied().fold(0.0, f64::max);
    let winners: Vec<&str> = (0..outcome.len())
        .filter(|seat| outcome[*seat] == best)
        .map(name)
        .collect();
    let who = match &winners[..] {
        [winner] if outcome.len() == 1 => format!("{winner} gets {}", points(best)),
        [winner] => format!("{winner} wins"),
        all if all.len() == outcome.len() => "Draw".to_owned(),
        all => format!("{} share the first place", all.join(" and ")),
    };
    let scores: Vec<String> = record.result.scores.iter().map(i64::to_string).collect();
    let moves = match record.moves.len() {
        1 => "1 move".to_owned(),
        moves => format!("{moves} moves"),
    };
    let reason = record.result.reason.replace('_', " ");
    // A dash between numbers must not look like a sign.
    let has_signs = record.result.scores.iter().any(|score| *score < 0);
    let scores = scores.join(if has_signs { " to " } else { "–" });
    format!("{who}, {scores} points, after {moves}: {reason}")
}

/// The principal variation in `info`, if it is valid.
pub(crate) fn variation(info: &Value) -> Option<Vec<String>> {
    let list = info.get("pv")?.as_array()?.iter();
    list.map(|mv| mv.as_str().map(str::to_owned)).collect()
}

/// Markdown as HTML; embedded HTML becomes text.
pub fn guide(markdown: &str) -> String {
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES);
    let events = events.map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        event => event,
    });
    let mut text = String::new();
    html::push_html(&mut text, events);
    text
}

/// Encodes a name for an address, like `encodeURIComponent`.
pub fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn negative_points_are_no_dashes() {
        let record = |scores: [i64; 2]| -> Record {
            let player = |name: &str| json!({"name": name, "role": name, "command": []});
            let record = json!({
                "format": 1, "match": "m-000001", "game": "hearts", "options": {}, "seed": 7,
                "start": {}, "players": [player("a"), player("b")],
                "time": {"base_ms": 1, "increment_ms": 0, "startup_ms": 1, "margin_ms": 1},
                "limits": {"max_plies": null, "repetition": null}, "opening": 0, "moves": [],
                "result": {"scores": scores, "outcome": [1.0, 0.0], "reason": "no_moves", "faults": []},
                "started": "2026-01-02T03:04:05.678Z", "duration_ms": 1, "referee": ""
            });
            serde_json::from_value(record).unwrap()
        };
        let words = |scores| result_in_words(&record(scores));
        assert_eq!(words([3, 1]), "a wins, 3–1 points, after 0 moves: no moves");
        assert_eq!(
            words([1, -1]),
            "a wins, 1 to -1 points, after 0 moves: no moves"
        );
    }

    #[test]
    fn html_in_guides_is_text() {
        assert_eq!(guide("a <b>c</b>"), "<p>a &lt;b&gt;c&lt;/b&gt;</p>\n");
        assert_eq!(encoded("(x) é"), "(x)%20%C3%A9");
    }
}
