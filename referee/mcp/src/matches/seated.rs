//! A match on its way: it is driven as every other one, with a person in the client's seat.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use arbiter::Arbiter;
use games::Rng;
use play::players::Person;
use protocol::{Player, Record, TimeControl};
use supervisor::{BotSpec, REFEREE};
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tournament::playing::match_run::MatchRun;
use tournament::playing::one_match;

use super::position::{Position, Viewer};
use crate::answer::{Answer, Refusal};

/// Stands in the log for the command of a client.
const COMMAND: [&str; 2] = [REFEREE, "mcp"];
/// Every number of JSON is exact below.
const MOST_SEED: u64 = (1 << 53) - 1;

/// True if a client of a server sat there.
pub(crate) fn is_client(player: &Player) -> bool {
    player.command == COMMAND
}

/// The client as a player: without a time limit.
pub(super) fn client_spec(time: &TimeControl) -> Answer<BotSpec> {
    let time = TimeControl {
        per_move: None,
        base: None,
        increment: None,
        ..time.clone()
    };
    let command = COMMAND.map(str::to_owned).to_vec();
    let mut spec = BotSpec::new("agent".to_owned(), command, std::env::current_dir()?, &time);
    spec.own_time = true;
    Ok(spec)
}

/// The seed of a match. Where information is hidden, the same `given` deals differently in each seat, so that
/// a client cannot learn its opponent's cards by taking the other seat.
pub(super) fn seed(given: Option<u64>, seat: usize, hidden: bool) -> u64 {
    match given {
        Some(seed) if !hidden => seed,
        Some(seed) => Rng::from_parts(&[seed, seat as u64]).next_u64() & MOST_SEED,
        None => RandomState::new().build_hasher().finish() & MOST_SEED,
    }
}

/// What is known of a match.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// It has not begun to be played.
    Beginning,
    Position(Box<Position>),
    /// It has no result, and why.
    Broken(String),
}

impl Known {
    pub(super) fn is_over(&self) -> bool {
        match self {
            Known::Beginning => false,
            Known::Position(position) => position.result.is_some(),
            Known::Broken(_) => true,
        }
    }
}

/// The seat of a client, and what it takes to sit there.
pub(super) struct Seat {
    pub(super) viewer: Viewer,
    pub(super) person: Person,
    pub(super) known: watch::Sender<Known>,
    /// All plies so far.
    pub(super) plies: watch::Sender<Vec<String>>,
}

/// Plays the match in this thread, until it is over or `ended` is cancelled. `finished` receives the
/// record before the client sees the result.
pub(super) fn play(
    run: &MatchRun,
    seat: Seat,
    ended: &CancellationToken,
    finished: impl FnOnce(Record) -> Answer<()>,
) {
    let Seat {
        viewer,
        person,
        known,
        plies,
    } = seat;
    let people = BTreeMap::from([(viewer.seat, person)]);
    let mut shown = None;
    let observe = |arbiter: &Arbiter| {
        let made = arbiter.moves();
        let now = (
            made.len(),
            arbiter.is_in_play() && arbiter.is_awaited(viewer.seat),
        );
        if shown.replace(now) == Some(now) {
            return;
        }
        let new: Vec<String> = made.iter().map(|ply| ply.mv.to_string()).collect();
        plies.send_replace(new);
        known.send_replace(match viewer.position(arbiter) {
            Ok(position) => Known::Position(Box::new(position)),
            Err(Refusal(why)) => Known::Broken(why),
        });
    };
    let played = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Refusal::from);
    let played = played.and_then(|runtime| {
        runtime.block_on(async {
            tokio::select! {
                record = one_match::play(run, None, people, observe) => Ok(record?),
                () = ended.cancelled() => Err(Refusal::new("the server has ended")),
            }
        })
    });
    let logged = played.and_then(|record| {
        let outcome = viewer.outcome(&record);
        finished(record)?;
        Ok(outcome)
    });
    known.send_modify(|known| match (logged, &mut *known) {
        (Ok(outcome), Known::Position(position)) => {
            position.result = Some(outcome);
            position.your_turn = false;
            position.legal.clear();
        }
        (Ok(_), known) => *known = Known::Broken("it ended before it began".to_owned()),
        (Err(Refusal(why)), known) => *known = Known::Broken(why),
    });
}
