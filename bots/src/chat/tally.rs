//! What a turn took, for the `info` of its move.

use std::time::Duration;

use serde_json::{Value, json};

use super::answer::{Rejection, Reply};

/// The most of the model's words in `info`, in bytes.
const MOST_TEXT: usize = 12 << 10;

/// The counts of a turn.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// `None` as long as the server has counted none.
    tokens_in: Option<u64>,
    tokens_out: Option<u64>,
    /// The requests, those that failed included.
    pub(super) calls: u64,
    illegal: u64,
    unparsable: u64,
    truncated: u64,
    refused: u64,
    /// The time spent on requests, without pauses.
    pub(super) waited: Duration,
    model: Option<String>,
    /// What the model wrote, with the word for each answer that was rejected after it.
    text: String,
    /// Why the move may be worth less than it should be.
    pub(super) warning: Option<String>,
}

impl Tally {
    /// Counts an answer.
    pub(super) fn add(&mut self, reply: &Reply) {
        for (sum, more) in [
            (&mut self.tokens_in, reply.tokens_in),
            (&mut self.tokens_out, reply.tokens_out),
        ] {
            if let Some(more) = more {
                *sum = Some(sum.unwrap_or(0).saturating_add(more));
            }
        }
        if reply.model.is_some() {
            self.model.clone_from(&reply.model);
        }
        if !self.text.is_empty() && !reply.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(cut(&reply.text, MOST_TEXT));
    }

    /// Counts the last answer as no legal move.
    pub(super) fn reject(&mut self, why: Rejection) {
        *match why {
            Rejection::Illegal => &mut self.illegal,
            Rejection::Unparsable => &mut self.unparsable,
            Rejection::Truncated => &mut self.truncated,
            Rejection::Refused => &mut self.refused,
        } += 1;
        self.text.push_str(&format!("\n[{}]", why.as_str()));
    }

    /// The fields of `info`. The long one comes last: what is too long is dropped from there.
    pub(super) fn info(&self) -> Value {
        let mut info = json!({
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "calls": self.calls,
            "illegal": self.illegal,
            "unparsable": self.unparsable,
            "truncated": self.truncated,
            "refused": self.refused,
            "latency_ms": (self.waited.as_secs_f64() * 1e4).round() / 10.0,
            "model": self.model,
        });
        if let Some(warning) = &self.warning {
            info["warning"] = json!(warning);
        }
        info["text"] = json!(cut(&self.text, MOST_TEXT));
        info
    }
}

/// The beginning of a text.
pub(super) fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
