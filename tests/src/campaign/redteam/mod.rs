//! The red team against the sandbox: every trick, in every tier, by every user who may run the
//! referee, with the outcomes beside the promises.

pub mod duels;
mod judge;
mod options;
mod promises;
mod scenes;
mod site;
mod table;
mod tournaments;

use std::collections::{BTreeMap, BTreeSet};

use clap::ValueEnum;
use nix::unistd::geteuid;

use super::Findings;
use judge::{Verdict, Verdicts};
pub use options::{Options, Tier, User};
use promises::Promises;
pub use scenes::deals::foreseen;
use scenes::{Scene, Stage, Tiers};
use site::Programs;
use table::Table;

/// Runs the matrix, or a part of it.
pub fn run(options: &Options) -> Findings {
    let mut findings = Findings::default();
    if options.write.is_some() && !geteuid().is_root() {
        let sentence = "only root can run the whole matrix, which `--write` needs";
        findings.wrong.push(sentence.to_owned());
        return findings;
    }
    let programs = Programs::copy();
    let mut users = User::possible();
    users.retain(|user| options.user.is_none_or(|only| only == *user));
    let promises = match Promises::ask(&programs, &users) {
        Ok(promises) => promises,
        Err(error) => {
            findings.wrong.push(error);
            return findings;
        }
    };
    let tiers = match options.tier {
        Some(tier) => vec![tier],
        None if options.short => vec![Tier::Strict],
        None => Tier::value_variants().to_vec(),
    };
    let mut table = Table::new(&promises);
    let mut succeeded = BTreeSet::new();
    let mut once = BTreeMap::new();
    let mut all_tried =
        options.trick.is_none() && options.except.is_none() && options.user.is_none();
    all_tried &= tiers.contains(&Tier::None);
    for tier in tiers {
        for user in users.iter().copied() {
            let verdicts = tournaments::run(&programs, tier, user, options, &mut findings);
            succeeded.extend(verdicts.succeeded());
            show(&verdicts, tier, user, options, &promises, &mut findings);
            let stage = Stage {
                programs: &programs,
                tier,
                user,
                short: options.short,
            };
            let scenes = played_scenes(&stage, &mut once, options, &mut findings);
            table.add(tier, user, &verdicts, scenes);
        }
    }
    // A trick that succeeds nowhere says nothing about a sandbox.
    for promise in promises.all.iter().filter(|_| all_tried) {
        let promised = promises.holds(&promise.id, Tier::None, User::Ordinary) == Some(true);
        findings.wrong_unless(promised || succeeded.contains(&promise.id), || {
            format!("{}: no trick succeeds even without a sandbox", promise.id)
        });
    }
    for line in table.to_string().lines() {
        findings.figure(line);
    }
    if let Some(path) = &options.write
        && let Err(error) = table.write(path)
    {
        findings.wrong.push(format!("{}: {error}", path.display()));
    }
    findings
}

/// Plays the scenes; `once` keeps the outcomes that do not depend on the sandbox, by user.
fn played_scenes(
    stage: &Stage,
    once: &mut BTreeMap<(&'static str, User), Verdict>,
    options: &Options,
    findings: &mut Findings,
) -> Vec<(&'static Scene, Verdict)> {
    let mut played = Vec::new();
    for scene in scenes::chosen(options) {
        let key = (scene.name, stage.user);
        if let Some(verdict) = once.get(&key) {
            played.push((scene, verdict.clone()));
            continue;
        }
        let verdict = (scene.play)(stage);
        let place = match scene.tiers {
            Tiers::Each => format!("{}, {}", stage.tier.name(), stage.user.name()),
            Tiers::Any => stage.user.name().to_owned(),
        };
        let promised = (scene.promised)(stage.tier, stage.user);
        let alone = options.trick.is_some();
        report(&place, scene.name, &verdict, promised, alone, findings);
        if scene.tiers == Tiers::Any {
            once.insert(key, verdict.clone());
        }
        played.push((scene, verdict));
    }
    played
}

/// Reports violations of a promise, and every attempt if it is the only one.
fn report(
    place: &str,
    promise: &str,
    verdict: &Verdict,
    promised: bool,
    alone: bool,
    findings: &mut Findings,
) {
    if alone {
        for attempt in &verdict.attempts {
            findings.figure(format!("{place}: {promise}: {attempt}"));
        }
    }
    if !promised {
        return;
    }
    for success in &verdict.successes {
        let sentence = format!("{place}: {promise}: {success}");
        findings.wrong.push(sentence);
    }
    for unknown in &verdict.unknown {
        let sentence = format!("{place}: {promise}: not tested: {unknown}");
        findings.wrong.push(sentence);
    }
}

fn show(
    verdicts: &Verdicts,
    tier: Tier,
    user: User,
    options: &Options,
    promises: &Promises,
    findings: &mut Findings,
) {
    let place = format!("{}, {}", tier.name(), user.name());
    for (promise, verdict) in verdicts.all() {
        let promised = promises.holds(promise, tier, user);
        if promised.is_none() {
            let sentence = format!("{place}: {promise}: nobody says if that is promised");
            findings.wrong.push(sentence);
        }
        let promised = promised.unwrap_or(true);
        let alone = options.trick.is_some();
        report(&place, promise, verdict, promised, alone, findings);
    }
}
