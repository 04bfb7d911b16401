//! The configuration file as it is written. Doc comments here are what its JSON Schema says.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use games::Limits;
use protocol::ClockKind;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;

use crate::tournament::schedule::{FormatName, SeatOrders};
use supervisor::sandbox::limits::{ResourcesTable, Size, Tier};
use supervisor::{Idle, Restart};

/// A tournament.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConfigFile {
    /// The tournament's name.
    pub(crate) name: String,
    /// Files with more of the configuration, relative to this one. What stands here is over what
    /// they say, and later ones are over earlier ones: tables are merged key by key, lists are
    /// replaced.
    #[serde(default)]
    pub(crate) include: Vec<PathBuf>,
    /// What all randomness of the referee is made from.
    #[serde(default = "default_seed")]
    pub(crate) seed: u64,
    /// How bots meet: "round-robin" (everybody everybody), "gauntlet" (the `challengers` the
    /// rest), "swiss" (in each round somebody with as many points), "knockout" (losers are out),
    /// or "sprt" (two bots until it is clear which one is better).
    #[serde(default)]
    pub(crate) format: FormatName,
    /// How often every pairing (in "knockout": every duel) is played in every seat order; in
    /// "swiss" the number of its rounds. By default 1; in "swiss" as many as a knockout would
    /// have.
    pub(crate) rounds: Option<u32>,
    /// With `format = "gauntlet"`: the names of the bots that are in every match.
    #[serde(default)]
    pub(crate) challengers: Vec<String>,
    /// In which orders the bots of a group sit in games of three and four seats: "rotations"
    /// (each bot in each seat once, in a cyclic order that changes from round to round) or
    /// "permutations" (all orders). Two bots always sit both ways.
    #[serde(default)]
    pub(crate) seat_orders: SeatOrders,
    /// With `format = "knockout"`: bracket and ties.
    pub(crate) knockout: Option<KnockoutTable>,
    /// With `format = "sprt"`: what is tested.
    pub(crate) sprt: Option<SprtTable>,
    /// How many matches run at a time: a number, or "auto" for one a core.
    #[serde(default)]
    pub(crate) concurrency: Concurrency,
    /// When bots' processes are started anew: "on-fault" or "each-match".
    #[serde(default)]
    pub(crate) restart: Restart,
    /// How often the start of a bot is tried before that is a fault, 1 to 20; by default 3. After each
    /// attempt that came too late, or at which the bot ended by itself, there is a pause, twice as
    /// long each time: 500 ms, 1 s, and so on up to 30 s.
    pub(crate) start_attempts: Option<u32>,
    /// What time limits are measured by: "wall", or "cpu" for the CPU time of all processes of a
    /// bot, with a limit on wall-clock time behind it.
    #[serde(default)]
    pub(crate) clock: ClockKind,
    /// What bots do while it is not their turn: "run", or "freeze" to stop them. By default those
    /// in a sandbox are frozen and others run.
    pub(crate) idle: Option<Idle>,
    /// Which cores are used: "cores" so that each match slot and its bots keep to one, or "off"
    /// for any, which bots need that use several threads or think while it is not their turn.
    /// "auto", the default, is "cores" where the machine can do that.
    #[serde(default)]
    pub(crate) affinity: Affinity,
    /// How far bots are kept apart from the machine: "none", "limits" (what they may use),
    /// "restricted" (besides: no network, no files but the system's and their own, no signals to
    /// other processes) or "strict" (besides: they see no other processes and files; needs
    /// bubblewrap). By default "limits" where `resources` asks for any, else "none".
    pub(crate) sandbox: Option<Tier>,
    /// What bots may use.
    #[serde(default)]
    pub(crate) resources: ResourcesTable,
    /// How much is kept beside the log, in all.
    #[serde(default)]
    pub(crate) keep: KeepTable,
    /// What bots may read in the sandboxes "restricted" and "strict" besides the system's files, their
    /// program and their own `dir`.
    #[serde(default)]
    pub(crate) readable: Vec<PathBuf>,
    /// Whether what this machine cannot enforce is left out, instead of being an error.
    #[serde(default)]
    pub(crate) best_effort: bool,
    /// What is played: ids, or tables with `id`, `options`, `limits` and `weight`.
    pub(crate) games: Vec<GameEntry>,
    /// Time control.
    #[serde(default)]
    pub(crate) time: TimeTable,
    /// What ends matches besides the game, over the games' defaults.
    #[serde(default)]
    pub(crate) limits: LimitsTable,
    /// How matches begin.
    #[serde(default)]
    pub(crate) opening: OpeningTable,
    /// Who plays.
    pub(crate) bots: Vec<BotTable>,
}

fn default_seed() -> u64 {
    1
}

/// Bracket and ties of a knockout.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct KnockoutTable {
    /// From what the bracket is made: "order" (that of the bots, the strongest first), or "lot"
    /// (drawn from the seed).
    pub(crate) seeding: Seeding,
    /// So many swapped pairs more are played in a duel that is tied; then the bot with the better
    /// place in the seeding goes on.
    pub(crate) tie_breaks: u32,
    /// Whether the losers of the semifinals play for the third place.
    pub(crate) third_place: bool,
}

impl Default for KnockoutTable {
    fn default() -> Self {
        KnockoutTable {
            seeding: Seeding::Order,
            tie_breaks: 4,
            third_place: false,
        }
    }
}

/// From what a bracket is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Seeding {
    /// From the order of the bots.
    Order,
    /// From an order drawn by lot.
    Lot,
}

/// What is tested. H0: the first bot is stronger by `elo0`. H1: it is stronger by `elo1`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SprtTable {
    /// The scale of `elo0` and `elo1`: "logistic" (Elo by the expected score) or "normalized" (the
    /// score in standard deviations of a match, which decides how many pairs are needed, whatever
    /// the share of draws).
    pub(crate) model: SprtModel,
    /// The lower difference in strength.
    pub(crate) elo0: f64,
    /// The higher difference in strength.
    pub(crate) elo1: f64,
    /// How often H1 may be accepted although H0 holds.
    pub(crate) alpha: f64,
    /// How often H0 may be accepted although H1 holds.
    pub(crate) beta: f64,
    /// After so many swapped pairs it ends without a decision.
    pub(crate) max_pairs: u32,
}

impl Default for SprtTable {
    fn default() -> Self {
        SprtTable {
            model: SprtModel::Logistic,
            elo0: 0.0,
            elo1: 20.0,
            alpha: 0.05,
            beta: 0.05,
            max_pairs: 10_000,
        }
    }
}

/// The scale of differences in strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "EloModel")]
pub(crate) enum SprtModel {
    /// Elo by the expected score.
    Logistic,
    /// The score in standard deviations of a match.
    Normalized,
}

/// Which cores a match uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Affinity {
    /// One for each slot, if the machine can do that.
    #[default]
    Auto,
    /// Any.
    Off,
    /// One for each slot: its bots and its part of the referee.
    Cores,
}

/// How many matches run at a time.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "\"auto\" or a number from 1 on is needed")]
pub(crate) enum Concurrency {
    /// This many.
    Number(u32),
    /// One a core.
    Auto(Auto),
}

/// The word "auto".
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Auto {
    /// The machine decides.
    Auto,
}

impl Default for Concurrency {
    fn default() -> Self {
        Concurrency::Auto(Auto::Auto)
    }
}

/// A game: its id alone, or with options and limits.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a game is its id, or a table with `id`, `options`, `limits` and `weight`"
)]
pub(crate) enum GameEntry {
    /// With the defaults.
    Id(String),
    /// With options or limits.
    Table(GameTable),
}

/// A game with options and limits.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GameTable {
    /// The game's id.
    pub(crate) id: String,
    /// Its options; `referee games ID` lists them.
    #[serde(default)]
    pub(crate) options: Value,
    /// What ends its matches, over `[limits]`.
    #[serde(default)]
    pub(crate) limits: LimitsTable,
    /// How often it is played where a game of weight 1 is played once.
    #[serde(default = "default_weight")]
    pub(crate) weight: u32,
}

fn default_weight() -> u32 {
    1
}

/// Time control. Without `per_move` and `base`, a move may take a second.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TimeTable {
    /// For each move.
    pub(crate) per_move: Option<Time>,
    /// For all moves of a match together.
    pub(crate) base: Option<Time>,
    /// Added to `base` after each move.
    pub(crate) increment: Option<Time>,
    /// From a process's start to its `hello`, and from `start` to `ready`. Default "10s".
    pub(crate) startup: Option<Time>,
    /// Tolerated on top of each limit. Default "50ms".
    pub(crate) margin: Option<Time>,
    /// With `clock = "cpu"`: the wall-clock time that a move may take. By default ten times
    /// its limit, and at least 2 s.
    pub(crate) wall: Option<Time>,
}

/// How much is kept in the tournament's folder beside the log, whatever bots do. Sizes are strings
/// such as "64MiB" or numbers of bytes; "none" lifts a limit.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct KeepTable {
    /// The folder `failures`, all matches together; the oldest are dropped first. Default "64MiB".
    pub(crate) failures: Option<Size>,
    /// The folder `stderr`, all bots together, besides `resources.stderr_bytes` of each. Default
    /// "256MiB".
    pub(crate) stderr: Option<Size>,
}

/// What ends matches besides the game.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LimitsTable {
    /// The number of plies, or "none".
    pub(crate) max_plies: Option<Limit>,
    /// How many times a position is there, or "none".
    pub(crate) repetition: Option<Limit>,
}

impl LimitsTable {
    /// These limits, and the others where nothing is given.
    pub(crate) fn over(&self, others: Limits) -> Limits {
        let given = |limit: Option<Limit>, other| limit.map_or(other, |limit| limit.0);
        Limits {
            max_plies: given(self.max_plies, others.max_plies),
            repetition: given(self.repetition, others.repetition),
        }
    }
}

/// How matches begin.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OpeningTable {
    /// So many random plies are made by the referee; the same ones for all seat orders. With a
    /// book, they come after its moves.
    pub(crate) random_plies: u32,
    /// A file of openings, one a line: `GAME: MOVE MOVE …`, or a JSON object with `game`, `moves`
    /// and `state`. Games that it does not have begin as usual.
    pub(crate) book: Option<PathBuf>,
    /// Only starts and openings after which every seat has a mean outcome of one half, give or
    /// take this, in 200 random games. At most 50 are tried, then the best one is taken and that
    /// is said.
    pub(crate) balanced: Option<f64>,
}

/// A bot.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BotTable {
    /// Its name in the standings.
    pub(crate) name: String,
    /// Program and arguments; the word `referee` is the referee itself. In it, in `dir` and in
    /// `env`, `${NAME}` is an environment variable, `${NAME:-default}` one with a default, and
    /// `$$` a dollar.
    pub(crate) command: Command,
    /// Its working directory; by default the folder of the configuration.
    pub(crate) dir: Option<PathBuf>,
    /// Added to its environment.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// Its own time control, over `[time]`.
    pub(crate) time: Option<TimeTable>,
    /// When its process is started anew, over the tournament's `restart`.
    pub(crate) restart: Option<Restart>,
    /// How often its start is tried, over the tournament's `start_attempts`.
    pub(crate) start_attempts: Option<u32>,
    /// How far it is kept apart, over the tournament's `sandbox`.
    pub(crate) sandbox: Option<Tier>,
    /// What it may use, over the tournament's `resources`.
    #[serde(default)]
    pub(crate) resources: ResourcesTable,
    /// What it may read in the strict sandbox, besides what all may.
    #[serde(default)]
    pub(crate) readable: Vec<PathBuf>,
}

/// Program and arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a command is a list of words, or one string")]
pub(crate) enum Command {
    /// As they are.
    Words(Vec<String>),
    /// To be split like a shell would.
    Line(String),
}

/// The longest duration: the clock of no machine runs over when it is added to the time now.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// A duration such as "100ms".
#[derive(Clone, Copy, Debug)]
pub struct Time(pub Duration);

impl std::str::FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match humantime::parse_duration(text) {
            Ok(time) if time <= LONGEST => Ok(Time(time)),
            Ok(_) => Err(format!(
                "\"{text}\" is too long: at most 366 days are allowed"
            )),
            Err(_) => Err(not_a_duration(&format!("\"{text}\""))),
        }
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let parsed = match value.as_str() {
            Some(text) => text.parse(),
            None => Err(not_a_duration(&value.to_string())),
        };
        parsed.map_err(de::Error::custom)
    }
}

fn not_a_duration(given: &str) -> String {
    format!(
        "{given} is not a duration; those are strings with a unit, as in \"100ms\", \"2s\", \"5m\""
    )
}

impl JsonSchema for Time {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A duration with a unit.",
            "examples": ["100ms", "2s", "5m"]
        })
    }
}

/// A limit, or none.
#[derive(Clone, Copy, Debug)]
pub struct Limit(pub Option<u32>);

impl std::str::FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(n) if n >= 1 => Ok(Limit(Some(n))),
            _ if text == "none" => Ok(Limit(None)),
            _ => Err(format!(
                "{text} is not a limit; a number from 1 on or \"none\" is needed"
            )),
        }
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        text.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Limit {
    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"anyOf": [{"type": "integer", "minimum": 1}, {"const": "none"}]})
    }
}
