//! Checks of a rules program beyond what a match needs: whether states come back, and whether
//! it answers where a bot has not.

use std::time::{Duration, Instant};

use games::playout::PlayoutRequest;
use games::session::{LoadError, as_strs, random_step};
use games::{BrokenRules, Rng, Rules, Session};
use protocol::excerpt;

use crate::game::session::ProgramSession;

/// Messages quote this many bytes of a state.
const MOST_QUOTED: usize = 300;
/// For how long a program is tried after a bot did not answer.
const TRIAL: Duration = Duration::from_secs(1);
/// At most this many random games are tried.
const MOST_GAMES: u64 = 32;
/// The largest length of each of them, in steps.
const LONGEST: usize = 64;

/// Checks that the program sets up the state of this position as the same position. Takes at most
/// two requests; skips positions of other rules.
///
/// # Errors
/// If it does not.
pub(crate) fn comes_back(rules: &dyn Rules, session: &dyn Session) -> Result<(), BrokenRules> {
    let Some(of) = session.as_any().downcast_ref::<ProgramSession>() else {
        return Ok(());
    };
    let state = session.state()?;
    let request =
        serde_json::json!({"op": "new", "game": rules.description().own_id, "state": &state});
    let quoted = excerpt(request.to_string().as_bytes(), MOST_QUOTED);
    let broken = |what: String| {
        let name = of.program().name();
        Err(BrokenRules::new(format!(
            "the rules program `{name}` gives a state that does not come back: {what}; the request was \
             {quoted}"
        )))
    };
    let again = match rules.load(&state) {
        Ok(again) => again,
        Err(LoadError::Broken(failure)) => return Err(failure),
        Err(LoadError::State(error)) => return broken(format!("it refuses it ({error})")),
    };
    if again.ply() != session.ply() {
        let (now, then) = (again.ply(), session.ply());
        return broken(format!("`ply` is {now} there, and was {then}"));
    }
    if again.to_move() != session.to_move() {
        let (now, then) = (again.to_move(), session.to_move());
        return broken(format!("`to_move` is {now} there, and was {then}"));
    }
    if again.end() != session.end() {
        let (now, then) = (again.end(), session.end());
        let [now, then] = [now, then].map(|end| serde_json::json!(end).to_string());
        return broken(format!("`result` is {now} there, and was {then}"));
    }
    let back = again.state()?;
    if back != state {
        let back = excerpt(back.to_string().as_bytes(), MOST_QUOTED);
        return broken(format!("`state` is {back} there"));
    }
    Ok(())
}

/// Plays random games from this position, for about a second, with the queries of bots. Everything
/// that a bot says about its own process of the program cannot be believed: a hanging program shows
/// here as well, in the referee's own process.
///
/// # Errors
/// If the program does not work.
pub fn try_from(session: &dyn Session, seed: u64) -> Result<(), BrokenRules> {
    if !is_of_program(session) {
        return Ok(());
    }
    let began = Instant::now();
    for number in 0..MOST_GAMES {
        let mut rng = Rng::from_parts(&[seed, number]);
        let mut game = session.fork();
        for _ in 0..LONGEST {
            if began.elapsed() > TRIAL {
                return Ok(());
            }
            ask_all(&mut *game)?;
            let Some(step) = random_step(&mut *game, &mut rng)? else {
                break;
            };
            game.play_step(&as_strs(&step))
                .map_err(|error| match error {
                    games::session::MoveError::Broken(broken) => broken,
                    error => {
                        BrokenRules::new(format!("the rules refuse a move that they list: {error}"))
                    }
                })?;
        }
    }
    Ok(())
}

/// Asks for all that a bot may want to know of a position.
fn ask_all(session: &mut dyn Session) -> Result<(), BrokenRules> {
    session.state()?;
    session.identity()?;
    session.tally()?;
    for seat in 0..session.seats() {
        session.each_legal(seat, &mut |_| {})?;
    }
    if let Some(own) = session.as_any().downcast_ref::<ProgramSession>() {
        own.own_playouts(&PlayoutRequest::new(1, 1))?;
    }
    Ok(())
}

/// True if the rules of this position are in another process.
pub fn is_of_program(session: &dyn Session) -> bool {
    session.as_any().downcast_ref::<ProgramSession>().is_some()
}
