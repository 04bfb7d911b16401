//! Samples memory, open files and children of a running referee.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use super::findings::Findings;
use crate::traces::{children, open_files, resident_kib};
use crate::{Arena, Ran, referee};

/// Sampling interval.
const BETWEEN: Duration = Duration::from_millis(100);
/// Allowed growth of memory from the first half of a run to the second, in KiB: both slots may hold
/// a bot's longest output at the same moment, and whether a sample falls on that is chance.
const SLACK: u64 = 32 << 10;
/// Additional processes allowed in the second half: those that the slots keep for their next
/// matches, of which there are few at first.
const KEPT: u64 = 20;
/// A process has at most this many pipes, sockets and files.
const FILES_EACH: u64 = 7;

/// A running tournament.
pub(super) struct Watch {
    child: Child,
}

pub(super) struct Watched {
    pub(super) referee: u32,
    pub(super) ran: Ran,
    samples: Vec<Sample>,
}

#[derive(Clone, Copy)]
struct Sample {
    resident_kib: u64,
    open_files: usize,
    children: usize,
}

impl Watch {
    pub(super) fn start(arena: &Arena) -> Self {
        let tmp = arena.path("tmp");
        fs::create_dir_all(&tmp).expect("a folder");
        let errors = fs::File::create(arena.path("errors")).expect("a file");
        let child = Command::new(referee())
            .args(arena.tournament())
            .arg("--quiet")
            .env("TMPDIR", tmp)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors)
            .spawn()
            .expect("referee runs");
        Watch { child }
    }

    /// Samples until it ends.
    pub(super) fn wait(mut self) -> Watched {
        let referee = self.child.id();
        let mut samples = Vec::new();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            // It is there until it was waited for, but has no memory once it has ended.
            samples.extend(resident_kib(referee).map(|resident_kib| Sample {
                resident_kib,
                open_files: open_files(referee),
                children: children(referee).len(),
            }));
            thread::sleep(BETWEEN);
        };
        let ran = Ran {
            code: status.code(),
            stdout: String::new(),
            stderr: String::new(),
        };
        Watched {
            referee,
            ran,
            samples,
        }
    }
}

impl Watched {
    /// Compares the second half with the first one.
    pub(super) fn report(&self, findings: &mut Findings) {
        let (first, second) = self.samples.split_at(self.samples.len() / 2);
        let most = |part: &[Sample], of: fn(&Sample) -> u64| part.iter().map(of).max().unwrap_or(0);
        for (what, slack, of) in [
            (
                "KiB of memory",
                SLACK,
                (|s| s.resident_kib) as fn(&Sample) -> u64,
            ),
            ("open files", KEPT * FILES_EACH, |s| s.open_files as u64),
            ("children", KEPT, |s| s.children as u64),
        ] {
            let (before, after) = (most(first, of), most(second, of));
            let figure =
                format!("at most {before} {what} in the first half, {after} in the second");
            findings.wrong_unless(after <= before + slack, || figure.clone());
            findings.figure(figure);
        }
    }
}
