//! Properties of Swiss tournaments.

use super::*;

/// Number of rematches in a Swiss tournament, and number of rounds with one.
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
