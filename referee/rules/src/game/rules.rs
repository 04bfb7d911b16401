//! A game of a rules program under some options.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use games::learning::{Learning, ListedMoves};
use games::session::{Description, LoadError};
use games::{
    BrokenRules, ConfigureError, Entry, Info, OptionError, Options, Rules, Seat, Session,
    StateError,
};
use protocol::{ModelError, ModelErrorCode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::game::session::ProgramSession;
use crate::game::trial;
use crate::game::{ProgramRules, Start, built_in};
use crate::position::Position;
use crate::program::RulesProgram;

/// The rules under these options. Asks the program, which may refuse what each option allows.
fn configure(
    program: &Arc<RulesProgram>,
    info: &Info,
    own_id: &str,
    varies: bool,
    given: &Value,
) -> Result<ProgramRules, ConfigureError> {
    let mut rules = ProgramRules {
        description: Description {
            own_id: own_id.to_owned(),
            origin: Some(program.origin.clone()),
            ..Description::new(info.clone(), Options::read(info, given)?)
        },
        program: program.clone(),
        built_in: built_in(program, own_id, given),
    };
    let body = rules.new_request(&Start::Seed(0), None, &[]);
    let seats = (!varies).then_some(info.roles.len());
    let asked = program.with_connection(|connection| {
        connection.set_up = None;
        connection.ask(&body, |text| Position::read(text, seats)?.listed())
    })?;
    let first = asked.map_err(|error| {
        ConfigureError::Option(OptionError {
            game: info.id.clone(),
            name: "options".to_owned(),
            message: error.message,
        })
    })?;
    if varies {
        rules.description.roles = match first.roles {
            Some(roles) if !roles.is_empty() && roles.len() <= info.roles.len() => roles,
            _ => {
                return Err(ConfigureError::Broken(BrokenRules::new(format!(
                    "the rules program `{}` has `seats` for the game `{own_id}`, but its answer to \
                     `new` gives no fitting `roles`",
                    program.name()
                ))));
            }
        };
    }
    Ok(rules)
}

/// The games of a program, for the catalog.
pub(crate) fn entries(program: &Arc<RulesProgram>) -> Vec<Arc<Entry>> {
    let entries = program.games().iter().map(|game| {
        let info = program.info(game);
        let shared = info.clone();
        let (program, own_id) = (program.clone(), game.id.clone());
        let is_referee = program.is_referee();
        let varies = game.seats.is_some();
        let guide = game.guide.clone().unwrap_or_default();
        let entry = Entry::new(info, guide, move |given| {
            let rules = configure(&program, &shared, &own_id, varies, given)?;
            Ok(Arc::new(SharedRules::new(rules)) as Arc<dyn Rules>)
        });
        Arc::new(if is_referee {
            entry.played_as(&game.id)
        } else {
            entry
        })
    });
    entries.collect()
}

/// A session that begins like this.
///
/// # Errors
/// If the program does not work, or refuses the start: then its error is inside.
fn open(
    rules: &Arc<ProgramRules>,
    start: Start,
) -> Result<Result<Box<dyn Session>, ModelError>, BrokenRules> {
    let opened = ProgramSession::open(rules, start)?;
    Ok(opened.map(|session| Box::new(session) as Box<dyn Session>))
}

/// Rules are shared by their sessions.
pub(crate) struct SharedRules {
    rules: Arc<ProgramRules>,
    /// The moves that the program lists, asked for once; `None` if it does not, or fails.
    actions: OnceLock<Option<ListedMoves>>,
}

impl SharedRules {
    fn new(rules: ProgramRules) -> Self {
        SharedRules {
            rules: Arc::new(rules),
            actions: OnceLock::new(),
        }
    }

    fn listed(&self) -> Option<ListedMoves> {
        #[derive(Deserialize)]
        struct Listed {
            actions: Vec<String>,
        }

        let program = &self.rules.program;
        if !program.can.actions {
            return None;
        }
        let body = self.rules.new_request(&Start::Seed(0), None, &["actions"]);
        let listed = program.with_connection(|connection| {
            connection.set_up = None;
            connection.ask(&body, |text| {
                serde_json::from_str::<Listed>(text).map_err(|error| {
                    format!("lists its moves in a way that cannot be read ({error})")
                })
            })
        });
        Some(ListedMoves::new(listed.ok()?.ok()?.actions))
    }
}

impl Rules for SharedRules {
    fn description(&self) -> &Description {
        &self.rules.description
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn start(&self, seed: u64) -> Result<Box<dyn Session>, BrokenRules> {
        open(&self.rules, Start::Seed(seed))?.map_err(|error| {
            BrokenRules::new(format!(
                "the rules program `{}` cannot start the game `{}`: {}",
                self.rules.program.name(),
                self.rules.description.own_id,
                error.message
            ))
        })
    }

    fn load(&self, state: &Value) -> Result<Box<dyn Session>, LoadError> {
        let opened = open(&self.rules, Start::State(Arc::from(state.to_string())))?;
        opened.map_err(|error| LoadError::State(not_a_state(error)))
    }

    fn learning(&self) -> Option<&dyn Learning> {
        let listed = self.actions.get_or_init(|| self.listed());
        listed.as_ref().map(|listed| listed as &dyn Learning)
    }

    fn comes_back(&self, session: &dyn Session) -> Result<(), BrokenRules> {
        trial::comes_back(self, session)
    }

    fn sample(
        &self,
        observation: &Value,
        seat: Seat,
        seed: u64,
        count: u32,
    ) -> Result<Vec<Value>, LoadError> {
        #[derive(Deserialize)]
        struct Samples {
            states: Vec<Value>,
        }

        let program = &self.rules.program;
        if !program.can.sample {
            return Ok(Vec::new());
        }
        let new = json!({
            "op": "new", "game": self.rules.description.own_id, "options": self.rules.description.options.to_json(),
            "observation": observation, "as": seat,
        });
        let sample = json!({"op": "sample", "as": seat, "seed": seed, "count": count});
        let body = |request: Value| {
            let text = request.to_string();
            text[1..text.len() - 1].to_owned()
        };
        let samples = program.with_connection(|connection| {
            connection.set_up = None;
            if let Err(error) = connection.ask(&body(new), |_| Ok(()))? {
                return Ok(Err(error));
            }
            connection.ask(&body(sample), |text| {
                serde_json::from_str::<Samples>(text)
                    .map_err(|error| format!("gave samples that cannot be read ({error})"))
            })
        })?;
        let samples = samples.map_err(|error| LoadError::State(not_a_state(error)))?;
        Ok(samples.states)
    }
}

/// The rules of a program, if these are such.
pub(crate) fn of(rules: &dyn Rules) -> Option<&ProgramRules> {
    let shared: &SharedRules = rules.as_any().downcast_ref()?;
    Some(&shared.rules)
}

/// The error of a program that refuses a state.
fn not_a_state(error: ModelError) -> StateError {
    debug_assert_ne!(error.code, ModelErrorCode::BrokenRules);
    StateError::new("state", error.message)
}
