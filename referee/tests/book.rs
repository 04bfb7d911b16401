//! The book in `docs` and the other documents agree with the program: generated pages, commands, keys, codes.

#[path = "../examples/write-reference/pages.rs"]
mod pages;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::error::ErrorKind;
use config::schema;

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn chapters(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            chapters(&path, found);
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
}

/// The documents with commands to type.
fn documents() -> Vec<PathBuf> {
    let others = [
        "README.md",
        "SECURITY.md",
        "BENCHMARKS.md",
        "CONTRIBUTING.md",
        "protocol/PROTOCOL.md",
        "protocol/RULES.md",
        "protocol/GGP.md",
        "bots/sdk/python/README.md",
        "bots/sdk/javascript/README.md",
        "bots/examples/README.md",
        "games/examples/README.md",
    ];
    let mut found = others.map(|path| root().join(path)).to_vec();
    chapters(&root().join("docs/src"), &mut found);
    found
}

/// The blocks of a document, with the language of each; what is indented has none.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    let mut fenced = false;
    let mut indented = false;
    for line in text.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            if !fenced {
                blocks.push((language.to_owned(), String::new()));
            }
            fenced = !fenced;
            indented = false;
            continue;
        }
        let inside = if fenced {
            Some(line)
        } else {
            line.strip_prefix("    ")
        };
        if let Some(line) = inside {
            if !fenced && !indented {
                blocks.push((String::new(), String::new()));
            }
            let block = &mut blocks.last_mut().expect("a block").1;
            block.push_str(line);
            block.push('\n');
        }
        indented = !fenced && inside.is_some();
    }
    blocks
}

const VARIABLES: [(&str, &str); 6] = [
    ("$SLURM_ARRAY_TASK_ID", "1"),
    ("$SLURM_ARRAY_TASK_COUNT", "8"),
    ("${{ matrix.part }}", "1"),
    ("$n", "1"),
    ("{}", "1"),
    ("\"$@\"", ""),
];

/// The calls of the program in a block of commands: pipes and lists taken apart, without redirections.
fn calls(block: &str) -> Vec<Vec<String>> {
    let mut calls = Vec::new();
    let mut block = block.replace("\\\n", " ");
    // What shells and schedulers put in.
    for (variable, value) in VARIABLES {
        block = block.replace(variable, value);
    }
    for line in block.lines() {
        let line = line.trim_start().trim_start_matches("- run: ");
        let line = line.split("  #").next().unwrap_or_default();
        let Ok(words) = shell_words::split(line) else {
            continue;
        };
        for part in words.split(|word| matches!(&**word, "|" | "&&" | "||" | ";")) {
            let is_call = |word: &String| word == "referee";
            let is_first = part.first().is_some_and(is_call)
                || matches!(part, [exec, second, ..] if matches!(&**exec, "parallel" | "exec" | "nohup") && is_call(second));
            if !is_first {
                continue;
            }
            let start = part.iter().position(is_call).unwrap_or_default();
            let ends = |word: &String| word.starts_with('>') || matches!(&**word, "&" | ":::");
            let call = part[start..].iter().take_while(|word| !ends(word));
            calls.push(call.cloned().collect());
        }
    }
    calls
}

#[test]
fn generated_pages_are_up_to_date() {
    for (name, text) in pages::all() {
        let path = pages::folder().join(name);
        assert!(
            fs::read_to_string(&path).unwrap_or_default() == text,
            "{} is stale: run `cargo run -p referee --features cluster,mcp --example write-reference`",
            path.display()
        );
    }
}

/// Only that they parse; the tests in `tests` run them. Includes those that are not run there.
#[test]
fn the_program_takes_all_commands_of_the_documents() {
    let mut count = 0;
    for path in documents() {
        for (language, block) in blocks(&read(&path)) {
            if !matches!(&*language, "" | "sh" | "console" | "yaml") {
                continue;
            }
            for call in calls(&block) {
                let parsed = referee::cli::command().try_get_matches_from(&call);
                let is_help =
                    |kind| matches!(kind, ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
                if let Err(error) = parsed
                    && !is_help(error.kind())
                {
                    panic!("{}: `{}`\n{error}", path.display(), call.join(" "));
                }
                count += 1;
            }
        }
    }
    assert!(count > 120, "only {count} commands were found");
}

/// Commands inside of sentences may leave something out, but have no flag that does not exist.
#[test]
fn flags_inside_of_sentences_exist() {
    let mut program = referee::cli::command();
    program.build();
    for path in documents() {
        let text = read(&path);
        let outside: String = text.split("```").step_by(2).collect();
        for code in outside.split('`').skip(1).step_by(2) {
            let mut words = code.split_whitespace();
            if words.next() != Some("referee") {
                continue;
            }
            let mut command = &program;
            for word in words.take_while(|word| *word != "--") {
                if let Some(below) = command.find_subcommand(word) {
                    command = below;
                } else if let Some(flag) = word.strip_prefix("--") {
                    let mut flags = command.get_arguments().filter_map(clap::Arg::get_long);
                    assert!(
                        flags.any(|known| known == flag),
                        "{}: `{code}`",
                        path.display()
                    );
                }
            }
        }
    }
}

/// The keys of a table with the tables that they are in, as the schema writes them.
fn flattened(path: &str, value: &toml::Value, keys: &mut Vec<String>) {
    match value {
        toml::Value::Table(table) => {
            for (name, value) in table {
                let key = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                keys.push(key.clone());
                flattened(&key, value, keys);
            }
        }
        toml::Value::Array(values) => {
            for value in values {
                flattened(&format!("{path}[]"), value, keys);
            }
        }
        _ => {}
    }
}

#[test]
fn keys_in_the_documents_exist() {
    let known: BTreeSet<String> = schema::keys().into_iter().map(|key| key.key).collect();
    // Tables whose keys the user chooses, and the file of a submission.
    let is_free = |key: &str| {
        let parts = [".env.", ".options.", "[].options."];
        parts.iter().any(|part| key.contains(part))
    };
    for path in documents() {
        for (language, block) in blocks(&read(&path)) {
            if language != "toml" {
                continue;
            }
            let table: toml::Table = block
                .parse()
                .unwrap_or_else(|error| panic!("{}: {error}\n{block}", path.display()));
            let mut keys = Vec::new();
            flattened("", &toml::Value::Table(table), &mut keys);
            for key in keys.iter().filter(|key| !is_free(key)) {
                let in_submission = known.contains(&format!("bots[].{key}"));
                assert!(
                    known.contains(key) || in_submission,
                    "{}: `{key}`",
                    path.display()
                );
            }
        }
    }
}

/// First cells of the tables' rows below a heading.
fn first_cells(page: &str, heading: &str) -> Vec<String> {
    let text = read(&root().join("docs/src").join(page));
    let section = text
        .split(&format!("\n## {heading}\n"))
        .nth(1)
        .expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows.filter_map(|row| row.split(" |").next());
    // Below the head of the table.
    cells
        .skip(1)
        .map(|cell| cell.trim_matches('`').to_owned())
        .collect()
}

#[test]
fn all_faults_and_exit_codes_are_in_the_book() {
    let codes = ratings::FAULT_CODES.map(|code| code.as_str().to_owned());
    let named = first_cells("reference/faults.md", "Faults");
    assert_eq!(BTreeSet::from(codes), named.into_iter().collect());

    let help = referee::cli::command()
        .get_after_long_help()
        .expect("exit codes")
        .to_string();
    let lines = help
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with("  "));
    let codes: Vec<&str> = lines
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(codes, first_cells("reference/faults.md", "Exit codes"));

    let variables = help
        .split("Environment:\n")
        .nth(1)
        .expect("the environment");
    let named = first_cells("reference/faults.md", "Environment");
    for variable in variables
        .lines()
        .filter_map(|line| line.split_whitespace().next())
    {
        assert!(named.iter().any(|name| name == variable), "`{variable}`");
    }
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let folder = root().join("docs/src");
    let summary = read(&folder.join("SUMMARY.md"));
    let mut all = Vec::new();
    chapters(&folder, &mut all);
    for page in all {
        let name = page
            .strip_prefix(&folder)
            .expect("a page")
            .display()
            .to_string();
        assert!(
            name == "SUMMARY.md" || summary.contains(&format!("]({name})")),
            "{name}"
        );
    }
    for entry in games::GAMES.iter() {
        let name = format!("reference/games/{}.md", entry.info.id);
        assert!(summary.contains(&name), "{name}");
    }
}

/// Program, SDKs and what is said of them have one version.
#[test]
fn there_is_one_version() {
    let release = Command::new(root().join("packaging/release"))
        .arg("check")
        .output()
        .expect("the script runs, which needs Python");
    let error = String::from_utf8_lossy(&release.stderr);
    assert!(release.status.success(), "{error}");
    let version = String::from_utf8_lossy(&release.stdout);
    assert_eq!(version.trim(), env!("CARGO_PKG_VERSION"));
}
