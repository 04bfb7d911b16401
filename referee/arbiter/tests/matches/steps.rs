//! Steps in which several seats act at once, or chance does; hidden information; rules that break.

use arbiter::chance::Chance;
use arbiter::*;
use games::Limits;
use protocol::*;
use serde_json::{Value, json};

use crate::hands::Hands;
use crate::script::*;

fn started(hands: Hands, opening: &[&str]) -> Script {
    timed(hands, opening, control())
}

fn timed(hands: Hands, opening: &[&str], time: TimeControl) -> Script {
    Script::with(hands.rules(), Limits::NONE, opening, time, None).started()
}

impl Script {
    fn show(&mut self, seat: usize, hand: &str) {
        self.say(seat, &json!({"type": "move", "move": hand}).to_string());
    }

    fn crash(&mut self, seat: usize, how: &str) {
        self.event(Event::Failed {
            seat,
            code: FaultCode::Crash,
            message: how.to_owned(),
        });
    }

    /// The plies so far: the seat and the move.
    fn plies(&self) -> Vec<(Option<usize>, &str)> {
        let moves = self.arbiter.moves().iter();
        moves.map(|made| (made.seat, made.mv.as_str())).collect()
    }

    fn turns(&self, seat: usize) -> Vec<&Turn> {
        let own = self.sent.iter().filter(|(to, _)| *to == seat);
        let turns = own.filter_map(|(_, message)| match message {
            ToBot::Turn(turn) => Some(&**turn),
            _ => None,
        });
        turns.collect()
    }

    /// The faults: seat, code, ply.
    fn faults(&self) -> Vec<(usize, FaultCode, u32)> {
        let faults = self.result().faults.into_iter();
        faults
            .map(|fault| (fault.seat, fault.code, fault.ply))
            .collect()
    }
}

/// The outcomes of chance in every match of these tests.
fn coins(count: usize) -> Vec<String> {
    let session = Hands::default().rules().start(0).unwrap();
    let mut chance = Chance::of(SEED);
    (0..count)
        .map(|_| chance.draw(&*session).unwrap())
        .collect()
}

#[test]
fn seats_answer_in_any_order_and_learn_nothing_before_all_have() {
    let mut logs = Vec::new();
    for order in [[0, 1], [1, 0]] {
        let mut script = started(Hands::default(), &[]);
        for (round, hands) in [["rock", "paper"], ["rock", "rock"], ["paper", "rock"]]
            .into_iter()
            .enumerate()
        {
            assert_eq!(script.awaited(), [0, 1]);
            for seat in 0..2 {
                let turns = script.turns(seat);
                assert_eq!(turns.len(), round + 1, "both are asked at once");
                let last = turns.last().unwrap();
                assert_eq!(last.ply as usize, 3 * round + 1, "the ply of the step");
                assert_eq!(last.legal.as_ref().unwrap().len(), 3);
            }
            let (sent, plies) = (script.sent.len(), script.plies().len());
            script.show(order[0], hands[order[0]]);
            assert_eq!(script.sent.len(), sent, "nobody hears of it");
            assert_eq!(script.plies().len(), plies);
            assert_eq!(script.awaited(), [order[1]]);
            script.show(order[1], hands[order[1]]);
        }
        let result = script.result();
        assert_eq!((&*result.reason, result.faults.len()), ("all_shown", 0));
        logs.push((script.arbiter.moves().to_vec(), result));
    }
    assert_eq!(logs[0], logs[1]);
    let seats: Vec<_> = logs[0].0.iter().map(|made| made.seat).collect();
    let round = [None, Some(0), Some(1)];
    assert_eq!(seats, round.repeat(3));
}

#[test]
fn a_second_answer_in_a_step_is_dropped() {
    let mut script = started(Hands::default(), &[]);
    script.show(0, "rock");
    script.show(0, "paper");
    script.show(1, "paper");
    let hands = [(Some(0), "rock"), (Some(1), "paper")];
    assert_eq!(script.plies()[1..3], hands);
}

#[test]
fn a_fault_counts_when_the_step_ends() {
    let mut script = started(Hands::default(), &[]);
    let sent = script.sent.len();
    script.show(0, "well");
    assert!(script.running() && script.awaited() == [1]);
    assert_eq!(script.sent.len(), sent, "neither of the two is informed");
    script.show(1, "rock");
    assert_eq!(script.faults(), [(0, FaultCode::IllegalMove, 1)]);
    let result = script.result();
    assert_eq!(result.outcome, [0.0, 1.0]);
    assert_eq!(result.reason, "forfeit");
    assert_eq!(script.plies().len(), 1, "the step is not made");
    assert_eq!(script.sent_to(0), ["start", "turn", "error", "end"]);
    assert_eq!(script.sent_to(1), ["start", "turn", "end"]);
    assert_eq!(script.dismissed, [0]);
}

#[test]
fn both_at_fault_share_the_point() {
    for order in [[0, 1], [1, 0]] {
        let mut script = started(Hands::default(), &[]);
        for seat in order {
            match seat {
                0 => script.say(0, r#"{"type":"resign"}"#),
                _ => script.show(1, "well"),
            }
        }
        let faults = [(0, FaultCode::Resign, 1), (1, FaultCode::IllegalMove, 1)];
        assert_eq!(
            script.faults(),
            faults,
            "in seat order, not in the order of answers"
        );
        assert_eq!(script.result().outcome, [0.5, 0.5]);
        assert_eq!(script.dismissed, [1], "resigning is no fault");
    }
}

#[test]
fn each_seat_has_its_own_clock_in_a_step() {
    let base = TimeControl {
        per_move: None,
        base: Some(Millis(ms(1000))),
        ..control()
    };
    let mut script = timed(Hands::default(), &[], base);
    let began = script.now;
    script.now += ms(10);
    script.show(0, "rock");
    assert_eq!(script.arbiter.deadline(), Some(began + ms(1020)));
    script.now += ms(690);
    script.show(1, "rock");
    let spent: Vec<_> = script.arbiter.moves()[1..3].iter().map(|m| m.ms).collect();
    assert_eq!(spent, [Millis(ms(10)), Millis(ms(700))]);
    let left = |script: &Script, seat: usize| {
        let clock = json!(script.turns(seat).last().unwrap().clock);
        clock["remaining_ms"].clone()
    };
    assert_eq!(left(&script, 0), json!([990, 300]));
    assert_eq!(left(&script, 1), json!([990, 300]));
    // The time of seat 1 is up long before that of seat 0, which thinks on.
    script.wait(ms(319));
    assert_eq!(script.awaited(), [0, 1]);
    script.wait(ms(1));
    assert_eq!((script.awaited(), script.running()), (vec![0], true));
    assert_eq!(
        script.sent_to(1).last(),
        Some(&"turn"),
        "seat 1 is not informed"
    );
    let began = script.now - ms(320);
    assert_eq!(script.arbiter.deadline(), Some(began + ms(1010)));
    script.now += ms(500);
    script.show(0, "rock");
    assert_eq!(script.faults(), [(1, FaultCode::Timeout, 4)]);
    let fault = &script.result().faults[0];
    assert_eq!(fault.ms, Some(Millis(ms(320))));
    assert_eq!(script.result().outcome, [1.0, 0.0]);
}

#[test]
fn two_who_are_late_have_both_lost() {
    let mut script = started(Hands::default(), &[]);
    script.wait(ms(120));
    let faults = [(0, FaultCode::Timeout, 1), (1, FaultCode::Timeout, 1)];
    assert_eq!(script.faults(), faults);
    assert_eq!(script.result().outcome, [0.5, 0.5]);
}

#[test]
fn a_seat_that_has_answered_is_never_late() {
    let mut script = started(Hands::default(), &[]);
    script.now += ms(20);
    script.show(0, "rock");
    assert_eq!(script.late(at(500)), [1]);
    script.wait(ms(480));
    assert_eq!(script.faults(), [(1, FaultCode::Timeout, 1)]);
}

#[test]
fn how_a_bot_crashed_in_a_step_may_become_known_before_the_step_ends() {
    let mut script = started(Hands::default(), &[]);
    script.crash(0, "closed its output");
    script.crash(0, "exited with code 6");
    script.show(1, "rock");
    assert_eq!(script.faults(), [(0, FaultCode::Crash, 1)]);
    assert_eq!(script.result().faults[0].message, "exited with code 6");
    // The fault before the crash stays the reason.
    let mut script = started(Hands::default(), &[]);
    script.show(0, "well");
    script.crash(0, "exited with code 6");
    script.show(1, "rock");
    assert_eq!(script.faults(), [(0, FaultCode::IllegalMove, 1)]);
}

#[test]
fn a_bot_that_crashes_after_its_answer_loses_in_the_next_step() {
    let mut script = started(Hands::default(), &[]);
    script.show(0, "rock");
    script.crash(0, "gone");
    script.show(1, "paper");
    assert_eq!(
        script.plies().len(),
        4,
        "the step was made, and a coin tossed"
    );
    assert_eq!((script.awaited(), script.turns(0).len()), (vec![1], 1));
    script.show(1, "paper");
    assert_eq!(script.faults(), [(0, FaultCode::Crash, 4)]);
    // If both are gone, nobody is asked.
    let mut script = started(Hands::default(), &[]);
    script.show(0, "rock");
    script.crash(0, "gone");
    script.crash(0, "gone with code 6");
    script.event(Event::Stalled {
        seat: 1,
        what: "it sleeps".to_owned(),
    });
    script.show(1, "paper");
    script.crash(1, "gone");
    let faults = [(0, FaultCode::Crash, 4), (1, FaultCode::Crash, 4)];
    assert_eq!(script.faults(), faults);
    assert_eq!(script.result().faults[0].message, "gone with code 6");
}

#[test]
fn with_three_seats_the_others_play_on() {
    let three = Hands {
        seats: 3,
        ..Hands::default()
    };
    let mut script = started(three, &[]);
    script.show(2, "rock");
    script.show(1, "well");
    assert!(script.dismissed.is_empty(), "the step goes on");
    script.show(0, "rock");
    assert_eq!(script.dismissed, [1]);
    assert_eq!(script.sent_to(1), ["start", "turn", "error"]);
    let forced: Vec<bool> = script.arbiter.moves().iter().map(|m| m.forced).collect();
    assert_eq!(forced, [false, false, true, false, false]);
    for _ in 0..2 {
        assert_eq!(script.awaited(), [0, 2]);
        script.show(0, "rock");
        script.show(2, "rock");
    }
    assert_eq!(script.faults(), [(1, FaultCode::IllegalMove, 1)]);
    let result = script.result();
    assert_eq!(result.outcome[1], 0.0);
    assert!(result.outcome[0] >= 0.5 && result.outcome[2] >= 0.5);
    assert_eq!(script.sent_to(1).last(), Some(&"error"), "it is gone");
    assert_eq!(script.plies().len(), 3 * 4);
}

#[test]
fn a_game_that_all_have_left_is_played_to_its_end() {
    let three = Hands {
        seats: 3,
        ..Hands::default()
    };
    let mut script = started(three, &[]);
    for seat in 0..3 {
        script.say(seat, r#"{"type":"resign"}"#);
    }
    assert_eq!(script.result().faults.len(), 3);
    let moves = script.arbiter.moves();
    assert_eq!(moves.len(), 3 * 4);
    assert!(moves.iter().all(|made| made.forced == made.seat.is_some()));
}

#[test]
fn draws_follow_from_the_seed_and_the_number_of_the_event() {
    let rounds = Hands {
        rounds: 8,
        ..Hands::default()
    };
    let tossed = |script: &Script| -> Vec<String> {
        let coins = script
            .plies()
            .into_iter()
            .filter(|(seat, _)| seat.is_none());
        coins.map(|(_, coin)| coin.to_owned()).collect()
    };
    let expected = coins(8);
    assert!(expected.contains(&"heads".to_owned()) && expected.contains(&"tails".to_owned()));
    for (hand, at_once) in [("rock", false), ("paper", false), ("rock", true)] {
        let mut script = started(Hands { at_once, ..rounds }, &[]);
        while script.running() {
            script.show(0, hand);
            script.show(1, "rock");
        }
        assert_eq!(tossed(&script), expected, "whatever the seats choose");
    }
    // Coins of an opening count as events, too.
    let other = if expected[0] == "heads" {
        "tails"
    } else {
        "heads"
    };
    let mut script = started(rounds, &[other, "rock", "rock"]);
    while script.running() {
        script.show(0, "rock");
        script.show(1, "rock");
    }
    assert_eq!(tossed(&script)[0], other);
    assert_eq!(tossed(&script)[1..], expected[1..]);
}

#[test]
fn chance_takes_part_in_a_step_after_all_seats() {
    let at_once = Hands {
        at_once: true,
        ..Hands::default()
    };
    let mut script = started(at_once, &[]);
    script.show(1, "paper");
    assert_eq!(script.plies(), []);
    script.show(0, "rock");
    let coin = &*coins(1)[0];
    let step = [(Some(0), "rock"), (Some(1), "paper"), (None, coin)];
    assert_eq!(script.plies(), step);
    let sent = json!(script.turns(0)[1].moves);
    assert_eq!(sent[2], json!({"seat": null, "move": coin}));
}

#[test]
fn seats_are_sent_only_what_they_may_know() {
    let hidden = Hands {
        hidden: true,
        rounds: 2,
        ..Hands::default()
    };
    let mut script = started(hidden, &["tails"]);
    script.show(0, "rock");
    script.show(1, "paper");
    let coin = &*coins(2)[1];
    let ToBot::Start(start) = &script.sent[0].1 else {
        panic!("the first message is a start");
    };
    assert_eq!(start.state, None);
    assert_eq!(start.observation, Some(json!({"coins": [], "rounds": []})));
    let hands = json!(["rock", "paper"]);
    let sees = |seat: usize| -> Vec<Value> {
        let turns = script.turns(seat);
        turns.iter().map(|turn| json!(turn.sees)).collect()
    };
    assert_eq!(sees(0), [json!([["tails"]]), json!([[hands], [coin]])]);
    assert_eq!(sees(1), [json!([[]]), json!([[hands], []])]);
    for (seat, own) in [(0, "rock"), (1, "paper")] {
        let turns = script.turns(seat);
        let moves = json!(turns[1].moves);
        assert_eq!(moves, json!([{"seat": seat, "move": own}]), "its own alone");
        assert!(turns.iter().all(|turn| turn.state.is_none()));
        let coins = if seat == 0 {
            json!(["tails", coin])
        } else {
            json!([])
        };
        let known = json!({"coins": coins, "rounds": [hands]});
        assert_eq!(turns[1].observation, Some(known));
    }
    script.show(0, "rock");
    script.show(1, "rock");
    for (seat, message) in &script.sent[script.sent.len() - 2..] {
        let ToBot::End(end) = message else {
            panic!("the last messages are ends");
        };
        assert_eq!(
            end.moves.len(),
            6,
            "seat {seat} is sent all moves at the end"
        );
    }
}

#[test]
fn a_bot_that_wants_no_state_gets_no_observation() {
    let hidden = Hands {
        hidden: true,
        ..Hands::default()
    };
    let mut script = Script::with(hidden.rules(), Limits::NONE, &[], control(), None);
    for seat in 0..2 {
        let hello = hello(json!({"wants": {"state": seat == 0}}));
        script.event(Event::Joined { seat, hello });
    }
    for seat in 0..2 {
        script.say(seat, r#"{"type":"ready"}"#);
    }
    assert!(script.turns(0)[0].observation.is_some());
    assert!(script.turns(1)[0].observation.is_none());
    assert!(script.turns(1)[0].sees.is_some());
}

#[test]
fn messages_do_not_depend_on_hidden_information() {
    let hidden = Hands {
        hidden: true,
        rounds: 2,
        ..Hands::default()
    };
    let observed = ["heads", "tails"].map(|coin| {
        let mut script = started(hidden, &[coin]);
        script.show(0, "rock");
        script.show(1, "paper");
        let own = script.sent.iter().filter(|(seat, _)| *seat == 1);
        own.map(|(_, message)| message.to_line())
            .collect::<Vec<_>>()
    });
    assert_eq!(observed[0].len(), 3, "a start and two turns");
    assert_eq!(observed[0], observed[1]);
}

#[test]
fn rules_that_break_end_a_match_without_a_result() {
    for breaks_at in [3, 4] {
        let breaking = Hands {
            breaks_at: Some(breaks_at),
            ..Hands::default()
        };
        let mut script = started(breaking, &[]);
        script.show(0, "rock");
        assert_eq!(script.arbiter.broken(), None);
        script.show(1, "well");
        // A fault decides before the rules are asked again.
        assert_eq!(script.faults(), [(1, FaultCode::IllegalMove, 1)]);

        let mut script = started(breaking, &[]);
        let mut sent = 0;
        while script.arbiter.broken().is_none() {
            sent = script.sent.len();
            script.show(0, "rock");
            script.show(1, "rock");
        }
        let broken = script.arbiter.broken().unwrap().to_string();
        assert_eq!(broken, "the rules fell asleep");
        assert_eq!(script.sent.len(), sent, "nobody is sent anything more");
        assert_eq!(
            (script.arbiter.is_over(), script.arbiter.result()),
            (true, None)
        );
        assert_eq!(
            (script.awaited(), script.arbiter.deadline()),
            (vec![], None)
        );
        script.crash(0, "gone");
        script.wait(ms(1000));
        assert!(script.arbiter.into_finished().is_none() && script.dismissed.is_empty());
    }
}

#[test]
fn rules_that_refuse_what_they_list_are_to_blame_and_no_seat() {
    let contradictory = Hands {
        refuses_paper: true,
        ..Hands::default()
    };
    let mut script = started(contradictory, &[]);
    script.show(0, "rock");
    script.show(1, "paper");
    let broken = script.arbiter.broken().expect("broken rules").to_string();
    assert!(
        broken.starts_with("the rules refuse a move that they list"),
        "{broken}"
    );
    assert_eq!(script.sent_to(1), ["start", "turn"]);
}

#[test]
fn rules_that_break_in_the_opening_give_no_match() {
    let breaking = Hands {
        breaks_at: Some(1),
        ..Hands::default()
    };
    let opening = ["tails", "rock", "rock"];
    let setup = setup(breaking.rules(), Limits::NONE, &opening, control(), None);
    let error = Arbiter::new(setup).err().expect("rules that break");
    assert_eq!(error.to_string(), "the rules fell asleep");
}
