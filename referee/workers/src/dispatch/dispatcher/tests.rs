//! Which groups are one job, and what becomes of them.

use std::time::Duration;

use cluster::JobResult;
use protocol::Record;
use schedule::{Schedule, Scheduled, ScheduledGroup};
use serde_json::json;

use super::super::{Action, Answer, Dealer, Event, Examined, Request, Setup};
use super::Dispatcher;
use crate::wire::{JobContent, Unplayable, pack, unpack};

const NOW: Duration = Duration::from_secs(1);

fn setup(dealer: Dealer) -> Setup {
    Setup {
        tournament: "t".to_owned(),
        config: "hash".to_owned(),
        bots: ["a", "b", "c", "d"].map(str::to_owned).into(),
        deterministic: vec![false; 4],
        recheck: 0.0,
        secret: [1, 2],
        lease: Duration::from_secs(10),
        dealer,
    }
}

/// A pair of matches.
fn pair(first: usize) -> ScheduledGroup {
    let scheduled = |number, seats| Scheduled {
        number,
        game: 0,
        seats,
        round: 0,
        turn: first as u32,
    };
    ScheduledGroup {
        number: first,
        matches: vec![
            scheduled(first, [0, 1].into_iter().collect()),
            scheduled(first + 1, [1, 0].into_iter().collect()),
        ],
    }
}

fn pairs(numbers: impl IntoIterator<Item = usize>) -> Vec<ScheduledGroup> {
    numbers.into_iter().map(pair).collect()
}

/// Matches with two moves of this many milliseconds together each, and a millisecond for everything else.
fn records(group: &ScheduledGroup, ms: f64) -> Vec<Record> {
    let record = |scheduled: &Scheduled| {
        serde_json::from_value(json!({
            "format": 1, "match": scheduled.id(), "game": "run", "options": {}, "seed": 1, "start": {},
            "players": [], "time": {"per_move_ms": 100, "startup_ms": 100, "margin_ms": 1},
            "limits": {"max_plies": 9, "repetition": 3}, "opening": 0,
            "moves": [{"seat": 0, "move": "x", "ms": ms / 2.0}, {"seat": 1, "move": "x", "ms": ms / 2.0}],
            "result": {"scores": [1, 0], "outcome": [1.0, 0.0], "reason": "x", "faults": []},
            "started": "2026-01-02T03:04:05.678Z", "duration_ms": ms + 1.0, "referee": "referee 0.1.0"
        }))
        .expect("a record")
    };
    group.matches.iter().map(record).collect()
}

fn result(job: u64) -> JobResult {
    JobResult {
        job,
        worker: "w".to_owned(),
        result: Ok(Vec::new()),
        sequence: job,
    }
}

/// A dispatcher that has begun, with these results from before.
fn begun(dealer: Dealer, schedule: &Schedule, early: &[u64]) -> Dispatcher {
    let mut dispatcher = Dispatcher::new(setup(dealer));
    let mut early = early.iter();
    loop {
        let request = dispatcher.next_request(NOW).expect("a request");
        let is_last = matches!(request, Request::Announce);
        let answer = match request {
            Request::Announced => Answer::Announced(Some("hash".to_owned())),
            Request::NextResult => Answer::Result(early.next().map(|job| result(*job))),
            _ => Answer::Done,
        };
        dispatcher.answered(NOW, schedule, request, Ok(answer));
        if is_last {
            return dispatcher;
        }
    }
}

fn schedule() -> Schedule {
    let config = config::Config::parse(
        "name = \"t\"\ngames = [\"run\"]\nrounds = 500\n[[bots]]\nname = \"a\"\ncommand = \"referee bot random\"\n\
         [[bots]]\nname = \"b\"\ncommand = \"referee bot random\"\n",
        std::path::Path::new("/"),
    );
    Schedule::new(&config.expect("a configuration").shape())
}

/// The published jobs, each with the numbers of its matches.
fn published(dispatcher: &mut Dispatcher) -> Vec<(u64, Vec<usize>)> {
    let mut all = Vec::new();
    let schedule = schedule();
    while let Some(request) = dispatcher.next_request(NOW) {
        if let Request::Publish { job, payload } = &request {
            let content: JobContent = unpack(payload).expect("a job");
            all.push((*job, content.matches.iter().map(|it| it.number).collect()));
        }
        let answer = match &request {
            Request::NextResult => Answer::Result(None),
            _ => Answer::Done,
        };
        dispatcher.answered(NOW, &schedule, request, Ok(answer));
    }
    all
}

/// Has a result examined: for each group of its job, how long its moves took, or `None` if it is missing.
fn examined(dispatcher: &mut Dispatcher, job: u64, groups: &[Option<f64>]) {
    dispatcher.receive_first(result(job));
    let action = dispatcher.actions.pop_back();
    let Some(Action::Examine(asked, result)) = action else {
        panic!("{action:?}");
    };
    assert_eq!(asked.len(), groups.len());
    let found = asked.iter().zip(groups);
    let found = found.map(|(group, ms)| ms.map(|ms| records(group, ms)));
    let records = Ok(found.collect());
    dispatcher.handle(NOW, Event::Examined(Examined { result, records }));
}

/// The numbers of the matches that were finished since the last call.
fn finished(dispatcher: &mut Dispatcher) -> Vec<usize> {
    let actions = std::mem::take(&mut dispatcher.actions).into_iter();
    let finished = actions.filter_map(|action| match action {
        Action::Finished(number, _) => Some(number),
        _ => None,
    });
    finished.collect()
}

/// One that has seen a group of this length.
fn after_groups_of(ms: f64, dealer: Dealer) -> Dispatcher {
    let mut dispatcher = begun(dealer, &schedule(), &[]);
    assert_eq!(dispatcher.wanted_groups(), 32);
    dispatcher.handle(NOW, Event::Groups(pairs([1, 3])));
    // Nothing is known about the bots yet.
    let jobs = published(&mut dispatcher);
    assert_eq!(jobs, [(1, vec![1, 2]), (3, vec![3, 4])]);
    examined(&mut dispatcher, 1, &[Some(ms)]);
    examined(&mut dispatcher, 3, &[Some(ms)]);
    assert_eq!(finished(&mut dispatcher), [1, 2, 3, 4]);
    dispatcher
}

#[test]
fn short_groups_are_one_job_and_long_ones_are_not() {
    for (ms, groups) in [(0.0, 20), (1.0, 10), (9.0, 2), (5000.0, 1)] {
        let mut dispatcher = after_groups_of(ms, Dealer::default());
        let taken = pairs((0..groups + 1).map(|at| 101 + 2 * at));
        dispatcher.handle(NOW, Event::Groups(taken));
        let last = 101 + 2 * groups;
        let numbers: Vec<usize> = (101..last).collect();
        let jobs = published(&mut dispatcher);
        let expected = [(101, numbers.clone()), (last as u64, vec![last, last + 1])];
        assert_eq!(jobs, expected, "{ms} ms");
        examined(&mut dispatcher, 101, &vec![Some(ms); groups]);
        assert_eq!(finished(&mut dispatcher), numbers);
        assert_eq!(dispatcher.open.groups_open(), 1);
    }
}

#[test]
fn one_slow_bot_makes_its_groups_long_and_no_others() {
    let mut dispatcher = begun(Dealer::default(), &schedule(), &[]);
    let with = |first, bots: [usize; 2]| {
        let mut group = pair(first);
        for scheduled in &mut group.matches {
            scheduled.seats = scheduled.seats.iter().map(|&seat| bots[seat]).collect();
        }
        group
    };
    let bots = [[0, 1], [2, 3]];
    let groups = bots
        .iter()
        .enumerate()
        .map(|(at, bots)| with(1 + 2 * at, *bots));
    dispatcher.handle(NOW, Event::Groups(groups.collect()));
    published(&mut dispatcher);
    examined(&mut dispatcher, 1, &[Some(0.0)]);
    examined(&mut dispatcher, 3, &[Some(100.0)]);
    let groups = [
        (5, [0, 1]),
        (7, [0, 1]),
        (9, [1, 2]),
        (11, [0, 1]),
        (13, [3, 0]),
    ];
    let groups = groups.map(|(first, bots)| with(first, bots));
    dispatcher.handle(NOW, Event::Groups(groups.into()));
    let jobs = published(&mut dispatcher).into_iter();
    let sizes: Vec<_> = jobs.map(|(job, numbers)| (job, numbers.len())).collect();
    assert_eq!(sizes, [(5, 4), (9, 2), (11, 2), (13, 2)]);
}

#[test]
fn groups_with_deals_are_jobs_of_their_own() {
    let deal = serde_json::from_value::<deals::Deal>(
        json!({"key": "00".repeat(32), "commitment": "00".repeat(32)}),
    );
    let deal = deal.expect("a deal");
    let dealer = Dealer::new(move |first| (first.number == 103).then(|| deal.clone()));
    let mut dispatcher = after_groups_of(0.01, dealer);
    dispatcher.handle(NOW, Event::Groups(pairs([101, 103, 105, 107])));
    let jobs = published(&mut dispatcher);
    let expected = [(101, 101..103), (103, 103..105), (105, 105..109)];
    assert_eq!(
        jobs,
        expected.map(|(job, numbers)| (job, numbers.collect()))
    );
}

#[test]
fn a_refused_result_splits_its_job() {
    let mut dispatcher = after_groups_of(0.01, Dealer::default());
    dispatcher.handle(NOW, Event::Groups(pairs([101, 103, 105])));
    assert_eq!(published(&mut dispatcher).len(), 1);
    dispatcher.receive_first(result(101));
    let Some(Action::Examine(_, result)) = dispatcher.actions.pop_back() else {
        panic!("it is examined");
    };
    let records = Err("it is wrong".to_owned());
    dispatcher.handle(NOW, Event::Examined(Examined { result, records }));
    let expected = [(101, 101..103), (103, 103..105), (105, 105..107)];
    assert_eq!(
        published(&mut dispatcher),
        expected.map(|(job, numbers)| (job, numbers.collect()))
    );
    assert_eq!(finished(&mut dispatcher), [0; 0]);
    for job in [105, 101, 103] {
        examined(&mut dispatcher, job, &[Some(0.01)]);
    }
    assert_eq!(finished(&mut dispatcher), [105, 106, 101, 102, 103, 104]);
}

#[test]
fn what_cannot_be_done_together_is_done_apart_and_makes_jobs_smaller() {
    let mut dispatcher = after_groups_of(0.0, Dealer::default());
    dispatcher.handle(NOW, Event::Groups(pairs((0..9).map(|at| 101 + 2 * at))));
    assert_eq!(published(&mut dispatcher).len(), 1);
    let why = Unplayable {
        why: "too large".to_owned(),
        broken_rules: false,
    };
    // A worker is not believed that a whole tournament cannot be played, for one job of several groups.
    dispatcher.receive_first(JobResult {
        result: Err(pack(&why)),
        ..result(101)
    });
    let Some(Action::Report(what)) = dispatcher.actions.pop_back() else {
        panic!("a warning");
    };
    assert!(what.contains("`m-000101` to `m-000117` together") && what.ends_with("too large"));
    let jobs = published(&mut dispatcher).into_iter();
    assert!(jobs.map(|(_, numbers)| numbers.len()).eq([2; 9]));
    dispatcher.handle(NOW, Event::Groups(pairs((0..32).map(|at| 201 + 2 * at))));
    let jobs = published(&mut dispatcher).into_iter();
    assert!(
        jobs.map(|(_, numbers)| numbers.len()).eq([32, 32]),
        "16 of the 20 that would fit"
    );
}

#[test]
fn results_from_before_count_for_the_groups_that_they_have() {
    let schedule = schedule();
    let mut dispatcher = begun(Dealer::default(), &schedule, &[3, 9]);
    // Nothing is known about their length.
    dispatcher.handle(NOW, Event::Groups(pairs([1, 3, 5, 7, 9, 11])));
    let mut asked = Vec::new();
    let actions: Vec<Action> = std::mem::take(&mut dispatcher.actions).into();
    for action in actions {
        let Action::Examine(groups, result) = action else {
            panic!("{action:?}");
        };
        let numbers = groups.iter().map(|group| group.number);
        asked.push(numbers.collect::<Vec<_>>());
        // Each has its first two groups.
        let found = groups.iter().enumerate();
        let found = found.map(|(at, group)| (at < 2).then(|| records(group, 0.01)));
        let records = Ok(found.collect());
        dispatcher.handle(NOW, Event::Examined(Examined { result, records }));
    }
    assert_eq!(asked, [vec![3, 5, 7], vec![9, 11]]);
    assert_eq!(finished(&mut dispatcher), [3, 4, 5, 6, 9, 10, 11, 12]);
    let expected = [(1, vec![1, 2]), (7, vec![7, 8])];
    assert_eq!(published(&mut dispatcher), expected);
}
