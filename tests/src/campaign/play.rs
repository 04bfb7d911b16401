//! One tournament of a campaign.

use std::time::Instant;

use serde_json::Value;

use super::findings::Findings;
use super::watch::{Watch, Watched};
use crate::Arena;

/// Plays a tournament and checks the invariants: it ends well, with this many matches, each in the
/// log once and verified, and leaves nothing behind. Returns the matches.
pub(super) fn play(
    arena: &Arena,
    mark: &str,
    matches: usize,
    findings: &mut Findings,
) -> Vec<Value> {
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
    watched.report(findings);
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
