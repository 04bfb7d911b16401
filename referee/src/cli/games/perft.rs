//! `referee perft`: counts positions, the standard check of a move generator.

use std::thread;
use std::time::{Duration, Instant};

use games::Session;
use games::perft::{Perft, PerftRequest};
use model::MAX_DEPTH;
use report::print_notice;
use serde_json::{Map, json};

use crate::cli::common::args::{GameArgs, StartArgs};
use crate::cli::common::format::{FormatArgs, OutputFormat};
use crate::cli::{CliError, print};

/// Counts the positions after exactly N plies, by paths
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: referee perft amazons --depth 2")]
pub(crate) struct Args {
    #[command(flatten)]
    game: GameArgs,
    #[command(flatten)]
    start: StartArgs,
    /// Number of plies
    #[arg(long, value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_DEPTH)))]
    depth: u32,
    /// Also print the count of each first move
    #[arg(long)]
    divide: bool,
    #[command(flatten)]
    format: FormatArgs,
}

/// A count that takes longer than this shows progress.
const SILENT: Duration = Duration::from_secs(3);

/// If the count takes long, also counts smaller depths and prints them on stderr.
fn show_progress(session: Box<dyn Session>, depth: u32) {
    let began = Instant::now();
    // The thread ends with the program.
    thread::spawn(move || {
        thread::sleep(SILENT);
        for before in 1..depth {
            let Ok(nodes) = session.perft_nodes(before) else {
                return;
            };
            let passed = began.elapsed().as_secs();
            print_notice(format_args!(
                "after {passed} s: depth {before} has {nodes} positions; still counting depth {depth}\n"
            ));
        }
    });
}

impl Args {
    pub(crate) fn run(self) -> Result<(), CliError> {
        let set = self.game.rules.open()?;
        let rules = self.game.rules(&set.catalog)?;
        let session = self.start.open(&*rules)?;
        show_progress(session.fork(), self.depth);
        let request = PerftRequest {
            divide: self.divide,
            ..PerftRequest::new(self.depth)
        };
        let counted = session.perft(&request)?.expect("there is no limit");
        let Perft { nodes, mut moves } = counted;
        moves.sort_unstable();
        match self.format.format {
            OutputFormat::Text => {
                let lines = moves.iter().map(|(mv, nodes)| format!("{mv} {nodes}\n"));
                print(&format!("{}{nodes}\n", lines.collect::<String>()))
            }
            OutputFormat::Json => {
                let mut answer = json!({"nodes": nodes, "depth": self.depth});
                if self.divide {
                    let moves = moves.into_iter().map(|(mv, nodes)| (mv, json!(nodes)));
                    answer["divide"] = moves.collect::<Map<_, _>>().into();
                }
                print(&format!("{answer}\n"))
            }
        }
    }
}
