//! The bot `chat`: it asks a server with the chat-completions interface of OpenAI, where a language model
//! chooses the moves. Whatever a game needs to be explained comes from its rules, so there is nothing here
//! about any game.

mod answer;
mod client;
pub mod options;
mod prompt;
mod tally;
mod turn;

use std::sync::Arc;
use std::time::Instant;

use games::session::{as_strs, random_step};
use games::{Catalog, Entry, Rng, Rules, Seat};
use protocol::{BotHello, Opponent, Start, TimeControl, Turn};
use serde_json::{Value, json};

use crate::sdk::{self, Bot, BotError, Choice};
use client::Client;
use options::{ChatOptions, LegalMoves};
pub use prompt::PromptError;
use prompt::{Asked, Prompts};
use tally::Tally;
use turn::{Conversation, Outcome, message};

/// The most steps that a model is shown of what it has seen, in games with hidden information.
const MOST_SEEN: usize = 500;

/// The bot.
pub(crate) struct Chat {
    options: ChatOptions,
    client: Client,
    prompts: Prompts,
    catalog: Catalog,
    /// The option, until the server refuses it.
    legal: LegalMoves,
    current: Option<CurrentChat>,
}

/// A match as a model sees it.
struct CurrentChat {
    seat: Seat,
    role: String,
    /// `None` if the game is unknown, or its rules do not work.
    rules: Option<Arc<dyn Rules>>,
    system: String,
    /// The turns so far as far as they are shown again: pairs of messages.
    history: Vec<[Value; 2]>,
    /// The perceptions of each step, in games with hidden information.
    seen: Vec<String>,
}

impl Chat {
    /// # Errors
    /// If the key or the prompts are not there, in a sentence.
    pub(crate) fn new(options: ChatOptions, catalog: Catalog) -> Result<Self, BotError> {
        Ok(Chat {
            client: Client::new(&options)?,
            prompts: prompts(&options)?,
            legal: options.legal,
            catalog,
            options,
            current: None,
        })
    }
}

fn prompts(options: &ChatOptions) -> Result<Prompts, PromptError> {
    match &options.prompt {
        Some(folder) => Prompts::of_folder(folder),
        None => Ok(Prompts::built_in()),
    }
}

impl CurrentChat {
    fn new(start: &Start, prompts: &Prompts, catalog: &Catalog) -> Self {
        let entry: Option<&Entry> = catalog.find(&start.game).ok().map(|entry| &**entry);
        let rules = entry.map(|entry| entry.configure(&start.options));
        CurrentChat {
            seat: start.seat,
            role: start.role.clone(),
            rules: rules.and_then(Result::ok),
            system: prompts.system(start, entry),
            history: Vec::new(),
            seen: Vec::new(),
        }
    }

    /// The facts of a turn.
    fn asked<'a>(&'a self, turn: &'a Turn, legal: &'a [String]) -> Asked<'a> {
        let state = turn.state.as_ref().map(protocol::StateJson::value);
        let known = turn.observation.clone().or_else(|| state.clone());
        let board = match (&self.rules, &state) {
            (Some(rules), Some(state)) => prompt::board(&**rules, state, turn),
            _ => String::new(),
        };
        Asked {
            turn,
            seat: self.seat,
            role: &self.role,
            is_hidden: turn.observation.is_some(),
            known: known.unwrap_or_default(),
            board,
            seen: &self.seen,
            legal,
        }
    }

    /// Notes what the seat has seen since its last turn.
    fn see(&mut self, turn: &Turn) {
        for step in turn.sees.iter().flatten() {
            self.seen.push(json!(step).to_string());
        }
        let over = self.seen.len().saturating_sub(MOST_SEEN);
        self.seen.drain(..over);
    }
}

impl Bot for Chat {
    fn hello(&self) -> BotHello {
        BotHello {
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            ..sdk::hello("chat")
        }
    }

    fn start(&mut self, start: &Start) -> Result<(), BotError> {
        self.current = Some(CurrentChat::new(start, &self.prompts, &self.catalog));
        Ok(())
    }

    fn choose(&mut self, turn: &Turn) -> Result<Choice, BotError> {
        self.think(turn, &mut |_| {})
    }

    fn think(&mut self, turn: &Turn, report: &mut dyn FnMut(Value)) -> Result<Choice, BotError> {
        let begin = Instant::now();
        let current = self.current.as_mut().ok_or("`turn` came before `start`")?;
        current.see(turn);
        let legal: Vec<String> = turn
            .legal
            .iter()
            .flat_map(|legal| legal.iter())
            .map(str::to_owned)
            .collect();
        let mut messages = vec![message("system", current.system.clone())];
        messages.extend(current.history.iter().flatten().cloned());
        let turn_at = messages.len();
        let mut conversation = Conversation {
            client: &self.client,
            options: &self.options,
            prompts: &self.prompts,
            mode: &mut self.legal,
            asked: current.asked(turn, &legal),
            deadline: turn::deadline(begin, &turn.clock, current.seat),
            messages,
            tally: Tally::default(),
        };
        let outcome = conversation.run();
        let info = conversation.tally.info();
        let exchange = conversation.exchange(turn_at);
        current.history.extend(exchange);
        let over = current.history.len().saturating_sub(self.options.history);
        current.history.drain(..over);
        match outcome {
            Outcome::Move(mv) => Ok(Choice::Move {
                mv,
                info: Some(info),
                offer: None,
            }),
            Outcome::NoMove(why) => {
                report(info);
                Ok(Choice::NoMove(why))
            }
            Outcome::End(why) => {
                report(info);
                Err(why.into())
            }
        }
    }
}

/// What a model is sent at the start of a game, as text for people.
///
/// # Errors
/// If the rules or the prompts do not work.
pub fn shown_prompt(options: &ChatOptions, entry: &Entry) -> Result<String, BotError> {
    let prompts = prompts(options)?;
    let rules = entry.configure(&Value::Null)?;
    let mut session = rules.start(1)?;
    let mut rng = Rng::new(1);
    // Chance may go first.
    while session.to_move().seats().next().is_none() {
        let Some(step) = random_step(&mut *session, &mut rng)? else {
            break;
        };
        session.play_step(&as_strs(&step))?;
    }
    let seat = session.to_move().seats().next().unwrap_or(0);
    let is_hidden = rules.info().hidden;
    let state = session.state()?;
    let players = rules.roles().iter().map(|role| Opponent {
        name: role.clone(),
        role: role.clone(),
    });
    let start = Start {
        match_id: String::new(),
        game: entry.info.id.clone(),
        options: rules.options().to_json(),
        seat,
        role: rules.roles()[seat].clone(),
        players: players.collect(),
        state: (!is_hidden).then(|| state.clone()),
        observation: None,
        time: TimeControl::default(),
        limits: protocol::Limits::default(),
        offers: false,
    };
    let turn = Turn {
        ply: session.ply(),
        moves: Vec::new(),
        sees: None,
        state: (!is_hidden).then(|| state.into()),
        observation: is_hidden.then(|| session.observation(seat)).transpose()?,
        legal: None,
        clock: protocol::ClockState::default(),
        offers: Vec::new(),
        lines: None,
    };
    let legal = session.legal_of(seat)?;
    let chat = CurrentChat::new(&start, &prompts, &Catalog::built_in());
    let system = prompts.system(&start, Some(entry));
    let listed = match options.legal {
        LegalMoves::List => prompt::listed(&legal),
        LegalMoves::None | LegalMoves::Grammar => String::new(),
    };
    let chat = CurrentChat {
        rules: Some(rules),
        ..chat
    };
    let user = prompts.turn(&chat.asked(&turn, &legal), &listed);
    Ok(format!("[system]\n{system}\n\n[user]\n{user}\n"))
}
