//! A rules program: what it says about itself, and the games that it has.

pub(crate) mod connection;
pub(crate) mod source;
pub(crate) mod surroundings;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use games::kit::info::{OptionKind, OptionSpec};
use games::session::Origin;
use games::{BrokenRules, Info, Limits, ToMove};
use protocol::{GameHello, ModelHello, PROTOCOL};
use serde_json::Value;
use supervisor::bot::files;
use supervisor::{BotFactory, REFEREE_NAME, ServiceFactory};

use crate::program::connection::Connection;
use crate::program::source::{RulesSource, is_id};
use crate::program::surroundings::{RulesError, Surroundings};

/// The optional abilities of a program.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Can {
    pub(super) undo: bool,
    pub(super) key: bool,
    pub(super) view: bool,
    pub(super) scores: bool,
    pub(super) perft: bool,
    pub(super) playout: bool,
    pub(super) sample: bool,
    pub(super) observation: bool,
    pub(super) actions: bool,
    /// It promises that `play` refuses every move that is not listed.
    pub(super) strict: bool,
}

/// A rules program that has introduced itself.
pub(crate) struct RulesProgram {
    /// Tells programs of one referee apart.
    number: u64,
    name: Arc<str>,
    source: RulesSource,
    factory: ServiceFactory,
    timeout: Duration,
    pub(super) can: Can,
    games: Vec<GameHello>,
    pub(super) origin: Origin,
}

impl RulesProgram {
    /// Starts the program and asks what it has.
    ///
    /// # Errors
    /// If it cannot be started, or does not introduce itself well.
    pub(super) fn open(
        source: &RulesSource,
        surroundings: &Surroundings,
    ) -> Result<Arc<Self>, RulesError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let spec = source.spec();
        let files = files::build(&spec).files;
        let factory = if surroundings.supervised {
            ServiceFactory::new(spec, &[])?
        } else {
            ServiceFactory::plain(spec)?
        };
        let mut program = RulesProgram {
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
            name: Arc::from(source.name()),
            source: source.clone(),
            factory,
            timeout: surroundings.timeout,
            can: Can::default(),
            games: Vec::new(),
            origin: Origin {
                name: String::new(),
                version: None,
                sha256: String::new(),
            },
        };
        let mut connection = program.process()?;
        let (hello, text) = program.introduce(&mut connection)?;
        let digests = files.values().map(String::as_str);
        let sha256 = files::hash(digests.chain([&*text]));
        program.origin = Origin {
            name: hello.name,
            version: hello.version,
            sha256,
        };
        let can = |what: &str| hello.can.iter().any(|can| can == what);
        program.can = Can {
            undo: can("undo"),
            key: can("key"),
            view: can("view"),
            scores: can("scores"),
            perft: can("perft"),
            playout: can("playout"),
            sample: can("sample"),
            observation: can("observation"),
            actions: can("actions"),
            strict: hello.strict,
        };
        program.games = hello.games;
        program.check_games()?;
        Ok(Arc::new(program))
    }

    /// Its name in messages: its command line.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// From here on, what new processes print and say is kept where that of these bots is.
    pub(super) fn share_records(&self, bots: &BotFactory) {
        self.factory.share_records(bots);
        // The next question of this thread is asked of a new one.
        drop(connection::take(self.number));
    }

    /// True if it is this very program.
    pub(super) fn is_referee(&self) -> bool {
        self.source.is_referee()
    }

    /// A new process, which has introduced itself once more.
    ///
    /// # Errors
    /// If there is none, or it says something else than the first one.
    fn start(&self) -> Result<Connection, BrokenRules> {
        let mut connection = self.process()?;
        self.introduce(&mut connection)?;
        Ok(connection)
    }

    fn process(&self) -> Result<Connection, BrokenRules> {
        let service = self.factory.start();
        let (name, timeout) = (self.name.clone(), self.timeout);
        let connection = |service| Connection::new(service, name, timeout);
        service.map(connection).map_err(|failure| {
            BrokenRules::new(format!("the rules program `{}` {failure}", self.name))
        })
    }

    /// Requests a process's description; returns it parsed, and as it was written.
    fn introduce(&self, connection: &mut Connection) -> Result<(ModelHello, String), BrokenRules> {
        let body =
            format!("\"op\":\"hello\",\"protocol\":{PROTOCOL},\"referee\":\"{REFEREE_NAME}\"");
        connection.demand(&body, |text| {
            let hello: ModelHello = serde_json::from_str(text).map_err(|error| {
                format!("introduces itself in a way that cannot be read ({error})")
            })?;
            if hello.protocol == PROTOCOL {
                Ok((hello, text.to_owned()))
            } else {
                let version = hello.protocol;
                Err(format!(
                    "speaks version {version} of the protocol, not {PROTOCOL}"
                ))
            }
        })
    }

    /// Refuses games that cannot be named or played.
    fn check_games(&self) -> Result<(), BrokenRules> {
        let wrong = |what: String| {
            Err(BrokenRules::new(format!(
                "the rules program `{}` {what} in its answer to `hello`",
                self.name
            )))
        };
        let mut ids = BTreeSet::new();
        for game in &self.games {
            let id = &game.id;
            if !is_id(id) {
                return wrong(format!(
                    "has a game with the id {id:?}, which is not made of small letters, digits and \
                     hyphens"
                ));
            }
            if !ids.insert(id) {
                return wrong(format!("has two games `{id}`"));
            }
            if game.roles.is_empty() || game.roles.len() > ToMove::MAX_SEATS {
                let most = ToMove::MAX_SEATS;
                return wrong(format!("gives `{id}` not between 1 and {most} `roles`"));
            }
            if let Err(what) = options(game) {
                return wrong(format!("says of `{id}`: {what}"));
            }
            if game.hidden && !self.can.observation {
                return wrong(format!(
                    "has the game `{id}` with hidden information, but `observation` is not among \
                     what it `can`"
                ));
            }
        }
        Ok(())
    }

    /// Its games, as it describes them.
    pub(super) fn games(&self) -> &[GameHello] {
        &self.games
    }

    /// Does something with this thread's line to the program, which is started if need be.
    ///
    /// # Errors
    /// The error of `act`, or of starting the process. After an error the process is not used again.
    pub(super) fn with_connection<T>(
        &self,
        act: impl FnOnce(&mut Connection) -> Result<T, BrokenRules>,
    ) -> Result<T, BrokenRules> {
        let mut connection = match connection::take(self.number) {
            Some(connection) => connection,
            None => Box::new(self.start()?),
        };
        let done = act(&mut connection)?;
        connection::keep(self.number, connection);
        Ok(done)
    }

    /// The description of one of its games.
    pub(super) fn info(&self, game: &GameHello) -> Info {
        Info {
            title: or(&game.title, &game.id),
            id: self.source.id(&game.id),
            summary: game.summary.clone(),
            roles: game.roles.clone(),
            symmetric: game.symmetric,
            hidden: game.hidden,
            chance: game.chance,
            options: options(game).unwrap_or_default(),
            notation: game.notation.clone(),
            limits: Limits {
                max_plies: game.limits.max_plies,
                repetition: game.limits.repetition,
            },
        }
    }
}

fn or(text: &str, other: &str) -> String {
    if text.is_empty() { other } else { text }.to_owned()
}

/// The options of a game.
///
/// # Errors
/// The fault in one of them.
fn options(game: &GameHello) -> Result<Vec<OptionSpec>, String> {
    let options = game.options.iter().map(|(name, described)| {
        let kind = option_kind(described).map_err(|what| format!("the option `{name}` {what}"))?;
        let help = described.get("help").and_then(Value::as_str);
        Ok(OptionSpec {
            name: name.clone(),
            kind,
            help: help.unwrap_or_default().to_owned(),
            unless: described
                .get("unless")
                .and_then(Value::as_str)
                .map(str::to_owned),
        })
    });
    options.collect()
}

fn option_kind(described: &Value) -> Result<OptionKind, String> {
    let field = |name: &str| described.get(name);
    let number = |name: &str| field(name).and_then(Value::as_i64);
    let default = field("default");
    let kind = match field("type").and_then(Value::as_str) {
        Some("int") => OptionKind::Int {
            min: number("min").unwrap_or(i64::MIN),
            max: number("max").unwrap_or(i64::MAX),
            default: match default {
                None | Some(Value::Null) => None,
                Some(default) => Some(default.as_i64().ok_or("has no whole number as `default`")?),
            },
        },
        Some("bool") => OptionKind::Bool {
            default: default.and_then(Value::as_bool).unwrap_or_default(),
        },
        Some("text") => OptionKind::Text {
            default: default
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
        },
        Some("choice") => {
            let values = field("values").and_then(Value::as_array);
            let words = values
                .ok_or("has no list of `values`")?
                .iter()
                .map(Value::as_str);
            let words: Option<Vec<&str>> = words.collect();
            let words = words.filter(|words| !words.is_empty());
            let words = words.ok_or("has `values` that are no texts, or none")?;
            let default = default.and_then(Value::as_str).unwrap_or(words[0]);
            OptionKind::Choice {
                default: default.to_owned(),
                words: words.into_iter().map(str::to_owned).collect(),
            }
        }
        Some("rows") => OptionKind::Rows,
        Some("cells") => OptionKind::Cells,
        Some("int_if_given") => OptionKind::IntIfGiven {
            min: number("min").unwrap_or(i64::MIN),
            max: number("max").unwrap_or(i64::MAX),
        },
        _ => return Err("is of no `type`: they are `bool`, `int`, `text` and `choice`".to_owned()),
    };
    match kind.default() {
        Some(default) if !kind.allows(&default) => Err(format!(
            "has the default {default}, which is not {}",
            kind.allowed()
        )),
        _ => Ok(kind),
    }
}
