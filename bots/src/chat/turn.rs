//! One turn: requests until there is a legal move, within the turn's clock.

use std::thread;
use std::time::{Duration, Instant};

use games::Seat;
use protocol::{ClockState, excerpt};
use serde_json::{Value, json};

use super::answer::{Judgement, Rejection, Reply, judge};
use super::client::{CallError, Client};
use super::options::{ChatOptions, LegalMoves};
use super::prompt::{Asked, Prompts, listed};
use super::tally::{Tally, cut};

/// The part of a limit that is kept back for the answer's way to the referee, and the most of it.
const KEPT_PART: u32 = 5;
const MOST_KEPT: Duration = Duration::from_millis(500);
/// A turn without a clock ends after this time.
const WITHOUT_CLOCK: Duration = Duration::from_secs(600);
/// The first pause before a request is tried again; each is twice as long as the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// With less time than this no request is made.
const SHORTEST_CALL: Duration = Duration::from_millis(5);
/// The most of a rejected answer that stays in the conversation, in bytes.
const MOST_KEPT_TEXT: usize = 16 << 10;
/// The most characters of an answer that a fault quotes.
const MOST_QUOTED: usize = 120;

/// When a turn must be answered.
pub(super) fn deadline(asked: Instant, clock: &ClockState, seat: Seat) -> Instant {
    let left = clock
        .remaining_ms
        .as_ref()
        .and_then(|left| *left.get(seat)?);
    let limits = [clock.move_ms, left];
    let limit = limits.into_iter().flatten().map(|limit| limit.0).min();
    let usable = limit.map(|limit| limit - (limit / KEPT_PART).min(MOST_KEPT));
    asked + usable.unwrap_or(WITHOUT_CLOCK).min(WITHOUT_CLOCK * 144)
}

/// How a turn ends.
#[derive(Debug)]
pub(super) enum Outcome {
    /// With the last move that the model said, legal or not.
    Move(String),
    /// Without a move, for this reason.
    NoMove(String),
    /// The bot cannot go on, for this reason.
    End(String),
}

/// Why the server gives no more answers in this turn.
enum Silence {
    /// It gave none in time, or refuses the request.
    Turn(String),
    /// It never will.
    Match(String),
}

/// A turn in progress.
pub(super) struct Conversation<'a> {
    pub(super) client: &'a Client,
    pub(super) options: &'a ChatOptions,
    pub(super) prompts: &'a Prompts,
    /// Changes if the server refuses grammars.
    pub(super) mode: &'a mut LegalMoves,
    pub(super) asked: Asked<'a>,
    pub(super) deadline: Instant,
    /// The messages before that of this turn.
    pub(super) messages: Vec<Value>,
    pub(super) tally: Tally,
}

impl Conversation<'_> {
    /// Asks until there is a legal move, or no time, or no more attempts.
    pub(super) fn run(&mut self) -> Outcome {
        let turn_at = self.messages.len();
        self.messages.push(message("user", self.turn_message()));
        let mut attempts = self.options.rethink.saturating_add(1);
        let mut last = None;
        loop {
            let (why, said, problem) = match self.reply(turn_at) {
                Err(Silence::Match(why)) => return Outcome::End(why),
                Err(Silence::Turn(why)) => return given_up(last, Some(why)),
                Ok(Err(why)) => (Rejection::Unparsable, None, format!("the server {why}")),
                Ok(Ok(reply)) => match judge(&reply, self.asked.legal) {
                    Judgement::Legal(mv) => {
                        self.say(&reply);
                        return Outcome::Move(mv);
                    }
                    Judgement::Rejected { why, said } => {
                        self.reject(&reply, why, said.as_deref());
                        (why, said, problem(&reply, why))
                    }
                },
            };
            self.tally.reject(why);
            attempts -= 1;
            last = Some((why, said, problem));
            if attempts == 0 {
                return given_up(last, None);
            }
        }
    }

    /// The message of this turn, and the answer that ended it.
    pub(super) fn exchange(&self, turn_at: usize) -> Option<[Value; 2]> {
        let question = self.messages.get(turn_at)?;
        let answer = self.messages.last()?;
        (answer["role"] == "assistant").then(|| [question.clone(), answer.clone()])
    }

    fn listed(&self) -> String {
        match self.mode {
            LegalMoves::List => listed(self.asked.legal),
            LegalMoves::None | LegalMoves::Grammar => String::new(),
        }
    }

    fn turn_message(&self) -> String {
        self.prompts.turn(&self.asked, &self.listed())
    }

    fn say(&mut self, reply: &Reply) {
        let spoken = [reply.text.as_str(), reply.refusal.as_deref().unwrap_or("")];
        let spoken = spoken.into_iter().find(|text| !text.trim().is_empty());
        // Some servers refuse messages without text.
        let text = cut(spoken.unwrap_or("(empty)"), MOST_KEPT_TEXT);
        self.messages.push(message("assistant", text.to_owned()));
    }

    /// Keeps a rejected answer in the conversation, and says what is wrong with it.
    fn reject(&mut self, reply: &Reply, why: Rejection, said: Option<&str>) {
        self.say(reply);
        let problem = match (why, said) {
            (Rejection::Illegal, said) => format!(
                "Your answer is illegal: `{}` is no legal move in this position.",
                said.unwrap_or_default()
            ),
            (Rejection::Unparsable, _) => {
                "Your answer is unparsable: it has no JSON object with a \"move\" that is a text."
                    .to_owned()
            }
            (Rejection::Truncated, _) => {
                "Your answer was truncated: it reached the limit of tokens. Be brief.".to_owned()
            }
            (Rejection::Refused, _) => {
                "Your answer counts as refused: it is empty, or declines to play.".to_owned()
            }
        };
        let mv = said.unwrap_or_default();
        let text = self
            .prompts
            .rethink(why.as_str(), &problem, mv, &self.listed());
        self.messages.push(message("user", text));
    }

    /// The next answer of the model, or what the server said in place of one. Tries again what may pass.
    fn reply(&mut self, turn_at: usize) -> Result<Result<Reply, String>, Silence> {
        let mut pause = FIRST_PAUSE;
        let mut why = "was not asked: no time was left".to_owned();
        loop {
            let time = self.deadline.saturating_duration_since(Instant::now());
            if time < SHORTEST_CALL {
                return Err(self.silence(&why));
            }
            let begin = Instant::now();
            let answer = self.client.ask(&self.request(), time);
            self.tally.waited += begin.elapsed();
            self.tally.calls += 1;
            let wait;
            (why, wait) = match answer {
                Ok(reply) => {
                    self.tally.add(&reply);
                    return Ok(Ok(reply));
                }
                Err(CallError::NoAnswer { why }) => return Ok(Err(why)),
                Err(CallError::Refused {
                    why,
                    status: 400 | 422,
                }) if *self.mode == LegalMoves::Grammar => {
                    self.go_on_with_list(&why, turn_at);
                    continue;
                }
                Err(CallError::Refused { why, .. }) => return Err(self.silence(&why)),
                Err(CallError::Final { why }) => {
                    return Err(Silence::Match(format!("{} {why}", self.client.url())));
                }
                Err(CallError::Passing { why, wait }) => (why, wait),
            };
            let next = pause.max(wait.unwrap_or_default());
            if Instant::now() + next >= self.deadline {
                let waits = wait.filter(|wait| *wait > pause);
                let asks = waits.map_or(String::new(), |wait| {
                    format!(", and asks to wait {}", protocol::in_words(wait))
                });
                return Err(self.silence(&format!("{why}{asks}")));
            }
            thread::sleep(next);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn silence(&self, why: &str) -> Silence {
        let requests = games::kit::text::count(self.tally.calls, "request", "requests");
        Silence::Turn(format!(
            "{} {why} ({requests} in this turn)",
            self.client.url()
        ))
    }

    /// Leaves grammars, and says so once.
    fn go_on_with_list(&mut self, why: &str, turn_at: usize) {
        *self.mode = LegalMoves::List;
        let warning = format!("the server {why}: `--legal grammar` goes on as `--legal list`");
        eprintln!("{warning}");
        self.tally.warning = Some(warning);
        self.messages[turn_at] = message("user", self.turn_message());
    }

    fn request(&self) -> Value {
        let options = self.options;
        let mut request = json!({
            "model": options.model,
            "messages": self.messages,
            "stream": false,
            "temperature": options.temperature,
        });
        if let Some(most) = options.max_tokens {
            request["max_tokens"] = json!(most);
        }
        if let Some(seed) = options.seed {
            request["seed"] = json!(seed);
        }
        if *self.mode == LegalMoves::Grammar {
            request["response_format"] = grammar(self.asked.legal);
        }
        request
    }
}

pub(super) fn message(role: &str, content: String) -> Value {
    json!({"role": role, "content": content})
}

/// Lets a server write one of these moves, and nothing else.
fn grammar(legal: &[String]) -> Value {
    json!({"type": "json_schema", "json_schema": {"name": "move", "strict": true, "schema": {
        "type": "object",
        "properties": {"move": {"type": "string", "enum": legal}},
        "required": ["move"],
        "additionalProperties": false,
    }}})
}

/// What is wrong with an answer, for the log.
fn problem(reply: &Reply, why: Rejection) -> String {
    let text = excerpt(reply.text.as_bytes(), MOST_QUOTED);
    match (why, &reply.refusal) {
        (Rejection::Illegal, _) => "the move is not legal".to_owned(),
        (Rejection::Unparsable, _) => format!("no JSON object with a `move` in \"{text}\""),
        (Rejection::Truncated, _) => "cut off at the limit of tokens".to_owned(),
        (Rejection::Refused, Some(refusal)) => {
            format!(
                "the model says \"{}\"",
                excerpt(refusal.as_bytes(), MOST_QUOTED)
            )
        }
        (Rejection::Refused, None) if text.is_empty() => "the answer is empty".to_owned(),
        (Rejection::Refused, None) => format!("the answer was filtered after \"{text}\""),
    }
}

/// The end of a turn without a legal move, after the last rejected answer and because of the server's
/// silence, if it was that.
fn given_up(last: Option<(Rejection, Option<String>, String)>, silence: Option<String>) -> Outcome {
    match (last, silence) {
        (Some((_, Some(said), _)), _) => Outcome::Move(said),
        (Some((why, None, problem)), None) => {
            Outcome::NoMove(format!("{}: {problem}", why.as_str()))
        }
        (Some((why, None, problem)), Some(silence)) => {
            Outcome::NoMove(format!("{}: {problem}; then {silence}", why.as_str()))
        }
        (None, silence) => Outcome::NoMove(silence.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use protocol::Millis;

    use super::*;

    #[test]
    fn a_turn_is_answered_before_its_clock_is_over() {
        let ms = Duration::from_millis;
        let now = Instant::now();
        let left = |per_move: Option<u64>, clock: Option<u64>| {
            let state = ClockState {
                move_ms: per_move.map(|limit| Millis(ms(limit))),
                remaining_ms: clock.map(|left| vec![None, Some(Millis(ms(left)))]),
                increment_ms: None,
            };
            deadline(now, &state, 1) - now
        };
        assert_eq!(left(Some(100), None), ms(80));
        assert_eq!(left(Some(60_000), Some(20_000)), ms(19_500));
        assert_eq!(left(None, Some(0)), ms(0));
        assert_eq!(left(None, None), WITHOUT_CLOCK);
    }
}
