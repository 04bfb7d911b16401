//! Search information in moves, by convention and only for people. Nobody judges it, so reading
//! never fails: invalid parts are dropped, each with a remark.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::messages::MoveText;
use crate::shown::excerpt;

/// At most this many moves of a line are read.
const LONGEST_LINE: usize = 100;
/// At most this many characters of a text are read.
const LONGEST_TEXT: usize = 500;
/// Complaints quote this many characters.
const QUOTED: usize = 40;

/// The conventional fields of `info`. A bot may leave out any of them, and add others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchInfo {
    /// The depth of the search, in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
    /// The number of positions that it looked at, or playouts it made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The outcome that the bot expects for its own seat, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub value: Option<f64>,
    /// The principal variation: the moves that the bot expects, its own first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pv: Vec<MoveText>,
    /// The best lines, the best first, if the `turn` asked for `lines`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<SearchLine>,
    /// Anything else, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The reason why the move may be weaker than it should be; shown by the tournament and the
    /// standings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// One of the best lines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchLine {
    /// The outcome that the bot expects for its own seat if it plays this line, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub value: Option<f64>,
    /// The moves, the bot's own first.
    pub pv: Vec<MoveText>,
    /// The depth of this line, in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
    /// The number of positions that it looked at, or playouts it made, for this line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

impl SearchInfo {
    /// Reads the `info` of a bot that was asked for this many lines. The complaints say what was
    /// dropped, and why.
    ///
    /// ```
    /// use protocol::SearchInfo;
    /// use serde_json::json;
    ///
    /// let info = json!({"depth": 3, "value": 7, "lines": [{"value": 0.5, "pv": ["a1"]}, 9]});
    /// let (info, complaints) = SearchInfo::read(&info, 3);
    /// assert_eq!((info.depth, info.value, info.lines.len()), (Some(3), None, 1));
    /// assert_eq!(complaints[0], "`value` is 7, which is not from 0 to 1");
    /// assert_eq!(complaints[1], "`lines[1]` is 9, which is no line");
    /// ```
    pub fn read(info: &Value, asked: usize) -> (Self, Vec<String>) {
        let mut reader = Reader::default();
        let read = SearchInfo {
            depth: reader.count(info, "", "depth"),
            nodes: reader.count(info, "", "nodes"),
            value: reader.value(info, ""),
            pv: reader.moves(info, ""),
            lines: reader.lines(info, asked),
            text: reader.text(info, "text"),
            warning: reader.text(info, "warning"),
        };
        (read, reader.complaints)
    }
}

/// Reads fields, and keeps what there is to complain about.
#[derive(Default)]
struct Reader {
    complaints: Vec<String>,
}

impl Reader {
    fn complain(&mut self, field: &str, value: &Value, what: &str) {
        let quoted = excerpt(value.to_string().as_bytes(), QUOTED);
        self.complaints
            .push(format!("`{field}` is {quoted}, which is {what}"));
    }

    /// A field that is there and not null.
    fn field<'v>(from: &'v Value, name: &str) -> Option<&'v Value> {
        from.get(name).filter(|value| !value.is_null())
    }

    /// A whole number; 7.0 is one, too.
    fn count(&mut self, from: &Value, at: &str, name: &str) -> Option<u64> {
        /// From here on, not all whole numbers are floats.
        const MOST: f64 = (1u64 << 53) as f64;
        let field = Self::field(from, name)?;
        let float = || field.as_f64().filter(|n| n.fract() == 0.0);
        let whole = float().filter(|n| (0.0..=MOST).contains(n));
        let count = field.as_u64().or_else(|| whole.map(|n| n as u64));
        if count.is_none() {
            self.complain(&format!("{at}{name}"), field, "no number of anything");
        }
        count
    }

    fn value(&mut self, from: &Value, at: &str) -> Option<f64> {
        let field = Self::field(from, "value")?;
        let value = field.as_f64();
        let valid = value.filter(|value| (0.0..=1.0).contains(value));
        if valid.is_none() {
            let what = value.map_or("no number", |_| "not from 0 to 1");
            self.complain(&format!("{at}value"), field, what);
        }
        valid
    }

    /// The moves up to the first that is no text.
    fn moves(&mut self, from: &Value, at: &str) -> Vec<MoveText> {
        let Some(field) = Self::field(from, "pv") else {
            return Vec::new();
        };
        let Some(list) = field.as_array() else {
            self.complain(&format!("{at}pv"), field, "no list of moves");
            return Vec::new();
        };
        let mut moves = Vec::new();
        for (index, mv) in list.iter().take(LONGEST_LINE).enumerate() {
            let Some(text) = mv.as_str() else {
                self.complain(&format!("{at}pv[{index}]"), mv, "no move");
                break;
            };
            moves.push(text.into());
        }
        moves
    }

    fn lines(&mut self, info: &Value, asked: usize) -> Vec<SearchLine> {
        let Some(field) = Self::field(info, "lines") else {
            return Vec::new();
        };
        let Some(list) = field.as_array() else {
            self.complain("lines", field, "no list");
            return Vec::new();
        };
        if list.len() > asked {
            let given = list.len();
            self.complaints.push(format!(
                "`lines` are {given}, but asked for were {asked}: the others were dropped"
            ));
        }
        let mut lines = Vec::new();
        for (index, line) in list.iter().take(asked).enumerate() {
            if !line.is_object() {
                self.complain(&format!("lines[{index}]"), line, "no line");
                continue;
            }
            let at = format!("lines[{index}].");
            lines.push(SearchLine {
                value: self.value(line, &at),
                pv: self.moves(line, &at),
                depth: self.count(line, &at, "depth"),
                nodes: self.count(line, &at, "nodes"),
            });
        }
        lines
    }

    fn text(&mut self, info: &Value, name: &str) -> Option<String> {
        let field = Self::field(info, name)?;
        let text = field.as_str();
        if text.is_none() {
            self.complain(name, field, "no text");
        }
        text.map(|text| excerpt(text.as_bytes(), LONGEST_TEXT))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_makes_sense_is_read() {
        let info = json!({
            "depth": 7.0, "nodes": 12345, "value": 1, "pv": ["a", "b"], "text": "mate\u{1b}",
            "lines": [{"value": 0.25, "pv": ["a"], "depth": 7}, {"pv": ["c"], "nodes": 9}],
            "more": {"of": "this"},
        });
        let (read, complaints) = SearchInfo::read(&info, 2);
        assert_eq!(complaints, [""; 0]);
        assert_eq!((read.depth, read.nodes), (Some(7), Some(12345)));
        assert_eq!(
            (read.value, &read.pv[..]),
            (Some(1.0), &["a".into(), "b".into()][..])
        );
        assert_eq!(read.text.as_deref(), Some("mate\\u001b"));
        assert_eq!(read.lines[0].value, Some(0.25));
        assert_eq!((read.lines[1].value, read.lines[1].nodes), (None, Some(9)));
        let again = serde_json::to_value(&read).unwrap();
        assert_eq!(SearchInfo::read(&again, 2), (read, Vec::new()));
    }

    #[test]
    fn nothing_is_no_reason_to_complain() {
        for info in [
            json!(null),
            json!(7),
            json!({}),
            json!({"value": null, "lines": null}),
        ] {
            assert_eq!(SearchInfo::read(&info, 1), (SearchInfo::default(), vec![]));
        }
    }

    #[test]
    fn nonsense_is_dropped_with_a_word() {
        for (info, complaint) in [
            (
                json!({"depth": -1}),
                "`depth` is -1, which is no number of anything",
            ),
            (
                json!({"nodes": 1.5}),
                "`nodes` is 1.5, which is no number of anything",
            ),
            (json!({"nodes": 1e300}), "no number of anything"),
            (
                json!({"value": "good"}),
                "`value` is \"good\", which is no number",
            ),
            (json!({"value": -0.1}), "not from 0 to 1"),
            (
                json!({"pv": "a1"}),
                "`pv` is \"a1\", which is no list of moves",
            ),
            (json!({"pv": [7]}), "`pv[0]` is 7, which is no move"),
            (json!({"lines": {}}), "`lines` is {}, which is no list"),
            (
                json!({"lines": [["a1"]]}),
                "`lines[0]` is [\"a1\"], which is no line",
            ),
            (json!({"lines": [{"value": 2}]}), "`lines[0].value` is 2"),
            (
                json!({"lines": [{}, {}, {}]}),
                "`lines` are 3, but asked for were 2",
            ),
            (
                json!({"text": ["\u{1b}[2J"]}),
                "`text` is [\"\\u001b[2J\"], which is no text",
            ),
            (json!({"text": ["x".repeat(900)]}), "…, which is no text"),
        ] {
            let (read, complaints) = SearchInfo::read(&info, 2);
            assert!(
                complaints.len() == 1 && complaints[0].contains(complaint),
                "{complaints:?}"
            );
            assert_eq!(read.value, None);
        }
    }

    #[test]
    fn lines_are_of_bounded_length() {
        let (read, _) = SearchInfo::read(&json!({"pv": vec!["a"; 5000]}), 1);
        assert_eq!(read.pv.len(), LONGEST_LINE);
    }
}
