//! A game of a rules program under some options.

use std::any::Any;
use std::fmt::Write as _;
use std::sync::Arc;

use games::session::{LoadError, Origin};
use games::{
    BrokenRules, ConfigureError, Info, OptionError, Options, Rules, Seat, Session, StateError,
};
use protocol::{ModelError, ModelErrorCode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::Position;
use super::line;
use super::program::RulesProgram;
use super::session::{Beginning, ProgramSession};

/// The rules of one game, and the program that knows them.
pub(super) struct ProgramRules {
    pub(super) program: Arc<RulesProgram>,
    info: Arc<Info>,
    /// The id that the program has for it.
    own_id: String,
    options: Options,
    roles: Vec<String>,
    /// The same rules as they are built in, if the program is this very one.
    built_in: Option<Arc<dyn Rules>>,
}

/// The rules under these options. Asks the program, which may refuse what each option allows.
pub(super) fn configure(
    program: &Arc<RulesProgram>,
    info: &Arc<Info>,
    own_id: &str,
    varies: bool,
    given: &Value,
) -> Result<ProgramRules, ConfigureError> {
    let mut rules = ProgramRules {
        options: Options::read(info, given)?,
        program: program.clone(),
        info: info.clone(),
        own_id: own_id.to_owned(),
        roles: info.roles.clone(),
        built_in: built_in(program, own_id, given),
    };
    let body = rules.new_request(&Beginning::Seed(0), None, &[]);
    let seats = (!varies).then_some(info.roles.len());
    let asked = line::with(program, |line| {
        line.holds = None;
        line.ask(program, &body, |text| Position::read(text, seats))
    })?;
    let first = asked.map_err(|error| {
        ConfigureError::Option(OptionError {
            game: info.id.clone(),
            name: "options".to_owned(),
            message: error.message,
        })
    })?;
    if varies {
        rules.roles = match first.roles {
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

/// The rules that are built in, if the program is this very one.
fn built_in(program: &RulesProgram, own_id: &str, options: &Value) -> Option<Arc<dyn Rules>> {
    if !program.is_referee() {
        return None;
    }
    games::find(own_id)?.configure(options).ok()
}

impl ProgramRules {
    /// The same rules as they are built in, if the program is this very one.
    pub(super) fn built_in(&self) -> Option<&Arc<dyn Rules>> {
        self.built_in.as_ref()
    }

    pub(super) fn roles(&self) -> &[String] {
        &self.roles
    }

    pub(super) fn seats(&self) -> usize {
        self.roles.len()
    }

    /// Whether there is something that not all seats know.
    pub(super) fn is_hidden(&self) -> bool {
        self.info.hidden
    }

    /// A request that sets up the game, without its braces and `id`.
    pub(super) fn new_request(
        &self,
        beginning: &Beginning,
        max_plies: Option<u32>,
        want: &[&str],
    ) -> String {
        let options = self.options.to_json();
        let game = &self.own_id;
        let mut body = format!("\"op\":\"new\",\"game\":\"{game}\",\"options\":{options}");
        // Writing to a text cannot fail.
        let _ = match beginning {
            Beginning::Seed(seed) => write!(body, ",\"seed\":{seed}"),
            Beginning::State(state) => write!(body, ",\"state\":{state}"),
        };
        if let Some(most) = max_plies {
            let _ = write!(body, ",\"max_plies\":{most}");
        }
        body.push_str(",\"want\":[\"legal\"");
        for want in want {
            let _ = write!(body, ",\"{want}\"");
        }
        body.push(']');
        body
    }

    /// A session that begins like this.
    ///
    /// # Errors
    /// If the program does not work, or refuses the beginning: then its error is inside.
    fn open(
        self: &Arc<Self>,
        beginning: Beginning,
    ) -> Result<Result<Box<dyn Session>, ModelError>, BrokenRules> {
        let opened = ProgramSession::open(self, beginning)?;
        Ok(opened.map(|session| Box::new(session) as Box<dyn Session>))
    }
}

/// Rules are shared by their sessions.
pub(super) struct SharedRules(pub(super) Arc<ProgramRules>);

impl Rules for SharedRules {
    fn info(&self) -> &Info {
        &self.0.info
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn own_id(&self) -> &str {
        &self.0.own_id
    }

    fn options(&self) -> &Options {
        &self.0.options
    }

    fn roles(&self) -> &[String] {
        &self.0.roles
    }

    fn origin(&self) -> Option<&Origin> {
        Some(&self.0.program.origin)
    }

    fn start(&self, seed: u64) -> Result<Box<dyn Session>, BrokenRules> {
        self.0.open(Beginning::Seed(seed))?.map_err(|error| {
            BrokenRules::new(format!(
                "the rules program `{}` cannot start the game `{}`: {}",
                self.0.program.name(),
                self.0.own_id,
                error.message
            ))
        })
    }

    fn load(&self, state: &Value) -> Result<Box<dyn Session>, LoadError> {
        let opened = self
            .0
            .open(Beginning::State(Arc::from(state.to_string())))?;
        opened.map_err(|error| LoadError::State(not_a_state(error)))
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

        let program = &self.0.program;
        if !program.can.sample {
            return Ok(Vec::new());
        }
        let new = json!({
            "op": "new", "game": self.0.own_id, "options": self.0.options.to_json(),
            "observation": observation,
        });
        let sample = json!({"op": "sample", "as": seat, "seed": seed, "count": count});
        let body = |request: Value| {
            let text = request.to_string();
            text[1..text.len() - 1].to_owned()
        };
        let samples = line::with(program, |line| {
            line.holds = None;
            if let Err(error) = line.ask(program, &body(new), |_| Ok(()))? {
                return Ok(Err(error));
            }
            line.ask(program, &body(sample), |text| {
                serde_json::from_str::<Samples>(text)
                    .map_err(|error| format!("gave samples that cannot be read ({error})"))
            })
        })?;
        let samples = samples.map_err(|error| LoadError::State(not_a_state(error)))?;
        Ok(samples.states)
    }
}

/// The rules of a program, if these are such.
pub(super) fn of(rules: &dyn Rules) -> Option<&ProgramRules> {
    let shared: &SharedRules = rules.as_any().downcast_ref()?;
    Some(&shared.0)
}

/// What a program says of a state that it does not take.
fn not_a_state(error: ModelError) -> StateError {
    debug_assert_ne!(error.code, ModelErrorCode::BrokenRules);
    StateError::new("state", error.message)
}
