//! A warning about bots that met in a single cyclic order of seats.

use crate::sheet::parts::{Part, quoted};
use ratings::Report;

/// More pairs of bots are only counted.
const MOST_NAMED: usize = 3;

pub(super) fn all(report: &Report) -> Option<Part> {
    let fixed = &report.fixed_orders;
    let named = fixed.iter().take(MOST_NAMED).map(|order| {
        let [first, then] = [order.first, order.then].map(|bot| quoted(&report.bots[bot].name));
        format!("{then} right after {first} ({} matches)", order.matches)
    });
    let mut named = named.collect::<Vec<_>>().join(", ");
    match fixed.len().checked_sub(MOST_NAMED) {
        None | Some(0) => {}
        Some(more) => named += &format!(", and {more} more"),
    }
    (!fixed.is_empty()).then(|| {
        Part::Note(format!(
            "Confounded: with three and more seats it matters who plays right after whom, and some \
             bots always did so after the same one: {named}. What their places were worth is in \
             their ratings, and no number of matches takes it out. Tournaments begun now change the \
             cyclic order from round to round."
        ))
    })
}
