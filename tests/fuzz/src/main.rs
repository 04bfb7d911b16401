//! Searches for inputs that break something, for a given time.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use std::{env, fs};

use clap::Parser;
use clap::builder::PossibleValuesParser;
use fuzz::run::{self, Stats, Until};
use fuzz::{TARGETS, Target};
use nix::sys::resource::{Resource, setrlimit};

/// More memory than this ends the program at once, with the input on the disk.
const MOST_MEMORY: u64 = 4 << 30;

/// Fuzzes everything of the referee that reads text from outside
#[derive(Debug, Parser)]
struct Args {
    /// Targets to fuzz; all if none is named
    #[arg(value_parser = PossibleValuesParser::new(TARGETS.iter().map(|target| target.name)))]
    targets: Vec<String>,
    /// Seconds for each target
    #[arg(long, value_name = "N", default_value_t = 10)]
    seconds: u64,
    /// Seed of all inputs
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Try only the input in this file
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let wanted = |target: &&Target| {
        args.targets.is_empty() || args.targets.iter().any(|name| name == target.name)
    };
    let targets: Vec<&Target> = TARGETS.iter().filter(wanted).collect();
    if let Err(error) = setrlimit(Resource::RLIMIT_AS, MOST_MEMORY, MOST_MEMORY) {
        eprintln!("memory is not limited: {error}");
    }
    let mut code = ExitCode::SUCCESS;
    for target in targets {
        let done = match &args.input {
            Some(input) => try_file(target, input),
            None => fuzz(target, &args),
        };
        match done {
            Ok(stats) => println!("{}", summary(target, &stats)),
            Err(error) => {
                eprintln!("{error}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

fn fuzz(target: &Target, args: &Args) -> Result<Stats, String> {
    let folder = env::temp_dir().join("referee-fuzz");
    let name = target.name;
    println!(
        "{name}: if this process dies, the input is {}/{name}-current-{}",
        folder.display(),
        std::process::id()
    );
    let until = Until::Time(Duration::from_secs(args.seconds));
    run::run(target, args.seed, until, &folder).map_err(|error| error.to_string())
}

fn try_file(target: &Target, path: &PathBuf) -> Result<Stats, String> {
    let input = fs::read(path).map_err(|error| format!("`{}`: {error}", path.display()))?;
    let mut stats = Stats::default();
    match run::try_input(target, &input, &mut stats) {
        Ok(_) => Ok(stats),
        Err(failure) => Err(format!("{}: {failure}", target.name)),
    }
}

fn summary(target: &Target, stats: &Stats) -> String {
    format!(
        "{}: {} inputs, {} understood; the slowest took {:.1?}, the largest {} KiB",
        target.name,
        stats.inputs,
        stats.understood,
        stats.slowest,
        stats.largest >> 10
    )
}
