//! Many games at once, in arrays that are written in place.

use games::Rng;
use games::learning::{NumberedGame, Planes, PlayError};
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods as _, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arrays;
use crate::errors::{IntoPython as _, OrRaise as _};
use crate::game::PyGame;

/// One game, with what is needed to begin the next one.
struct Slot {
    game: NumberedGame,
    /// The number of the game, and of the games before it in this place.
    number: u64,
    episode: u64,
    seat: usize,
    /// The actions that are marked in the mask, so that only these have to be cleared.
    marked: Vec<i64>,
}

/// The rows of the arrays that belong to some games.
struct Rows<'a> {
    slots: &'a mut [Slot],
    observations: &'a mut [f32],
    masks: &'a mut [bool],
    seats: &'a mut [i64],
    rewards: &'a mut [f32],
    done: &'a mut [bool],
    truncated: &'a mut [bool],
}

/// What all games have in common.
#[derive(Clone, Copy)]
struct Common {
    seed: u64,
    seats: usize,
    max_plies: Option<u32>,
}

impl Common {
    /// The seed of a game: the same whatever the number of threads.
    fn seed_of(&self, number: u64, episode: u64) -> u64 {
        Rng::from_parts(&[self.seed, number, episode]).next_u64()
    }

    /// Begins the next game in a place. Games that are over at the start are passed over.
    fn begin(&self, slot: &mut Slot) -> Result<(), PlayError> {
        let rules = slot.game.rules().clone();
        slot.game = NumberedGame::start(&rules, self.seed_of(slot.number, slot.episode))?;
        slot.episode += 1;
        Ok(())
    }

    /// Writes what the seat to move sees and may do.
    fn show(
        &self,
        slot: &mut Slot,
        observation: &mut [f32],
        mask: &mut [bool],
    ) -> Result<(), PlayError> {
        for action in slot.marked.drain(..) {
            mask[action as usize] = false;
        }
        let to_move = slot.game.to_move();
        let seat = to_move
            .alone()
            .ok_or(PlayError::Together(to_move.count()))?;
        slot.seat = seat;
        slot.game.list_actions(seat, &mut slot.marked)?;
        for &action in &slot.marked {
            mask[action as usize] = true;
        }
        if !observation.is_empty() {
            slot.game.observe(seat, observation);
        }
        Ok(())
    }

    /// Plays an action, and begins the next game where one ends.
    fn play(
        &self,
        slot: &mut Slot,
        action: u32,
        rewards: &mut [f32],
    ) -> Result<(bool, bool), PlayError> {
        slot.game.play_action(action)?;
        let is_over = slot.game.to_move().is_over();
        let session = slot.game.session();
        // A move that is begun is completed first.
        let at_limit = self.max_plies.is_some_and(|most| session.ply() >= most)
            && slot.game.begun().is_empty();
        if !is_over && !at_limit {
            rewards.fill(0.0);
            return Ok((false, false));
        }
        for (reward, outcome) in rewards.iter_mut().zip(session.tally()?.outcome) {
            *reward = (2.0 * outcome - 1.0) as f32;
        }
        self.begin(slot)?;
        Ok((true, !is_over))
    }

    /// Does a step of some games, or only shows them if there are no actions.
    fn advance(&self, rows: Rows<'_>, actions: Option<&[i64]>) -> Result<(), PlayError> {
        let count = rows.slots.len();
        let (planes, masks) = (rows.observations.len() / count, rows.masks.len() / count);
        let observations = chunks(rows.observations, planes);
        let masks = rows.masks.chunks_mut(masks.max(1));
        let rewards = rows.rewards.chunks_mut(self.seats);
        let places = rows
            .slots
            .iter_mut()
            .zip(observations)
            .zip(masks)
            .zip(rewards)
            .enumerate();
        for (at, (((slot, observation), mask), rewards)) in places {
            if let Some(actions) = actions {
                let (is_done, is_truncated) = self.play(slot, actions[at] as u32, rewards)?;
                rows.done[at] = is_done;
                rows.truncated[at] = is_truncated;
            }
            self.show(slot, observation, mask)?;
            rows.seats[at] = slot.seat as i64;
        }
        Ok(())
    }
}

/// Rows of an array, endless ones of nothing where rows are empty.
fn chunks<'a>(values: &'a mut [f32], size: usize) -> Box<dyn Iterator<Item = &'a mut [f32]> + 'a> {
    if size == 0 {
        return Box::new(std::iter::repeat_with(Default::default));
    }
    Box::new(values.chunks_mut(size))
}

/// Many games of the same rules, played side by side.
#[pyclass(name = "VecGame", module = "referee_games")]
pub(crate) struct PyVecGame {
    rules: Py<PyGame>,
    slots: Vec<Slot>,
    seed: u64,
    threads: usize,
    max_plies: Option<u32>,
    observations: Py<PyArrayDyn<f32>>,
    masks: Py<PyArrayDyn<bool>>,
    seats: Py<PyArrayDyn<i64>>,
    rewards: Py<PyArrayDyn<f32>>,
    done: Py<PyArrayDyn<bool>>,
    truncated: Py<PyArrayDyn<bool>>,
    is_reset: bool,
}

impl PyVecGame {
    /// Plays these actions, or shows all games.
    fn advance(&mut self, py: Python<'_>, actions: Option<&[i64]>) -> PyResult<()> {
        let game = self.rules.get();
        let common = Common {
            seed: self.seed,
            seats: game.rules.seats(),
            max_plies: self.max_plies,
        };
        let count = self.slots.len();
        let mut observations = self.observations.bind(py).try_readwrite()?;
        let mut masks = self.masks.bind(py).try_readwrite()?;
        let mut seats = self.seats.bind(py).try_readwrite()?;
        let mut rewards = self.rewards.bind(py).try_readwrite()?;
        let mut done = self.done.bind(py).try_readwrite()?;
        let mut truncated = self.truncated.bind(py).try_readwrite()?;
        let mut rows = Rows {
            slots: &mut self.slots,
            observations: observations.as_slice_mut()?,
            masks: masks.as_slice_mut()?,
            seats: seats.as_slice_mut()?,
            rewards: rewards.as_slice_mut()?,
            done: done.as_slice_mut()?,
            truncated: truncated.as_slice_mut()?,
        };
        let share = count.div_ceil(self.threads.clamp(1, count));
        py.detach(|| {
            if share >= count {
                return common.advance(rows, actions);
            }
            let mut parts = Vec::new();
            let mut first = 0;
            while first < count {
                let size = share.min(count - first);
                let (part, rest) = rows.split(size, count - first);
                rows = rest;
                parts.push((part, actions.map(|actions| &actions[first..first + size])));
                first += size;
            }
            std::thread::scope(|scope| {
                let running: Vec<_> = parts
                    .into_iter()
                    .map(|(part, actions)| scope.spawn(move || common.advance(part, actions)))
                    .collect();
                let mut ended = running
                    .into_iter()
                    .map(|it| it.join().expect("games do not panic"));
                ended.try_for_each(|it| it)
            })
        })
        .or_raise()
    }

    /// Refuses actions that are not legal, before any game goes on.
    fn check(&self, py: Python<'_>, actions: &[i64]) -> PyResult<()> {
        if actions.len() != self.slots.len() {
            let (given, needed) = (actions.len(), self.slots.len());
            return Err(PyValueError::new_err(format!(
                "{given} actions where {needed} are needed, one a game"
            )));
        }
        let masks = self.masks.bind(py).try_readonly()?;
        let masks = masks.as_slice()?;
        let size = masks.len() / self.slots.len();
        for (at, (&action, slot)) in actions.iter().zip(&self.slots).enumerate() {
            let known = usize::try_from(action).ok().filter(|action| *action < size);
            // The mask is a user's, too, but what is played is checked again by the rules.
            if known.is_some_and(|action| masks[at * size + action]) {
                continue;
            }
            let learning = self.rules.get().need_learning()?;
            let text = u32::try_from(action)
                .ok()
                .and_then(|action| learning.text(action));
            let named =
                text.map_or_else(|| action.to_string(), |text| format!("{action}, `{text}`,"));
            let legal = slot.marked.len();
            return Err(PyValueError::new_err(format!(
                "game {at}: action {named} is not one of the {legal} that are legal"
            )));
        }
        Ok(())
    }

    fn tuple<'py>(&self, py: Python<'py>, with_results: bool) -> PyResult<Bound<'py, PyTuple>> {
        let mut items: Vec<Bound<'py, PyAny>> = vec![
            self.observations.bind(py).clone().into_any(),
            self.masks.bind(py).clone().into_any(),
            self.seats.bind(py).clone().into_any(),
        ];
        if with_results {
            items.push(self.rewards.bind(py).clone().into_any());
            items.push(self.done.bind(py).clone().into_any());
        }
        PyTuple::new(py, items)
    }
}

impl<'a> Rows<'a> {
    /// The rows of the first games, and the rest.
    fn split(self, first: usize, all: usize) -> (Rows<'a>, Rows<'a>) {
        let (slots, more_slots) = self.slots.split_at_mut(first);
        fn cut<T>(values: &mut [T], first: usize, all: usize) -> (&mut [T], &mut [T]) {
            values.split_at_mut(values.len() / all * first)
        }
        let (observations, more_observations) = cut(self.observations, first, all);
        let (masks, more_masks) = cut(self.masks, first, all);
        let (seats, more_seats) = cut(self.seats, first, all);
        let (rewards, more_rewards) = cut(self.rewards, first, all);
        let (done, more_done) = cut(self.done, first, all);
        let (truncated, more_truncated) = cut(self.truncated, first, all);
        (
            Rows {
                slots,
                observations,
                masks,
                seats,
                rewards,
                done,
                truncated,
            },
            Rows {
                slots: more_slots,
                observations: more_observations,
                masks: more_masks,
                seats: more_seats,
                rewards: more_rewards,
                done: more_done,
                truncated: more_truncated,
            },
        )
    }
}

#[pymethods]
impl PyVecGame {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    #[pyo3(signature = (game, n, seed=0, threads=1, max_plies=None, rules=None, **options))]
    fn new(
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        n: usize,
        seed: u64,
        threads: usize,
        max_plies: Option<u32>,
        rules: Option<&str>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        if n == 0 || threads == 0 {
            return Err(PyValueError::new_err("`n` and `threads` are 1 or more"));
        }
        let made: Py<PyGame> = match game.cast::<PyGame>() {
            Ok(made) => made.clone().unbind(),
            Err(_) => {
                let class = py.get_type::<PyGame>();
                let made = class.call((game, rules), options)?;
                made.cast_into::<PyGame>().map_err(PyErr::from)?.unbind()
            }
        };
        let shared = made.get();
        let learning = shared.need_learning()?;
        let planes = learning.planes().map_or_else(|| vec![0], Planes::axes);
        let with = |axes: &[usize]| [&[n], axes].concat();
        let start = |number| {
            let game = NumberedGame::start(&shared.rules, 0)?;
            Ok(Slot {
                game,
                number,
                episode: 0,
                seat: 0,
                marked: Vec::new(),
            })
        };
        let slots: Result<Vec<Slot>, games::BrokenRules> = (0..n as u64).map(start).collect();
        let slots = slots.or_raise()?;
        if slots.iter().any(|slot| slot.game.to_move().count() > 1) {
            return Err(PlayError::Together(slots[0].game.to_move().count()).into_python());
        }
        Ok(PyVecGame {
            observations: arrays::zeros(py, &with(&planes))?.unbind(),
            masks: arrays::zeros(py, &with(&[learning.actions()]))?.unbind(),
            seats: arrays::zeros(py, &with(&[]))?.unbind(),
            rewards: arrays::zeros(py, &with(&[shared.rules.seats()]))?.unbind(),
            done: arrays::zeros(py, &with(&[]))?.unbind(),
            truncated: arrays::zeros(py, &with(&[]))?.unbind(),
            max_plies: max_plies.or(shared.rules.info().limits.max_plies),
            rules: made,
            slots,
            seed,
            threads,
            is_reset: false,
        })
    }

    /// The rules.
    #[getter]
    fn game(&self, py: Python<'_>) -> Py<PyGame> {
        self.rules.clone_ref(py)
    }

    #[getter]
    fn n(&self) -> usize {
        self.slots.len()
    }

    /// Where the last step ended a game by the limit of plies.
    #[getter]
    fn truncated<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<bool>> {
        self.truncated.bind(py).clone()
    }

    /// The state of a game, as a copy.
    fn state(&self, py: Python<'_>, index: usize) -> PyResult<crate::state::PyState> {
        let slot = self.slots.get(index).ok_or_else(|| {
            let last = self.slots.len() - 1;
            PyValueError::new_err(format!(
                "there is no game {index}: they go from 0 to {last}"
            ))
        })?;
        Ok(crate::state::PyState::new(
            self.rules.clone_ref(py),
            slot.game.copy(None),
        ))
    }

    /// Begins all games anew.
    #[pyo3(signature = (seed=None))]
    fn reset<'py>(&mut self, py: Python<'py>, seed: Option<u64>) -> PyResult<Bound<'py, PyTuple>> {
        self.seed = seed.unwrap_or(self.seed);
        let rules = self.rules.clone_ref(py);
        let common = Common {
            seed: self.seed,
            seats: rules.get().rules.seats(),
            max_plies: self.max_plies,
        };
        for slot in &mut self.slots {
            slot.episode = 0;
            common.begin(slot).or_raise()?;
        }
        self.rewards
            .bind(py)
            .try_readwrite()?
            .as_slice_mut()?
            .fill(0.0);
        self.done
            .bind(py)
            .try_readwrite()?
            .as_slice_mut()?
            .fill(false);
        self.truncated
            .bind(py)
            .try_readwrite()?
            .as_slice_mut()?
            .fill(false);
        self.is_reset = true;
        self.advance(py, None)?;
        self.tuple(py, false)
    }

    /// Plays an action in each game.
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        actions: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        if !self.is_reset {
            return Err(PyValueError::new_err(
                "`reset` comes before the first `step`",
            ));
        }
        let given: PyReadonlyArray1<'py, i64> = if let Ok(array) = actions.cast::<PyArray1<i64>>() {
            array.readonly()
        } else {
            let numpy = py.import("numpy")?;
            let array = numpy.call_method1("asarray", (actions,))?;
            let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
            if !matches!(kind.as_str(), "i" | "u") {
                return Err(PyTypeError::new_err(
                    "actions are whole numbers, one a game",
                ));
            }
            let array = array.call_method1("astype", ("int64",))?;
            array.cast::<PyArray1<i64>>()?.readonly()
        };
        let values: Vec<i64> = given.as_array().iter().copied().collect();
        self.check(py, &values)?;
        self.advance(py, Some(&values))?;
        self.tuple(py, true)
    }

    fn __repr__(&self) -> String {
        let info = &self.rules.get().rules.info().id;
        format!("<VecGame of {} games of {info}>", self.slots.len())
    }
}
