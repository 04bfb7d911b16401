//! Positions in progress.

use games::kit::drawing::{plain, position};
use games::learning::NumberedGame;
use games::{BrokenRules, Seat};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods as _};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyTuple};

use crate::arrays;
use crate::errors::OrRaise as _;
use crate::game::PyGame;
use crate::picture;

/// A game in progress.
#[pyclass(name = "State", module = "referee_games")]
pub(crate) struct PyState {
    rules: Py<PyGame>,
    pub(crate) game: NumberedGame,
}

impl PyState {
    pub(crate) fn new(rules: Py<PyGame>, game: NumberedGame) -> Self {
        PyState { rules, game }
    }

    fn seats(&self) -> usize {
        self.game.session().seats()
    }

    fn check_seat(&self, seat: usize) -> PyResult<Seat> {
        let seats = self.seats();
        if seat < seats {
            return Ok(seat);
        }
        let last = seats - 1;
        Err(PyIndexError::new_err(format!(
            "there is no seat {seat}: they go from 0 to {last}"
        )))
    }

    /// The seat that is meant; `None` when nobody acts.
    fn seat_or_alone(&self, seat: Option<usize>) -> PyResult<Option<Seat>> {
        if let Some(seat) = seat {
            return self.check_seat(seat).map(Some);
        }
        let to_move = self.game.to_move();
        if to_move.seats().count() > 1 {
            return Err(PyValueError::new_err(format!(
                "{to_move} act at once: say which `seat`"
            )));
        }
        Ok(to_move.seats().next())
    }

    fn list_actions(&mut self, py: Python<'_>, seat: Option<usize>) -> PyResult<Vec<i64>> {
        let rules = self.rules.get();
        rules.need_learning()?;
        let Some(seat) = self.seat_or_alone(seat)? else {
            return Ok(Vec::new());
        };
        let game = &mut self.game;
        // Most positions have fewer, so that the list grows once at most.
        let mut actions = Vec::with_capacity(256);
        let listed = rules.away(py, || game.list_actions(seat, &mut actions));
        listed.or_raise()?;
        Ok(actions)
    }

    /// The texts of the moves of all seats that act, in ascending order.
    fn joint(&self, moves: &Bound<'_, PyMapping>) -> PyResult<Vec<String>> {
        let acting = self.game.to_move();
        for seat in moves.keys()? {
            let seat: usize = seat.extract()?;
            if !acting.includes(self.check_seat(seat)?) {
                return Err(PyValueError::new_err(format!(
                    "seat {seat} does not act now: {acting}"
                )));
            }
        }
        let of_seat = |seat: Seat| {
            let given = moves.get_item(seat).map_err(|_| {
                PyValueError::new_err(format!(
                    "the move of seat {seat} is missing: {acting} act at once"
                ))
            })?;
            match given.extract::<String>() {
                Ok(text) => Ok(text),
                Err(_) => self.text_of(&given),
            }
        };
        acting.seats().map(of_seat).collect()
    }

    fn text_of(&self, action: &Bound<'_, PyAny>) -> PyResult<String> {
        let action = number(action)?;
        let learning = self.rules.get().need_learning()?;
        let text = u32::try_from(action)
            .ok()
            .and_then(|action| learning.text(action));
        text.ok_or_else(|| PyValueError::new_err(format!("there is no action {action}")))
    }
}

fn number(action: &Bound<'_, PyAny>) -> PyResult<u64> {
    action.extract().map_err(|_| {
        PyTypeError::new_err(
            "a move is its text, the number of an action, or a dict of these by seat",
        )
    })
}

#[pymethods]
impl PyState {
    /// The rules.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<PyGame> {
        self.rules.clone_ref(py)
    }

    #[getter]
    fn to_move<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let seats: Vec<Seat> = self.game.to_move().seats().collect();
        PyTuple::new(py, seats)
    }

    #[getter]
    fn ply(&self) -> u32 {
        self.game.session().ply()
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.game.seed()
    }

    #[getter]
    fn is_over(&self) -> bool {
        self.game.to_move().is_over()
    }

    #[getter]
    fn outcome(&self) -> Option<Vec<f64>> {
        self.game.session().end().map(|end| end.tally.outcome)
    }

    /// The reason for the end.
    #[getter]
    fn reason(&self) -> Option<String> {
        let reason = self.game.session().reason();
        reason.map(std::borrow::Cow::into_owned)
    }

    #[getter]
    fn scores(&self, py: Python<'_>) -> PyResult<Vec<i64>> {
        let session = self.game.session();
        let tally = self.rules.get().away(py, || session.tally());
        Ok(tally.or_raise()?.scores)
    }

    /// The outcome if play stopped here, for games that a limit ends.
    #[getter]
    fn outcome_now(&self, py: Python<'_>) -> PyResult<Vec<f64>> {
        let session = self.game.session();
        let tally = self.rules.get().away(py, || session.tally());
        Ok(tally.or_raise()?.outcome)
    }

    #[getter]
    fn key(&self, py: Python<'_>) -> PyResult<String> {
        let session = self.game.session();
        self.rules.get().away(py, || session.identity()).or_raise()
    }

    /// The actions of a move that is not complete.
    #[getter]
    fn begun(&self) -> Vec<u32> {
        self.game.begun().to_vec()
    }

    #[pyo3(signature = (seat=None))]
    fn legal(&mut self, py: Python<'_>, seat: Option<usize>) -> PyResult<Vec<String>> {
        let Some(seat) = self.seat_or_alone(seat)? else {
            return Ok(Vec::new());
        };
        let game = &mut self.game;
        self.rules.get().away(py, || game.legal(seat)).or_raise()
    }

    #[pyo3(signature = (seat=None))]
    fn actions<'py>(
        &mut self,
        py: Python<'py>,
        seat: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let actions = self.list_actions(py, seat)?;
        arrays::array(py, actions)
    }

    #[pyo3(signature = (seat=None))]
    fn mask<'py>(
        &mut self,
        py: Python<'py>,
        seat: Option<usize>,
    ) -> PyResult<Bound<'py, PyArrayDyn<bool>>> {
        let actions = self.list_actions(py, seat)?;
        let mask = arrays::zeros(py, &[self.rules.get().need_learning()?.actions()])?;
        let mut values = mask.readwrite();
        let values = values.as_slice_mut()?;
        for action in actions {
            values[action as usize] = true;
        }
        Ok(mask)
    }

    /// A random legal action of the seat that acts alone, by a generator of the state's own.
    fn random_action(&mut self, py: Python<'_>) -> PyResult<u32> {
        let rules = self.rules.get();
        rules.need_learning()?;
        let game = &mut self.game;
        let drawn = rules.away(py, || game.random_action()).or_raise()?;
        drawn.ok_or_else(|| {
            let acting = self.game.to_move();
            PyValueError::new_err(format!("no seat acts alone here: {acting}"))
        })
    }

    fn observation<'py>(
        &self,
        py: Python<'py>,
        seat: usize,
    ) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let seat = self.check_seat(seat)?;
        let rules = self.rules.get();
        let planes = rules.learning().and_then(games::learning::Learning::planes);
        let planes = planes.ok_or_else(|| {
            let id = &rules.rules.info().id;
            PyValueError::new_err(format!(
                "positions of `{id}` have no planes: `observation_shape` is None"
            ))
        })?;
        let array = arrays::zeros(py, &planes.axes())?;
        let mut values = array.readwrite();
        let values = values.as_slice_mut()?;
        let game = &self.game;
        rules.away(py, || game.observe(seat, values));
        Ok(array)
    }

    /// What a seat knows, as JSON.
    fn observation_json(&self, py: Python<'_>, seat: usize) -> PyResult<String> {
        let seat = self.check_seat(seat)?;
        let session = self.game.session();
        let known = self.rules.get().away(py, || session.observation(seat));
        Ok(known.or_raise()?.to_string())
    }

    fn play(&mut self, py: Python<'_>, r#move: &Bound<'_, PyAny>) -> PyResult<()> {
        let rules = self.rules.get();
        // Numbers first: they are what programs that learn play.
        if let Ok(action) = r#move.extract::<u64>() {
            let learning = rules.need_learning()?;
            let known = u32::try_from(action).ok();
            let known = known.filter(|action| (*action as usize) < learning.actions());
            let action = known.ok_or_else(|| {
                let last = learning.actions() - 1;
                PyValueError::new_err(format!(
                    "there is no action {action}: they go from 0 to {last}"
                ))
            })?;
            let game = &mut self.game;
            return rules.away(py, || game.play_action(action)).or_raise();
        }
        let moves = if let Ok(moves) = r#move.cast::<PyMapping>() {
            self.joint(moves)?
        } else if let Ok(text) = r#move.extract::<String>() {
            vec![text]
        } else {
            number(r#move)?;
            return Ok(());
        };
        let game = &mut self.game;
        rules
            .away(py, || {
                let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
                game.play(&moves)
            })
            .or_raise()
    }

    fn undo(&mut self, py: Python<'_>) -> PyResult<()> {
        let game = &mut self.game;
        self.rules.get().away(py, || game.undo()).or_raise()
    }

    /// A copy that goes on independently, with draws of chance by another seed if one is given.
    #[pyo3(signature = (seed=None))]
    fn copy(&self, py: Python<'_>, seed: Option<u64>) -> PyState {
        let game = &self.game;
        let copied = self.rules.get().away(py, || game.copy(seed));
        PyState::new(self.rules.clone_ref(py), copied)
    }

    fn __copy__(&self, py: Python<'_>) -> PyState {
        self.copy(py, None)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyState {
        self.copy(py, None)
    }

    /// The state as JSON, before a move that is not complete.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        let session = self.game.session();
        let state = self.rules.get().away(py, || session.state());
        Ok(state.or_raise()?.to_string())
    }

    fn __str__(&self, py: Python<'_>) -> String {
        let session = self.game.session();
        self.rules.get().away(py, || position(session, &[], &plain))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let rules = &self.rules.get().rules;
        let (id, ply) = (&rules.info().id, self.ply());
        let roles: Vec<&str> = self
            .game
            .to_move()
            .seats()
            .map(|seat| rules.roles()[seat].as_str())
            .collect();
        let turn = match roles.as_slice() {
            [] => format!("over: {}", self.reason().unwrap_or_default()),
            roles => format!("{} to move", roles.join(" and ")),
        };
        format!("<State of {id}, ply {ply}, {turn}>\n{}", self.__str__(py))
    }

    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let session = self.game.session();
        let view = self.rules.get().away(py, || session.view());
        let view: Result<_, BrokenRules> = view;
        let roles = self.rules.get().rules.roles();
        Ok(view.or_raise()?.and_then(|view| picture::svg(&view, roles)))
    }

    fn __reduce__<'py>(
        this: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = this.py();
        let state = this.try_borrow()?;
        let again = py
            .import("referee_games._native")?
            .getattr("State")?
            .getattr("_again")?;
        let (json, seed) = (state.json(py)?, state.seed());
        let arguments = (state.rules.clone_ref(py), json, seed, state.begun()).into_pyobject(py)?;
        Ok((again, arguments))
    }

    /// The state that was pickled: the same position, in which nothing before can be taken back.
    #[staticmethod]
    fn _again(
        py: Python<'_>,
        rules: &Bound<'_, PyGame>,
        json: &str,
        seed: u64,
        begun: Vec<u32>,
    ) -> PyResult<PyState> {
        let game = rules.get();
        let state = serde_json::from_str(json)
            .map_err(|error| PyValueError::new_err(format!("not JSON: {error}")))?;
        let loaded = game.away(py, || NumberedGame::load(&game.rules, &state, seed));
        let mut loaded = loaded.or_raise()?;
        for action in begun {
            loaded.play_action(action).or_raise()?;
        }
        Ok(PyState::new(rules.clone().unbind(), loaded))
    }
}
