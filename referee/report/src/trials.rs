//! Sentences about a sequential test, shared by the end of a tournament and reports.

use ratings::sprt::{Corrected, EloModel, Prospect};

/// The estimated difference in strength after a test has stopped. `raw` is computed from the score
/// alone.
pub(super) fn estimate(corrected: &Corrected, raw: Option<f64>, model: EloModel) -> String {
    let end = |elo: Option<f64>, without: &str| match elo {
        Some(elo) => number(elo),
        None => without.to_owned(),
    };
    let mut text = format!(
        "Corrected for when the test stopped, the difference is {} {} (95 %: {} to {})",
        number(corrected.elo),
        model.unit(),
        end(corrected.low, "−∞"),
        end(corrected.high, "∞"),
    );
    if let Some(raw) = raw {
        text += &format!(
            "; the score alone says {}, but a test stops when that is far off",
            number(raw)
        );
    }
    text + "."
}

/// `None` unless matches were repeated.
pub(super) fn repeats(repeats: u64, pairs: u64, worth: f64) -> Option<String> {
    let repeat = match repeats {
        0 => return None,
        1 => "1 match repeats".to_owned(),
        more => format!("{more} matches repeat"),
    };
    Some(format!(
        "{repeat} an earlier one move by move: all count for the score, but as evidence the {pairs} \
         pairs are worth {worth:.1}."
    ))
}

/// A signed difference in strength.
pub(super) fn number(elo: f64) -> String {
    let text = format!("{:+.0}", elo + 0.0);
    if text == "-0" {
        "+0".to_owned()
    } else {
        text.replace('-', "−")
    }
}

/// The expected number of pairs, and whether a limit is sufficient, as lines. `without` is for matches
/// without draws, `half` where half of them are drawn.
pub fn prospect(
    model: EloModel,
    without: &[Prospect; 3],
    half: &[Prospect; 3],
    max_pairs: u32,
) -> String {
    let pairs = |prospect: &Prospect| format!("{:.0} at {}", prospect.pairs.ceil(), prospect.elo);
    let [low, between, high] = without.each_ref().map(pairs);
    let unit = model.unit();
    let mut text = format!("Expected swapped pairs: {low}, {between} and {high} {unit}");
    if model == EloModel::Logistic {
        text += &format!(
            ", without draws between equal seats; fewer otherwise ({:.0} at {} if half of the \
             matches are drawn)",
            half[1].pairs.ceil(),
            half[1].elo
        );
    }
    text.push('\n');
    let decided = |all: &[Prospect; 3]| all[0].decided.min(all[2].decided);
    let (least, most) = (decided(without), decided(half));
    if least < ENOUGH {
        let hardly = if most < ENOUGH {
            "will hardly suffice"
        } else {
            "may not suffice"
        };
        text += &format!(
            "warning: `sprt.max_pairs` = {max_pairs} {hardly}: by then {} of such tests are decided",
            share(least)
        );
        if model == EloModel::Logistic {
            text += &format!(" ({} if half of the matches are drawn)", share(most));
        }
        text.push('\n');
    }
    text
}

/// A limit is sufficient if this share of tests is decided within it, whichever hypothesis holds.
const ENOUGH: f64 = 0.9;

fn share(share: f64) -> String {
    match 100.0 * share {
        percent if percent < 1.0 => "fewer than 1 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_signs() {
        assert_eq!(number(12.4), "+12");
        assert_eq!(number(-12.6), "−13");
        assert_eq!(number(-0.2), "+0");
    }

    #[test]
    fn limits_are_judged() {
        let prospects = |decided| {
            [0.0, 10.0, 20.0].map(|elo| Prospect {
                elo,
                pairs: 100.0,
                decided,
            })
        };
        let said = |without, half| {
            prospect(
                EloModel::Logistic,
                &prospects(without),
                &prospects(half),
                50,
            )
        };
        assert!(!said(0.95, 0.99).contains("warning"));
        assert!(said(0.5, 0.99).contains("= 50 may not suffice: by then 50 % of"));
        assert!(said(0.001, 0.2).contains("will hardly suffice: by then fewer than 1 % of"));
    }

    #[test]
    fn repetitions_are_told() {
        assert_eq!(repeats(0, 9, 9.0), None);
        let said = repeats(34, 20, 1.23).unwrap();
        assert!(said.contains("34 matches repeat") && said.contains("the 20 pairs are worth 1.2."));
    }
}
