//! A General Game Playing referee as a library: play matches of bots, run tournaments, read logs.
//!
//! A bot is any program that talks the protocol on its stdin and stdout. The program `referee` is a
//! thin layer over this library ([`cli`]); what it can do, you can do from Rust.
//!
//! # Playing a match
//!
//! ```standalone_crate
//! use referee::MatchRequest;
//!
//! fn main() -> Result<(), referee::MatchError> {
//!     referee::become_supervisor_if_asked();
//!     let bot = "python3 ../bots/examples/python/random_bot.py";
//!     let record = MatchRequest::new("run", [bot, bot]).play()?;
//!     assert_eq!(record.result.outcome.iter().sum::<f64>(), 1.0);
//!     Ok(())
//! }
//! ```
//!
//! Bots are started and watched over by further processes of the same program, so `main` calls
//! [`become_supervisor_if_asked`] before it does anything else.
//!
//! # Running a tournament
//!
//! ```standalone_crate
//! use referee::{Config, Tournament};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     referee::become_supervisor_if_asked();
//!     let config = r#"
//!         name = "two"
//!         games = [{ id = "amazons", options = { size = 5 } }]
//!         bots = [
//!             { name = "one", command = ["python3", "random_bot.py"] },
//!             { name = "two", command = ["python3", "random_bot.py"] },
//!         ]
//!         [time]
//!         per_move = "10s"
//!     "#;
//!     let config = Config::parse(config, "../bots/examples/python".as_ref())?;
//!     let folder = std::env::temp_dir().join(format!("referee-doc-{}", std::process::id()));
//!     let outcome = Tournament::create(config, Some(&folder))?.play_to_the_end()?;
//!     assert!(outcome.complete);
//!     std::fs::remove_dir_all(folder)?;
//!     Ok(())
//! }
//! ```
//!
//! The folder holds the log, one line a match. If the program ends early, [`Tournament::resume`] goes
//! on with what is missing.
//!
//! Bots that are built first, and do not play if they are broken:
//!
//! ```standalone_crate
//! use referee::{Config, Tournament};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     referee::become_supervisor_if_asked();
//!     let folder = std::env::temp_dir().join(format!("referee-class-{}", std::process::id()));
//!     std::fs::create_dir(&folder)?;
//!     std::fs::copy("../bots/examples/python/random_bot.py", folder.join("bot.py"))?;
//!     let config = r#"
//!         name = "class"
//!         games = [{ id = "amazons", options = { size = 5 } }]
//!         bots = [
//!             { name = "anna", command = "python3 bot.py" },
//!             { name = "ben", command = "python3 built.py", build = "cp bot.py built.py" },
//!             { name = "carl", command = "./bot", build = "false", must_pass_check = true },
//!         ]
//!         [time]
//!         per_move = "10s"
//!     "#;
//!     let config = Config::parse(config, &folder)?;
//!     let tournament = Tournament::create(config, Some(&folder.join("out")))?;
//!     let broken = tournament.left_out();
//!     assert_eq!(broken[0].bot, "carl");
//!     assert!(broken[0].why.starts_with("its build exited with code 1"));
//!     assert_eq!(tournament.schedule().total(), 2);
//!     assert!(tournament.play_to_the_end()?.complete);
//!     std::fs::remove_dir_all(folder)?;
//!     Ok(())
//! }
//! ```
//!
//! # Reading a log
//!
//! ```
//! use referee::log::LogFile;
//! use referee::ratings::{MatchStore, MatchSummary, Request};
//!
//! let mut matches = MatchStore::new();
//! for record in LogFile::open("../tests/fixtures/tournament-0.1".as_ref())? {
//!     matches.add(&MatchSummary::from(&record?));
//! }
//! let report = matches.report(&Request::default())?;
//! for &bot in &report.ranking {
//!     let rating = report.ratings.bots[bot].expect("every bot has played");
//!     println!("{}: {:.0}", report.bots[bot].name, rating.elo);
//! }
//! assert_eq!(report.bots[report.ranking[0]].name, "greedy");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Below
//!
//! [`arbiter`] is one match as a pure state machine, [`ratings`] are the statistics, [`supervisor`] is
//! one child process with its limits and its sandbox. Games and the protocol are crates of their own.

pub mod cli;

pub use ::arbiter;
pub use ::bundle;
pub use ::config;
pub use ::log;
pub use ::ratings;
pub use ::supervisor;
pub use ::tournament;
#[cfg(feature = "cluster")]
pub use ::workers;

pub use config::Config;
pub use rules::{RulesError, SourceError};
pub use tournament::playing::one_match::{MatchError, MatchRequest};
pub use tournament::{Tournament, TournamentError};

/// Supervises bots, if this process was started for that: then it does not return. Call it first in
/// `main` of any program that starts bots; without it, no bot starts. Bots get the environment and
/// the limits that the program has when it starts the first one.
pub fn become_supervisor_if_asked() {
    let asked = std::env::args().nth(1);
    let tasks = [
        supervisor::system::spawner::SUBCOMMAND,
        supervisor::sandbox::launch::init::SUBCOMMAND,
    ];
    if asked.is_some_and(|asked| tasks.contains(&&*asked)) {
        std::process::exit(cli::run_to_code().into());
    }
}
