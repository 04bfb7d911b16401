//! Every benchmark in turn, and what has become worse than the tables of BENCHMARKS.md.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

/// In the order of BENCHMARKS.md.
const BENCHMARKS: [&str; 8] = [
    "games", "model", "pipe", "scale", "rules", "watch", "nats", "gdl",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Better {
    Higher,
    Lower,
}

/// The columns that two machines of a kind agree in: ratios within a run, and bytes.
const JUDGED: [(&str, Better); 9] = [
    ("of the limit", Better::Higher),
    ("of the ping-pong", Better::Higher),
    ("beside without", Better::Higher),
    ("ratio", Better::Higher),
    ("ratio to plain", Better::Higher),
    ("cost of a move, ratio", Better::Lower),
    ("of a bare process", Better::Lower),
    ("resident memory", Better::Lower),
    ("without files", Better::Lower),
];
/// The leading columns that say what a row measures.
const LABELS: [&str; 9] = [
    "",
    "a move takes",
    "a process that says hello and quits",
    "at once",
    "bots",
    "bots want",
    "matches at a time",
    "requests",
    "sheet",
];
/// Machines are noisy: less than this is no news.
const WORSE: f64 = 1.2;

/// Prints every benchmark, and at the end what is worse by a fifth than the table of the same columns.
pub(crate) fn run(tiny: bool) -> ExitCode {
    let path = ::tests::root().join("BENCHMARKS.md");
    let written = tables(&fs::read_to_string(path).expect("BENCHMARKS.md"));
    let mut worse = Vec::new();
    for what in BENCHMARKS {
        println!("\n## {what}\n");
        let printed = printed_by(what, tiny);
        for table in tables(&printed) {
            let before = written.iter().find(|it| it.header == table.header);
            worse.extend(before.into_iter().flat_map(|before| before.worse(&table)));
        }
    }
    if worse.is_empty() {
        println!("\nNothing is worse than BENCHMARKS.md by a fifth.");
        return ExitCode::SUCCESS;
    }
    println!("\nWorse than BENCHMARKS.md by a fifth or more:");
    for line in worse {
        println!("- {line}");
    }
    ExitCode::FAILURE
}

/// Runs a benchmark in a process of its own, so that memory and caches are its own, and shows its output.
fn printed_by(what: &str, tiny: bool) -> String {
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.arg(what).stdout(Stdio::piped());
    command.args(tiny.then_some("--tiny"));
    let mut child = command.spawn().expect("this program");
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut printed = String::new();
    for line in lines.map_while(Result::ok) {
        println!("{line}");
        printed += &line;
        printed.push('\n');
    }
    assert!(child.wait().expect("a child").success(), "{what} failed");
    printed
}

/// A table of Markdown.
struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

fn tables(text: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let Some(cells) = line.strip_prefix('|') else {
            goes_on = false;
            continue;
        };
        let cells = cells.trim_end().trim_end_matches('|').split('|');
        let cells: Vec<String> = cells.map(|cell| cell.trim().to_owned()).collect();
        match tables.last_mut() {
            Some(table) if goes_on => table.rows.push(cells),
            _ => tables.push(Table {
                header: cells,
                rows: Vec::new(),
            }),
        }
        goes_on = true;
    }
    tables
}

impl Table {
    /// What is worse in a table of the same columns, a line each.
    fn worse(&self, now: &Table) -> Vec<String> {
        let mut found = Vec::new();
        for row in &now.rows {
            let Some(before) = self.row_like(row) else {
                continue;
            };
            for (column, name) in self.header.iter().enumerate() {
                let Some((_, better)) = JUDGED.iter().find(|(judged, _)| judged == name) else {
                    continue;
                };
                let cell = |row: &[String]| number(row.get(column)?);
                let (Some(old), Some(new)) = (cell(before), cell(row)) else {
                    continue;
                };
                let is_worse = match better {
                    Better::Higher => new * WORSE < old,
                    Better::Lower => new > old * WORSE,
                };
                if is_worse {
                    let label = row[..self.labels()].join(", ");
                    found.push(format!("{label}: {name} {new}, was {old}"));
                }
            }
        }
        found
    }

    /// The row that measures the same.
    fn row_like(&self, row: &[String]) -> Option<&Vec<String>> {
        let labels = self.labels();
        let mut rows = self.rows.iter();
        rows.find(|other| other.get(..labels) == row.get(..labels))
    }

    /// The number of leading columns that are labels.
    fn labels(&self) -> usize {
        let is_label = |name: &&String| LABELS.contains(&name.as_str());
        self.header.iter().take_while(is_label).count()
    }
}

/// The number that a cell begins with.
fn number(cell: &str) -> Option<f64> {
    let digits = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    let end = cell.find(|c| !digits(c)).unwrap_or(cell.len());
    cell[..end].replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_worse_by_a_fifth_is_named() {
        let written = "Text.\n\n| bots | matches at a time | moves/s | of the limit | resident memory |\n|---|---|---|---|---|\n\
                       | a | 1 | 1,500 | 0.50 | 10.0 MB |\n| a | 2 | 2,500 | 0.40 | 1,000 MB |\n\nMore.\n";
        let printed = written.replace("0.50", "0.41").replace("1,500", "7");
        let [before, now] = [written, &printed].map(|text| tables(text).remove(0));
        assert_eq!(before.worse(&now), ["a, 1: of the limit 0.41, was 0.5"]);
        let smaller = written.replace("0.50", "0.42").replace("0.40", "0.9");
        assert!(before.worse(&tables(&smaller)[0]).is_empty());
        let other = printed.replace("| a | 1 |", "| a | 3 |");
        assert!(
            before.worse(&tables(&other)[0]).is_empty(),
            "not measured before"
        );
        let larger = written.replace("1,000 MB", "1201 MB");
        let found = before.worse(&tables(&larger)[0]);
        assert_eq!(found, ["a, 2: resident memory 1201, was 1000"]);
    }
}
