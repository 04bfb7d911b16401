//! Boards one after another: the first as a whole, then what changes.

use std::collections::BTreeMap;

use games::kit::view::{Cell, Piece, Shape};
use games::{BrokenRules, Session, View};
use serde::Serialize;
use serde_json::Value;

/// A board, or what changes to the one before.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum ViewStep {
    /// All of it.
    Whole(View),
    /// What is not as it was.
    Change(ViewChange),
}

/// What differs from the board before. What stayed as it was is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ViewChange {
    /// The cells from which the piece is gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gone: Vec<String>,
    /// The pieces that are new on their cells.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    put: Vec<Piece>,
    /// All pieces, where several stand on a cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pieces: Option<Vec<Piece>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<Vec<String>>,
    /// The cells that changed, by their indices.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    cells: BTreeMap<usize, Cell>,
}

impl ViewChange {
    fn between(last: &View, view: &View) -> Self {
        let cells = view.cells.iter().zip(&last.cells).enumerate();
        let changed = cells.filter(|(_, (now, before))| now != before);
        let mut change = ViewChange {
            notes: (view.notes != last.notes).then(|| view.notes.clone()),
            cells: changed.map(|(at, (now, _))| (at, now.clone())).collect(),
            ..ViewChange::default()
        };
        let (Some(before), Some(now)) = (by_cell(last), by_cell(view)) else {
            change.pieces = Some(view.pieces.clone());
            return change;
        };
        let gone = before.keys().filter(|cell| !now.contains_key(*cell));
        change.gone = gone.map(|cell| (*cell).to_owned()).collect();
        let put = now
            .iter()
            .filter(|(cell, piece)| before.get(*cell) != Some(piece));
        change.put = put.map(|(_, piece)| (*piece).clone()).collect();
        change
    }
}

/// The pieces by their cells; `None` if two stand on one.
fn by_cell(view: &View) -> Option<BTreeMap<&str, &Piece>> {
    let pieces = view.pieces.iter().map(|piece| (&*piece.cell, piece));
    let by_cell: BTreeMap<_, _> = pieces.collect();
    (by_cell.len() == view.pieces.len()).then_some(by_cell)
}

/// What is shown of a position: to everybody, or to one seat where information is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeenBy {
    /// Everything is shown.
    All,
    /// What this seat observes.
    Seat(usize),
}

/// The board of a position. Rules without a board, and what a seat observes, give one without cells:
/// its notes are the fields.
///
/// # Errors
/// If rules from outside do not work.
pub(crate) fn view(session: &dyn Session, seen_by: SeenBy) -> Result<View, BrokenRules> {
    match seen_by {
        SeenBy::Seat(seat) => Ok(fields(&session.observation(seat)?)),
        SeenBy::All => match session.view()? {
            Some(view) => Ok(view),
            None => Ok(fields(&session.state()?)),
        },
    }
}

/// JSON as a board that has nothing but notes: a line for each field.
fn fields(value: &Value) -> View {
    let notes = match value {
        Value::Object(fields) => {
            let fields = fields.iter();
            fields
                .map(|(name, value)| format!("{name}: {}", plain(value)))
                .collect()
        }
        value => vec![plain(value)],
    };
    View {
        shape: Shape::Square,
        cells: Vec::new(),
        pieces: Vec::new(),
        notes,
    }
}

/// A value without quotation marks, if it is a text.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Boards one after another.
#[derive(Debug, Default)]
pub(crate) struct Views {
    last: Option<View>,
    pub(crate) steps: Vec<ViewStep>,
}

impl Views {
    /// Adds the next board.
    pub(crate) fn push(&mut self, view: View) {
        let step = match &self.last {
            Some(last) if can_change(last, &view) => {
                ViewStep::Change(ViewChange::between(last, &view))
            }
            _ => ViewStep::Whole(view.clone()),
        };
        self.steps.push(step);
        self.last = Some(view);
    }
}

/// Whether a board can be told as changes to another one.
fn can_change(last: &View, view: &View) -> bool {
    last.shape == view.shape && last.cells.len() == view.cells.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn boards_are_sent_as_what_changes() {
        let rules = games::find("amazons").unwrap();
        let rules = rules.configure(&json!({"size": 5})).unwrap();
        let mut session = rules.start(0).unwrap();
        let mut views = Views::default();
        views.push(view(&*session, SeenBy::All).unwrap());
        session.play("a2-a3/c3").unwrap();
        views.push(view(&*session, SeenBy::All).unwrap());
        let steps = serde_json::to_value(&views.steps).unwrap();
        assert_eq!(steps[0]["cells"].as_array().unwrap().len(), 25);
        assert_eq!(steps[1]["gone"], json!(["a2"]));
        let put = steps[1]["put"].as_array().unwrap();
        assert_eq!(put.len(), 2, "the amazon and its arrow: {put:?}");
        assert!(steps[1].get("pieces").is_none() && steps[1].get("shape").is_none());
        assert!(steps[1].to_string().len() < 300, "{}", steps[1]);
    }

    #[test]
    fn what_a_seat_observes_is_told_in_notes() {
        let rules = games::find("siam")
            .unwrap()
            .configure(&Value::Null)
            .unwrap();
        let session = rules.start(0).unwrap();
        let seen = view(&*session, SeenBy::Seat(1)).unwrap();
        assert!(seen.cells.is_empty());
        assert!(
            seen.notes.contains(&"ply: 0".to_owned()),
            "{:?}",
            seen.notes
        );
    }
}
