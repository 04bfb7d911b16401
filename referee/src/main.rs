//! The program `referee`.

use std::process::ExitCode;

fn main() -> ExitCode {
    referee::cli::run()
}
