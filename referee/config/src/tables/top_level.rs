//! The top level of a configuration file. Doc comments here, and in the other tables, become the
//! descriptions of keys in its JSON Schema.

use std::path::PathBuf;

use protocol::ClockKind;
use schedule::{FormatName, SeatOrders};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use supervisor::spec::{ResourcesTable, Size, Tier};
use supervisor::{Idle, Restart};

use crate::tables::bots::{Folders, MOST_START_ATTEMPTS};
use crate::tables::{
    AdjudicateTable, BotTable, BuildTable, GameEntry, KnockoutTable, LimitsTable, MachineTable,
    OnBroken, RulesEntry, SprtTable, SubmissionsTable, Time, TimeTable, WorkersTable,
};

/// No opening is longer: it would be the whole game.
pub const MOST_RANDOM_PLIES: u32 = 1000;

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
    /// The source of deals and draws in games with chance or hidden information: 64 hexadecimal
    /// digits. By default each tournament has a new one, in `secret.toml` in its folder. Set it to
    /// deal the same again; `--shard` needs it. Copies of the configuration leave it out.
    pub secret: Option<String>,
    /// The schedule: "round-robin" (everybody meets everybody), "gauntlet" (the `challengers` meet
    /// the others), "swiss" (in each round, bots with about equal points), "knockout" (losers are
    /// out) or "sprt" (two bots, until it is clear which one is better).
    #[serde(default)]
    pub format: FormatName,
    /// Number of times that every pairing (in a knockout, every duel) is played in every seat
    /// order; in "swiss", the number of rounds. The default is 1, and in "swiss" as many rounds as
    /// a knockout would have.
    #[schemars(range(min = 1))]
    pub rounds: Option<u32>,
    /// With `format = "gauntlet"`: the names of the bots that play in every match.
    #[serde(default)]
    pub challengers: Vec<String>,
    /// Seating in games of three and more seats: "rotations" (each bot in each seat once, in a
    /// cyclic order that changes from round to round) or "permutations" (all orders, in games of at
    /// most four seats). Two bots always play both ways.
    #[serde(default)]
    pub seat_orders: SeatOrders,
    /// With `format = "knockout"`: bracket and ties.
    pub knockout: Option<KnockoutTable>,
    /// With `format = "sprt"`: what is tested.
    pub sprt: Option<SprtTable>,
    /// Matches at a time: a number, or "auto" for one per core.
    #[serde(default)]
    pub concurrency: Concurrency,
    /// When a bot gets a fresh process: "on-fault" or "each-match".
    #[serde(default)]
    pub restart: Restart,
    /// Attempts to start a bot before that is a fault, by default 3. After each attempt that was
    /// too late, or at which the bot ended by itself, there is a pause, twice as long each time:
    /// 500 ms, 1 s, and so on up to 30 s.
    #[schemars(range(min = 1, max = MOST_START_ATTEMPTS))]
    pub start_attempts: Option<u32>,
    /// Unit of time limits: "wall" for wall-clock time, or "cpu" for the CPU time of all processes
    /// of a bot, backed by a limit on wall-clock time.
    #[serde(default)]
    pub clock: ClockKind,
    /// Bots between their turns: "run", or "freeze" to stop them. By default, bots in a sandbox are
    /// frozen and others run.
    pub idle: Option<Idle>,
    /// "cores" keeps each match slot and its bots to one core. "off" lets them use any, which suits
    /// bots that use several threads or think while it is not their turn. "auto", the default, is
    /// "cores" where the system supports it.
    #[serde(default)]
    pub affinity: Affinity,
    /// Isolation of bots: "none", "limits" (holds them to `resources`), "restricted" (also no
    /// network, no files but the system's and their own, no signals to other processes) or "strict"
    /// (also hides other processes and files; needs bubblewrap). The default is "limits" if
    /// `resources` sets a limit that the kernel enforces, else "none".
    pub sandbox: Option<Tier>,
    /// Resource limits of bots.
    #[serde(default)]
    pub resources: ResourcesTable,
    /// Limits on what is kept in the tournament's folder beside the log.
    #[serde(default)]
    pub keep: KeepTable,
    /// The most that each bot may use of language models, by what it reports itself. When that is
    /// used up, no new match with the bot begins.
    #[serde(default)]
    pub budget: BudgetTable,
    /// Readable paths in the sandboxes "restricted" and "strict", besides the system's files, the
    /// bots' programs and their own `dir`.
    #[serde(default)]
    #[schemars(extend("x-path" = "path"))]
    pub readable: Vec<PathBuf>,
    /// Continue without limits and sandboxes that this machine cannot enforce, instead of refusing
    /// to play.
    #[serde(default)]
    pub best_effort: bool,
    /// Sources of rules besides the built-in ones: command lines of rules programs, files of GDL
    /// sheets (`*.kif`), or tables with `command`, `dir`, `env`, `sandbox` and `prefix`.
    #[serde(default)]
    #[schemars(extend("x-path" = "rules"))]
    pub rules: Vec<RulesEntry>,
    /// The time limit of rules for one request. A sheet that is not grounded by then is
    /// interpreted. Default "5s".
    pub rules_timeout: Option<Time>,
    /// Games to play: ids, or tables with `id`, `options`, `limits` and `weight`.
    pub games: Vec<GameEntry>,
    /// Time control.
    #[serde(default)]
    pub time: TimeTable,
    /// Conditions for matches to count on a busy machine.
    #[serde(default)]
    pub machine: MachineTable,
    /// Work of workers of `--nats` besides playing.
    #[serde(default)]
    pub workers: WorkersTable,
    /// Limits that end matches besides the rules; override the games' own limits.
    #[serde(default)]
    pub limits: LimitsTable,
    /// Ends matches before the game does.
    #[serde(default)]
    pub adjudicate: AdjudicateTable,
    /// Openings of matches.
    #[serde(default)]
    pub opening: OpeningTable,
    /// The bots that play.
    #[schemars(default)]
    pub bots: Vec<BotTable>,
    /// Folders of submissions, such as "submissions/*": each of them that has a `bot.toml` is a
    /// bot, too. That file has `command`, `build`, `setup`, `env`, `readable`, and perhaps `name`;
    /// these bots have `must_pass_check = true`. See `submissions` for their permissions.
    // The bots are in `bots` by the time that this is read.
    #[schemars(with = "Option<Folders>")]
    #[schemars(extend("x-path" = "path"))]
    pub bots_from: Option<Value>,
    /// Permissions of submissions, the bots of `bots_from`, beyond playing from their own folder.
    #[serde(default)]
    pub submissions: SubmissionsTable,
    /// The reaction to a bot with `must_pass_check` that cannot be built, does not start or fails a
    /// check: "leave-out" to play without it, or "stop".
    #[serde(default)]
    pub on_broken: OnBroken,
    /// Builds of bots.
    #[serde(default)]
    pub build: BuildTable,
    /// Network access of the referee. Without it, only this machine.
    #[serde(default)]
    pub network: NetworkTable,
}

/// Network access of the referee.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkTable {
    /// Names or addresses of other machines on which players with `ggp` may listen, as in
    /// ["10.0.0.5"].
    pub ggp_hosts: Vec<String>,
}

fn default_seed() -> u64 {
    1
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

/// Number of matches at a time.
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

/// Limits on what is kept in the tournament's folder beside the log. Sizes are strings such as
/// "64MiB" or numbers of bytes; "none" lifts a limit.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct KeepTable {
    /// The size of the folder `failures`; the oldest are dropped first. Default "64MiB".
    pub failures: Option<Size>,
    /// The size of the folder `stderr`, for all bots together; `resources.stderr_bytes` limits each
    /// bot. Default "256MiB".
    pub stderr: Option<Size>,
}

/// The most that each bot may use of language models, by what it reports itself.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetTable {
    /// Tokens of requests and answers together.
    #[schemars(range(min = 1))]
    pub tokens: Option<u64>,
    /// Requests to servers, those that failed included.
    #[schemars(range(min = 1))]
    pub calls: Option<u64>,
}

/// Openings of matches.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OpeningTable {
    /// The number of random plies that the referee plays first, the same ones for all seat orders.
    /// With a book, they come after its moves.
    #[schemars(range(max = MOST_RANDOM_PLIES))]
    pub random_plies: u32,
    /// A file of openings, one per line: `GAME: MOVE MOVE …`, or a JSON object with `game`, `moves`
    /// and `state`. Games that it does not mention start as usual.
    #[schemars(extend("x-path" = "path"))]
    pub book: Option<PathBuf>,
    /// Uses only starts and openings after which the mean outcome of every seat, in 200 random
    /// games, is within this distance of one half. After 50 attempts, the best one is used, with a
    /// warning.
    pub balanced: Option<f64>,
    /// Matches that share an opening. Default "pairing".
    pub order: OpeningOrder,
}

/// Matches that share an opening.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OpeningOrder {
    /// The seat orders of a pairing. Each pairing plays the openings in an order of its own.
    #[default]
    Pairing,
    /// All pairings of a round.
    Round,
}
