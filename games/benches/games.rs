//! `cargo bench -p games`: perft and random playouts of every game. The yardstick, a stream of
//! random numbers, changes with the machine only: compare ratios to it.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use games::perft::perft;
use games::playout::playout;
use games::registry::{Visitor, visit};
use games::{GAMES, Game, Options, Rng};

struct Bench<'a>(&'a mut Criterion);

impl Visitor for Bench<'_> {
    type Output = ();

    fn visit<G: Game>(self) {
        let game = G::new(&Options::defaults_of::<G>()).expect("the defaults fit");
        let start = game.start(&mut Rng::new(1));
        let mut group = self.0.benchmark_group(G::INFO.id);

        let depth = (1..)
            .take_while(|&depth| perft(&game, &start, depth) < 5_000_000)
            .last()
            .unwrap_or(1);
        group.throughput(Throughput::Elements(perft(&game, &start, depth)));
        group.bench_function(format!("perft {depth}"), |b| {
            b.iter(|| perft(black_box(&game), &start, depth));
        });

        let mut rng = Rng::new(1);
        let mut scratch = Vec::new();
        group.throughput(Throughput::Elements(1));
        group.bench_function("playout", |b| {
            b.iter(|| {
                let mut position = start;
                let max_plies = G::INFO.limits.max_plies;
                playout(&game, &mut position, max_plies, &mut rng, &mut scratch)
            });
        });
        group.finish();
    }
}

fn yardstick(criterion: &mut Criterion) {
    let mut rng = Rng::new(1);
    criterion.bench_function("yardstick: 1000 draws", |b| {
        b.iter(|| (0..1000).map(|_| rng.below(1000)).sum::<u64>());
    });
}

fn all(criterion: &mut Criterion) {
    yardstick(criterion);
    for entry in GAMES.iter() {
        visit(&entry.info.id, Bench(criterion)).expect("a game of the registry");
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
