//! People who play in the browser: one match after another, on request.

use arbiter::Arbiter;
use protocol::Record;
use report::tell;
use supervisor::Tracer;
use tokio::sync::mpsc::UnboundedReceiver;
use tournament::playing::match_run::{MatchRun, People};
use tournament::playing::one_match::{self, match_id};
use web::{Command, Table, serve_table};

use crate::cli::common::listen::Bound;
use crate::cli::play::person;
use crate::cli::{CliError, on_interrupt, print};

enum Came {
    Finished(Box<Record>),
    Asked(Command),
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
    let (table, mut asked) = Table::new(run.game.rules.clone(), names, seats)?;
    table.set_opening(run.opening.len());
    // The page needs a match first.
    let mut people = begin(&table, &run, seats);
    announce(&run, &table, &bound)?;
    let mut server = tokio::spawn(serve_table(table.clone(), bound.listener));
    let (mut number, mut is_any_finished) = (number_of(&run.id), false);
    loop {
        let looking = table.clone();
        let observe = move |arbiter: &Arbiter| looking.observe(arbiter);
        let came = tokio::select! {
            record = one_match::play(&run, tracer.clone(), people, observe) => {
                Came::Finished(Box::new(record?))
            }
            command = next(&mut asked) => Came::Asked(command),
            _ = stop.wait_for(|stop| *stop) => Came::Interrupted,
            _ = &mut server => return Ok(()),
        };
        let came = match came {
            Came::Finished(record) => {
                table.end(&record);
                finished(&record)?;
                is_any_finished = true;
                number += 1;
                run.id = match_id(number);
                tokio::select! {
                    command = next(&mut asked) => Came::Asked(command),
                    _ = stop.wait_for(|stop| *stop) => Came::Interrupted,
                }
            }
            came => came,
        };
        match came {
            Came::Asked(Command::Undo(plies)) => run.opening = plies,
            Came::Asked(Command::Rematch) => {
                let id = std::mem::take(&mut run.id);
                run = another(run.seed.wrapping_add(1))?;
                run.id = id;
                table.set_opening(run.opening.len());
            }
            Came::Interrupted if is_any_finished => return Ok(()),
            Came::Interrupted | Came::Finished(_) => return Err(CliError::Interrupted),
        }
        people = begin(&table, &run, seats);
    }
}

/// Starts a match in the session.
fn begin(table: &Table, run: &MatchRun, seats: &[usize]) -> People {
    let (voices, people) = person::people(seats);
    table.begin(voices, run.start.fork());
    people
}

/// The next request; waits for ever when there can be none.
async fn next(asked: &mut UnboundedReceiver<Command>) -> Command {
    match asked.recv().await {
        Some(command) => command,
        None => std::future::pending().await,
    }
}

/// Prints a link for each person.
fn announce(run: &MatchRun, table: &Table, bound: &Bound) -> Result<(), CliError> {
    let roles = run.game.rules.roles();
    for (seat, rest) in table.links() {
        print(&format!("{}: {}\n", roles[seat], bound.url(&rest)))?;
    }
    tell(bound.hints());
    tell("Ctrl-C ends it\n");
    Ok(())
}

/// The number in the id of the first match.
fn number_of(id: &str) -> usize {
    let digits = id.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse().unwrap_or(1)
}
