//! Histories of the seats, for hidden information.

use std::sync::Arc;

use games::Seat;
use serde_json::Value;

use crate::engine::{Engine, Percepts};
use crate::play::Play;

/// A seat's knowledge of a step: its own move, then its percepts.
pub(crate) type Perceived = Arc<[String]>;

/// The knowledge of each seat so far; empty without hidden information.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Histories(pub(crate) Vec<Vec<Perceived>>);

impl Histories {
    pub(crate) fn to_json(&self, seat: Seat) -> Value {
        let steps = self.0.get(seat).into_iter().flatten();
        steps.map(|step| Value::from(step.to_vec())).collect()
    }
}

/// Records each seat's knowledge of a step.
pub(crate) fn note<E: Engine>(
    play: &Play<E>,
    before: &E::Position,
    joint: &[u32],
    percepts: &Percepts,
    histories: &mut Histories,
) {
    histories.0.resize(play.seats.len(), Vec::new());
    for (seat, role) in play.seats.iter().enumerate() {
        let own = play.engine.text(before, *role, joint[*role]).to_owned();
        let step = std::iter::once(own).chain(percepts[*role].iter().cloned());
        histories.0[seat].push(step.collect());
    }
}

/// The percepts of a seat at a step, as JSON.
pub(crate) fn perceived(step: &Value) -> Option<Perceived> {
    let texts = step
        .as_array()?
        .iter()
        .map(|text| text.as_str().map(str::to_owned));
    texts.collect()
}
