//! The red team against the sandbox: every trick, in every tier, by every user who may run the
//! referee, and what came of it beside what is promised.

pub mod duels;
mod judge;
mod options;
mod promises;
mod site;
mod table;
mod tournaments;

use std::collections::BTreeSet;

use clap::ValueEnum;
use nix::unistd::geteuid;

use super::Findings;
use judge::Verdicts;
pub use options::{Options, Tier, User};
use promises::Promises;
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
    let mut all_tried = options.trick.is_none() && options.user.is_none();
    all_tried &= tiers.contains(&Tier::None);
    for tier in tiers {
        for user in users.iter().copied() {
            let verdicts = tournaments::run(&programs, tier, user, options, &mut findings);
            succeeded.extend(verdicts.succeeded());
            show(&verdicts, tier, user, options, &promises, &mut findings);
            table.add(tier, user, &verdicts);
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

/// What is wrong, or everything where one trick is looked at.
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
        if options.trick.is_some() {
            for attempt in &verdict.attempts {
                findings.figure(format!("{place}: {promise}: {attempt}"));
            }
        }
        for success in &verdict.successes {
            let sentence = format!("{place}: {promise}: {success}");
            match promised {
                Some(true) => findings.wrong.push(sentence),
                Some(false) => {}
                None => findings
                    .wrong
                    .push(format!("{sentence}; nobody says if that is promised")),
            }
        }
        for unknown in verdict.unknown.iter().filter(|_| promised != Some(false)) {
            findings
                .wrong
                .push(format!("{place}: {promise}: not tested: {unknown}"));
        }
    }
}
