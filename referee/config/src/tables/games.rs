//! The tables of games and of their rules.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use supervisor::spec::{ResourcesTable, Tier};

use crate::tables::{BotCommand, LimitsTable};

/// A game of more weight than this would better be played in more rounds.
const MOST_WEIGHT: u32 = 1000;

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
    #[schemars(extend("x-path" = "path"))]
    pub dir: Option<PathBuf>,
    /// Added to its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Isolation, as for bots. The default is that of the tournament.
    pub sandbox: Option<Tier>,
    /// Resource limits, as for bots.
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
    /// Limits that end its matches besides the rules; override `[limits]`.
    #[serde(default)]
    pub limits: LimitsTable,
    /// Matches of this game for each match of a game of weight 1.
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
