//! A sequence of boards: the first one whole, then the changes.

use std::collections::BTreeMap;

use games::kit::view::{Cell, Piece, Shape};
use games::{BrokenRules, Session, View};
use serde::Serialize;
use serde_json::Value;

/// A board, or the change from the previous one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum ViewStep {
    Whole(View),
    Change(ViewChange),
}

/// The difference to the previous board. Unchanged parts are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ViewChange {
    /// Cells whose piece is gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gone: Vec<String>,
    /// Pieces that are new on their cells.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    put: Vec<Piece>,
    /// All pieces, where several stand on a cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pieces: Option<Vec<Piece>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<Vec<String>>,
    /// Cells that changed, by index.
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

/// Pieces by cell; `None` if two stand on one.
fn by_cell(view: &View) -> Option<BTreeMap<&str, &Piece>> {
    let pieces = view.pieces.iter().map(|piece| (&*piece.cell, piece));
    let by_cell: BTreeMap<_, _> = pieces.collect();
    (by_cell.len() == view.pieces.len()).then_some(by_cell)
}

/// The viewpoint: everything, or one seat where information is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Viewpoint {
    All,
    /// The observation of this seat.
    Seat(usize),
}

/// The board of a position. Rules without a board, and observations of a seat, result in one without
/// cells, whose notes are the fields.
///
/// # Errors
/// If rules from outside do not work.
pub(crate) fn view(session: &dyn Session, viewpoint: Viewpoint) -> Result<View, BrokenRules> {
    match viewpoint {
        Viewpoint::Seat(seat) => Ok(fields(&session.observation(seat)?)),
        Viewpoint::All => match session.view()? {
            Some(view) => Ok(view),
            None => Ok(fields(&session.state()?)),
        },
    }
}

/// JSON as a board without cells, with a note for each field.
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

/// A text without its quotation marks.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

#[derive(Debug, Default)]
pub(crate) struct Views {
    last: Option<View>,
    pub(crate) steps: Vec<ViewStep>,
}

impl Views {
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

/// True if a board can be expressed as a change to another one.
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
        views.push(view(&*session, Viewpoint::All).unwrap());
        session.play("a2-a3/c3").unwrap();
        views.push(view(&*session, Viewpoint::All).unwrap());
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
        let seen = view(&*session, Viewpoint::Seat(1)).unwrap();
        assert!(seen.cells.is_empty());
        assert!(
            seen.notes.contains(&"ply: 0".to_owned()),
            "{:?}",
            seen.notes
        );
    }
}
