//! A position that was set up, and what can be asked about it.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bots::evaluation::{PositionValue, position_value};
use games::budget::Budget;
use games::perft::PerftRequest;
use games::playout::{PlayoutBudget, PlayoutRequest, PlayoutResults};
use games::session::{LoadError, MoveError, UndoError};
use games::{BrokenRules, Catalog, ConfigureError, Rules, Session, ToMove};
use protocol::{ModelError, ModelErrorCode as Code, StepMoves, Want};
use serde_json::{Map, Value, json};

use super::answer::{Done, MAX_DEPTH, error, text};
use super::hello::seats_of;

/// A perft generates the moves of at most this many positions, which takes seconds.
const MOST_POSITIONS: u64 = 10_000_000;
/// Random games have at most this many plies in all, which takes seconds, too.
const MOST_PLIES: u64 = 20_000_000;
/// Random games may go on for so long, in milliseconds.
pub(super) const MOST_MS: u32 = 60_000;
/// An answer to `children` has at most this many bytes.
const MOST_CHILDREN: usize = 16 << 20;
/// Bytes for which an answer has room from the start; most are shorter. More would take longer to get
/// from the allocator than all the rest.
const USUAL_ANSWER: usize = 1 << 10;
/// At most this many states are drawn at a time.
const MOST_SAMPLES: u32 = 10_000;

/// The position that `new` sets up.
pub(super) struct NewRequest {
    pub(super) game: String,
    pub(super) options: Value,
    pub(super) seed: u64,
    pub(super) state: Option<Value>,
    pub(super) observation: Option<Value>,
    pub(super) max_plies: Option<u32>,
}

/// The number of random games of a request, and their time limit.
pub(super) struct Extent {
    count: u32,
    time: Option<Duration>,
}

impl Extent {
    pub(super) fn new(count: Option<u32>, ms: Option<u32>) -> Result<Self, ModelError> {
        if count == Some(0) {
            return error(Code::BadCount, "`count` is 0; at least 1 is needed");
        }
        if let Some(ms) = ms.filter(|ms| !(1..=MOST_MS).contains(ms)) {
            let message = format!("`ms` is {ms}; it must be from 1 to {MOST_MS}");
            return error(Code::BadCount, message);
        }
        Ok(Extent {
            count: count.unwrap_or(if ms.is_some() { u32::MAX } else { 1 }),
            time: ms.map(|ms| Duration::from_millis(ms.into())),
        })
    }
}

/// Says whether random games may go on, from the plies of each: until the time is over, or until
/// they have more than [`MOST_PLIES`] in all.
fn until(time: Duration) -> impl FnMut(u64) -> bool {
    let begin = Instant::now();
    let mut left = MOST_PLIES;
    move |plies| {
        left = left.saturating_sub(plies);
        left > 0 && begin.elapsed() < time
    }
}

/// Rules from outside that do not work.
fn broken<T>(broken: BrokenRules) -> Result<T, ModelError> {
    let code = if broken.is_given_up() {
        Code::TooMuch
    } else {
        Code::BrokenRules
    };
    error(code, broken)
}

fn not_loaded<T>(failure: LoadError) -> Result<T, ModelError> {
    match failure {
        LoadError::State(bad) => error(Code::BadState, bad),
        LoadError::Broken(rules) => broken(rules),
    }
}

/// A position that was set up.
pub(super) struct Open {
    /// The game and the options that these are the rules of.
    of: (String, Value),
    rules: Arc<dyn Rules>,
    position: Position,
    /// Limit of playouts.
    max_plies: Option<u32>,
    evaluation: Evaluation,
}

/// The knowledge about the position.
enum Position {
    /// All of it.
    Known(Box<dyn Session>),
    /// The observation of one seat.
    Observed(Value),
}

/// The evaluation of a game, made when it is first asked for.
struct Evaluation {
    /// The game of the registry and its options; `None` if its rules are elsewhere.
    game: Option<(String, Value)>,
    made: Option<Box<dyn PositionValue>>,
}

impl Evaluation {
    /// The expected outcome of each seat, as JSON text.
    fn of(&mut self, session: &dyn Session) -> Result<String, ModelError> {
        if self.made.is_none() {
            let game = self.game.as_ref();
            self.made = game.and_then(|(id, options)| position_value(id, options));
        }
        match &mut self.made {
            Some(made) => Ok(text(&made.value(session))),
            None => error(
                Code::BadRequest,
                "there is an evaluation only of games that are built in",
            ),
        }
    }
}

impl Open {
    /// Sets up a position. A bot that plays match after match asks for the same rules again, so those of
    /// the `last` position are kept if they fit.
    pub(super) fn new(
        request: NewRequest,
        last: Option<&Open>,
        catalog: &Catalog,
    ) -> Result<Self, ModelError> {
        let entry = match catalog.find(&request.game) {
            Ok(entry) => entry,
            Err(unknown) => return error(Code::UnknownGame, unknown.to_string()),
        };
        let of = (request.game, request.options);
        let rules = match last.filter(|last| last.of == of) {
            Some(last) => last.rules.clone(),
            None => match entry.configure(&of.1) {
                Ok(rules) => rules,
                Err(ConfigureError::Option(bad)) => return error(Code::BadOption, bad),
                Err(ConfigureError::Broken(rules)) => return broken(rules),
            },
        };
        let position = match (request.state, request.observation) {
            (Some(_), Some(_)) => {
                let message = "`new` takes a `state` or an `observation`, not both";
                return error(Code::BadRequest, message);
            }
            (Some(state), None) => Position::Known(rules.load(&state).or_else(not_loaded)?),
            (None, Some(observation)) => Position::Observed(observation),
            (None, None) => Position::Known(rules.start(request.seed).or_else(broken)?),
        };
        Ok(Open {
            position,
            max_plies: request.max_plies.or(entry.info.limits.max_plies),
            evaluation: Evaluation {
                // Only positions that are in this process can be looked into.
                game: entry
                    .builtin()
                    .filter(|_| rules.description().origin.is_none())
                    .map(|id| (id.to_owned(), rules.options().to_json())),
                made: None,
            },
            rules,
            of,
        })
    }

    fn session(&mut self) -> Result<&mut Box<dyn Session>, ModelError> {
        match &mut self.position {
            Position::Known(session) => Ok(session),
            Position::Observed(_) => error(
                Code::NoGame,
                "only an observation was set up: `sample` draws positions that fit it",
            ),
        }
    }

    /// The answer to `new`.
    pub(super) fn introduce(&mut self, want: &[Want]) -> Done {
        let roles = text(&self.rules.roles());
        if let Position::Observed(_) = self.position {
            return Ok(format!("{{\"roles\":{roles}}}"));
        }
        let mut answer = self.describe(want)?;
        if seats_of(self.rules.info()).is_some() {
            answer.pop();
            let _ = write!(answer, ",\"roles\":{roles}}}");
        }
        Ok(answer)
    }

    pub(super) fn play(&mut self, moves: &[StepMoves], want: &[Want]) -> Done {
        let session = self.session()?;
        let mut sees = Vec::new();
        for (played, step) in moves.iter().enumerate() {
            if let Err(refusal) = make(&mut **session, step) {
                session.undo(played).or_else(not_undone)?;
                return Err(refusal);
            }
            if want.contains(&Want::Sees) {
                sees.push(session.sees().to_vec());
            }
        }
        let mut answer = self.describe(want)?;
        if want.contains(&Want::Sees) {
            answer.pop();
            let _ = write!(answer, ",\"sees\":{}}}", text(&sees));
        }
        Ok(answer)
    }

    pub(super) fn undo(&mut self, count: u32, want: &[Want]) -> Done {
        self.session()?.undo(count as usize).or_else(not_undone)?;
        self.describe(want)
    }

    pub(super) fn get(&mut self, seat: Option<usize>, want: &[Want]) -> Done {
        let mut answer = self.describe(want)?;
        if want.contains(&Want::Observation) {
            let seat = self.seat(seat)?;
            let observation = self.session()?.observation(seat).or_else(broken)?;
            answer.pop();
            let _ = write!(answer, ",\"observation\":{observation}}}");
        }
        Ok(answer)
    }

    fn seat(&self, seat: Option<usize>) -> Result<usize, ModelError> {
        let seats = self.rules.seats();
        match seat.filter(|seat| *seat < seats) {
            Some(seat) => Ok(seat),
            None => error(
                Code::BadRequest,
                format!("`as` is the number of a seat, from 0 to {}", seats - 1),
            ),
        }
    }

    pub(super) fn sample(&mut self, seat: usize, seed: u64, count: u32) -> Done {
        let seat = self.seat(Some(seat))?;
        let observation = match &self.position {
            Position::Known(session) => session.observation(seat).or_else(broken)?,
            Position::Observed(observation) => observation.clone(),
        };
        let count = count.min(MOST_SAMPLES);
        let states = self.rules.sample(&observation, seat, seed, count);
        Ok(text(&json!({"states": states.or_else(not_loaded)?})))
    }

    fn describe(&mut self, want: &[Want]) -> Done {
        let mut answer = String::with_capacity(USUAL_ANSWER);
        answer.push('{');
        let Position::Known(session) = &mut self.position else {
            self.session()?;
            return Ok(answer);
        };
        write_position(&mut **session, &mut self.evaluation, want, &mut answer)?;
        answer.push('}');
        Ok(answer)
    }

    pub(super) fn children(&mut self, want: &[Want]) -> Done {
        let mut want = want.to_vec();
        want.push(Want::Key);
        let mut answer = "{\"children\":[".to_owned();
        let Position::Known(session) = &self.position else {
            self.session()?;
            return Ok(answer);
        };
        let evaluation = &mut self.evaluation;
        let to_move = session.to_move();
        let mut failure = None;
        let listed = session.each_child(&mut |step, child| {
            if answer.len() > MOST_CHILDREN || failure.is_some() {
                return;
            }
            let comma = if answer.ends_with('[') { "" } else { "," };
            let _ = write!(answer, "{comma}{{\"move\":{},", step_text(to_move, step));
            failure = write_position(child, evaluation, &want, &mut answer).err();
            answer.push('}');
        });
        listed.or_else(broken)?;
        if let Some(failure) = failure {
            return Err(failure);
        }
        if answer.len() > MOST_CHILDREN {
            let message = format!("the answer would have more than {MOST_CHILDREN} bytes");
            return error(Code::TooMuch, message);
        }
        answer.push_str("]}");
        Ok(answer)
    }

    pub(super) fn evaluate(&mut self) -> Done {
        let Position::Known(session) = &self.position else {
            self.session()?;
            return Ok(String::new());
        };
        let value = self.evaluation.of(&**session)?;
        Ok(format!("{{\"value\":{value}}}"))
    }

    pub(super) fn perft(&mut self, depth: u32) -> Done {
        if depth > MAX_DEPTH {
            return error(
                Code::BadCount,
                format!("`depth` is {depth}; at most {MAX_DEPTH} is allowed"),
            );
        }
        let request = PerftRequest {
            max_positions: MOST_POSITIONS,
            ..PerftRequest::new(depth)
        };
        match self.session()?.perft(&request).or_else(broken)? {
            Some(counted) => Ok(format!("{{\"nodes\":{}}}", counted.nodes)),
            None => error(
                Code::TooMuch,
                format!(
                    "more than {MOST_POSITIONS} positions would have to be looked at for depth \
                     {depth}; `referee perft` has no such limit"
                ),
            ),
        }
    }

    pub(super) fn playout(&mut self, extent: &Extent, seed: u64) -> Done {
        let request = self.request(extent, seed, false);
        let session = self.session()?;
        let Some(time) = extent.time else {
            let played = session.playouts(&request, PlayoutBudget::Plies(MOST_PLIES));
            return match played.or_else(broken)? {
                Some(played) => Ok(text(&played.means)),
                None => too_many_plies(request.count),
            };
        };
        let played = play_for(time, &**session, &request).or_else(broken)?;
        let mut answer = json!(played.means);
        answer["count"] = played.count.into();
        Ok(text(&answer))
    }

    pub(super) fn playouts(&mut self, extent: &Extent, seed: u64) -> Done {
        let request = self.request(extent, seed, true);
        let session = self.session()?;
        if session.to_move().count() > 1 {
            let message = "several act at once here, so there are no games after one move; \
                           `playout` plays from here";
            return error(Code::BadRequest, message);
        }
        let Some(time) = extent.time else {
            let played = session.playouts(&request, PlayoutBudget::Plies(MOST_PLIES));
            return match played.or_else(broken)? {
                Some(played) => Ok(text(&json!({"moves": outcomes(played)}))),
                None => too_many_plies(request.count),
            };
        };
        match play_for(time, &**session, &request) {
            // Not even the positions after the moves were there in time.
            Err(spent) if spent.is_given_up() => Ok(text(&json!({"moves": {}, "count": 0}))),
            played => {
                let played = played.or_else(broken)?;
                let count = played.count;
                Ok(text(&json!({"moves": outcomes(played), "count": count})))
            }
        }
    }

    fn request(&self, extent: &Extent, seed: u64, by_move: bool) -> PlayoutRequest {
        PlayoutRequest {
            count: extent.count,
            seed,
            max_plies: self.max_plies,
            by_move,
        }
    }
}

/// Plays random games until the time is over, but not more than requested.
fn play_for(
    time: Duration,
    session: &dyn Session,
    request: &PlayoutRequest,
) -> Result<PlayoutResults, BrokenRules> {
    let mut go_on = until(time);
    let games = || session.playouts(request, PlayoutBudget::While(&mut go_on));
    let played = Budget::default().lasting(time).run(games)?;
    Ok(played.expect("time is the only limit"))
}

fn make(session: &mut dyn Session, step: &StepMoves) -> Result<(), ModelError> {
    let played = match step {
        StepMoves::One(mv) => session.play(mv),
        StepMoves::Several(by_actor) => {
            let to_move = session.to_move();
            let mut choices = Vec::new();
            for actor in to_move.actors() {
                match by_actor.get(&actor.key()) {
                    Some(mv) => choices.push(mv.as_str()),
                    None => {
                        let message = format!("the step lacks the choice of {actor}");
                        return error(Code::IllegalMove, message);
                    }
                }
            }
            if by_actor.len() > choices.len() {
                let message = format!("the step has choices of others than {to_move}");
                return error(Code::IllegalMove, message);
            }
            session.play_step(&choices)
        }
    };
    played.or_else(|bad| match bad {
        MoveError::Over { .. } => error(Code::GameOver, bad),
        MoveError::Broken(rules) => broken(rules),
        MoveError::Parse(_)
        | MoveError::Illegal { .. }
        | MoveError::NoOutcome { .. }
        | MoveError::Count { .. } => error(Code::IllegalMove, bad),
    })
}

fn not_undone<T>(bad: UndoError) -> Result<T, ModelError> {
    match bad {
        UndoError::TooMany { .. } => error(Code::BadCount, bad),
        UndoError::Broken(rules) => broken(rules),
    }
}

/// A step as `play` takes it, as JSON text.
fn step_text(to_move: ToMove, choices: &[&str]) -> String {
    if let [mv] = choices {
        return text(mv);
    }
    let by_actor = to_move
        .actors()
        .zip(choices)
        .map(|(actor, mv)| (actor.key(), json!(mv)));
    text(&by_actor.collect::<Map<String, Value>>())
}

fn outcomes(played: PlayoutResults) -> Map<String, Value> {
    let moves = played.moves.into_iter();
    let means = moves.filter_map(|(mv, means)| Some((mv, json!(means?.outcome))));
    means.collect()
}

/// Appends what an answer says about a position: `ply`, `to_move`, `result`, and what is wanted.
fn write_position(
    session: &mut dyn Session,
    evaluation: &mut Evaluation,
    want: &[Want],
    answer: &mut String,
) -> Result<(), ModelError> {
    let (ply, to_move) = (session.ply(), session.to_move());
    let mut digits = itoa::Buffer::new();
    answer.push_str("\"ply\":");
    answer.push_str(digits.format(ply));
    answer.push_str(",\"to_move\":");
    match to_move.alone() {
        Some(seat) => answer.push_str(digits.format(seat)),
        None => answer.push_str(&text(&to_move)),
    }
    answer.push_str(",\"result\":");
    match session.end() {
        Some(end) => answer.push_str(&text(&end)),
        None => answer.push_str("null"),
    }
    if want.contains(&Want::Legal) {
        answer.push_str(",\"legal\":");
        session.write_legal(answer).or_else(broken)?;
    }
    if want.contains(&Want::State) {
        answer.push_str(",\"state\":");
        match session.state_text().or_else(broken)? {
            Some(state) => answer.push_str(&state),
            None => answer.push_str(&text(&session.state().or_else(broken)?)),
        }
    }
    if want.contains(&Want::View) {
        let view = session.view().or_else(broken)?;
        let _ = write!(answer, ",\"view\":{}", text(&view));
    }
    if want.contains(&Want::Key) {
        let key = session.identity().or_else(broken)?;
        let _ = write!(answer, ",\"key\":{}", text(&key));
    }
    if want.contains(&Want::Value) {
        let _ = write!(answer, ",\"value\":{}", evaluation.of(session)?);
    }
    if want.contains(&Want::Scores) {
        let tally = session.tally().or_else(broken)?;
        let (scores, outcome) = (text(&tally.scores), text(&tally.outcome));
        let _ = write!(answer, ",\"scores\":{scores},\"outcome\":{outcome}");
    }
    Ok(())
}

fn too_many_plies(count: u32) -> Done {
    let message = format!("with `count` {count} they would have more than {MOST_PLIES} plies");
    error(Code::TooMuch, message)
}
