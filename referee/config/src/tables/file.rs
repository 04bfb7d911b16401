//! The configuration file as it is written. Doc comments here are what its JSON Schema says.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use arbiter::early_end::MOST_POSITIONS;
use games::Limits;
use protocol::ClockKind;
use ratings::sprt::EloModel;
use schedule::{FormatName, SeatOrders};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use supervisor::spec::{ResourcesTable, Size, Tier};
use supervisor::{Idle, Restart};

/// No opening is longer: it would be the whole game.
pub const MOST_RANDOM_PLIES: u32 = 1000;
/// A game of more weight than this would better be played in more rounds.
const MOST_WEIGHT: u32 = 1000;
/// A machine on which more attempts are needed is no place for a tournament.
const MOST_ATTEMPTS: u32 = 100;
/// More attempts would keep a tournament waiting for a bot that never starts.
const MOST_START_ATTEMPTS: u32 = 20;

/// A tournament.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    /// The tournament's name.
    pub(crate) name: String,
    /// Other files to include, relative to this one. This file overrides them, and later ones
    /// override earlier ones: tables are merged key by key, lists are replaced.
    #[serde(default)]
    pub include: Vec<PathBuf>,
    /// The seed of everything random in the tournament: starts, openings, draws by lot.
    // Larger numbers do not survive every reader of JSON.
    #[serde(default = "default_seed")]
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    pub seed: u64,
    /// What is dealt and drawn in games with chance or hidden information follows from it: 64 hexadecimal
    /// digits. By default each tournament has a new one, in `secret.toml` in its folder. To set it deals the
    /// same again; `--shard` needs it. No copy of the configuration has it.
    pub secret: Option<String>,
    /// Who meets whom: "round-robin" (everybody meets everybody), "gauntlet" (the `challengers`
    /// meet the others), "swiss" (in each round, bots with about equal points), "knockout" (losers
    /// are out) or "sprt" (two bots, until it is clear which one is better).
    #[serde(default)]
    pub format: FormatName,
    /// How often every pairing (in a knockout, every duel) is played in every seat order; in
    /// "swiss", the number of rounds. The default is 1, and in "swiss" as many rounds as a knockout
    /// would have.
    #[schemars(range(min = 1))]
    pub rounds: Option<u32>,
    /// With `format = "gauntlet"`: the names of the bots that play in every match.
    #[serde(default)]
    pub challengers: Vec<String>,
    /// How bots sit in games of three and four seats: "rotations" (each bot in each seat once, in a
    /// cyclic order that changes from round to round) or "permutations" (all orders). Two bots
    /// always play both ways.
    #[serde(default)]
    pub seat_orders: SeatOrders,
    /// With `format = "knockout"`: bracket and ties.
    pub knockout: Option<KnockoutTable>,
    /// With `format = "sprt"`: what is tested.
    pub sprt: Option<SprtTable>,
    /// How many matches run at a time: a number, or "auto" for one per core.
    #[serde(default)]
    pub concurrency: Concurrency,
    /// When a bot gets a fresh process: "on-fault" or "each-match".
    #[serde(default)]
    pub restart: Restart,
    /// How often the start of a bot is tried before that is a fault, by default 3 times. After each
    /// attempt that came too late, or at which the bot ended by itself, there is a pause, twice as
    /// long each time: 500 ms, 1 s, and so on up to 30 s.
    #[schemars(range(min = 1, max = MOST_START_ATTEMPTS))]
    pub start_attempts: Option<u32>,
    /// What time limits measure: "wall" for wall-clock time, or "cpu" for the CPU time of all
    /// processes of a bot, backed by a limit on wall-clock time.
    #[serde(default)]
    pub clock: ClockKind,
    /// What bots do while it is not their turn: "run", or "freeze" to stop them. By default, bots
    /// in a sandbox are frozen and others run.
    pub idle: Option<Idle>,
    /// "cores" keeps each match slot and its bots to one core. "off" lets them use any, which suits
    /// bots that use several threads or think while it is not their turn. "auto", the default, is
    /// "cores" where the system supports it.
    #[serde(default)]
    pub affinity: Affinity,
    /// How far bots are isolated: "none", "limits" (holds them to `resources`), "restricted" (also
    /// no network, no files but the system's and their own, no signals to other processes) or
    /// "strict" (also hides other processes and files; needs bubblewrap). The default is "limits"
    /// if `resources` sets a limit that the kernel enforces, else "none".
    pub sandbox: Option<Tier>,
    /// What bots may use.
    #[serde(default)]
    pub resources: ResourcesTable,
    /// How much is kept in the tournament's folder beside the log.
    #[serde(default)]
    pub keep: KeepTable,
    /// What bots may read in the sandboxes "restricted" and "strict", besides the system's files,
    /// their program and their own `dir`.
    #[serde(default)]
    pub readable: Vec<PathBuf>,
    /// Whether to go on without limits and sandboxes that this machine cannot enforce, instead of
    /// refusing to play.
    #[serde(default)]
    pub best_effort: bool,
    /// Where rules come from besides those that are built in: command lines of rules programs, files of
    /// GDL sheets (`*.kif`), or tables with `command`, `dir`, `env`, `sandbox` and `prefix`.
    #[serde(default)]
    pub rules: Vec<RulesEntry>,
    /// How long rules may think about one request. A sheet that is not grounded by then is interpreted.
    /// Default "5s".
    pub rules_timeout: Option<Time>,
    /// What is played: ids, or tables with `id`, `options`, `limits` and `weight`.
    pub games: Vec<GameEntry>,
    /// Time control.
    #[serde(default)]
    pub time: TimeTable,
    /// Which matches count on a machine that has other things to do.
    #[serde(default)]
    pub machine: MachineTable,
    /// What workers of `--nats` do besides playing.
    #[serde(default)]
    pub workers: WorkersTable,
    /// What ends matches besides the rules; overrides the games' own limits.
    #[serde(default)]
    pub limits: LimitsTable,
    /// What ends matches before the game does.
    #[serde(default)]
    pub adjudicate: AdjudicateTable,
    /// How matches begin.
    #[serde(default)]
    pub opening: OpeningTable,
    /// Who plays.
    #[schemars(default)]
    pub bots: Vec<BotTable>,
    /// Folders of submissions, such as "submissions/*": each of them that has a `bot.toml` is a bot,
    /// too. In that file are `command`, `build`, `setup`, `env`, `readable`, and perhaps `name`; these bots
    /// have `must_pass_check = true`. See `submissions` for what they may not.
    // The bots are in `bots` by the time that this is read.
    #[schemars(with = "Option<Folders>")]
    pub bots_from: Option<Value>,
    /// What submissions, the bots of `bots_from`, may do besides playing from their own folder.
    #[serde(default)]
    pub submissions: SubmissionsTable,
    /// What happens if a bot with `must_pass_check` cannot be built, does not start or fails a check:
    /// "leave-out" to play without it, or "stop".
    #[serde(default)]
    pub on_broken: OnBroken,
    /// How bots are built.
    #[serde(default)]
    pub build: BuildTable,
    /// What the referee may reach over the network. Without it, nothing but this machine.
    #[serde(default)]
    pub network: NetworkTable,
}

/// What submissions may do besides playing from their own folder. Nothing in a submission can allow it
/// more.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SubmissionsTable {
    /// The variables of the referee's environment that submissions may use, as in ["JAVA_HOME"]: `${NAME}`
    /// of any other one is refused, also with a default.
    pub variables: Vec<String>,
    /// Files and folders that submissions may name besides those in their own folder and the system's: in
    /// `readable`, as a program, or as a file in their command. What all bots may read (the `readable` of
    /// the tournament) is allowed anyway.
    pub readable: Vec<PathBuf>,
    /// Whether the `name` in a `bot.toml` is what the bot is called. By default it is called as its folder.
    pub names: bool,
}

/// What the referee may reach over the network.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkTable {
    /// Names or addresses of other machines on which players with `ggp` may listen, as in
    /// ["10.0.0.5"].
    pub ggp_hosts: Vec<String>,
}

/// Where bots are taken from.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Folders {
    /// One pattern; a `*` stands for any part of a name.
    One(String),
    /// Several patterns.
    Several(Vec<String>),
}

/// What happens if a bot is broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnBroken {
    /// The tournament is played without it.
    #[default]
    LeaveOut,
    /// The tournament does not begin.
    Stop,
}

/// How bots are built. A build runs in the sandbox of its bot, but at least in "limits", and may write
/// to the bot's folder.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BuildTable {
    /// How long a build may take. Default "10m".
    pub timeout: Option<Time>,
    /// How much a build may add to the bot's folder, such as "512MiB", or "none". What adds more is ended,
    /// and what it has added is removed. Default "1GiB".
    pub disk: Option<Size>,
    /// How many files, folders and links a build may add there, or "none". Default 50000.
    pub files: Option<Size>,
    /// Whether builds may use the network: in the sandbox "strict" they may not by default, and in
    /// "restricted" they cannot. Every build can send anything anywhere then.
    pub network: bool,
    /// What a build may use.
    pub resources: ResourcesTable,
}

/// The `bot.toml` of a submission. Only its schema is used: the values become those of a bot.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "read through the table of a bot")]
pub(crate) struct SubmissionTable {
    /// Its name in the standings, if the tournament has `submissions.names`.
    name: Option<String>,
    /// Program and arguments.
    command: BotCommand,
    /// What builds it.
    build: Option<BotCommand>,
    /// What sets it up where its bundle is unpacked.
    setup: Option<BotCommand>,
    /// Added to its environment.
    env: BTreeMap<String, String>,
    /// What it may read in the sandboxes "restricted" and "strict".
    readable: Vec<PathBuf>,
}

fn default_seed() -> u64 {
    1
}

/// Bracket and ties of a knockout.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct KnockoutTable {
    /// How the bracket is seeded: "order" (the order of the bots, the strongest first) or "lot"
    /// (drawn from the seed).
    pub seeding: Seeding,
    /// How many more swapped pairs a tied duel gets, at most; after that, the bot that was seeded
    /// higher advances.
    pub tie_breaks: u32,
    /// Whether the losers of the semifinals play for third place.
    pub third_place: bool,
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

/// How a bracket is seeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Seeding {
    /// In the order of the bots.
    Order,
    /// In an order drawn by lot.
    Lot,
}

/// What is tested. H0: the first bot is stronger by `elo0`. H1: it is stronger by `elo1`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SprtTable {
    /// The scale of `elo0` and `elo1`: "logistic" (Elo by expected score) or "normalized" (the
    /// score in standard deviations of a match, which alone determines how many pairs a test takes,
    /// whatever the share of draws).
    pub(crate) model: EloModel,
    /// The lower difference in strength.
    pub elo0: f64,
    /// The higher difference in strength.
    pub elo1: f64,
    /// How often H1 may be accepted although H0 holds.
    pub alpha: f64,
    /// How often H0 may be accepted although H1 holds.
    pub beta: f64,
    /// The number of swapped pairs after which the test ends without a decision.
    #[schemars(range(min = 1))]
    pub max_pairs: u32,
}

impl Default for SprtTable {
    fn default() -> Self {
        SprtTable {
            model: EloModel::Logistic,
            elo0: 0.0,
            elo1: 20.0,
            alpha: 0.05,
            beta: 0.05,
            max_pairs: 10_000,
        }
    }
}

/// Which cores a match slot uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Affinity {
    /// `Cores` where the system supports it.
    #[default]
    Auto,
    /// Any core.
    Off,
    /// One core for each slot: its bots and its part of the referee.
    Cores,
}

/// How many matches run at a time.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "\"auto\" or a number from 1 on is needed")]
pub enum Concurrency {
    /// This many.
    Number(#[schemars(range(min = 1))] u32),
    /// One per core.
    Auto(Auto),
}

/// The word "auto".
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Auto {
    /// The machine decides.
    Auto,
}

impl Default for Concurrency {
    fn default() -> Self {
        Concurrency::Auto(Auto::Auto)
    }
}

/// A game: its id alone, or with options and limits.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum GameEntry {
    /// With the defaults.
    Id(String),
    /// With options or limits.
    Table(GameTable),
}

impl GameEntry {
    /// The id of the game.
    pub fn id(&self) -> &str {
        match self {
            GameEntry::Id(id) => id,
            GameEntry::Table(table) => &table.id,
        }
    }
}

// Derived for an untagged enum, errors would not say what in the table is wrong.
impl<'de> Deserialize<'de> for GameEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GameVisitor)
    }
}

struct GameVisitor;

impl<'de> Visitor<'de> for GameVisitor {
    type Value = GameEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the id of a game, or a table with `id`, `options`, `limits` and `weight`")
    }

    fn visit_str<E: de::Error>(self, id: &str) -> Result<GameEntry, E> {
        Ok(GameEntry::Id(id.to_owned()))
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<GameEntry, M::Error> {
        GameTable::deserialize(MapAccessDeserializer::new(map)).map(GameEntry::Table)
    }
}

/// A rules program: its command line alone, or with what belongs to it.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum RulesEntry {
    /// A command line, split as a shell does, or the file of a sheet in the Game Description Language
    /// (`*.kif`).
    Line(String),
    /// With more.
    Table(Box<RulesTable>),
}

// As for games: errors say what in the table is wrong.
impl<'de> Deserialize<'de> for RulesEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RulesVisitor)
    }
}

struct RulesVisitor;

impl<'de> Visitor<'de> for RulesVisitor {
    type Value = RulesEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a command line, a sheet (`*.kif`), or a table with `command`, `dir`, `env`, `sandbox` and `prefix`",
        )
    }

    fn visit_str<E: de::Error>(self, line: &str) -> Result<RulesEntry, E> {
        Ok(RulesEntry::Line(line.to_owned()))
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<RulesEntry, M::Error> {
        let table = RulesTable::deserialize(MapAccessDeserializer::new(map))?;
        Ok(RulesEntry::Table(Box::new(table)))
    }
}

/// A rules program with what belongs to it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesTable {
    /// Program and arguments, or the file of a sheet (`*.kif`) alone.
    pub command: BotCommand,
    /// The working directory, by default that of the configuration.
    pub dir: Option<PathBuf>,
    /// Added to its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// How far it is isolated, as for bots. The default is that of the tournament.
    pub sandbox: Option<Tier>,
    /// What it may use, as for bots.
    #[serde(default)]
    pub resources: ResourcesTable,
    /// The ids of its games become `PREFIX-ID`.
    pub prefix: Option<String>,
}

/// A game with options and limits.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GameTable {
    /// The game's id.
    pub id: String,
    /// Its options; `referee games ID` lists them.
    #[serde(default)]
    pub options: Value,
    /// What ends its matches besides the rules; overrides `[limits]`.
    #[serde(default)]
    pub limits: LimitsTable,
    /// How often the game is played for each time that a game of weight 1 is played.
    #[serde(default = "default_weight")]
    #[schemars(range(min = 1, max = MOST_WEIGHT))]
    pub weight: u32,
}

impl RulesTable {
    /// A command line, and nothing else.
    pub(crate) fn of(line: &str) -> Self {
        RulesTable {
            command: BotCommand::Line(line.to_owned()),
            dir: None,
            env: BTreeMap::new(),
            sandbox: None,
            resources: ResourcesTable::default(),
            prefix: None,
        }
    }
}

fn default_weight() -> u32 {
    1
}

/// Time control. Without `per_move` and `base`, a move may take one second.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TimeTable {
    /// For each move.
    pub per_move: Option<Time>,
    /// For all moves of a match in total.
    pub base: Option<Time>,
    /// Added to `base` after each move.
    pub increment: Option<Time>,
    /// From a process's start to its `hello`, and from `start` to `ready`. Default "10s".
    pub startup: Option<Time>,
    /// Tolerated on top of each limit. Default "50ms".
    pub margin: Option<Time>,
    /// With `clock = "cpu"`: the wall-clock time that a move may take. The default is ten times the
    /// limit on its CPU time, and at least 2 s.
    pub wall: Option<Time>,
    /// In the tournament's own table: "yardstick" multiplies `per_move`, `base`, `increment` and `wall`,
    /// also those of single bots, by `reference` and divides them by the speed of the machine, which is
    /// measured before the first match: a slow machine gives more time. "none", the default, does not.
    pub scale: Option<TimeScaling>,
    /// With `scale = "yardstick"`: the speed of the machine that the limits are meant for, as `referee
    /// doctor` prints it there.
    pub reference: Option<f64>,
}

/// Whether time limits depend on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimeScaling {
    /// They are the same everywhere.
    #[default]
    None,
    /// By its speed.
    Yardstick,
}

/// Which matches count on a machine that has other things to do. Linux reports both shares; a match that
/// is too short for them, or on a system that does not, always counts.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MachineTable {
    /// A match is played again if the host of the virtual machine gave more than this share of the cores'
    /// time to others meanwhile, from 0 to 1.
    pub max_stolen: Option<f64>,
    /// A match is played again if some process was waiting for a core for more than this share of the
    /// time, from 0 to 1. Bots wait for each other and for the referee, too, but shortly.
    pub max_waiting: Option<f64>,
    /// How often a match is played until one counts; then the tournament stops. Default 3.
    #[schemars(range(min = 1, max = MOST_ATTEMPTS))]
    pub attempts: Option<u32>,
}

/// What workers of `--nats` do besides playing.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WorkersTable {
    /// The share of groups, from 0 to 1, that another worker plays again, to compare the matches move by
    /// move. Only groups of bots that all have `deterministic = true` are. Default 0.01.
    pub recheck: Option<f64>,
}

/// How much is kept in the tournament's folder beside the log. Sizes are strings such as "64MiB" or
/// numbers of bytes; "none" lifts a limit.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct KeepTable {
    /// The size of the folder `failures`; the oldest are dropped first. Default "64MiB".
    pub failures: Option<Size>,
    /// The size of the folder `stderr`, for all bots together; `resources.stderr_bytes` limits each
    /// bot. Default "256MiB".
    pub stderr: Option<Size>,
}

/// What ends matches besides the rules.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsTable {
    /// A match ends after this many plies; or "none".
    pub max_plies: Option<Limit>,
    /// A match ends when a position has occurred this many times; or "none".
    pub repetition: Option<Limit>,
}

impl LimitsTable {
    /// These limits, and the others where nothing is given.
    pub fn over(&self, others: Limits) -> Limits {
        let given = |limit: Option<Limit>, other| limit.map_or(other, |limit| limit.0);
        Limits {
            max_plies: given(self.max_plies, others.max_plies),
            repetition: given(self.repetition, others.repetition),
        }
    }
}

/// What ends matches before the game does. None of it is done by default, and nothing of it once a bot is
/// at fault.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AdjudicateTable {
    /// Ends a match of Amazons, Amazon Penguins, Penguins or Paper Pen-guins with the result of best
    /// play, once no seat can reach what another one can, and counting proves it.
    pub settled: bool,
    /// How many positions counting may take after a ply, about a million a second. Default 20000.
    #[schemars(range(min = 1, max = MOST_POSITIONS))]
    pub positions: Option<u32>,
    /// Gives a match of two seats to one of them when both bots say for some moves that the other one
    /// loses.
    pub resign: Option<ResignTable>,
    /// Draws a match of two seats when both bots say for some moves that it is even.
    pub draw: Option<DrawTable>,
    /// Ends a match when all bots offer the same: a draw, or a result.
    pub offers: bool,
    /// The share of these matches, from 0 to 1, that is played out all the same, so that the report can
    /// say how often this is wrong. Default 0.1.
    pub play_out: Option<f64>,
}

/// Both bots say that one of them loses: by the `value` of their `info`, the expected outcome of their own
/// seat from 0 to 1.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResignTable {
    /// The highest value of the loser, above 0 and below 0.5. The winner's is at least 1 less this.
    pub value: f64,
    /// For how many moves of each in a row.
    #[schemars(range(min = 1))]
    pub moves: u32,
    /// Whether all bots have to say so. Only `true`, the default: no match is decided by the word of one
    /// bot.
    #[serde(default = "default_all")]
    pub(crate) all: bool,
}

fn default_all() -> bool {
    true
}

/// Both bots say that the match is even, by the same `value`.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrawTable {
    /// How far values may be from 0.5: above 0 and below 0.5.
    pub value: f64,
    /// For how many moves of each in a row.
    #[schemars(range(min = 1))]
    pub moves: u32,
    /// Not before so many plies. Default 0.
    #[serde(default)]
    pub after: u32,
    /// Whether all bots have to say so. Only `true`, the default.
    #[serde(default = "default_all")]
    pub(crate) all: bool,
}

/// How matches begin.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OpeningTable {
    /// How many random plies the referee plays first, the same ones for all seat orders. With a
    /// book, they come after its moves.
    #[schemars(range(max = MOST_RANDOM_PLIES))]
    pub random_plies: u32,
    /// A file of openings, one per line: `GAME: MOVE MOVE …`, or a JSON object with `game`, `moves`
    /// and `state`. Games that it does not mention start as usual.
    pub book: Option<PathBuf>,
    /// Uses only starts and openings after which the mean outcome of every seat, in 200 random
    /// games, is within this distance of one half. After 50 attempts, the best one is used, with a
    /// warning.
    pub balanced: Option<f64>,
    /// Who gets the same opening. Default "pairing".
    pub order: OpeningOrder,
}

/// Who gets the same opening.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OpeningOrder {
    /// The seat orders of a pairing. Each pairing plays the openings in an order of its own.
    #[default]
    Pairing,
    /// All pairings of a round.
    Round,
}

/// A bot.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BotTable {
    /// Its name in the standings.
    pub name: String,
    /// Program and arguments, as a list or as one string that is split as a shell would. The word
    /// `referee` is this very program. Here, in `dir` and in `env`, `${NAME}` stands for an
    /// environment variable, `${NAME:-default}` for one with a default, and `$$` for a dollar sign.
    /// Every bot has either this or `ggp`.
    pub command: Option<BotCommand>,
    /// In place of `command`: where a player listens that speaks the protocol of General Game Playing, as
    /// in "http://127.0.0.1:9147". It plays only games that have a sheet. Other machines must be named in
    /// `network.ggp_hosts`.
    pub ggp: Option<String>,
    /// With `ggp`: sends the player sheets in which all names have been replaced by others that mean
    /// nothing, different ones in each match.
    #[serde(default)]
    pub scramble: bool,
    /// What builds it, run once in its `dir` before a tournament or a check begins; the output goes to
    /// `build.log` there.
    pub build: Option<BotCommand>,
    /// What sets it up where its bundle (`referee bundle`) is unpacked, run once in the unpacked folder;
    /// the output goes to `.setup.log` there.
    pub setup: Option<BotCommand>,
    /// The ids of the games that it plays; by default, what it answers to `hello` before a new tournament
    /// begins. Pairings that one of the bots does not play are not scheduled.
    pub games: Option<Vec<String>>,
    /// Whether its command, and its `dir` if it has one, are there on every machine, so that it needs no
    /// bundle.
    #[serde(default)]
    pub in_place: bool,
    /// Whether it plays the same moves in a match with the same seed and opponents, whatever the machine
    /// and the time: see `workers.recheck`.
    #[serde(default)]
    pub deterministic: bool,
    /// Whether it has to be built, to start and to play its games in `referee check` before the
    /// tournament begins; see `on_broken`.
    #[serde(default)]
    pub must_pass_check: bool,
    /// The SHA-256 of the `bot.toml` that it is from, as 64 hexadecimal digits. It is in the copy of a
    /// configuration in a tournament's folder; a bot that has it is held to what `submissions` allows.
    pub submission: Option<String>,
    /// Its working directory; by default the folder of the configuration.
    pub dir: Option<PathBuf>,
    /// Added to its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Its own time control; overrides `[time]`.
    pub time: Option<TimeTable>,
    /// When it gets a fresh process; overrides the tournament's `restart`.
    pub restart: Option<Restart>,
    /// How often its start is tried; overrides the tournament's `start_attempts`.
    #[schemars(range(min = 1, max = MOST_START_ATTEMPTS))]
    pub start_attempts: Option<u32>,
    /// How far it is isolated; overrides the tournament's `sandbox`.
    pub sandbox: Option<Tier>,
    /// What it may use; overrides the tournament's `resources`.
    #[serde(default)]
    pub resources: ResourcesTable,
    /// What it may read in the sandboxes "restricted" and "strict", besides what all bots may.
    #[serde(default)]
    pub readable: Vec<PathBuf>,
}

/// Program and arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Command")]
#[serde(untagged, expecting = "a command is a list of words, or one string")]
pub enum BotCommand {
    /// A list, taken as it is.
    Words(Vec<String>),
    /// A string, split as a shell would.
    Line(String),
}

/// The longest duration that is allowed. Added to the current time, it overflows no clock.
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
            "title": "duration",
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
        json_schema!({
            "title": "whole number from 1 on or \"none\"",
            "anyOf": [{"type": "integer", "minimum": 1}, {"const": "none"}]
        })
    }
}
