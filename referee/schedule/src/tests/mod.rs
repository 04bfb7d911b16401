//! Properties of schedules, for all formats.

mod knockout;
mod sprt;
mod swiss;

use std::collections::{HashMap, HashSet};

use games::Rng;

use super::scheduled::Group;
use super::*;
use ratings::sprt::{EloModel, Hypotheses, Verdict};

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

/// Plays a schedule to its end, several matches at a time, which finish in any order.
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

fn knockout_of(drawn: bool) -> Format {
    Format::Knockout {
        drawn,
        tie_breaks: 3,
        third_place: false,
    }
}

fn sprt_of(max_pairs: u32) -> Format {
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
    Schedule::new(shape).known().collect()
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
        let schedule = Schedule::new(&shape);
        for scheduled in &all {
            let group = schedule.group_of(scheduled.number);
            let size = if scheduled.seats.len() == 2 {
                2
            } else {
                of_three
            };
            assert_eq!(group.len(), size, "{scheduled:?}");
            assert!(group.contains(&scheduled.number));
            let same = |number: usize| {
                let other = &all[number - 1];
                (other.game, other.turn, other.group())
                    == (scheduled.game, scheduled.turn, scheduled.group())
            };
            assert!(group.into_iter().all(same));
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

/// Two equal bots and a weak one, which mostly comes last: its successor has an advantage. Returns
/// the lead of the first over the second, in points, and its standard deviation without the
/// advantage.
fn lead_of_equals(version: Version, rounds: u32) -> (f64, f64) {
    const WEAK: usize = 2;
    let shape = Shape {
        version,
        ..Shape::round_robin(&[3], 3, rounds)
    };
    let mut rng = Rng::new(11);
    let mut lead = 0.0;
    for scheduled in Schedule::new(&shape).known() {
        let weak = scheduled.seats.iter().position(|bot| *bot == WEAK).unwrap();
        let after = scheduled.seats[(weak + 1) % 3];
        let first_wins = rng.below(100) < if after == 0 { 60 } else { 40 };
        lead += if first_wins { 0.5 } else { -0.5 };
    }
    (lead, 0.5 * f64::from(3 * rounds).sqrt())
}

#[test]
fn equal_bots_do_not_differ_because_of_who_they_play_after() {
    let (lead, deviation) = lead_of_equals(Version::First, 400);
    assert!(lead.abs() > 5.0 * deviation, "{lead} {deviation}");
    let (lead, deviation) = lead_of_equals(Version::Second, 400);
    assert!(lead.abs() < 3.0 * deviation, "{lead} {deviation}");
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
        (knockout_of(false), 6),
        (knockout_of(true), 8),
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
fn groups_are_taken_whole_and_in_order() {
    for (seats, bots) in [(2, 4), (3, 5)] {
        let shape = Shape::round_robin(&[seats, seats], bots, 3);
        let all = matches(&shape);
        let mut schedule = Schedule::new(&shape);
        // Of the first group, the first match was played before; of the second, all.
        let orders = seats;
        let mut played: Vec<usize> = vec![1];
        played.extend(orders + 1..=2 * orders);
        for &number in &played {
            schedule.finish(number, &vec![1.0 / seats as f64; seats]);
        }
        let mut taken = Vec::new();
        let mut numbers = Vec::new();
        while let NextGroup::Group(group) = schedule.take_group() {
            numbers.push(group.number);
            let first = &group.matches[0];
            let is_alike = |other: &Scheduled| {
                (other.game, other.turn, other.group()) == (first.game, first.turn, first.group())
            };
            assert!(group.matches.iter().all(is_alike), "{group:?}");
            taken.extend(group.matches);
        }
        let left = all
            .iter()
            .filter(|scheduled| !played.contains(&scheduled.number));
        assert!(taken.iter().eq(left), "{seats} seats");
        // Groups are named by their first match, even if another process played it.
        let firsts = (1..=all.len()).step_by(orders);
        let firsts: Vec<usize> = firsts.filter(|first| *first != orders + 1).collect();
        assert_eq!(numbers, firsts);
        for scheduled in &taken {
            schedule.finish(scheduled.number, &vec![0.0; seats]);
        }
        assert_eq!(schedule.take_group(), NextGroup::Over);
    }
}

#[test]
fn a_schedule_is_restored_from_results_in_the_order_of_a_log() {
    for (format, bots) in [
        (Format::Swiss, 7),
        (knockout_of(false), 6),
        (sprt_of(500), 2),
    ] {
        let shape = shape(format, bots, 2);
        let (whole, all) = play(&shape, 1, |m| result(m, 5));
        for cut in [0, 1, 7, all.len() / 2, all.len()] {
            let mut schedule = Schedule::new(&shape);
            for scheduled in &all[..cut] {
                assert_eq!(schedule.get(scheduled.number).unwrap(), *scheduled);
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

/// The bot with the lower index wins.
fn favourite(scheduled: &Scheduled) -> Vec<f64> {
    let first = scheduled.seats[0] < scheduled.seats[1];
    vec![f64::from(u8::from(first)), f64::from(u8::from(!first))]
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
    let mut now: Vec<_> = extended.known().map(|m| key(&m)).collect();
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
        assert_eq!(schedule.outcomes.contains_key(&first.number), kept);
        assert_eq!(schedule.finished(), 1);
    }
}

#[test]
fn a_round_robin_is_listed_and_counted() {
    let schedule = Schedule::new(&Shape::round_robin(&[2], 3, 1));
    let seats: Vec<_> = schedule.known().map(|m| m.seats.to_vec()).collect();
    assert_eq!(seats, [[0, 1], [1, 0], [1, 2], [2, 1], [0, 2], [2, 0]]);
    let count = Shape::round_robin(&[2, 3], 4, 2).count();
    assert_eq!(count.least, 2 * (6 * 2 + 4 * 3));
}

#[test]
fn bots_meet_only_in_games_that_they_play() {
    for seats in [vec![2, 2, 3], vec![3, 2, 4], vec![4, 3]] {
        for (bots, mask) in (1..=6).flat_map(|bots| (0..1_u64 << 6).map(move |mask| (bots, mask))) {
            let mut shape = Shape::round_robin(&seats, bots, 2);
            let mut rng = Rng::from_parts(&[mask]);
            for game in &mut shape.games {
                game.absent = (0..bots).filter(|_| rng.below(3) == 0).collect();
            }
            check_participation(&shape);
            shape.format = Format::Gauntlet {
                challengers: (0..bots).filter(|_| rng.below(2) == 0).collect(),
            };
            check_participation(&shape);
        }
    }
}

/// Checks that the right groups meet in each game, equally often.
fn check_participation(shape: &Shape) {
    let mut met: HashMap<(usize, Group), u32> = HashMap::new();
    for scheduled in matches(shape) {
        *met.entry((scheduled.game, scheduled.group())).or_default() += 1;
    }
    let mut groups = 0;
    for (at, game) in shape.games.iter().enumerate() {
        for group in order::groups(shape.bots, game.seats) {
            let challenged = match &shape.format {
                Format::Gauntlet { challengers } => {
                    group.iter().any(|bot| challengers.contains(bot))
                }
                _ => true,
            };
            let plays = challenged && !group.iter().any(|bot| game.absent.contains(bot));
            let times = met.get(&(at, group.into_iter().collect())).copied();
            let expected = plays.then(|| shape.rounds * game.seats as u32);
            assert_eq!(times, expected, "{shape:?}");
            groups += usize::from(plays);
        }
    }
    assert_eq!(met.len(), groups);
    let count = met.values().copied().map(u64::from).sum();
    assert_eq!(shape.count(), Count::exactly(count));
}
