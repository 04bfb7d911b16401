//! The list of tools: a name, a description for models, schemas, and a function each.

use std::pin::Pin;
use std::sync::{Arc, LazyLock};

use games::kit::text::{nearest, quoted};
use rmcp::handler::server::common::{schema_for_input, schema_for_output};
use rmcp::model::{JsonObject, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::answer::{Answer, Refusal};
use crate::client::Caller;
use crate::{commands, logs, matches, rulebook, study, tournaments};

type Called = Pin<Box<dyn Future<Output = Answer<Value>> + Send>>;

pub(crate) struct Tool {
    pub(crate) name: &'static str,
    about: &'static str,
    /// It changes nothing.
    is_read_only: bool,
    input: Arc<JsonObject>,
    output: Arc<JsonObject>,
    call: Box<dyn Fn(Caller, Value) -> Called + Send + Sync>,
}

pub(crate) static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    vec![
        reads(
            "list_games",
            "Lists the games that can be played, with a sentence about each.",
            rulebook::list_games,
        ),
        reads(
            "get_rules",
            "The rules of a game in words, how its moves are written, its seats and its options.",
            rulebook::get_rules,
        ),
        acts(
            "new_match",
            "Begins a match in which you take one seat and bots take the others. Answers when it is \
             your turn, or the match is over. You have no time limit, the opponents have `per_move`.",
            matches::new_match,
        ),
        reads(
            "get_position",
            "The position of a match as your seat may know it, drawn in `text` and as JSON in \
             `position`; your legal moves, if it is your turn; the result, if the match is over.",
            matches::get_position,
        ),
        acts(
            "play_move",
            "Plays one of your legal moves, written exactly as in `legal`. Answers with the position \
             after the opponents have moved. A move that is not legal is an error and costs nothing.",
            matches::play_move,
        ),
        acts(
            "resign",
            "Gives a match up when it is your turn. That is a loss.",
            matches::resign,
        ),
        reads(
            "list_bots",
            "Lists the reference bots, which can be opponents and play in tournaments, and says \
             whether other programs may, too.",
            commands::list_bots,
        ),
        acts(
            "check_bot",
            "Checks whether a bot keeps the protocol, and says what is wrong and how to fix it. May \
             take a minute; `games` and `only` make it shorter.",
            study::check_bot,
        ),
        acts(
            "run_tournament",
            "Starts a tournament from a configuration: TOML, the path of a file, or the name of an \
             example such as `quickstart`. Answers at once with the folder for get_tournament.",
            tournaments::run_tournament,
        ),
        reads(
            "get_tournament",
            "How far a tournament is, and its standings: points, and ratings with 95 % intervals.",
            tournaments::get_tournament,
        ),
        reads(
            "analyse",
            "Has a bot think about a position of one of your matches, by default the present one: its \
             best lines, with values from 0 (lost) to 1 (won) for the seat that is to move.",
            study::analyse,
        ),
        reads(
            "get_log",
            "Lists the finished matches in a folder of new_match or run_tournament, with result and \
             faults; with `match`, all that the log has about that one.",
            logs::get_log,
        ),
    ]
});

/// The tool with this name.
pub(crate) fn find(name: &str) -> Answer<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name).ok_or_else(|| {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        let near = nearest(name, &names);
        let near = near.map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
        let name: String = name.chars().take(40).collect();
        Refusal(format!(
            "there is no tool `{name}`{near}; there are {}",
            quoted(&names)
        ))
    })
}

impl Tool {
    pub(crate) fn describe(&self) -> rmcp::model::Tool {
        let tool = rmcp::model::Tool::new(self.name, self.about, self.input.clone());
        let hints = ToolAnnotations::new()
            .read_only(self.is_read_only)
            .destructive(false)
            .open_world(false);
        tool.with_raw_output_schema(self.output.clone())
            .with_annotations(hints)
    }

    pub(crate) fn call(&self, caller: Caller, arguments: Value) -> Called {
        (self.call)(caller, arguments)
    }
}

/// A tool that changes nothing.
fn reads<P, A, F>(name: &'static str, about: &'static str, call: fn(Caller, P) -> F) -> Tool
where
    P: DeserializeOwned + JsonSchema + Send + 'static,
    A: Serialize + JsonSchema + 'static,
    F: Future<Output = Answer<A>> + Send + 'static,
{
    Tool {
        is_read_only: true,
        ..acts(name, about, call)
    }
}

fn acts<P, A, F>(name: &'static str, about: &'static str, call: fn(Caller, P) -> F) -> Tool
where
    P: DeserializeOwned + JsonSchema + Send + 'static,
    A: Serialize + JsonSchema + 'static,
    F: Future<Output = Answer<A>> + Send + 'static,
{
    Tool {
        name,
        about,
        is_read_only: false,
        input: schema_for_input::<P>().expect("parameters are objects"),
        output: schema_for_output::<A>(),
        call: Box::new(move |caller, arguments| {
            Box::pin(async move {
                let parameters = serde_json::from_value(arguments);
                let parameters = parameters.map_err(|error| Refusal(format!("{name}: {error}")))?;
                let answer = call(caller, parameters).await?;
                Ok(serde_json::to_value(answer)?)
            })
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_tool_has_schemas_of_objects_and_describes_its_parameters() {
        for tool in TOOLS.iter() {
            let described = serde_json::to_value(tool.describe()).unwrap();
            for schema in ["inputSchema", "outputSchema"] {
                assert_eq!(described[schema]["type"], "object", "{}", tool.name);
            }
            let parameters = described["inputSchema"]["properties"].as_object();
            for (name, parameter) in parameters.into_iter().flatten() {
                let about = parameter["description"].as_str().unwrap_or_default();
                assert!(!about.is_empty(), "{}: {name}", tool.name);
            }
            assert!(described["inputSchema"]["additionalProperties"] == json!(false));
        }
    }

    #[test]
    fn an_unknown_tool_is_answered_with_the_nearest() {
        let Err(Refusal(why)) = find("play_moves") else {
            panic!("there is no such tool")
        };
        assert!(why.contains("did you mean `play_move`?"), "{why}");
    }
}
