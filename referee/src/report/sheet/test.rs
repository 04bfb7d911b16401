//! A test between two bots (SPRT): what it accepts, and on what evidence.

use super::ranking::count;
use super::{Part, heading, quoted};
use crate::rating::sprt::Verdict;
use crate::rating::{Report, SprtReport};

/// The test, if one was asked for.
pub(super) fn all(report: &Report) -> Vec<Part> {
    let Some(test) = &report.sprt else {
        return Vec::new();
    };
    let [first, second] = test.bots.map(|bot| quoted(&report.bots[bot].name));
    let mut parts = vec![heading("SPRT")];
    let mut note = |text: String| parts.push(Part::Note(text));
    note(decision(test, &first, &second));
    note(evidence(test, &first));
    if test.after > 0 {
        note(match test.verdict {
            Verdict::Running => format!(
                "{} after one that is not finished yet, and not counted so far.",
                count(test.after, "pair comes", "pairs come")
            ),
            _ => format!(
                "{} after the decision, and changed nothing.",
                count(test.after, "pair came", "pairs came")
            ),
        });
    }
    parts
}

fn decision(test: &SprtReport, first: &str, second: &str) -> String {
    let (elo0, elo1) = (test.hypotheses.elo0, test.hypotheses.elo1);
    let stronger = |by: f64, not: f64| {
        format!("accepted: {first} is stronger than {second} by {by} Elo, not {not}")
    };
    let verdict = match test.verdict {
        Verdict::H0 => format!("H0 {}", stronger(elo0, elo1)),
        Verdict::H1 => format!("H1 {}", stronger(elo1, elo0)),
        Verdict::Running => {
            format!("not decided whether {first} is stronger than {second} by {elo0} or {elo1} Elo")
        }
    };
    format!(
        "{verdict} (alpha {}, beta {}).",
        test.hypotheses.alpha, test.hypotheses.beta
    )
}

fn evidence(test: &SprtReport, first: &str) -> String {
    let mut text = format!(
        "LLR {:.2} ({:.2} to {:.2}) after {}, in which {first} scored {:.1} %",
        test.llr,
        test.lower,
        test.upper,
        count(test.pairs, "swapped pair", "swapped pairs"),
        100.0 * test.score
    );
    if let Some(elo) = test.elo {
        text += &format!(" ({:+.0} Elo)", elo + 0.0);
    }
    if let Some([lost, minus, even, plus, won]) = test.pentanomial {
        text +=
            &format!("; pairs with 0, ½, 1, 1½, 2 points: {lost}, {minus}, {even}, {plus}, {won}");
    }
    text + "."
}
