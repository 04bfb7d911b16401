//! The tables of bots, of their builds and of submissions.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supervisor::Restart;
use supervisor::spec::{ResourcesTable, Size, Tier};

use crate::tables::{Time, TimeTable};

/// More attempts would keep a tournament waiting for a bot that never starts.
pub(super) const MOST_START_ATTEMPTS: u32 = 20;

/// Permissions of submissions beyond playing from their own folder. Nothing in a submission can
/// extend them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SubmissionsTable {
    /// The variables of the referee's environment that submissions may use, as in ["JAVA_HOME"]: `${NAME}`
    /// of any other one is refused, also with a default.
    pub variables: Vec<String>,
    /// Files and folders that submissions may name besides those in their own folder and the system's: in
    /// `readable`, as a program, or as a file in their command. What all bots may read (the `readable` of
    /// the tournament) is allowed anyway.
    #[schemars(extend("x-path" = "path"))]
    pub readable: Vec<PathBuf>,
    /// Name bots by the `name` in their `bot.toml`. By default they have the names of their
    /// folders.
    pub names: bool,
}

/// Folders with bots.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) enum Folders {
    /// One pattern; a `*` stands for any part of a name.
    One(String),
    /// Several patterns.
    Several(Vec<String>),
}

/// Reaction to a broken bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnBroken {
    /// The tournament is played without it.
    #[default]
    LeaveOut,
    /// The tournament does not begin.
    Stop,
}

/// Builds of bots. A build runs in the sandbox of its bot, but at least in "limits", and may write
/// to the bot's folder.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BuildTable {
    /// The time limit of a build. Default "10m".
    pub timeout: Option<Time>,
    /// The limit on what a build adds to the bot's folder, such as "512MiB", or "none". A build
    /// that adds more is ended, and its files are removed. Default "1GiB".
    pub disk: Option<Size>,
    /// The limit on files, folders and links that a build adds there, or "none". Default 50000.
    pub files: Option<Size>,
    /// Let builds use the network: in the sandbox "strict" they may not by default, and in
    /// "restricted" they cannot. With it, any build can send anything anywhere.
    pub network: bool,
    /// Resources of builds.
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
    /// Builds the bot.
    build: Option<BotCommand>,
    /// Sets the bot up where its bundle is unpacked.
    setup: Option<BotCommand>,
    /// Added to its environment.
    env: BTreeMap<String, String>,
    /// Readable paths in the sandboxes "restricted" and "strict".
    readable: Vec<PathBuf>,
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
    /// The command that builds it, run once in its `dir` before a tournament or a check begins; the
    /// output goes to `build.log` there.
    pub build: Option<BotCommand>,
    /// The command that sets it up where its bundle (`referee bundle`) is unpacked, run once in the
    /// unpacked folder; the output goes to `.setup.log` there.
    pub setup: Option<BotCommand>,
    /// The ids of the games that it plays; by default, those that it names in answer to `hello`
    /// before a new tournament begins. Games that one of the bots of a pairing does not play are
    /// not scheduled.
    pub games: Option<Vec<String>>,
    /// Its command, and its `dir` if it has one, exist on every machine, so that it needs no
    /// bundle.
    #[serde(default)]
    pub in_place: bool,
    /// It plays the same moves in a match with the same seed and opponents, whatever the machine
    /// and the time: see `workers.recheck`.
    #[serde(default)]
    pub deterministic: bool,
    /// It has to be built, to start and to play its games in `referee check` before the tournament
    /// begins; see `on_broken`.
    #[serde(default)]
    pub must_pass_check: bool,
    /// The SHA-256 of the `bot.toml` that it is from, as 64 hexadecimal digits. It is in the copy of a
    /// configuration in a tournament's folder; a bot that has it is held to what `submissions` allows.
    pub submission: Option<String>,
    /// Its working directory; by default the folder of the configuration.
    #[schemars(extend("x-path" = "folder"))]
    pub dir: Option<PathBuf>,
    /// Added to its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Its own time control; overrides `[time]`.
    pub time: Option<TimeTable>,
    /// When it gets a fresh process; overrides the tournament's `restart`.
    pub restart: Option<Restart>,
    /// Attempts to start it; overrides the tournament's `start_attempts`.
    #[schemars(range(min = 1, max = MOST_START_ATTEMPTS))]
    pub start_attempts: Option<u32>,
    /// Isolation of the bot; overrides the tournament's `sandbox`.
    pub sandbox: Option<Tier>,
    /// Resource limits of the bot; override the tournament's `resources`.
    #[serde(default)]
    pub resources: ResourcesTable,
    /// Readable paths in the sandboxes "restricted" and "strict", besides those of all bots.
    #[serde(default)]
    #[schemars(extend("x-path" = "path"))]
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
