//! Many workers in virtual time, for some seeds. The long version has a thousand workers and nearly a million
//! matches: `cargo run --profile campaign -p tests --bin workers_simulation`.

use std::time::Duration;

use tests::cluster::simulation::{Kind, Options, Report, simulate};

fn options(seed: u64) -> Options {
    Options {
        workers: 40,
        slots: 4,
        matches: 2000,
        seed,
        match_time: Duration::from_secs(20),
        round_trip: Duration::from_millis(1),
        replay: Duration::from_millis(1),
        failures: 20.0,
        heap: || 0,
    }
}

fn figures(report: &Report) -> String {
    let Report {
        traffic,
        failed,
        most,
        time,
        ..
    } = report;
    format!("{traffic} {failed:?} {most:?} {time:?} {}", report.twice)
}

/// Each kind of failure has happened, and has cost something: otherwise these reports would show nothing.
fn all_has_failed(reports: &[Report]) {
    let sum = |of: fn(&Report) -> u64| reports.iter().map(of).sum::<u64>();
    for (what, count) in [
        ("killed", sum(|it| it.failed.killed.into())),
        ("stopped", sum(|it| it.failed.stopped.into())),
        ("cut off", sum(|it| it.failed.cut_off.into())),
        ("servers", sum(|it| it.failed.server.into())),
        ("coordinators", sum(|it| it.failed.coordinator.into())),
        ("refused", sum(|it| it.failed.dead.into())),
        ("twice", sum(|it| it.twice)),
        ("rechecked", sum(|it| it.rechecked)),
    ] {
        assert!(count > 0, "none {what}");
    }
}

/// `simulate` itself checks that each match is in the log once and nothing is left.
#[test]
fn every_match_of_many_workers_counts_once_whatever_fails() {
    let reports = [1, 2, 3].map(|seed| simulate(&options(seed)));
    assert_eq!(reports.iter().map(|it| it.matches).sum::<u64>(), 6000);
    all_has_failed(&reports);
    // Matches of half a millisecond hardly ever are.
    assert!(reports.iter().any(|it| it.given_up > 0));
    let [first, ..] = &reports;
    assert_ne!(figures(first), figures(&reports[1]));
}

#[test]
fn short_matches_are_few_jobs_and_count_once_whatever_fails() {
    let short = |seed, failures| Options {
        workers: 10,
        matches: 8_000,
        match_time: Duration::from_micros(500),
        failures,
        ..options(seed)
    };
    // Messages of jobs and results, beside those of matches of 20 s.
    let jobs = |options: &Options| {
        let traffic = simulate(options).traffic;
        traffic.of(Kind::Publish).0 + traffic.of(Kind::Result).0
    };
    let calm = short(7, 0.0);
    let long = Options {
        match_time: Duration::from_secs(20),
        ..calm.clone()
    };
    let (short_jobs, long_jobs) = (jobs(&calm), jobs(&long));
    assert!(short_jobs * 5 < long_jobs, "{short_jobs} and {long_jobs}");
    all_has_failed(&[1, 2, 3].map(|seed| simulate(&short(seed, 300.0))));
}

#[test]
fn a_seed_gives_the_same_tournament() {
    let small = Options {
        matches: 400,
        ..options(4)
    };
    assert_eq!(figures(&simulate(&small)), figures(&simulate(&small)));
}

#[test]
fn where_nothing_fails_nothing_is_played_twice() {
    let calm = Options {
        failures: 0.0,
        matches: 400,
        ..options(5)
    };
    let report = simulate(&calm);
    assert_eq!((report.twice, report.given_up, report.lies), (0, 0, 0));
    // One result a group, those of second ones included; each is stored and noted.
    let groups = (report.matches + report.rechecked) / 2;
    assert_eq!(report.traffic.of(Kind::Result).0, 2 * groups);
    assert_eq!(
        report.traffic.of(Kind::Delivery).0,
        groups + given_back(&report, groups)
    );
}

/// Jobs that a worker has given back, because it is not the one to compare.
fn given_back(report: &Report, groups: u64) -> u64 {
    report.traffic.of(Kind::Acknowledgement).0 / 2 - groups
}
