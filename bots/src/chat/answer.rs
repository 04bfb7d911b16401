//! The move in what a model wrote, and what is wrong with an answer that has none.

use serde_json::{Deserializer, Value};

/// Longer answers are looked at from their end, in bytes.
const MOST_READ: usize = 1 << 20;

/// What a server said for a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reply {
    /// Empty if the model wrote nothing.
    pub(super) text: String,
    /// The reason that the model gave for not answering.
    pub(super) refusal: Option<String>,
    /// Why it stopped: `stop`, `length`, `content_filter`, …
    pub(super) finish: Option<String>,
    /// The model's name, as the server has it.
    pub(super) model: Option<String>,
    /// The tokens of the request and of the answer, if the server counts them.
    pub(super) tokens_in: Option<u64>,
    pub(super) tokens_out: Option<u64>,
}

/// Why an answer is no legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    /// It has a move, which is not legal.
    Illegal,
    /// It has no JSON object with a move.
    Unparsable,
    /// The server cut it off at its limit of tokens.
    Truncated,
    /// The model refuses, or says nothing.
    Refused,
}

impl Rejection {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Rejection::Illegal => "illegal",
            Rejection::Unparsable => "unparsable",
            Rejection::Truncated => "truncated",
            Rejection::Refused => "refused",
        }
    }
}

/// What an answer comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    /// A legal move, as the game writes it.
    Legal(String),
    Rejected {
        why: Rejection,
        /// The move that it says, if it says one.
        said: Option<String>,
    },
}

/// Judges an answer by the legal moves.
pub(super) fn judge(reply: &Reply, legal: &[String]) -> Judgement {
    let said = said_move(&reply.text);
    if let Some(mv) = said.as_deref().and_then(|said| as_legal(said, legal)) {
        return Judgement::Legal(mv.to_owned());
    }
    let finish = reply.finish.as_deref();
    let has_refusal = reply
        .refusal
        .as_ref()
        .is_some_and(|refusal| !refusal.trim().is_empty());
    let why = if finish == Some("length") {
        Rejection::Truncated
    } else if said.is_some() {
        Rejection::Illegal
    } else if has_refusal || finish == Some("content_filter") || reply.text.trim().is_empty() {
        Rejection::Refused
    } else {
        Rejection::Unparsable
    };
    Judgement::Rejected { why, said }
}

/// The move of the last JSON object that has one; `None` if there is none, or it is no text.
fn said_move(text: &str) -> Option<String> {
    let mut rest = tail(text);
    let mut last = None;
    while let Some(start) = rest.find('{') {
        rest = &rest[start..];
        let mut values = Deserializer::from_str(rest).into_iter::<Value>();
        let found = match values.next() {
            Some(Ok(object)) => object.get("move").cloned(),
            _ => None,
        };
        let end = match found {
            Some(mv) => {
                last = Some(mv);
                values.byte_offset()
            }
            // There may be an object in it.
            None => 1,
        };
        rest = &rest[end..];
    }
    match last {
        Some(Value::String(mv)) => Some(mv),
        _ => None,
    }
}

/// The end of a text that is too long.
fn tail(text: &str) -> &str {
    let mut start = text.len().saturating_sub(MOST_READ);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// The legal move that is meant: the same text, or else the only one that differs in nothing but blanks
/// around it and case.
fn as_legal<'a>(said: &str, legal: &'a [String]) -> Option<&'a str> {
    let exactly = |text: &str| legal.iter().find(|mv| *mv == text);
    if let Some(mv) = exactly(said).or_else(|| exactly(said.trim())) {
        return Some(mv);
    }
    let lower = said.trim().to_lowercase();
    let mut alike = legal.iter().filter(|mv| mv.trim().to_lowercase() == lower);
    match (alike.next(), alike.next()) {
        (Some(mv), None) => Some(mv),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn legal() -> Vec<String> {
        ["a1-a2", "B1-b2", "x", "X", "noop"]
            .map(str::to_owned)
            .to_vec()
    }

    fn judged(text: &str, finish: &str) -> Result<String, (Rejection, Option<String>)> {
        let reply = Reply {
            text: text.to_owned(),
            finish: Some(finish.to_owned()),
            ..Reply::default()
        };
        match judge(&reply, &legal()) {
            Judgement::Legal(mv) => Ok(mv),
            Judgement::Rejected { why, said } => Err((why, said)),
        }
    }

    #[test]
    fn the_last_object_with_a_move_counts() {
        for text in [
            r#"{"move":"a1-a2"}"#,
            r#"I take {"move": "noop"}. No: {"move": "a1-a2", "why": {"deep": []}} "#,
            "```json\n{\"move\":\"a1-a2\"}\n```",
            r#"{"answer": {"move": "a1-a2"}} {"score": 3} } {"#,
            r#"{{"move":"a1-a2"}} {"move": "noop""#,
            r#"{"plan":"{\"move\":\"noop\"}","move":"a1-a2"}"#,
        ] {
            assert_eq!(judged(text, "stop"), Ok("a1-a2".to_owned()), "{text}");
        }
    }

    #[test]
    fn blanks_and_case_are_forgiven_where_that_is_unambiguous() {
        let said = |mv: &str| judged(&serde_json::json!({"move": mv}).to_string(), "stop");
        assert_eq!(said(" A1-A2\n"), Ok("a1-a2".to_owned()));
        assert_eq!(said("b1-B2"), Ok("B1-b2".to_owned()));
        assert_eq!(said("X"), Ok("X".to_owned()));
        assert_eq!(said(" x "), Ok("x".to_owned()));
        let illegal = |mv: &str| Err((Rejection::Illegal, Some(mv.to_owned())));
        assert_eq!(said("a1 -a2"), illegal("a1 -a2"));
        assert_eq!(said("a1-a2."), illegal("a1-a2."));
    }

    #[test]
    fn nothing_is_guessed_from_prose() {
        for text in [
            "I play a1-a2.",
            "a1-a2",
            "\"move\": \"a1-a2\"",
            r#"{"move": "a1-a2""#,
            r#"{"Move": "a1-a2"}"#,
            r#"["a1-a2"]"#,
            r#"{"move": ["a1-a2"]}"#,
            r#"{"move": "a1-a2"} or rather {"move": null}"#,
        ] {
            assert_eq!(
                judged(text, "stop"),
                Err((Rejection::Unparsable, None)),
                "{text}"
            );
        }
        let text = r#"a1-a2 is bad, so {"move": "a1-a9"}"#;
        let said = Some("a1-a9".to_owned());
        assert_eq!(judged(text, "stop"), Err((Rejection::Illegal, said)));
    }

    #[test]
    fn what_is_cut_off_or_empty_is_called_so() {
        assert_eq!(
            judged("I think", "length"),
            Err((Rejection::Truncated, None))
        );
        assert_eq!(judged("", "length"), Err((Rejection::Truncated, None)));
        assert_eq!(judged(" \n", "stop"), Err((Rejection::Refused, None)));
        assert_eq!(
            judged("I", "content_filter"),
            Err((Rejection::Refused, None))
        );
        // It is complete, whatever came after it.
        let complete = r#"{"move":"a1-a2"} because"#;
        assert_eq!(judged(complete, "length"), Ok("a1-a2".to_owned()));
        let refusal = Reply {
            text: "Sorry".to_owned(),
            refusal: Some("No games.".to_owned()),
            ..Reply::default()
        };
        let why = Rejection::Refused;
        assert_eq!(
            judge(&refusal, &legal()),
            Judgement::Rejected { why, said: None }
        );
    }

    #[test]
    fn long_and_deep_texts_are_read_in_time() {
        let deep = "{\"a\":".repeat(200_000) + r#"{"move":"noop"}"#;
        assert_eq!(judged(&deep, "stop"), Ok("noop".to_owned()));
        let many = "{ ".repeat(500_000) + "é".repeat(600_000).as_str();
        assert_eq!(judged(&many, "stop"), Err((Rejection::Unparsable, None)));
    }
}
