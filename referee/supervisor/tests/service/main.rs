//! Services with real processes. This program is also their supervisors, and the program that
//! answers.

#![expect(clippy::unwrap_used, reason = "in tests")]

mod harness;
mod program;
mod tests;

use std::env;
use std::process::ExitCode;

use supervisor::process::supervisor as supervising;
use supervisor::system::spawner;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [spawner::SUBCOMMAND] => spawner::run(supervising::run).unwrap(),
        #[cfg(target_os = "linux")]
        [::supervisor::sandbox::launch::init::SUBCOMMAND, json] => {
            ::supervisor::sandbox::launch::init::run(&serde_json::from_str(json).unwrap()).unwrap();
        }
        [program::ANSWER] => program::answer(),
        [program::ASK, how, request, seconds] => {
            program::ask(how, request, seconds.parse().unwrap())
        }
        _ => return harness::run(&args, tests::ALL),
    }
    ExitCode::SUCCESS
}
