//! Matches between players inside the referee.

use std::ops::ControlFlow;
use std::sync::Arc;

use arbiter::early_end::EarlyEnds;
use arbiter::{Action, Arbiter, SeatSetup, Setup};
use games::{Rng, Rules, Session};
use protocol::{FaultCode, TimeControl, ToBot};

use super::{FinishedRun, Observer, Timing, run};
use crate::players::Random;

/// A small game and its start.
fn start() -> (Arc<dyn Rules>, Box<dyn Session>) {
    let game = games::find("amazons").expect("a game");
    let rules = game.configure(&serde_json::json!({"size": 5}));
    let rules = rules.expect("an option");
    let start = rules.start(1).unwrap();
    (rules, start)
}

fn setup() -> Setup {
    let (rules, start) = start();
    let seated = |name: &str| SeatSetup {
        name: name.to_owned(),
        time: TimeControl::default(),
        cpu_time: None,
        info_bytes: 0,
    };
    Setup {
        match_id: "m-1".to_owned(),
        start,
        opening: Vec::new(),
        seed: 1,
        deal: None,
        recorded: Vec::new(),
        limits: rules.info().limits,
        seats: vec![seated("one"), seated("two")],
        early_ends: EarlyEnds::default(),
        cores: 1,
        rules,
    }
}

fn random(seed: u64) -> Random {
    Random::new(Rng::from_parts(&[seed]))
}

#[tokio::test]
async fn players_play_to_the_end_and_observers_see_every_ply() {
    let mut seen = Vec::new();
    let mut look = |arbiter: &Arbiter| seen.push(arbiter.moves().len());
    let players = vec![random(1), random(2)];
    let FinishedRun { played, players } = run(setup(), players, Timing::Real, &mut look).await;
    let played = played.expect("rules that work").expect("not broken off");
    assert_eq!(players.len(), 2);
    assert!(played.result.faults.is_empty(), "{:?}", played.result);
    seen.dedup();
    assert!(seen.into_iter().eq(0..=played.moves.len()));
}

#[tokio::test]
async fn a_player_who_leaves_loses() {
    let players = vec![random(1), random(2).leaving_after(0, 3)];
    let finished = run(setup(), players, Timing::Real, &mut |_: &Arbiter| ()).await;
    let played = finished
        .played
        .expect("rules that work")
        .expect("not broken off");
    assert_eq!(played.moves.len(), 5);
    assert_eq!(played.result.outcome, [1.0, 0.0]);
    assert_eq!(played.result.faults[0].code, FaultCode::Crash);
}

/// Aborts the match at a seat's first turn.
struct Stop(usize);

impl Observer for Stop {
    fn action(&mut self, action: &mut Action) -> ControlFlow<()> {
        match action {
            Action::Send {
                seat,
                message: ToBot::Turn(_),
            } if *seat == self.0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[tokio::test]
async fn a_match_that_is_broken_off_has_no_result() {
    let players = vec![random(1), random(2)];
    let finished = run(setup(), players, Timing::Real, &mut Stop(1)).await;
    assert_eq!(finished.played, Ok(None));
}
