//! Books of openings: a text file, one opening a line.
//!
//! ```text
//! # comments and empty lines are skipped
//! amazons: d1-d7/g7 g10-g8/f8
//! {"game": "amazons", "options": {"size": 6}, "moves": ["b1-b2/b3"]}
//! {"game": "run", "state": {…}, "moves": []}
//! ```
//!
//! A line is the id of a game, a colon and moves, or an object with `game` and `moves`, or a
//! `state`, or both: the moves are played from the state. With `options`, it is for games that
//! have these.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use arbiter::adjudication::LimitWatch;
use games::session::{LoadError, MoveError, PlyByPly};
use games::{BrokenRules, Catalog, Rules, Session};
use serde::Deserialize;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::setup::game::GameSetup;

/// In bytes.
const MOST_BOOK: u64 = 256 << 20;

#[derive(Debug, Error)]
pub enum BookError {
    #[error("the book `{}` cannot be read: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    /// A line is not an opening of its game.
    #[error("the book `{}`, line {line}: {reason}", path.display())]
    Line {
        path: PathBuf,
        /// From 1.
        line: usize,
        reason: String,
    },
    /// The rules of a line's game do not work.
    #[error("the book `{}`, line {line}: {broken}", path.display())]
    Broken {
        path: PathBuf,
        /// From 1.
        line: usize,
        broken: BrokenRules,
    },
}

#[derive(Debug)]
enum Refusal {
    /// An invalid opening of its game.
    Wrong(String),
    Broken(BrokenRules),
}

impl From<String> for Refusal {
    fn from(reason: String) -> Self {
        Refusal::Wrong(reason)
    }
}

impl From<BrokenRules> for Refusal {
    fn from(broken: BrokenRules) -> Self {
        Refusal::Broken(broken)
    }
}

/// An opening of one game.
#[derive(Clone, Debug)]
pub struct BookOpening {
    /// The position at the start; `None` for the game's own.
    state: Option<Value>,
    /// The moves from there.
    moves: Vec<String>,
}

impl fmt::Display for BookOpening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moves = self.moves.join(" ");
        match (&self.state, self.moves.is_empty()) {
            (None, _) => write!(f, "`{moves}`"),
            (Some(_), true) => write!(f, "a given state"),
            (Some(_), false) => write!(f, "a given state and `{moves}`"),
        }
    }
}

impl BookOpening {
    /// The position at the start and the moves from there, both checked before.
    ///
    /// # Errors
    /// If rules from outside do not work.
    pub fn open(&self, rules: &dyn Rules) -> Result<(Box<dyn Session>, Vec<String>), BrokenRules> {
        let start = match &self.state {
            None => rules.start(0)?,
            Some(state) => rules.load(state).map_err(|error| match error {
                LoadError::Broken(broken) => broken,
                LoadError::State(error) => {
                    BrokenRules::new(format!("the rules refuse a state that they took: {error}"))
                }
            })?,
        };
        Ok((start, self.moves.clone()))
    }
}

/// A line as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BookLine {
    game: String,
    #[serde(default)]
    options: Map<String, Value>,
    #[serde(default)]
    moves: Vec<String>,
    state: Option<Value>,
}

/// The openings of each game, in the order of the book; all were tried.
pub(crate) fn load(
    path: &Path,
    games: &[GameSetup],
    catalog: &Catalog,
) -> Result<Vec<Vec<BookOpening>>, BookError> {
    let text = files::read(path, MOST_BOOK).map_err(|error| BookError::Read {
        path: path.to_owned(),
        error,
    })?;
    let path = path.to_owned();
    read(&text, games, catalog).map_err(|(line, refusal)| match refusal {
        Refusal::Wrong(reason) => BookError::Line { path, line, reason },
        Refusal::Broken(broken) => BookError::Broken { path, line, broken },
    })
}

/// Like [`load`], from a text; an error is a line and its problem.
fn read(
    text: &str,
    games: &[GameSetup],
    catalog: &Catalog,
) -> Result<Vec<Vec<BookOpening>>, (usize, Refusal)> {
    let mut book = vec![Vec::new(); games.len()];
    for (at, text) in text.lines().enumerate() {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let wrong = |reason: String| (at + 1, Refusal::Wrong(reason));
        let line = parse(text).map_err(wrong)?;
        catalog
            .find(&line.game)
            .map_err(|unknown| wrong(unknown.to_string()))?;
        let played = deal(&line, games, &mut book);
        played.map_err(|refusal| (at + 1, refusal))?;
    }
    Ok(book)
}

/// Assigns an opening to its games. Of several variants of a game, those in which it cannot be
/// played do without, unless the line names their options or there is no other.
fn deal(
    line: &BookLine,
    games: &[GameSetup],
    book: &mut [Vec<BookOpening>],
) -> Result<(), Refusal> {
    let mut refused = None;
    let mut is_played = false;
    for (game, openings) in games.iter().zip(book) {
        if !fits(line, game) {
            continue;
        }
        match checked(line, game) {
            Ok(opening) => {
                openings.push(opening);
                is_played = true;
            }
            Err(Refusal::Wrong(reason)) if line.options.is_empty() => {
                refused = refused.or(Some(reason));
            }
            Err(refusal) => return Err(refusal),
        }
    }
    match refused {
        Some(reason) if !is_played => Err(reason.into()),
        _ => Ok(()),
    }
}

fn parse(text: &str) -> Result<BookLine, String> {
    if text.starts_with('{') {
        return serde_json::from_str(text).map_err(|error| error.to_string());
    }
    let (game, moves) = text.split_once(':').ok_or(
        "an opening is `GAME: MOVE MOVE …`, or a JSON object with `game` and `moves` or `state`",
    )?;
    Ok(BookLine {
        game: game.trim().to_owned(),
        options: Map::new(),
        moves: moves.split_whitespace().map(str::to_owned).collect(),
        state: None,
    })
}

/// True if a line is for this game with these options.
fn fits(line: &BookLine, game: &GameSetup) -> bool {
    let options = game.rules.options().to_json();
    let same = |(name, value): (&String, &Value)| options.get(name) == Some(value);
    line.game == game.rules.info().id && line.options.iter().all(same)
}

/// The opening, if it can be played and the match continues after it.
fn checked(line: &BookLine, game: &GameSetup) -> Result<BookOpening, Refusal> {
    let rules = &game.rules;
    let id = &rules.info().id;
    let mut session = match &line.state {
        Some(state) => rules.load(state).map_err(|error| match error {
            LoadError::Broken(broken) => Refusal::Broken(broken),
            error => Refusal::Wrong(error.to_string()),
        })?,
        None if line.moves.is_empty() => {
            return Err(format!("an opening of {id} needs `moves` or a `state`").into());
        }
        None if has_random_starts(&**rules)? => {
            let why = "starts from a random position here, so its openings need a `state`";
            return Err(format!("{id} {why}").into());
        }
        None => rules.start(0)?,
    };
    let mut watch = LimitWatch::new(game.limits);
    let ended = |session: &dyn Session, watch: &mut LimitWatch| -> Result<bool, BrokenRules> {
        let limit = watch.see(session)?;
        Ok(session.to_move().is_over() || limit.is_some())
    };
    let mut over = ended(&*session, &mut watch)?;
    let mut step = PlyByPly::default();
    for (at, mv) in line.moves.iter().enumerate() {
        let number = at + 1;
        if over {
            return Err(format!("the match is over before move {number}, `{mv}`").into());
        }
        step.add(&mut *session, mv).map_err(|error| match error {
            MoveError::Broken(broken) => Refusal::Broken(broken),
            error => {
                let options = rules.options().to_json();
                format!("move {number}: {error} (options {options})").into()
            }
        })?;
        if step.is_whole() {
            over = ended(&*session, &mut watch)?;
        }
    }
    if !step.is_whole() {
        return Err("the opening ends in the middle of a step".to_owned().into());
    }
    if over {
        Err("the match is over after this opening".to_owned().into())
    } else {
        Ok(BookOpening {
            state: line.state.clone(),
            moves: line.moves.clone(),
        })
    }
}

/// True if different seeds make different starts.
fn has_random_starts(rules: &dyn Rules) -> Result<bool, BrokenRules> {
    let first = rules.start(0)?.identity()?;
    for seed in 1..6 {
        if rules.start(seed)?.identity()? != first {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use arbiter::early_end::EarlyEnds;

    use super::*;
    use serde_json::json;

    fn setup(id: &str, options: Value) -> GameSetup {
        let entry = games::find(id).unwrap();
        GameSetup {
            rules: entry.configure(&options).unwrap(),
            limits: entry.info.limits,
            early_ends: EarlyEnds::default(),
            weight: 1,
        }
    }

    fn games() -> [GameSetup; 3] {
        [
            setup("amazons", json!({"size": 6})),
            setup("amazons", json!({"size": 10})),
            setup("penguins", json!({})),
        ]
    }

    fn first_move(game: &GameSetup) -> String {
        game.rules.start(0).unwrap().legal().unwrap()[0].clone()
    }

    /// The line that is not an opening, and why.
    fn wrong(text: &str, games: &[GameSetup]) -> (usize, String) {
        match read(text, games, &Catalog::built_in()) {
            Err((line, Refusal::Wrong(reason))) => (line, reason),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn lines_belong_to_games_with_their_options() {
        let games = games();
        let small = first_move(&games[0]);
        let on_small = games[0].rules.start(0).unwrap().legal().unwrap();
        let mut on_large = games[1]
            .rules
            .start(0)
            .unwrap()
            .legal()
            .unwrap()
            .into_iter();
        let large = on_large.find(|mv| !on_small.contains(mv)).unwrap();
        let state = games[2].rules.start(9).unwrap().state().unwrap();
        let text = format!(
            "# A book.\n\n  amazons : {large}\n\
             {{\"game\": \"amazons\", \"options\": {{\"size\": 6}}, \"moves\": [\"{small}\"]}}\n\
             {{\"game\": \"penguins\", \"state\": {state}}}\nsiam: not in this tournament\n"
        );
        // The first line is legal on the large board only, so it is an opening there.
        let book = read(&text, &games, &Catalog::built_in()).unwrap();
        assert_eq!(book.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 1]);
        // It is no opening of the small board alone.
        let (line, reason) = wrong(&text, &games[..1]);
        assert_eq!(line, 3);
        assert!(reason.starts_with("move 1: "), "{reason}");
        let own = json!({"game": "amazons", "options": {"size": 10}, "moves": [large]});
        let text = text.replace(&format!("  amazons : {large}"), &own.to_string());
        let book = read(&text, &games, &Catalog::built_in()).unwrap();
        assert_eq!(book.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 1]);
        let (start, moves) = book[0][0].open(&*games[0].rules).unwrap();
        assert_eq!((start.ply(), moves), (0, vec![small]));
        let (start, moves) = book[2][0].open(&*games[2].rules).unwrap();
        assert_eq!((start.state().unwrap(), moves.len()), (state, 0));
    }

    #[test]
    fn what_is_no_opening_is_named_with_its_line() {
        let games = games();
        let refused = |line: &str| {
            let (number, reason) = wrong(&format!("\n{line}\n"), &games);
            assert_eq!(number, 2);
            reason
        };
        assert!(refused("a7-a8/a9").contains("`GAME: MOVE MOVE …`"));
        assert!(refused("amazon: x").contains("did you mean `amazons`?"));
        assert!(refused("amazons: x").contains("move 1"));
        assert!(refused("amazons:").contains("needs `moves` or a `state`"));
        let off = refused("amazons: d1-d12/g12");
        assert!(off.contains("not all of it is on this board"), "{off}");
        assert!(refused("penguins: x").contains("need a `state`"));
        assert!(refused("{\"game\": \"penguins\", \"state\": {}}").contains("ply"));
        assert!(refused("{\"game\": \"run\", \"mvoes\": []}").contains("mvoes"));
        let mut short = games.clone();
        short[0].limits.max_plies = Some(1);
        let text = format!("amazons: {}", first_move(&short[0]));
        let (_, reason) = wrong(&text, &short[..1]);
        assert!(reason.contains("over after this opening"), "{reason}");
    }
}
