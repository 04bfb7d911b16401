//! Properties of schedules, for all formats.

use std::collections::{HashMap, HashSet};

use games::Rng;

use super::*;
use crate::rating::sprt::{EloModel, Hypotheses, Verdict};

/// The best bot is the first one; some points are left to chance.
fn result(scheduled: &Scheduled, salt: u64) -> Vec<f64> {
    let mut rng = Rng::from_parts(&[salt, scheduled.number as u64]);
    let mut strength = |bot: usize| (rng.below(6) + 10).saturating_sub(bot as u64);
    let strengths: Vec<u64> = scheduled.seats.iter().map(|bot| strength(*bot)).collect();
    let share = |mine: &u64| {
        let others = strengths.iter().map(|other| match mine.cmp(other) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        });
        (others.sum::<f64>() - 0.5) / (strengths.len() - 1) as f64
    };
    strengths.iter().map(share).collect()
}

/// Plays a schedule to its end with so many at a time, which finish in any order.
fn play(
    shape: &Shape,
    at_a_time: usize,
    result: impl Fn(&Scheduled) -> Vec<f64>,
) -> (Schedule, Vec<Scheduled>) {
    let mut schedule = Schedule::new(shape);
    let mut rng = Rng::new(at_a_time as u64);
    let mut running: Vec<Scheduled> = Vec::new();
    let mut all = Vec::new();
    loop {
        if running.len() < at_a_time
            && let Next::Match(scheduled) = schedule.take()
        {
            all.push(scheduled.clone());
            running.push(scheduled);
            continue;
        }
        if running.is_empty() {
            assert_eq!(schedule.take(), Next::Over);
            return (schedule, all);
        }
        let done = running.swap_remove(rng.index(running.len()));
        schedule.finish(done.number, &result(&done));
    }
}

fn shape(format: Format, bots: usize, rounds: u32) -> Shape {
    Shape {
        format,
        ..Shape::round_robin(&[2, 2], bots, rounds)
    }
}

fn knockout(drawn: bool) -> Format {
    Format::Knockout {
        drawn,
        tie_breaks: 3,
        third_place: false,
    }
}

fn sprt(max_pairs: u32) -> Format {
    Format::Sprt {
        hypotheses: Hypotheses {
            model: EloModel::Logistic,
            elo0: 0.0,
            elo1: 50.0,
            alpha: 0.05,
            beta: 0.05,
        },
        max_pairs,
    }
}

fn matches(shape: &Shape) -> Vec<Scheduled> {
    Schedule::new(shape).known().cloned().collect()
}

#[test]
fn every_group_plays_in_every_order_every_round() {
    for (orders, of_three) in [(SeatOrders::Rotations, 3), (SeatOrders::Permutations, 6)] {
        let shape = Shape {
            orders,
            ..Shape::round_robin(&[2, 3], 4, 2)
        };
        let all = matches(&shape);
        assert_eq!(all.len(), 2 * (6 * 2 + 4 * of_three));
        let mut seen = HashSet::new();
        for (i, scheduled) in all.iter().enumerate() {
            assert_eq!(scheduled.number, i + 1);
            assert_eq!(scheduled.turn, scheduled.round);
            assert!(seen.insert((scheduled.round, scheduled.game, scheduled.seats.clone())));
        }
        let mut at: HashMap<(usize, usize, usize), u32> = HashMap::new();
        for scheduled in &all {
            for (seat, bot) in scheduled.seats.iter().enumerate() {
                *at.entry((scheduled.game, *bot, seat)).or_default() += 1;
            }
        }
        let of_game = |game| at.iter().filter(move |((g, ..), _)| *g == game);
        for game in [0, 1] {
            let counts: HashSet<u32> = of_game(game).map(|(_, n)| *n).collect();
            assert_eq!(counts.len(), 1, "every bot is in every seat equally often");
        }
    }
}

#[test]
fn matches_are_counted_without_making_them() {
    for format in [
        Format::RoundRobin,
        Format::Gauntlet {
            challengers: vec![1, 3],
        },
    ] {
        for orders in [SeatOrders::Rotations, SeatOrders::Permutations] {
            for (games, bots, rounds) in [(&[2, 3, 2][..], 6, 2), (&[4], 6, 3), (&[2, 4], 5, 1)] {
                let mut shape = Shape {
                    format: format.clone(),
                    orders,
                    ..Shape::round_robin(games, bots, rounds)
                };
                shape.games[0].weight = 3;
                let made = matches(&shape).len() as u64;
                assert_eq!((shape.count().least, shape.count().most), (made, made));
            }
        }
    }
    let huge = Shape::round_robin(&[4, 4], usize::MAX, u32::MAX);
    assert_eq!(huge.count().most, u64::MAX);
}

/// The difference between the largest and the smallest number.
fn spread<'a>(counts: impl IntoIterator<Item = &'a u32>) -> u32 {
    let counts: Vec<u32> = counts.into_iter().copied().collect();
    counts.iter().max().unwrap() - counts.iter().min().unwrap()
}

#[test]
fn what_was_played_least_comes_first() {
    for bots in 2..=7 {
        let all = matches(&Shape::round_robin(&[2, 2, 2], bots, 2));
        let mut games = [0; 3];
        let mut busy = vec![0; bots];
        let mut pairings: HashMap<Group, u32> = HashMap::new();
        for pair in &all {
            pairings.insert(pair.group(), 0);
        }
        for pair in all.chunks(2) {
            assert_eq!(
                pair[0].group(),
                pair[1].group(),
                "swapped pairs stay together"
            );
            assert_eq!((pair[0].game, pair[0].turn), (pair[1].game, pair[1].turn));
            games[pair[0].game] += 1;
            *pairings.get_mut(&pair[0].group()).unwrap() += 1;
            pair[0].seats.iter().for_each(|&bot| busy[bot] += 1);
            assert!(spread(&games) <= 1, "{games:?}");
            assert!(spread(pairings.values()) <= 1, "{pairings:?}");
            assert!(spread(&busy) <= 2, "{busy:?}");
        }
    }
}

#[test]
fn games_of_more_weight_are_played_more_often_from_other_starts() {
    let mut shape = Shape::round_robin(&[2, 2], 3, 2);
    shape.games[1].weight = 3;
    let all = matches(&shape);
    let of = |game| all.iter().filter(move |m| m.game == game).count();
    assert_eq!((of(0), of(1)), (2 * 3 * 2, 3 * 2 * 3 * 2));
    let turns: HashSet<u32> = all.iter().filter(|m| m.game == 1).map(|m| m.turn).collect();
    assert_eq!(turns, (0..6).collect());
    let units: HashSet<_> = all
        .iter()
        .map(|m| (m.game, m.seats.clone(), m.turn))
        .collect();
    assert_eq!(units.len(), all.len());
}

#[test]
fn gauntlets_have_a_challenger_in_every_match() {
    let shape = Shape {
        format: Format::Gauntlet {
            challengers: vec![2, 4],
        },
        ..Shape::round_robin(&[2, 3], 5, 1)
    };
    let all = matches(&shape);
    let fits = |m: &Scheduled| m.seats.contains(&2) || m.seats.contains(&4);
    assert!(all.iter().all(fits));
    let pairs = all.iter().filter(|m| m.game == 0).count();
    let threes = all.iter().filter(|m| m.game == 1).count();
    assert_eq!((pairs, threes), ((10 - 3) * 2, (10 - 1) * 3));
}

#[test]
fn what_is_played_at_a_time_changes_nothing() {
    let formats = [
        (Format::RoundRobin, 4),
        (Format::Swiss, 7),
        (knockout(false), 6),
        (knockout(true), 8),
    ];
    for (format, bots) in formats {
        let shape = shape(format, bots, 3);
        let (one, expected) = play(&shape, 1, |m| result(m, 1));
        assert_eq!(one.finished() as u64, one.total());
        for at_a_time in [2, 3, 16] {
            let (many, mut all) = play(&shape, at_a_time, |m| result(m, 1));
            all.sort_by_key(|scheduled| scheduled.number);
            assert_eq!(all, expected);
            assert_eq!(many.standing(), one.standing());
        }
        let (_, other) = play(&shape, 1, |m| result(m, 1));
        assert_eq!(other, expected, "it follows from seed and results");
    }
}

#[test]
fn a_schedule_is_restored_from_results_in_the_order_of_a_log() {
    for (format, bots) in [(Format::Swiss, 7), (knockout(false), 6), (sprt(500), 2)] {
        let shape = shape(format, bots, 2);
        let (whole, all) = play(&shape, 1, |m| result(m, 5));
        for cut in [0, 1, 7, all.len() / 2, all.len()] {
            let mut schedule = Schedule::new(&shape);
            for scheduled in &all[..cut] {
                assert_eq!(*schedule.get(scheduled.number).unwrap(), *scheduled);
                schedule.finish(scheduled.number, &result(scheduled, 5));
            }
            let mut rest = Vec::new();
            while let Next::Match(scheduled) = schedule.take() {
                schedule.finish(scheduled.number, &result(&scheduled, 5));
                rest.push(scheduled.clone());
            }
            assert_eq!(rest, all[cut..]);
            assert_eq!(schedule.standing(), whole.standing());
        }
    }
}

/// How many pairings of a Swiss tournament are not the first of their bots, and how many rounds
/// have one.
fn rematches(shape: &Shape, salt: u64) -> (usize, usize) {
    let (_, all) = play(shape, 1, |m| result(m, salt));
    let meetings: HashSet<(u32, Group)> = all.iter().map(|m| (m.round, m.group())).collect();
    let mut meetings: Vec<_> = meetings.into_iter().collect();
    meetings.sort_unstable();
    let mut met = HashSet::new();
    meetings.retain(|(_, group)| !met.insert(group.clone()));
    let rounds: HashSet<u32> = meetings.iter().map(|(round, _)| *round).collect();
    (meetings.len(), rounds.len())
}

#[test]
fn swiss_rounds_pair_everybody_without_rematches() {
    for bots in 2..=13_usize {
        // As many as are possible, and some in between.
        let most = bots.next_multiple_of(2) as u32 - 1;
        for rounds in [most, most / 2 + 1, (bots as u32 / 2).max(1)] {
            let shape = shape(Format::Swiss, bots, rounds);
            let (schedule, all) = play(&shape, 3, |m| result(m, 2));
            assert_eq!(all.len() as u64, shape.count().most);
            assert_eq!(rematches(&shape, 2), (0, 0), "{bots} bots, {rounds} rounds");
            for round in 0..rounds {
                let mut busy: HashMap<usize, HashSet<Group>> = HashMap::new();
                for m in all.iter().filter(|m| m.round == round) {
                    for bot in &m.seats {
                        busy.entry(*bot).or_default().insert(m.group());
                    }
                }
                assert_eq!(busy.len(), bots / 2 * 2);
                assert!(busy.values().all(|opponents| opponents.len() == 1));
            }
            let Some(Standing::Swiss(rows)) = schedule.standing() else {
                panic!("a ranking");
            };
            assert!(rows.is_sorted_by(|a, b| a.points >= b.points));
            let byes: u32 = rows.iter().map(|row| row.byes).sum();
            assert_eq!(byes, if bots % 2 == 1 { rounds } else { 0 });
            assert!(rows.iter().all(|row| row.byes <= 1), "byes go round");
            // Each match shares one point, and a bye is worth all of a round.
            let points: f64 = rows.iter().map(|row| row.points).sum();
            assert!((points - (all.len() as f64 + f64::from(4 * byes))).abs() < 1e-9);
        }
    }
}

#[test]
fn swiss_looks_ahead() {
    let mut first = (0, 0);
    for salt in 0..25 {
        for (bots, rounds) in [(5, 4), (5, 5), (6, 4), (6, 5), (7, 6), (8, 6), (9, 7)] {
            let shape = shape(Format::Swiss, bots, rounds);
            assert_eq!(
                rematches(&shape, salt),
                (0, 0),
                "{bots} bots, {rounds} rounds"
            );
        }
        let old = Shape {
            version: Version::First,
            ..shape(Format::Swiss, 5, 4)
        };
        let (pairings, rounds) = rematches(&old, salt);
        first = (first.0 + pairings, first.1 + rounds);
    }
    assert!(
        first.1 > 0,
        "the first version did not look ahead: {first:?}"
    );
}

#[test]
fn swiss_pairs_those_with_equal_points() {
    // The first two rounds of eight bots, of which the better one always wins.
    let (_, all) = play(&shape(Format::Swiss, 8, 3), 1, favourite);
    let mut points = [0.0; 8];
    for round in 0..3 {
        let matches = all.iter().filter(|m| m.round == round);
        for m in matches.clone() {
            assert_eq!(points[m.seats[0]], points[m.seats[1]], "round {round}");
        }
        let mut after = points;
        for m in matches {
            for (seat, value) in favourite(m).into_iter().enumerate() {
                after[m.seats[seat]] += value;
            }
        }
        points = after;
    }
}

#[test]
fn hundreds_of_bots_do_not_meet_again() {
    let shape = Shape {
        games: vec![GameShape::of(2)],
        ..shape(Format::Swiss, 501, 9)
    };
    let (_, all) = play(&shape, 1, |m| result(m, 4));
    assert_eq!(all.len(), 9 * 500);
    assert_eq!(rematches(&shape, 4), (0, 0));
}

#[test]
fn swiss_goes_on_when_everybody_has_met() {
    let shape = shape(Format::Swiss, 4, 9);
    let (_, all) = play(&shape, 1, |m| result(m, 3));
    let mut met: HashMap<Group, u32> = HashMap::new();
    for m in all.iter().filter(|m| m.game == 0) {
        *met.entry(m.group()).or_default() += 1;
    }
    assert_eq!(met.len(), 6);
    let units: HashSet<_> = all
        .iter()
        .map(|m| (m.game, m.seats.clone(), m.turn))
        .collect();
    assert_eq!(units.len(), all.len(), "rematches have other starts");
}

fn stages(schedule: &Schedule) -> Vec<Vec<Duel>> {
    match schedule.standing() {
        Some(Standing::Knockout(stages)) => stages,
        other => panic!("{other:?}"),
    }
}

/// The bot with the lower index wins.
fn favourite(scheduled: &Scheduled) -> Vec<f64> {
    let first = scheduled.seats[0] < scheduled.seats[1];
    vec![f64::from(u8::from(first)), f64::from(u8::from(!first))]
}

#[test]
fn the_favourites_of_a_knockout_meet_in_the_final() {
    for bots in 2..=17_usize {
        let shape = shape(knockout(false), bots, 2);
        let (schedule, all) = play(&shape, 4, favourite);
        assert_eq!(all.len() as u64, shape.count().least);
        let stages = stages(&schedule);
        assert_eq!(stages.len(), bots.next_power_of_two().ilog2() as usize);
        let last = &stages[stages.len() - 1];
        assert_eq!((last[0].first, last[0].second), (0, Some(1)));
        assert_eq!(last[0].winner, Some(0));
        let byes = stages.iter().flatten().filter(|duel| duel.second.is_none());
        let byes: Vec<usize> = byes.map(|duel| duel.first).collect();
        assert_eq!(byes.len(), bots.next_power_of_two() - bots);
        assert!(
            byes.iter().all(|bot| *bot < byes.len()),
            "for the first ones"
        );
        assert!(
            stages[1..]
                .iter()
                .flatten()
                .all(|duel| duel.second.is_some())
        );
    }
}

#[test]
fn tied_duels_go_on_and_end() {
    let shape = shape(knockout(false), 4, 1);
    let (schedule, all) = play(&shape, 1, |_| vec![0.5, 0.5]);
    assert_eq!(all.len() as u64, shape.count().most);
    for duel in stages(&schedule).iter().flatten() {
        assert_eq!(duel.decided, Some(Decided::Place));
        assert_eq!(duel.winner, Some(duel.first.min(duel.second.unwrap())));
        // Two games and three further pairs, all drawn.
        assert_eq!(duel.points, [5.0; 2]);
    }
    let units: HashSet<_> = all
        .iter()
        .map(|m| (m.game, m.seats.clone(), m.turn))
        .collect();
    assert_eq!(units.len(), all.len());
    // All regular matches are drawn, then the better one wins.
    let (schedule, all) = play(&shape, 1, |m| match m.turn {
        0 => vec![0.5, 0.5],
        _ => favourite(m),
    });
    assert_eq!(all.len(), 3 * (4 + 2));
    let duels = stages(&schedule);
    let mut duels = duels.iter().flatten();
    assert!(duels.all(|duel| duel.decided == Some(Decided::TieBreak)));
}

#[test]
fn losers_of_the_semifinals_play_for_the_third_place() {
    for bots in 2..=17_usize {
        let third = Format::Knockout {
            drawn: false,
            tie_breaks: 3,
            third_place: true,
        };
        let shape = shape(third, bots, 2);
        let mut schedule = Schedule::new(&shape);
        let mut played = 0;
        while let Next::Match(scheduled) = schedule.take() {
            assert_eq!(
                schedule.total(),
                shape.count().least,
                "{bots} bots, match {played}"
            );
            schedule.finish(scheduled.number, &favourite(&scheduled));
            played += 1;
        }
        assert_eq!(played, shape.count().least);
        let (_, drawn) = play(&shape, 1, |_| vec![0.5, 0.5]);
        assert_eq!(drawn.len() as u64, shape.count().most);
        let stages = stages(&schedule);
        let (last, before) = stages.split_last().unwrap();
        assert!(before.iter().flatten().all(|duel| !duel.third_place));
        assert_eq!((last[0].winner, last[0].third_place), (Some(0), false));
        match last.get(1) {
            Some(duel) => {
                assert!(duel.third_place && bots > 3);
                assert_eq!(
                    (duel.first.min(duel.second.unwrap()), duel.winner),
                    (2, Some(2))
                );
            }
            None => assert!(bots <= 3),
        }
    }
}

fn test_of(schedule: &Schedule) -> SprtStanding {
    match schedule.standing() {
        Some(Standing::Sprt(standing)) => standing,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_test_stops_when_it_is_decided_whatever_runs_at_a_time() {
    let shape = shape(sprt(1000), 2, 1);
    let (one, all) = play(&shape, 1, favourite);
    let standing = test_of(&one);
    assert_eq!(standing.verdict, Verdict::H1);
    assert_eq!(
        all.len() as u64,
        2 * standing.pairs,
        "nothing is played beyond"
    );
    assert_eq!(standing.counts, [0, 0, 0, 0, standing.pairs]);
    for at_a_time in [2, 7] {
        let (many, all) = play(&shape, at_a_time, favourite);
        assert_eq!(test_of(&many), standing);
        assert!(
            many.is_over() && many.total() == all.len() as u64,
            "what was begun is finished"
        );
    }
    let (other, _) = play(&shape, 3, |m| favourite(m).into_iter().rev().collect());
    assert_eq!(test_of(&other).verdict, Verdict::H0);
}

#[test]
fn a_test_counts_repetitions_as_what_they_are_worth() {
    // The favourite always wins; from the third pair on, by one and the same two matches.
    let test = |repeated: bool| {
        let mut schedule = Schedule::new(&shape(sprt(1000), 2, 1));
        for number in 1..=40 {
            let Some(scheduled) = schedule.get(number).cloned() else {
                panic!("no match {number}");
            };
            let same = if number > 4 && repeated {
                4 + number % 2
            } else {
                number + 50
            };
            let outcome = favourite(&scheduled);
            schedule.finish_match(number, &outcome, || Some(same as u64));
        }
        test_of(&schedule)
    };
    let (varied, repeated) = (test(false), test(true));
    assert_eq!(
        (varied.pairs, varied.counts),
        (repeated.pairs, repeated.counts)
    );
    assert_eq!((varied.score, repeated.score), (1.0, 1.0), "all count");
    assert_eq!((varied.repeats, repeated.repeats), (0, 34));
    // Forty matches: two of eighteen each, and four others.
    let worth = 40.0 / f64::from(4 + 2 * 18 * 18);
    assert!((repeated.worth - 20.0 * worth).abs() < 1e-9);
    assert_eq!(varied.worth, 20.0);
    assert!((repeated.llr / (varied.llr * worth) - 1.0).abs() < 1e-9);
    assert_eq!(repeated.verdict, Verdict::Running);
}

#[test]
fn a_test_that_is_not_decided_ends() {
    let shape = shape(sprt(5), 2, 1);
    let (schedule, all) = play(&shape, 1, |_| vec![0.5, 0.5]);
    assert_eq!((all.len(), schedule.finished()), (10, 10));
    assert_eq!(test_of(&schedule).verdict, Verdict::Running);
    let games: Vec<usize> = all.iter().map(|m| m.game).collect();
    assert_eq!(games, [0, 0, 1, 1, 0, 0, 1, 1, 0, 0]);
}

#[test]
fn extensions_keep_the_numbers_of_what_was_there() {
    let old = Shape::round_robin(&[2, 3], 3, 1);
    let mut new = Shape::round_robin(&[3, 2, 2], 5, 2);
    new.games[1].weight = 1;
    let earlier = Earlier {
        shape: old.clone(),
        bots: vec![1, 2, 4],
        games: vec![2, 0],
    };
    let extended = Schedule::extending(&new, &[earlier]);
    let before = matches(&old);
    for (now, before) in extended.known().zip(&before) {
        let seats: Group = before.seats.iter().map(|&bot| [1, 2, 4][bot]).collect();
        assert_eq!((now.number, &now.seats), (before.number, &seats));
        assert_eq!(now.game, [2, 0][before.game]);
        assert_eq!(now.turn, before.turn);
    }
    let key = |m: &Scheduled| (m.game, m.group(), m.turn);
    let mut now: Vec<_> = extended.known().map(key).collect();
    let mut whole: Vec<_> = matches(&new).iter().map(key).collect();
    now.sort_unstable();
    whole.sort_unstable();
    assert_eq!(now, whole);
}

#[test]
fn what_is_not_known_changes_nothing() {
    let mut schedule = Schedule::new(&Shape::round_robin(&[2], 2, 1));
    schedule.finish(0, &[1.0, 0.0]);
    schedule.finish(3, &[1.0, 0.0]);
    assert_eq!(schedule.finished(), 0);
    schedule.finish(2, &[1.0, 0.0]);
    schedule.finish(2, &[0.0, 1.0]);
    assert_eq!(schedule.finished(), 1);
    assert!(matches!(schedule.take(), Next::Match(scheduled) if scheduled.number == 1));
    assert_eq!(schedule.take(), Next::Wait);
}

#[test]
fn outcomes_are_kept_only_where_something_depends_on_them() {
    for (format, kept) in [(Format::RoundRobin, false), (Format::Swiss, true)] {
        let mut schedule = Schedule::new(&shape(format, 4, 1));
        let Next::Match(first) = schedule.take() else {
            panic!("a match")
        };
        schedule.finish(first.number, &[1.0, 0.0]);
        let State::Finished(result) = &schedule.states[first.number - 1] else {
            panic!("a result")
        };
        assert_eq!(result.is_some(), kept);
        assert_eq!(schedule.finished(), 1);
    }
}
