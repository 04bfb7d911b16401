//! `--watch`: the pages for the browser while a tournament runs, served by a process of their own.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Stdio;

use report::print_notice;
use supervisor::OwnChild;

use crate::cli::CliError;
use crate::cli::common::listen::ListenArgs;

/// `referee watch` for the tournament of this process; ends with it.
pub(crate) struct Watcher {
    process: OwnChild,
}

impl Watcher {
    /// Starts the server, which reports the address of the pages on stderr.
    pub(crate) fn start(folder: &Path, listen: ListenArgs) -> Result<Self, CliError> {
        let program = std::env::current_exe()?;
        let mut command = std::process::Command::new(program);
        command
            .arg("watch")
            .arg("--with-input")
            .arg("--listen")
            .arg(listen.listen.to_string())
            .arg("--")
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0);
        let mut process = OwnChild::spawn(&mut command)?;
        let mut line = String::new();
        let mut output = BufReader::new(process.child.stdout.take().expect("it is a pipe"));
        output.read_line(&mut line)?;
        if line.is_empty() {
            // It has reported its problem on stderr.
            let _ = process.child.wait();
            let message = "--watch: the pages for the browser cannot be served".to_owned();
            return Err(CliError::Usage(message));
        }
        print_notice(format_args!("watch it at {line}"));
        Ok(Watcher { process })
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // The end of its input ends it; it first sends the latest events to its pages.
        drop(self.process.child.stdin.take());
        let _ = self.process.child.wait();
    }
}
