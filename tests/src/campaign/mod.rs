//! Long runs that show that the referee holds: what they find is told as figures, and what is
//! wrong as sentences.

pub mod busy;
pub mod hostile;
mod modes;
pub mod quick;
pub mod redteam;
mod watch;

use std::fmt;
use std::time::Instant;

use serde_json::Value;

use crate::Arena;
use watch::{Watch, Watched};

/// What a campaign found.
#[derive(Debug, Default)]
pub struct Findings {
    /// What was measured, a line each.
    pub figures: Vec<String>,
    /// What should not be.
    pub wrong: Vec<String>,
    /// What took too long: a machine may be to blame.
    pub slow: Vec<String>,
}

impl Findings {
    fn figure(&mut self, text: impl Into<String>) {
        self.figures.push(text.into());
    }

    fn wrong_unless(&mut self, holds: bool, text: impl FnOnce() -> String) {
        if !holds {
            self.wrong.push(text());
        }
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for figure in &self.figures {
            writeln!(f, "{figure}")?;
        }
        for wrong in &self.wrong {
            writeln!(f, "WRONG: {wrong}")?;
        }
        for slow in &self.slow {
            writeln!(f, "SLOW: {slow}")?;
        }
        Ok(())
    }
}

/// Plays a tournament and checks what must hold for all of them: it ends well, with so many
/// matches, each there once and right by the rules, and leaves nothing. Gives the matches.
fn play(arena: &Arena, mark: &str, matches: usize, findings: &mut Findings) -> Vec<Value> {
    crate::referee();
    let began = Instant::now();
    let watched = Watch::start(arena).wait();
    let Watched { referee, ran, .. } = &watched;
    let seconds = began.elapsed().as_secs_f64();
    findings.figure(format!(
        "{matches} matches in {seconds:.1} s: {:.1} a second",
        matches as f64 / seconds
    ));
    findings.wrong_unless(ran.code == Some(0), || {
        format!("the referee ended with {:?}: {}", ran.code, ran.stderr)
    });
    watched.tell(findings);
    let left = crate::traces::marked(mark);
    findings.wrong_unless(left.is_empty(), || format!("processes are left: {left:?}"));
    let left = crate::traces::control_groups(*referee);
    findings.wrong_unless(left.is_empty(), || {
        format!("control groups are left: {left:?}")
    });
    let left = crate::traces::temporary(&arena.path("tmp"));
    findings.wrong_unless(left.is_empty(), || format!("folders are left: {left:?}"));
    let records = arena.matches();
    let mut ids: Vec<String> = records.iter().map(|m| m["match"].to_string()).collect();
    ids.dedup();
    findings.wrong_unless(ids.len() == matches && records.len() == matches, || {
        format!(
            "{} results of {} matches, not {matches}",
            records.len(),
            ids.len()
        )
    });
    let verified = crate::run(["replay".into(), arena.path("out"), "--verify".into()]);
    findings.wrong_unless(verified.code == Some(0), || {
        format!("the log does not verify: {}", verified.stdout)
    });
    records
}
