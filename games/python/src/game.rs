//! Rules under fixed options.

use std::path::Path;
use std::sync::Arc;

use ::games::learning::{Learning, NumberedGame};
use ::games::playout::PlayoutRequest;
use ::games::{BrokenRules, Catalog, Entry, GAMES, Rng, Rules, Session};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rules::{RulesSet, RulesSource, Surroundings};
use serde_json::Value;

use crate::errors::OrRaise as _;
use crate::state::PyState;

/// Random games are played in blocks, each with a seed of its own, so that the number of threads does not
/// change the result.
const BLOCK: u32 = 256;

/// The ids of the games that are built in.
#[pyfunction]
pub(crate) fn games() -> Vec<String> {
    GAMES.iter().map(|entry| entry.info.id.clone()).collect()
}

/// Rules under fixed options.
#[pyclass(name = "Game", module = "referee_games", frozen)]
pub(crate) struct PyGame {
    /// As the user named it.
    name: String,
    /// The command of a rules program.
    program: Option<String>,
    given: Value,
    entry: Arc<Entry>,
    pub(crate) rules: Arc<dyn Rules>,
}

impl PyGame {
    fn open(py: Python<'_>, name: &str, program: Option<&str>, given: Value) -> PyResult<Self> {
        // Sheets are grounded and programs answer in their own time.
        let made = py.detach(|| {
            let entry = find(name, program)?;
            let rules = entry.configure(&given).or_raise()?;
            Ok::<_, PyErr>((entry, rules))
        });
        let (entry, rules) = made?;
        Ok(PyGame {
            name: name.to_owned(),
            program: program.map(str::to_owned),
            given,
            entry,
            rules,
        })
    }

    /// The numbers of moves, if they have any.
    pub(crate) fn learning(&self) -> Option<&dyn Learning> {
        self.rules.learning()
    }

    /// The same, or an error that names the game.
    pub(crate) fn need_learning(&self) -> PyResult<&dyn Learning> {
        self.learning().ok_or_else(|| {
            let id = &self.rules.info().id;
            PyValueError::new_err(format!(
                "the moves of `{id}` have no numbers: `num_actions` is None"
            ))
        })
    }

    /// True if answers may take longer than microseconds.
    pub(crate) fn is_slow(&self) -> bool {
        self.rules.description().origin.is_some()
    }

    /// Does something with rules that may be slow: then other threads of Python go on meanwhile.
    pub(crate) fn away<T: Send>(&self, py: Python<'_>, act: impl FnOnce() -> T + Send) -> T {
        if self.is_slow() {
            py.detach(act)
        } else {
            act()
        }
    }
}

/// The game of this name: one that is built in, a sheet's, or one of a rules program.
fn find(name: &str, program: Option<&str>) -> PyResult<Arc<Entry>> {
    let is_sheet = Path::new(name)
        .extension()
        .is_some_and(|extension| extension == "kif");
    let source = match program {
        Some(command) => command,
        None if is_sheet => name,
        None => return Ok(Catalog::built_in().find(name).or_raise()?.clone()),
    };
    let source = RulesSource::parse(source, Path::new(".")).or_raise()?;
    let surroundings = Surroundings {
        // The keeper of processes is part of the program `referee`, which this is not.
        supervised: false,
        ..Surroundings::default()
    };
    let set = RulesSet::open(vec![source], &surroundings).or_raise()?;
    if program.is_some() {
        let found = set.own_games().find(|entry| entry.info.id == name);
        return match found {
            Some(entry) => Ok(entry.clone()),
            None => {
                let ids: Vec<String> = set
                    .own_games()
                    .map(|entry| format!("`{}`", entry.info.id))
                    .collect();
                Err(PyValueError::new_err(format!(
                    "the rules program has no game `{name}`; it has {}",
                    ids.join(", ")
                )))
            }
        };
    }
    let sheet = set.own_games().next().cloned();
    sheet.ok_or_else(|| PyValueError::new_err(format!("`{name}` has no game")))
}

/// JSON of what Python has, and the reverse.
pub(crate) fn to_json(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let text: String = if let Ok(text) = value.extract::<String>() {
        text
    } else {
        let json = value.py().import("json")?;
        json.call_method1("dumps", (value,))?.extract()?
    };
    serde_json::from_str(&text).map_err(|error| PyValueError::new_err(format!("not JSON: {error}")))
}

fn from_json<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?
        .call_method1("loads", (value.to_string(),))
}

/// An object of options.
fn options(given: Option<&Bound<'_, PyDict>>) -> PyResult<Value> {
    let Some(given) = given.filter(|given| !given.is_empty()) else {
        return Ok(Value::Null);
    };
    let json = given.py().import("json")?;
    let text = json.call_method1("dumps", (given,)).map_err(|error| {
        PyTypeError::new_err(format!(
            "options are numbers, texts, booleans and lists: {error}"
        ))
    })?;
    to_json(&text)
}

#[pymethods]
impl PyGame {
    #[new]
    #[pyo3(signature = (name, rules=None, **options))]
    fn new(
        py: Python<'_>,
        name: &str,
        rules: Option<&str>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let given = self::options(options)?;
        Self::open(py, name, rules, given)
    }

    #[getter]
    fn name(&self) -> &str {
        &self.rules.info().id
    }

    #[getter]
    fn title(&self) -> &str {
        &self.rules.info().title
    }

    /// The sheet or the command line of the rules program.
    #[getter]
    fn source(&self) -> Option<&str> {
        let sheet = self.is_slow().then_some(self.name.as_str());
        self.program.as_deref().or(sheet)
    }

    #[getter]
    fn seats(&self) -> usize {
        self.rules.seats()
    }

    #[getter]
    fn roles(&self) -> Vec<String> {
        self.rules.roles().to_vec()
    }

    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &self.rules.options().to_json())
    }

    #[getter]
    fn rules(&self) -> &str {
        &self.entry.guide
    }

    #[getter]
    fn hidden(&self) -> bool {
        self.rules.info().hidden
    }

    #[getter]
    fn chance(&self) -> bool {
        self.rules.info().chance
    }

    #[getter]
    fn max_plies(&self) -> Option<u32> {
        self.rules.info().limits.max_plies
    }

    #[getter]
    fn num_actions(&self, py: Python<'_>) -> Option<usize> {
        self.away(py, || self.learning().map(Learning::actions))
    }

    #[getter]
    fn observation_shape<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let planes = self.learning().and_then(Learning::planes);
        planes
            .map(|planes| PyTuple::new(py, planes.axes()))
            .transpose()
    }

    #[getter]
    fn planes(&self) -> Option<Vec<String>> {
        let planes = self.learning().and_then(Learning::planes);
        planes.map(|planes| planes.names.clone())
    }

    /// The number of the action with this text.
    fn action(&self, text: &str) -> PyResult<u32> {
        self.need_learning()?.action(text).or_raise()
    }

    /// The numbers of the actions that a move consists of.
    fn parts(&self, text: &str) -> PyResult<Vec<u32>> {
        self.need_learning()?.parts(text).or_raise()
    }

    /// The text of an action.
    fn text(&self, action: u64) -> PyResult<String> {
        let learning = self.need_learning()?;
        let text = u32::try_from(action)
            .ok()
            .and_then(|action| learning.text(action));
        text.ok_or_else(|| {
            let last = learning.actions() - 1;
            PyValueError::new_err(format!(
                "there is no action {action}: they go from 0 to {last}"
            ))
        })
    }

    /// A new game.
    #[pyo3(signature = (seed=0))]
    fn start(this: &Bound<'_, Self>, seed: u64) -> PyResult<PyState> {
        let game = this.get();
        let started = game.away(this.py(), || NumberedGame::start(&game.rules, seed));
        Ok(PyState::new(this.clone().unbind(), started.or_raise()?))
    }

    /// A game that goes on from a state, as JSON or as what `json.loads` makes of it.
    #[pyo3(signature = (json, seed=0))]
    fn state(this: &Bound<'_, Self>, json: &Bound<'_, PyAny>, seed: u64) -> PyResult<PyState> {
        let game = this.get();
        let state = to_json(json)?;
        let loaded = game.away(this.py(), || NumberedGame::load(&game.rules, &state, seed));
        Ok(PyState::new(this.clone().unbind(), loaded.or_raise()?))
    }

    /// Random games from a state: the mean outcome of each seat, and the mean number of plies.
    #[pyo3(signature = (state, n, seed=0, threads=1, max_plies=None))]
    fn playouts(
        &self,
        py: Python<'_>,
        state: &Bound<'_, PyState>,
        n: u32,
        seed: u64,
        threads: usize,
        max_plies: Option<u32>,
    ) -> PyResult<(Vec<f64>, f64)> {
        if n == 0 || threads == 0 {
            return Err(PyValueError::new_err("`n` and `threads` are 1 or more"));
        }
        let here = state.try_borrow()?.game.session().fork();
        let blocks: Vec<PlayoutRequest> = (0..n.div_ceil(BLOCK))
            .map(|block| PlayoutRequest {
                max_plies,
                ..PlayoutRequest::new(
                    BLOCK.min(n - block * BLOCK),
                    Rng::from_parts(&[seed, block.into()]).next_u64(),
                )
            })
            .collect();
        let means = py
            .detach(|| play_blocks(&*here, &blocks, threads))
            .or_raise()?;
        Ok(means)
    }

    fn __repr__(&self) -> String {
        let options = self.rules.options().to_json();
        format!("<Game {} {options}>", self.rules.info().id)
    }

    fn __reduce__<'py>(
        this: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, game) = (this.py(), this.get());
        let again = py
            .import("referee_games._native")?
            .getattr("Game")?
            .getattr("_again")?;
        let given = game.given.to_string();
        let arguments = (game.name.as_str(), game.program.as_deref(), given).into_pyobject(py)?;
        Ok((again, arguments))
    }

    /// The game that was pickled.
    #[staticmethod]
    fn _again(py: Python<'_>, name: &str, program: Option<&str>, given: &str) -> PyResult<Self> {
        let given = serde_json::from_str(given)
            .map_err(|error| PyValueError::new_err(format!("not JSON: {error}")))?;
        Self::open(py, name, program, given)
    }
}

/// The means of all blocks.
fn play_blocks(
    here: &dyn Session,
    blocks: &[PlayoutRequest],
    threads: usize,
) -> Result<(Vec<f64>, f64), BrokenRules> {
    let play = |block: &PlayoutRequest| here.playout_means(block);
    let threads = threads.min(blocks.len());
    let played: Vec<_> = if threads <= 1 {
        blocks.iter().map(play).collect()
    } else {
        let share = blocks.len().div_ceil(threads);
        std::thread::scope(|scope| {
            let running: Vec<_> = blocks
                .chunks(share)
                .map(|share| scope.spawn(move || share.iter().map(play).collect::<Vec<_>>()))
                .collect();
            let done = running
                .into_iter()
                .map(|it| it.join().expect("playouts do not panic"));
            done.flatten().collect()
        })
    };
    let mut outcome = vec![0.0; here.seats()];
    let (mut plies, mut count) = (0.0, 0.0);
    for (block, means) in blocks.iter().zip(played) {
        let (means, games) = (means?, f64::from(block.count));
        for (sum, mean) in outcome.iter_mut().zip(&means.outcome) {
            *sum += mean * games;
        }
        plies += means.plies * games;
        count += games;
    }
    outcome.iter_mut().for_each(|sum| *sum /= count);
    Ok((outcome, plies / count))
}
