//! People who play in the browser: one match after another, on request.

use arbiter::Arbiter;
use protocol::Record;
use report::print_notice;
use supervisor::Tracer;
use tokio::sync::mpsc::UnboundedReceiver;
use tournament::playing::match_run::{MatchRun, People};
use tournament::playing::one_match::{self, match_id};
use web::{Command, PlaySession, serve_play};

use crate::cli::common::listen::Bound;
use crate::cli::play::person;
use crate::cli::{CliError, on_interrupt, print};

enum Event {
    Finished(Box<Record>),
    Request(Command),
    Interrupted,
}

/// Plays this match, and others that `another` makes from a seed, until Ctrl-C. `finished` receives
/// each match that was played to its end.
pub(crate) async fn play(
    mut run: MatchRun,
    seats: &[usize],
    bound: Bound,
    tracer: Option<Tracer>,
    another: impl Fn(u64) -> Result<MatchRun, CliError>,
    mut finished: impl FnMut(&Record) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut stop = on_interrupt()?;
    let names = run.specs.iter().map(|spec| spec.name.clone()).collect();
    let (session, mut requests) = PlaySession::new(run.game.rules.clone(), names, seats)?;
    session.set_opening(run.opening.len());
    // The page needs a match first.
    let mut people = begin(&session, &run, seats);
    announce(&run, &session, &bound)?;
    let mut server = tokio::spawn(serve_play(session.clone(), bound.listener));
    let (mut number, mut is_any_finished) = (number_of(&run.id), false);
    loop {
        let observed = session.clone();
        let observe = move |arbiter: &Arbiter| observed.observe(arbiter);
        let event = tokio::select! {
            record = one_match::play(&run, tracer.clone(), people, observe) => {
                Event::Finished(Box::new(record?))
            }
            command = next(&mut requests) => Event::Request(command),
            _ = stop.wait_for(|stop| *stop) => Event::Interrupted,
            _ = &mut server => return Ok(()),
        };
        let event = match event {
            Event::Finished(record) => {
                session.end(&record);
                finished(&record)?;
                is_any_finished = true;
                number += 1;
                run.id = match_id(number);
                tokio::select! {
                    command = next(&mut requests) => Event::Request(command),
                    _ = stop.wait_for(|stop| *stop) => Event::Interrupted,
                }
            }
            event => event,
        };
        match event {
            Event::Request(Command::Undo(plies)) => run.opening = plies,
            Event::Request(Command::Rematch) => {
                let id = std::mem::take(&mut run.id);
                run = another(run.seed.wrapping_add(1))?;
                run.id = id;
                session.set_opening(run.opening.len());
            }
            Event::Interrupted if is_any_finished => return Ok(()),
            Event::Interrupted | Event::Finished(_) => return Err(CliError::Interrupted),
        }
        people = begin(&session, &run, seats);
    }
}

/// Starts a match in the session.
fn begin(session: &PlaySession, run: &MatchRun, seats: &[usize]) -> People {
    let (inputs, people) = person::people(seats);
    session.begin(inputs, run.start.fork());
    people
}

/// The next request; waits for ever when there can be none.
async fn next(requests: &mut UnboundedReceiver<Command>) -> Command {
    match requests.recv().await {
        Some(command) => command,
        None => std::future::pending().await,
    }
}

/// Prints a link for each person.
fn announce(run: &MatchRun, session: &PlaySession, bound: &Bound) -> Result<(), CliError> {
    let roles = run.game.rules.roles();
    for (seat, rest) in session.links() {
        print(&format!("{}: {}\n", roles[seat], bound.url(&rest)))?;
    }
    print_notice(bound.hints());
    print_notice("Ctrl-C ends it\n");
    Ok(())
}

/// The number in the id of the first match.
fn number_of(id: &str) -> usize {
    let digits = id.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse().unwrap_or(1)
}
