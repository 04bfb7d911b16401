//! A game of a rules program under some options, and its requests.

pub(crate) mod rules;
pub(crate) mod session;
pub(crate) mod steps;
pub(crate) mod trial;

use std::fmt::Write as _;
use std::sync::Arc;

use games::Rules;
use games::session::Description;
use serde_json::Value;

use crate::program::RulesProgram;

/// The start of a game.
#[derive(Clone, Debug)]
pub(super) enum Start {
    /// The start that belongs to a seed.
    Seed(u64),
    /// A state, as JSON.
    State(Arc<str>),
}

/// The rules of one game, and the program that knows them.
pub(super) struct ProgramRules {
    pub(super) program: Arc<RulesProgram>,
    pub(super) description: Description,
    /// The same rules as they are built in, if the program is this very one.
    pub(super) built_in: Option<Arc<dyn Rules>>,
}

/// The rules that are built in, if the program is this very one.
pub(super) fn built_in(
    program: &RulesProgram,
    own_id: &str,
    options: &Value,
) -> Option<Arc<dyn Rules>> {
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
        &self.description.roles
    }

    pub(super) fn seats(&self) -> usize {
        self.description.roles.len()
    }

    /// True if the game has hidden information.
    pub(super) fn is_hidden(&self) -> bool {
        self.description.info.hidden
    }

    /// A request that sets up the game, without its braces and `id`.
    pub(super) fn new_request(
        &self,
        start: &Start,
        max_plies: Option<u32>,
        want: &[&str],
    ) -> String {
        let options = self.description.options.to_json();
        let game = &self.description.own_id;
        let mut body = format!("\"op\":\"new\",\"game\":\"{game}\",\"options\":{options}");
        // Writing to a text cannot fail.
        let _ = match start {
            Start::Seed(seed) => write!(body, ",\"seed\":{seed}"),
            Start::State(state) => write!(body, ",\"state\":{state}"),
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
}
