//! A sequential test between two bots (SPRT): its decision and the evidence.

use crate::sheet::figures::count;
use crate::sheet::parts::{Part, heading, quoted};
use crate::trials;
use ratings::Report;
use ratings::report::SprtReport;
use ratings::sprt::Verdict;

/// Empty unless a test was asked for.
pub(super) fn all(report: &Report) -> Vec<Part> {
    let Some(test) = &report.sprt else {
        return Vec::new();
    };
    let [first, second] = test.bots.map(|bot| quoted(&report.bots[bot].name));
    let mut parts = vec![heading("SPRT")];
    let mut note = |text: String| parts.push(Part::Note(text));
    note(decision(test, &first, &second));
    note(evidence(test, &first));
    if let Some(corrected) = &test.corrected {
        note(trials::estimate(corrected, test.elo, test.hypotheses.model));
    }
    if let Some(text) = trials::repeats(test.repeats, test.pairs, test.worth) {
        note(text);
    }
    if test.incomplete > 0 {
        let mut text = format!(
            "{} left out, because a match is missing in the log or still being played.",
            count(test.incomplete, "pair is", "pairs are")
        );
        if test.after_incomplete > 0 {
            text += &format!(
                " {} after that and counted all the same: while a tournament runs, those that end \
                 early may be unlike the others.",
                count(test.after_incomplete, "pair comes", "pairs come")
            );
        }
        note(text);
    }
    if test.after > 0 {
        note(format!(
            "{} after the decision, and changed nothing.",
            count(test.after, "pair came", "pairs came")
        ));
    }
    parts
}

fn decision(test: &SprtReport, first: &str, second: &str) -> String {
    let (elo0, elo1) = (test.hypotheses.elo0, test.hypotheses.elo1);
    let unit = test.hypotheses.model.unit();
    let stronger = |by: f64, not: f64| {
        format!("accepted: {first} is stronger than {second} by {by} {unit}, not {not}")
    };
    let verdict = match test.verdict {
        Verdict::H0 => format!("H0 {}", stronger(elo0, elo1)),
        Verdict::H1 => format!("H1 {}", stronger(elo1, elo0)),
        Verdict::Running => {
            format!(
                "not decided whether {first} is stronger than {second} by {elo0} or {elo1} {unit}"
            )
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
        let unit = test.hypotheses.model.unit();
        text += &format!(" ({} {unit})", trials::number(elo));
    }
    if let Some([lost, minus, even, plus, won]) = test.pentanomial {
        text +=
            &format!("; pairs with 0, ½, 1, 1½, 2 points: {lost}, {minus}, {even}, {plus}, {won}");
    }
    text + "."
}
