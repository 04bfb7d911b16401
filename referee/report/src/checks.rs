//! The findings of `referee check`: as text for people, and as JSON, TAP and JUnit for programs.

use std::fmt::Write as _;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use check::{CheckOutcome, CheckReport, ExchangedLine, Finding};
use protocol::excerpt;
use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value, json};

/// Columns of a check's name.
const NAME: usize = 26;
/// Lines that the bot printed are cut after this many characters.
const SHOWN: usize = 160;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
}

pub fn count(reports: &[CheckReport]) -> Counts {
    let mut counts = Counts::default();
    for report in reports {
        match report.outcome {
            CheckOutcome::Passed(_) => counts.passed += 1,
            CheckOutcome::Failed(_) => counts.failed += 1,
            CheckOutcome::Skipped(_) => counts.skipped += 1,
        }
    }
    counts
}

/// One check as a line; a failure takes several.
pub fn text(report: &CheckReport) -> String {
    let (colour, mark, rest) = match &report.outcome {
        CheckOutcome::Passed(note) => (AnsiColor::Green, "ok  ", note.as_deref().unwrap_or("")),
        CheckOutcome::Failed(finding) => (AnsiColor::Red, "FAIL", &*finding.what),
        CheckOutcome::Skipped(why) => (AnsiColor::Yellow, "skip", &**why),
    };
    let style = Style::new().fg_color(Some(colour.into())).bold();
    let line = format!("{style}{mark}{style:#}  {:NAME$} {rest}", report.name);
    let mut text = line.trim_end().to_owned() + "\n";
    if let CheckOutcome::Failed(finding) = &report.outcome {
        let _ = writeln!(text, "      checked  {}", report.about);
        details(finding, "      ", &mut text);
    }
    text
}

/// The exchange, the end of stderr, and advice.
fn details(finding: &Finding, indent: &str, text: &mut String) {
    for spoken in &finding.said {
        let _ = match spoken {
            ExchangedLine::ToBot(line) => writeln!(text, "{indent}sent     {}", cut(line)),
            ExchangedLine::FromBot(line) => writeln!(text, "{indent}came     {}", cut(line)),
        };
    }
    for line in finding.stderr.iter().flat_map(|stderr| stderr.lines()) {
        let _ = writeln!(text, "{indent}stderr   {}", cut(line));
    }
    for how in &finding.fixes {
        let _ = writeln!(text, "{indent}fix      {how}");
    }
}

fn cut(line: &str) -> String {
    // A tab would be escaped.
    excerpt(line.replace('\t', " ").as_bytes(), SHOWN)
}

pub fn summary(counts: Counts, took: Duration) -> String {
    let Counts {
        passed,
        failed,
        skipped,
    } = counts;
    let skipped = match skipped {
        0 => String::new(),
        n => format!(", {n} skipped"),
    };
    let seconds = took.as_secs_f64();
    format!("{passed} passed, {failed} failed{skipped} ({seconds:.1} s)\n")
}

pub fn to_json(command: &[String], reports: &[CheckReport]) -> Value {
    let checks = reports.iter().map(|report| {
        let mut check = json!({
            "name": report.name,
            "about": report.about,
            "status": status(&report.outcome),
            "ms": report.took.as_micros() as f64 / 1e3,
        });
        match &report.outcome {
            CheckOutcome::Passed(Some(note)) => check["note"] = json!(note),
            CheckOutcome::Passed(None) => {}
            CheckOutcome::Failed(finding) => check["finding"] = json!(finding),
            CheckOutcome::Skipped(why) => check["note"] = json!(why),
        }
        check
    });
    let counts = count(reports);
    json!({
        "command": command,
        "passed": counts.passed,
        "failed": counts.failed,
        "skipped": counts.skipped,
        "checks": checks.collect::<Vec<_>>(),
    })
}

fn status(outcome: &CheckOutcome) -> &'static str {
    match outcome {
        CheckOutcome::Passed(_) => "passed",
        CheckOutcome::Failed(_) => "failed",
        CheckOutcome::Skipped(_) => "skipped",
    }
}

/// The Test Anything Protocol, version 14: <https://testanything.org/tap-version-14-specification.html>.
pub fn tap(reports: &[CheckReport]) -> String {
    let mut text = format!("TAP version 14\n1..{}\n", reports.len());
    for (number, report) in (1..).zip(reports) {
        let name = &report.name;
        let _ = match &report.outcome {
            CheckOutcome::Passed(_) => writeln!(text, "ok {number} - {name}"),
            CheckOutcome::Skipped(why) => writeln!(text, "ok {number} - {name} # SKIP {why}"),
            CheckOutcome::Failed(finding) => {
                let _ = writeln!(text, "not ok {number} - {name}");
                let _ = writeln!(text, "  ---\n  about: {}", json!(report.about));
                // Every JSON value is valid YAML.
                let finding = json!(finding);
                for (key, value) in finding.as_object().into_iter().flatten() {
                    let _ = writeln!(text, "  {key}: {value}");
                }
                writeln!(text, "  ...")
            }
        };
    }
    text
}

/// Without the two characters that XML forbids but its writer lets through.
fn for_xml(text: &str) -> String {
    text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

/// JUnit's XML.
///
/// # Errors
/// If it cannot be written.
pub fn junit(
    command: &str,
    reports: &[CheckReport],
) -> Result<String, quick_junit::SerializeError> {
    let mut suite = TestSuite::new(for_xml(command));
    for report in reports {
        let status = match &report.outcome {
            CheckOutcome::Passed(_) => TestCaseStatus::success(),
            CheckOutcome::Skipped(why) => {
                let mut status = TestCaseStatus::skipped();
                status.set_message(why.as_str());
                status
            }
            CheckOutcome::Failed(finding) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_message(for_xml(&finding.what));
                let mut text = format!("{}\n", report.about);
                details(finding, "", &mut text);
                status.set_description(for_xml(&text));
                status
            }
        };
        let mut case = TestCase::new(report.name.as_str(), status);
        let group = report.name.split('/').next().unwrap_or_default();
        case.set_classname(format!("referee-check.{group}"));
        case.set_time(report.took);
        if let CheckOutcome::Passed(Some(note)) = &report.outcome {
            case.set_system_out(for_xml(note));
        }
        suite.add_test_case(case);
    }
    let mut junit = Junit::new("referee check");
    junit.add_test_suite(suite);
    junit.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports() -> Vec<CheckReport> {
        let finding = Finding {
            what: "no `\"answer\"` <soon>\u{ffff}".to_owned(),
            said: vec![
                ExchangedLine::ToBot("{\"type\":\"quit\"}".to_owned()),
                ExchangedLine::FromBot("x".repeat(400)),
            ],
            stderr: Some("one\ntwo".to_owned()),
            fixes: vec!["flush".to_owned()],
        };
        let outcomes = [
            CheckOutcome::Passed(Some("fine".to_owned())),
            CheckOutcome::Failed(Box::new(finding)),
            CheckOutcome::Skipped("no time".to_owned()),
        ];
        let reports = outcomes
            .into_iter()
            .enumerate()
            .map(|(i, outcome)| CheckReport {
                name: format!("group/{i}"),
                about: "something",
                outcome,
                took: Duration::from_millis(1500),
            });
        reports.collect()
    }

    #[test]
    fn people_read_what_was_said_and_how_to_fix_it() {
        let text: String = reports().iter().map(text).collect();
        let plain = anstream::adapter::strip_str(&text).to_string();
        let lines: Vec<&str> = plain.lines().map(str::trim_end).collect();
        assert_eq!(lines[0], format!("ok    {:NAME$} fine", "group/0"));
        assert_eq!(lines[3], r#"      sent     {"type":"quit"}"#);
        assert!(lines[4].ends_with("x…") && lines[4].chars().count() < 180);
        assert_eq!(lines[6], "      stderr   two");
        assert_eq!(lines[7], "      fix      flush");
        assert!(lines[8].starts_with("skip") && lines.len() == 9);
        let summary = summary(count(&reports()), Duration::from_millis(2000));
        assert_eq!(summary, "1 passed, 1 failed, 1 skipped (2.0 s)\n");
    }

    #[test]
    fn programs_read_the_same() {
        let value = to_json(&["bot".to_owned()], &reports());
        assert_eq!(value["failed"], 1);
        assert_eq!(value["checks"][1]["finding"]["mend"][0], "flush");
        assert_eq!(value["checks"][0]["note"], "fine");
        let tap = tap(&reports());
        let lines: Vec<&str> = tap.lines().collect();
        assert_eq!(lines[1..3], ["1..3", "ok 1 - group/0"]);
        assert_eq!(lines[3], "not ok 2 - group/1");
        assert_eq!(lines[6], "  what: \"no `\\\"answer\\\"` <soon>\u{ffff}\"");
        assert_eq!(lines.last(), Some(&"ok 3 - group/2 # SKIP no time"));
        let junit = junit("python3 bot.py", &reports()).unwrap();
        assert!(junit.contains(r#"tests="3""#) && junit.contains(r#"failures="1""#));
        assert!(junit.contains("&lt;soon&gt;\u{fffd}"), "{junit}");
    }
}
