//! Properties of knockouts.

use super::*;

fn stages(schedule: &Schedule) -> Vec<Vec<Duel>> {
    match schedule.standing() {
        Some(Standing::Knockout(stages)) => stages,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_favourites_of_a_knockout_meet_in_the_final() {
    for bots in 2..=17_usize {
        let shape = shape(knockout_of(false), bots, 2);
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
    let shape = shape(knockout_of(false), 4, 1);
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
