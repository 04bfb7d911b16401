//! Kinds of tournaments for checks of intervals.

use crate::simulate::{Draws, PLAIN, Pairing, Repeats, Setting};

/// A kind of tournament with its name.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    pub name: &'static str,
    pub setting: Setting,
}

/// Two bots, and the number of their pairs.
const fn two(pairs: usize) -> Setting {
    Setting {
        pairing: Pairing::All(pairs),
        ..PLAIN
    }
}

/// Four bots of different strength, and the number of pairs of each two.
const fn four(pairs: usize) -> Setting {
    Setting {
        bots: 4,
        spread: 150.0,
        ..two(pairs)
    }
}

/// Two or more bots with some draws, and the number of pairs.
const fn some_draws(bots: usize, pairs: usize) -> Setting {
    Setting {
        bots,
        draws: Draws::Davidson(0.5),
        ..four(pairs)
    }
}

/// Three or four seats.
const fn seats(seats: usize, bots: usize, groups: usize) -> Setting {
    Setting {
        bots,
        seats,
        advantage: 80.0,
        draws: Draws::Davidson(0.3),
        ..four(groups)
    }
}

/// Elo that make the first seat win four of five matches of equals.
const LOPSIDED_SEATS: f64 = 240.8;
/// δ of three draws in five matches of equals, by Davidson's law.
const DAVIDSON_60: Draws = Draws::Davidson(3.0);
/// The same by Rao and Kupper's.
const RAO_KUPPER_60: Draws = Draws::RaoKupper(4.0);

pub fn settings() -> Vec<Named> {
    let near = Repeats::Near {
        openings: 6,
        times: 10,
        same: 0.9,
    };
    let book = Repeats::Book {
        openings: 5,
        times: 8,
        effect: 100.0,
    };
    #[rustfmt::skip]
    let all = [
        ("2 bots, 16 matches, even", two(8)),
        ("2 bots, 16 matches, 400 apart", Setting { apart: 400.0, ..two(8) }),
        ("2 bots, 16 matches, 1000 apart", Setting { apart: 1000.0, ..two(8) }),
        ("2 bots, 100 matches, 400 apart", Setting { apart: 400.0, ..two(50) }),
        ("2 bots, 100 matches, 1000 apart", Setting { apart: 1000.0, ..two(50) }),
        ("2 bots, 200 matches, even", two(100)),
        ("4 bots, 48 matches", four(4)),
        ("4 bots, 48 matches, some draws", Setting { advantage: 80.0, ..some_draws(4, 4) }),
        ("4 bots, 48 matches, far apart", Setting { spread: 400.0, ..four(4) }),
        ("20 bots, 160 matches, sparse", Setting { pairing: Pairing::Ring(2), advantage: 40.0, ..some_draws(20, 0) }),
        ("first seat wins 80 %", Setting { advantage: LOPSIDED_SEATS, ..four(10) }),
        ("60 % draws, Davidson", Setting { draws: DAVIDSON_60, ..four(10) }),
        ("60 % draws, Rao and Kupper", Setting { draws: RAO_KUPPER_60, ..four(10) }),
        ("60 % draws, Rao and Kupper, 2 bots", Setting { draws: RAO_KUPPER_60, advantage: 80.0, spread: 200.0, ..two(50) }),
        ("correlation of pairs 0.9", Setting { alike: 0.9, advantage: 80.0, ..some_draws(4, 10) }),
        ("correlation of pairs 0.9, 2 bots, 16 matches", Setting { alike: 0.9, spread: 150.0, ..two(8) }),
        ("openings lopsided, sd 1.5", Setting { lopsided: 1.5, ..four(10) }),
        ("openings lopsided, sd 1.5, 6 bots, draws", Setting { lopsided: 1.5, advantage: 80.0, ..some_draws(6, 40) }),
        ("copies, up to 10 of each, 2 bots", Setting { repeats: Repeats::Copies(10), ..some_draws(2, 30) }),
        ("copies, up to 10 of each, 4 bots", Setting { repeats: Repeats::Copies(10), ..some_draws(4, 10) }),
        ("6 openings 10 times, 90 % the same, 2 bots", Setting { repeats: near, ..some_draws(2, 6) }),
        ("6 openings 10 times, 90 % the same, 4 bots", Setting { repeats: near, ..some_draws(4, 6) }),
        ("book of 5 openings 8 times, 2 bots", Setting { repeats: book, ..some_draws(2, 5) }),
        ("book of 5 openings 8 times, 4 bots", Setting { repeats: book, ..some_draws(4, 5) }),
        ("3 seats, 3 bots", seats(3, 3, 10)),
        ("3 seats, 4 bots", seats(3, 4, 5)),
        ("4 seats, 4 bots", seats(4, 4, 10)),
        ("by game: 60 % draws, first seat wins 80 %", Setting { bots: 3, spread: 100.0, advantage: LOPSIDED_SEATS, draws: DAVIDSON_60, games: 4, ..four(10) }),
        ("bots times games", Setting { games: 8, by_game: 100.0, advantage: 80.0, ..some_draws(4, 5) }),
    ];
    all.map(|(name, setting)| Named { name, setting }).to_vec()
}
