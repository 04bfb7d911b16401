//! Checks of players over HTTP: does the player answer, and does it play every sheet in every seat?

use std::time::Instant;

use arbiter::early_end::EarlyEnds;
use arbiter::{Arbiter, FinishedMatch, SeatSetup, Setup};
use games::{BrokenRules, Rng};
use gdl::Script;
use play::match_runner::{self, Timing};
use play::players::{Either, Ggp, GgpMatch, Random};
use supervisor::{BotSpec, GgpPlayer};

use super::environment::Extent;
use super::finding::{CheckOutcome, CheckReport};
use super::matches::limits;
use super::selection::{Selection, Variant};
use play::ggp::Arrival;

/// Runs the checks of a player one after another, and reports each when it is done.
pub async fn run(
    spec: &BotSpec,
    player: &GgpPlayer,
    selection: &Selection,
    extent: Extent,
    mut report: impl FnMut(CheckReport),
) {
    let began = Instant::now();
    let arrival = Arrival::of(spec, player).await;
    let stop = match &arrival.introduction {
        Ok(_) => None,
        Err(_) => Some("nobody is there".to_owned()),
    };
    let about = "is there, and answers `INFO` or not at all";
    report(CheckReport {
        name: "ggp/info".to_owned(),
        about,
        outcome: match &arrival.introduction {
            Ok(introduction) => CheckOutcome::Passed(introduction.clone()),
            Err(failure) => failed(
                failure.message.clone(),
                "start the player, or correct its address",
            ),
        },
        took: began.elapsed(),
    });
    drop(arrival);
    let mut variants = selection.variants();
    variants.retain(|variant| Script::of(&*variant.rules).is_some());
    for variant in &variants {
        for seat in 0..variant.rules.seats() {
            let role = &variant.rules.roles()[seat];
            let name = format!("ggp/{}/{role}", variant.label);
            if !selection.has(&name) {
                continue;
            }
            let began = Instant::now();
            let outcome = match &stop {
                Some(why) => CheckOutcome::Skipped(why.clone()),
                None => judged(play(spec, player, variant, seat, extent).await, seat),
            };
            report(CheckReport {
                name,
                about: "plays against random moves, without a fault",
                outcome,
                took: began.elapsed(),
            });
        }
    }
}

fn failed(what: String, fix: &str) -> CheckOutcome {
    CheckOutcome::failed(what, Some(fix))
}

fn judged(played: Result<FinishedMatch, BrokenRules>, seat: usize) -> CheckOutcome {
    let played = match played {
        Ok(played) => played,
        Err(broken) => {
            return failed(
                broken.to_string(),
                "repair the rules: the player is not to blame",
            );
        }
    };
    let mut faults = played.result.faults.iter();
    match faults.find(|fault| fault.seat == seat) {
        None => CheckOutcome::Passed(None),
        Some(fault) => {
            let what = format!("{} at ply {}: {}", fault.code, fault.ply, fault.message);
            failed(what, fault.code.advice().unwrap_or("play on"))
        }
    }
}

/// A match of the player against random moves, of about `turns` moves.
async fn play(
    spec: &BotSpec,
    player: &GgpPlayer,
    variant: &Variant,
    seat: usize,
    extent: Extent,
) -> Result<FinishedMatch, BrokenRules> {
    let (rules, seed) = (&variant.rules, extent.seed);
    let start = rules.start(seed)?;
    let id = format!("check-{seed}");
    let played = GgpMatch {
        id: &id,
        rules: &**rules,
        start: &*start,
        opening: &[],
        seed,
    };
    let arrival = Arrival::of(spec, player).await;
    let (tested, talk) = Ggp::new(spec, arrival, seat, &played)?;
    let talk = tokio::spawn(talk);
    let mut tested = Some(tested);
    let players = (0..rules.seats()).map(|other| match tested.take_if(|_| other == seat) {
        Some(tested) => Either::A(tested),
        None => Either::B(Random::new(Rng::from_parts(&[seed, 1]))),
    });
    let players = players.collect();
    let seats = (0..rules.seats()).map(|other| SeatSetup {
        name: format!("seat {other}"),
        time: spec.time.clone(),
        cpu_time: None,
        info_bytes: 0,
    });
    let setup = Setup {
        match_id: id.clone(),
        limits: limits(variant, &*start, seat, extent.turns, seed),
        start,
        opening: Vec::new(),
        seed,
        deal: None,
        recorded: Vec::new(),
        seats: seats.collect(),
        early_ends: EarlyEnds::default(),
        cores: 1,
        rules: rules.clone(),
    };
    let finished = match_runner::run(setup, players, Timing::Real, &mut |_: &Arbiter| ()).await;
    drop(finished.players);
    // The player has to leave this match before the next one begins.
    let _ = talk.await;
    finished
        .played
        .map(|played| played.expect("nobody breaks it off"))
}
