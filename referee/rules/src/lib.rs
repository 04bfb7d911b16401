//! Rules from outside: programs that answer like the forward model, and sheets in the Game Description
//! Language, become games of the catalog.
#![allow(missing_docs, reason = "documented in `referee`, the public crate")]

mod answer;
mod game;
mod position;
mod program;
mod sheet;

use std::path::PathBuf;
use std::sync::Arc;

use games::playout::{PlayoutMeans, PlayoutRequest};
use games::{BrokenRules, Catalog, Entry, GAMES, Rules, Session};
use serde_json::Value;
use supervisor::{BotFactory, BotSpec};

use game::rules;
use game::session::ProgramSession;
pub use game::trial::{is_of_program, try_from};
use program::RulesProgram;
use program::source::RULES_VARIABLE;
pub use program::source::{RulesSource, SourceError, TIMEOUT};
pub use program::surroundings::{RulesError, Surroundings};
pub use sheet::Sheet;

/// The games that can be named, and where those come from that are not built in.
#[derive(Clone, Default)]
pub struct RulesSet {
    /// All games.
    pub catalog: Arc<Catalog>,
    sources: Vec<RulesSource>,
    sheets: Vec<Sheet>,
}

impl RulesSet {
    /// The games that are built in, and those of these sources. Each program is started once, and
    /// asked what it has; each sheet is read.
    ///
    /// # Errors
    /// If a source cannot be used, or two games have the same id.
    pub fn open(
        mut sources: Vec<RulesSource>,
        surroundings: &Surroundings,
    ) -> Result<Self, RulesError> {
        let mut catalog = Catalog::built_in();
        let mut sheets = Vec::new();
        for source in &mut sources {
            let timeout = *source.timeout.get_or_insert(surroundings.timeout);
            let grounding = source.grounding.or(surroundings.grounding);
            source.grounding = grounding;
            // Inside of a bot nobody has to ask this very program for its own games.
            let entries = if source.is_referee() && !surroundings.supervised {
                let own = GAMES.iter().map(|entry| own_game(entry, source));
                own.collect()
            } else if let Some(path) = source.sheet() {
                let (sheet, entry) =
                    source.open_sheet(&path, (grounding.unwrap_or(timeout), timeout))?;
                sheets.push(sheet);
                vec![entry]
            } else {
                let surroundings = &Surroundings {
                    timeout,
                    ..surroundings.clone()
                };
                let program = RulesProgram::open(source, surroundings)?;
                rules::entries(&program)
            };
            for entry in entries {
                catalog.add(entry).map_err(|taken| RulesError::Taken {
                    source_name: source.name(),
                    taken,
                })?;
            }
        }
        let catalog = Arc::new(catalog);
        Ok(RulesSet {
            catalog,
            sources,
            sheets,
        })
    }

    /// The games that are built in, and those of the sources in the environment of this process, a
    /// bot's.
    ///
    /// # Errors
    /// If a source cannot be used, or two games have the same id.
    pub fn inherited() -> Result<Self, RulesError> {
        let surroundings = Surroundings {
            supervised: false,
            ..Surroundings::default()
        };
        Self::open(RulesSource::inherited()?, &surroundings)
    }

    /// The games that are not built in.
    pub fn own_games(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.catalog.iter().skip(GAMES.len())
    }

    /// The game of this name, without the prefix of its source.
    pub fn find_own(&self, own_id: &str) -> Option<&Arc<Entry>> {
        let is_called_so = |id: &str| self.sources.iter().any(|source| source.id(own_id) == id);
        self.own_games().find(|entry| is_called_so(&entry.info.id))
    }

    /// The games that are sheets.
    pub fn sheets(&self) -> &[Sheet] {
        &self.sheets
    }

    /// Has a bot find the rules, also in its sandbox.
    pub fn equip(&self, spec: &mut BotSpec) {
        if self.sources.is_empty() {
            return;
        }
        let variable = RulesSource::to_variable(&self.sources);
        spec.env
            .entry(RULES_VARIABLE.to_owned())
            .or_insert(variable);
        let readable: Vec<PathBuf> = self
            .sources
            .iter()
            .flat_map(RulesSource::readable)
            .collect();
        if let Some(bounds) = &mut spec.bounds {
            bounds.extend(readable.iter().filter_map(|path| path.canonicalize().ok()));
        }
        spec.wanted.readable.extend(readable);
    }
}

/// A game that is built in, under the id that it has in a source.
fn own_game(entry: &Arc<Entry>, source: &RulesSource) -> Arc<Entry> {
    let mut info = entry.info.clone();
    info.id = source.id(&info.id);
    let built_in = entry.clone();
    let own = Entry::new(info, entry.guide.clone(), move |options| {
        built_in.configure(options)
    });
    Arc::new(own.played_as(&entry.info.id))
}

/// True if these rules take moves back by themselves.
pub fn can_undo(rules: &dyn Rules) -> bool {
    rules::of(rules).is_none_or(|rules| rules.program.can.undo)
}

/// True if these rules say points before the end.
pub fn gives_scores(rules: &dyn Rules) -> bool {
    rules::of(rules).is_none_or(|rules| rules.program.can.scores)
}

/// Random games that the program plays by itself from a session's position; `None` if it plays none, or
/// not this many at once.
///
/// # Errors
/// If the program does not work.
pub fn own_playouts(
    session: &dyn Session,
    request: &PlayoutRequest,
) -> Result<Option<PlayoutMeans>, BrokenRules> {
    match session.as_any().downcast_ref::<ProgramSession>() {
        Some(session) => session.own_playouts(request),
        None => Ok(None),
    }
}

/// From here on, what a program of these rules prints and says is kept where that of these bots is.
pub fn share_records(rules: &dyn Rules, bots: &BotFactory) {
    if let Some(rules) = rules::of(rules) {
        rules.program.share_records(bots);
    }
}

/// True if the program plays a text in the position of a session, listed or not. The position is as
/// it was afterwards.
///
/// # Errors
/// If the program does not work.
pub fn accepts(session: &dyn Session, text: &str) -> Result<bool, BrokenRules> {
    match session.as_any().downcast_ref::<ProgramSession>() {
        Some(session) => session.accepts(text),
        None => Ok(session.fork().play(text).is_ok()),
    }
}

/// The state of a session's position, as the program says it now.
///
/// # Errors
/// If the program does not work.
pub fn asked_again(session: &dyn Session) -> Result<Value, BrokenRules> {
    match session.as_any().downcast_ref::<ProgramSession>() {
        Some(session) => session.state_again(),
        None => session.state(),
    }
}
