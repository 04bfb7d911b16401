//! `referee workers`: lists the workers of the tournaments on a NATS server.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use ::cluster::{Connection, Presence, Role, Server, workers};
use protocol::shown;
use report::table::Table;
use report::terminal;
use serde_json::json;

use crate::cli::common::format::{OutputFormat, print_json};
use crate::cli::{CliError, block_on, print};

/// Lists the workers that a NATS server knows
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The NATS server, as in nats://host:4222, or tls://host for an encrypted connection
    server: String,
    /// The file of credentials for the server, as `nsc` makes it
    #[arg(long, value_name = "FILE")]
    creds: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// Each worker sends two signs of life in this time.
const LISTEN: Duration = Duration::from_secs(2);

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let server = Server {
            address: self.server.clone(),
            credentials: self.creds.clone(),
        };
        let workers = block_on(async {
            let connection = Connection::open(&server, Role::Viewer).await?;
            workers(&connection, LISTEN).await
        })??;
        match self.format {
            OutputFormat::Json => print_json(&json!({ "workers": workers })),
            OutputFormat::Text => print(&as_text(&workers)),
        }
    }
}

fn as_text(workers: &[Presence]) -> String {
    if workers.is_empty() {
        return "no workers\n".to_owned();
    }
    let header = [
        "worker", "slots", "busy", "matches", "a minute", "since", "plays",
    ];
    let table = Table {
        header: header.map(str::to_owned).to_vec(),
        rows: workers.iter().map(row).collect(),
        names: 0,
        keys: 1,
    };
    let slots = workers
        .iter()
        .map(|presence| u64::from(presence.slots))
        .sum::<u64>();
    let busy = workers
        .iter()
        .map(|presence| u64::from(presence.busy))
        .sum::<u64>();
    let count = workers.len();
    table.within(terminal::width()) + &format!("workers: {count}, slots: {slots}, busy: {busy}\n")
}

fn row(presence: &Presence) -> Vec<String> {
    let a_minute = a_minute(presence).map_or("-".to_owned(), |pace| format!("{pace:.1}"));
    vec![
        presence.name.clone(),
        presence.slots.to_string(),
        presence.busy.to_string(),
        presence.matches.to_string(),
        a_minute,
        shown(&presence.since),
        shown(&presence.tournaments.join(", ")),
    ]
}

/// Matches that a worker has played a minute since it began, by its own clock and this one.
fn a_minute(presence: &Presence) -> Option<f64> {
    let since = humantime::parse_rfc3339(&presence.since).ok()?;
    let gone = SystemTime::now().duration_since(since).ok()?.as_secs_f64();
    (gone >= 1.0).then(|| presence.matches as f64 * 60.0 / gone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_listed_with_what_they_do() {
        assert_eq!(as_text(&[]), "no workers\n");
        let one = Presence {
            name: "a".to_owned(),
            slots: 4,
            busy: 3,
            matches: 17,
            since: "no time\u{1b}[1m".to_owned(),
            tournaments: vec!["evening-1".to_owned()],
        };
        let text = as_text(&[
            one.clone(),
            Presence {
                name: "b".to_owned(),
                ..one
            },
        ]);
        assert!(text.contains("workers: 2, slots: 8, busy: 6"), "{text}");
        assert!(text.contains("17") && text.contains("evening-1"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
