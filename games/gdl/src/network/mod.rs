//! The propositional network of a sheet: a bit for each fact and each move, gates between them.
//!
//! Legality and the end of the game are updated with every change of a fact ([`program`]). Each
//! joint move has a program of its own for its changes ([`specialised`]), compiled when it is first
//! made, unless that is too much work; conditions on few facts are word comparisons ([`cubes`]). Goals and
//! percepts are evaluated on demand.

mod circuit;
mod cubes;
mod error;
mod graph;
mod lanes;
mod legal;
#[cfg(test)]
mod parts;
mod program;
mod specialised;

use std::cell::RefCell;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use games::{Rng, budget};

use crate::engine::{Engine, Failure, Percepts, Series, SeriesError, TakeGame};
use crate::ground::{Ground, Ungroundable};
use crate::play::learning::Catalog;
use crate::terms::Map;
pub(crate) use circuit::Circuit;
pub(crate) use error::NetworkError;
use graph::{Node, Ref};
use lanes::{Broken, Lanes};
use legal::{Bits, RoleMoves};
use program::{Layout, Live, Program, bit};
use specialised::{Change, Specialiser, moves_of};

/// The most memory for changes of joint moves, in bytes. Beyond that, their effects are evaluated each time.
const MOST_CHANGES: usize = 256 << 20;
/// Fewer games than this are played one by one.
const LEAST_AT_ONCE: u32 = 32;
/// The words of lanes for games that are enough for them.
const WIDE: usize = 4;
/// Hash table probes for a joint move.
const PROBES: usize = 8;

pub(crate) struct Network {
    circuit: Circuit,
    program: Program,
    roles: Vec<RoleMoves>,
    /// The bits of the guards of moves.
    guards: Vec<u32>,
    terminal: u32,
    /// The gates of goals, if they are many that are not live.
    goals: Option<Program>,
    /// The first bit of those that say which facts change by themselves, and the facts.
    flips: u32,
    flipping: Vec<u32>,
    /// Made when many games are asked for; `None` if the network is too large.
    lanes: OnceLock<Option<Lanes>>,
    /// `None` if moves are inputs of the gates, because circles depend on them.
    specialiser: Option<Specialiser>,
    /// Changes of joint moves, by their hash.
    changes: Box<[OnceLock<Box<Known>>]>,
    change_bytes: AtomicUsize,
    /// The most work for a change: gates that are looked at and inputs of new ones.
    most: usize,
    /// Gates that depend on moves and are evaluated first, so that no evaluation goes too deep.
    deep: Vec<usize>,
    /// The numbers of the moves of each role by their texts in small letters.
    by_text: Vec<Map<String, u32>>,
    fact_by_text: Map<String, u32>,
}

/// What was found out about a joint move, a move of each role.
struct Known {
    joint: Box<[u32]>,
    /// `None` if it is too large.
    change: Option<Change>,
}

/// Values of gates that are not live, cached for one query.
#[derive(Default)]
struct Memo {
    /// The number of the question for which each node was evaluated, twice, and its value.
    known: Vec<u64>,
    question: u64,
}

thread_local! {
    static MEMO: RefCell<Memo> = RefCell::default();
    /// The gates of goals in the position that was asked about last.
    static GOALS: RefCell<Live> = RefCell::default();
}

/// Goals that need more gates than this which are not live are evaluated forwards, from the facts: most
/// sums of points have one true gate among hundreds.
const MANY_GATES: usize = 1_000;

impl Memo {
    fn begin(&mut self, nodes: usize) {
        self.question += 1;
        if self.known.len() < nodes {
            self.known.resize(nodes, 0);
        }
    }

    fn get(&self, node: usize) -> Option<bool> {
        let known = self.known[node];
        (known >> 1 == self.question).then_some(known & 1 == 1)
    }

    fn set(&mut self, node: usize, value: bool) {
        self.known[node] = self.question << 1 | u64::from(value);
    }
}

/// A position: the values of all gates.
#[derive(Clone, Debug)]
pub(crate) struct NetworkPosition {
    live: Live,
    /// Changes of a step, kept for its allocation.
    changed: Vec<u32>,
}

impl Network {
    /// The network of a grounded sheet, in which a joint move has a program of its own if that is no more
    /// work than `most`.
    ///
    /// # Errors
    /// If an atom depends on its own negation, or the network would become too large.
    pub(crate) fn new(ground: &Ground, most: usize) -> Result<Self, NetworkError> {
        let mut circuit = Circuit::of(ground)?;
        let specialiser = Specialiser::new(&mut circuit);
        budget::check()?;
        let mut bits = Bits::default();
        let mut guard_values = Vec::new();
        let roles: Vec<RoleMoves> = (0..circuit.roles.len())
            .map(|role| legal::place(&mut circuit, role, &mut bits, &mut guard_values))
            .collect();
        budget::check()?;
        let first = bits.reserve(guard_values.len() + 1);
        let guards = (0..guard_values.len()).map(|number| first + number as u32);
        let guards: Vec<u32> = guards.collect();
        bits.values.extend(guards.iter().copied().zip(guard_values));
        let terminal = first + guards.len() as u32;
        bits.values.push((terminal, circuit.terminal));
        let (flips, flipping) = place_flips(&circuit, specialiser.as_ref(), &mut bits);
        // What depends on moves is never live where there is a specialiser.
        let moved = |node: &usize| specialiser.as_ref().is_some_and(|all| all.is_moved(*node));
        let (deep, more) = always_live(&circuit).into_iter().partition(moved);
        let layout = Layout {
            more,
            graph: &circuit.graph,
            facts: circuit.facts.len(),
            moves: if specialiser.is_some() {
                0
            } else {
                circuit.does.len()
            },
            words: bits.words as usize,
            bits: bits.values,
            circles: circuit.circles as usize,
        };
        let program = Program::new(&layout)?;
        let goals = goals_apart(&circuit, &program)?;
        budget::check()?;
        let joint: usize = circuit
            .moves
            .iter()
            .map(|moves| moves.len().max(1))
            .fold(1, |all, count| all.saturating_mul(count));
        let places = (4 * joint).clamp(16, 1 << 18).next_power_of_two();
        let places = if specialiser.is_some() { places } else { 0 };
        let texts = |moves: &Vec<circuit::LegalMove>| {
            let texts = moves.iter().enumerate();
            texts
                .map(|(number, mv)| (mv.text.to_lowercase(), number as u32))
                .collect()
        };
        let facts = circuit.facts.iter().enumerate();
        Ok(Network {
            by_text: circuit.moves.iter().map(texts).collect(),
            fact_by_text: facts
                .map(|(number, fact)| (fact.to_lowercase(), number as u32))
                .collect(),
            program,
            roles,
            guards,
            terminal,
            goals,
            flips,
            flipping,
            lanes: OnceLock::new(),
            specialiser,
            changes: (0..places).map(|_| OnceLock::new()).collect(),
            change_bytes: AtomicUsize::new(0),
            most,
            deep,
            circuit,
        })
    }

    pub(crate) fn sizes(&self) -> Sizes {
        let gates = self.circuit.graph.nodes.iter();
        let gates =
            gates.filter(|node| !matches!(node, Node::True | Node::Base(_) | Node::Does(_)));
        Sizes {
            facts: self.circuit.facts.len(),
            moves: self.circuit.moves.iter().map(Vec::len).sum(),
            gates: gates.count(),
            live_gates: self.program.size(),
        }
    }

    pub(crate) fn all_facts(&self) -> &[String] {
        &self.circuit.facts
    }

    fn bit(&self, position: &NetworkPosition, index: u32) -> bool {
        bit(&position.live.bits, index as usize)
    }

    fn lanes(&self) -> Option<&Lanes> {
        let lanes = self.lanes.get_or_init(|| Lanes::new(&self.circuit));
        lanes.as_ref()
    }

    /// The position with these facts, as bits.
    fn position_of(&self, facts: &[u64]) -> NetworkPosition {
        let true_facts = (0..self.circuit.facts.len()).filter(|fact| bit(facts, *fact));
        NetworkPosition {
            live: self.program.start(true_facts),
            changed: Vec::new(),
        }
    }

    /// The words of legal moves of a role: where each begins among its moves, and the bits.
    #[inline]
    fn legal_words<'p>(
        &'p self,
        position: &'p NetworkPosition,
        role: usize,
    ) -> impl Iterator<Item = (u32, u64)> + 'p {
        let moves = &self.roles[role];
        let groups = moves.groups.iter().filter(|group| {
            group
                .guard
                .is_none_or(|guard| self.bit(position, self.guards[guard as usize]))
        });
        groups.flat_map(move |group| {
            let words = group.word..group.word + group.words;
            words.map(move |word| {
                (
                    (word - moves.first_word) * 64,
                    position.live.bits[word as usize],
                )
            })
        })
    }

    /// Passes the change of a joint move to `act`, compiled unless cached; `None` if it is too large or there
    /// is no room for it.
    #[inline]
    fn with_change<T>(
        &self,
        specialiser: &Specialiser,
        joint: &[u32],
        act: impl FnOnce(Option<&Change>) -> T,
    ) -> T {
        let mut hasher = crate::terms::Hash::default().build_hasher();
        for mv in joint {
            hasher.write_u32(*mv);
        }
        let hash = hasher.finish() as usize;
        for probe in 0..PROBES {
            let place = &self.changes[(hash + probe) & (self.changes.len() - 1)];
            match place.get() {
                Some(known) if *known.joint == *joint => return act(known.change.as_ref()),
                Some(_) => {}
                None if self.change_bytes.load(Ordering::Relaxed) > MOST_CHANGES => break,
                None => {
                    let known = self.make_change(specialiser, joint);
                    let result = act(known.change.as_ref());
                    // Another thread may have been faster, with the same or another one.
                    let _ = place.set(known);
                    return result;
                }
            }
        }
        act(None)
    }

    #[cold]
    fn make_change(&self, specialiser: &Specialiser, joint: &[u32]) -> Box<Known> {
        let change = specialiser.change(&self.circuit, joint, self.most);
        let bytes = change.as_ref().map_or(64, Change::bytes);
        self.change_bytes.fetch_add(bytes, Ordering::Relaxed);
        let joint = joint.into();
        Box::new(Known { joint, change })
    }

    /// Runs a query on one position, which may need gates that are not live. Each of them is
    /// evaluated once.
    fn question<T>(&self, gates: &[Node], ask: impl FnOnce(&mut Memo) -> T) -> T {
        let count = self.circuit.graph.nodes.len() + gates.len();
        MEMO.with_borrow_mut(|memo| {
            memo.begin(count);
            ask(memo)
        })
    }

    fn evaluate(&self, live: &Live, gates: &[Node], value: Ref, memo: &mut Memo) -> bool {
        let node = value.node();
        let known = self.program.value(live, node).or_else(|| memo.get(node));
        let result = known.unwrap_or_else(|| {
            let nodes = &self.circuit.graph.nodes;
            let found = nodes
                .get(node)
                .unwrap_or_else(|| &gates[node - nodes.len()]);
            let result = match found {
                Node::And(inputs) => inputs
                    .iter()
                    .all(|input| self.evaluate(live, gates, *input, memo)),
                Node::Or(inputs) => inputs
                    .iter()
                    .any(|input| self.evaluate(live, gates, *input, memo)),
                Node::True => true,
                Node::Base(_) | Node::Does(_) | Node::Circle(..) | Node::CircleAnd(..) => false,
            };
            memo.set(node, result);
            result
        });
        result != value.is_negated()
    }

    /// Collects which facts change by themselves.
    #[inline]
    fn collect_flips(&self, position: &mut NetworkPosition) {
        let first = (self.flips / 64) as usize;
        for word in 0..self.flipping.len().div_ceil(64) {
            let mut bits = position.live.bits[first + word];
            while bits != 0 {
                let at = word * 64 + bits.trailing_zeros() as usize;
                position.changed.push(self.flipping[at]);
                bits &= bits - 1;
            }
        }
    }

    #[inline]
    fn collect_change(&self, position: &mut NetworkPosition, change: &Change) {
        for &(word, set, clear) in &change.certain {
            let facts = position.live.inputs[word as usize];
            let mut bits = (set & !facts) | (clear & facts);
            while bits != 0 {
                position.changed.push(word * 64 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
        let NetworkPosition { live, changed } = position;
        change.flips.collect(&live.inputs, changed);
        if change.open.is_empty() {
            return;
        }
        self.question(&change.gates, |memo| {
            for &(fact, next) in &change.open {
                let next = self.evaluate(live, &change.gates, next, memo);
                if next != bit(&live.inputs, fact as usize) {
                    changed.push(fact);
                }
            }
        });
    }

    fn collect_percepts(&self, position: &NetworkPosition, change: &Change, out: &mut Percepts) {
        self.question(&change.gates, |memo| {
            for (role, sees) in change.sees.iter().enumerate() {
                for (number, when) in sees {
                    if self.evaluate(&position.live, &change.gates, *when, memo) {
                        out[role].push(self.circuit.sees[role][*number as usize].0.clone());
                    }
                }
            }
        });
    }

    /// The percepts of a joint move whose moves are known to the gates.
    fn evaluate_percepts(&self, live: &Live, memo: &mut Memo, out: &mut Percepts) {
        for (role, sees) in self.circuit.sees.iter().enumerate() {
            let seen = sees
                .iter()
                .filter(|(_, when)| self.evaluate(live, &[], *when, memo));
            out[role].extend(seen.map(|(text, _)| text.clone()));
        }
    }

    /// The first goal of each role that holds; the largest comes first.
    fn goals_that(
        &self,
        roles: &[usize],
        holds: &mut impl FnMut(Ref) -> bool,
        take: &mut dyn FnMut(Option<i64>),
    ) -> Result<(), Failure> {
        for role in roles {
            let mut goals = self.circuit.goals[*role].iter();
            match goals.find(|(_, when)| holds(*when)) {
                Some((Some(value), _)) => take(Some(*value)),
                Some((None, _)) => {
                    let role = self.circuit.roles[*role].clone();
                    return Err(Failure::GoalValue(role));
                }
                None => take(None),
            }
        }
        Ok(())
    }

    /// Applies the collected changes.
    #[inline]
    fn apply(&self, position: &mut NetworkPosition) {
        let NetworkPosition { live, changed } = position;
        for fact in changed.drain(..) {
            self.program.set(live, fact as usize);
        }
        self.program.settle(live);
    }

    /// What a joint move without a program of its own changes in a position.
    #[cold]
    fn collect_effects(
        &self,
        specialiser: &Specialiser,
        position: &mut NetworkPosition,
        joint: &[u32],
        percepts: Option<&mut Percepts>,
    ) {
        let NetworkPosition { live, changed } = position;
        self.question(&[], |memo| {
            for node in moves_of(&self.circuit, joint) {
                memo.set(node as usize, true);
            }
            for node in &self.deep {
                self.evaluate(live, &[], Ref::of(*node), memo);
            }
            for &(fact, next) in specialiser.facts() {
                let next = self.evaluate(live, &[], next, memo);
                if next != bit(&live.inputs, fact as usize) {
                    changed.push(fact);
                }
            }
            if let Some(out) = percepts {
                self.evaluate_percepts(live, memo, out);
            }
        });
    }

    /// A step whose moves are inputs of the gates.
    fn step_by_inputs(
        &self,
        position: &mut NetworkPosition,
        joint: &[u32],
        percepts: Option<&mut Percepts>,
    ) {
        let moves = joint.iter().zip(&self.circuit.moves);
        let moves = moves.filter_map(|(mv, moves)| moves[*mv as usize].does);
        let inputs: Vec<usize> = moves
            .map(|number| self.program.move_input(number))
            .collect();
        for input in &inputs {
            self.program.set(&mut position.live, *input);
        }
        self.program.settle(&mut position.live);
        if let Some(out) = percepts {
            self.question(&[], |memo| {
                self.evaluate_percepts(&position.live, memo, out)
            });
        }
        self.collect_flips(position);
        for input in inputs {
            self.program.set(&mut position.live, input);
        }
        self.apply(position);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Facts that may be true.
    pub facts: usize,
    /// Moves that may be legal.
    pub moves: usize,
    pub gates: usize,
    /// Gates that are kept up to date with every change.
    pub live_gates: usize,
}

/// A program of the goals alone, if they need many gates that are not live, and no moves.
fn goals_apart(circuit: &Circuit, program: &Program) -> Result<Option<Program>, Ungroundable> {
    let goals = circuit.goals.iter().flatten().map(|(_, when)| *when);
    let mut seen = vec![false; circuit.graph.nodes.len()];
    let mut open: Vec<usize> = goals.clone().map(Ref::node).collect();
    let mut more = 0;
    while let Some(node) = open.pop() {
        if matches!(circuit.graph.nodes[node], Node::Does(_)) {
            return Ok(None);
        }
        if !std::mem::replace(&mut seen[node], true) {
            more += usize::from(!program.is_live(node));
            open.extend(circuit.graph.inputs(node).iter().map(|input| input.node()));
        }
    }
    let layout = Layout {
        graph: &circuit.graph,
        facts: circuit.facts.len(),
        moves: 0,
        bits: Vec::new(),
        words: 0,
        more: goals.map(Ref::node).collect(),
        circles: circuit.circles as usize,
    };
    (more > MANY_GATES)
        .then(|| Program::new(&layout))
        .transpose()
}

/// Assigns a bit to each fact that changes by itself: the fact differs from its next value.
fn place_flips(
    circuit: &Circuit,
    specialiser: Option<&Specialiser>,
    bits: &mut Bits,
) -> (u32, Vec<u32>) {
    let is_free = |fact: usize| {
        let next = circuit.next[fact];
        next != circuit.bases[fact] && specialiser.is_none_or(|all| !all.is_moved(next.node()))
    };
    let flipping: Vec<u32> = (0..circuit.facts.len())
        .filter(|fact| is_free(*fact))
        .map(|fact| fact as u32)
        .collect();
    let first = bits.reserve(flipping.len());
    for (at, fact) in flipping.iter().enumerate() {
        let index = first + at as u32;
        bits.values.push((index, circuit.bases[*fact as usize]));
        bits.values.push((index, circuit.next[*fact as usize]));
    }
    (first, flipping)
}

/// Deeper gates are not evaluated on demand, which takes a call for each level.
const DEEPEST: u32 = 400;

/// Circles are always live, since they cannot be evaluated gate by gate; and so are gates with very
/// many gates below them.
fn always_live(circuit: &Circuit) -> Vec<usize> {
    let nodes = &circuit.graph.nodes;
    let mut depths = vec![0u32; nodes.len()];
    let mut live = Vec::new();
    for node in 0..nodes.len() {
        let inputs = circuit.graph.inputs(node).iter();
        depths[node] = inputs
            .map(|input| depths[input.node()] + 1)
            .max()
            .unwrap_or(0);
        let is_circle = matches!(nodes[node], Node::Circle(..) | Node::CircleAnd(..));
        if is_circle || depths[node] > DEEPEST {
            depths[node] = 0;
            live.push(node);
        }
    }
    live
}

impl Engine for Network {
    type Position = NetworkPosition;
    type Snapshot = Box<[u64]>;

    fn roles(&self) -> &[String] {
        &self.circuit.roles
    }

    fn catalog(&self) -> Option<Catalog> {
        let moves = self.circuit.moves.iter().flatten();
        Some(Catalog {
            moves: moves.map(|mv| mv.text.clone()).collect(),
            facts: self.circuit.facts.clone(),
        })
    }

    fn start(&self) -> Result<NetworkPosition, Failure> {
        let init = self.circuit.init.iter().enumerate();
        let init = init.filter(|(_, holds)| **holds).map(|(fact, _)| fact);
        Ok(NetworkPosition {
            live: self.program.start(init),
            changed: Vec::new(),
        })
    }

    fn load(&self, facts: &[String]) -> Result<NetworkPosition, Failure> {
        let mut known = Vec::with_capacity(facts.len());
        for fact in facts {
            match self.fact_by_text.get(fact) {
                Some(number) => known.push(*number as usize),
                None => return Err(Failure::NoFact(fact.clone())),
            }
        }
        Ok(NetworkPosition {
            live: self.program.start(known.into_iter()),
            changed: Vec::new(),
        })
    }

    fn facts(&self, position: &NetworkPosition) -> Vec<String> {
        let facts = self.circuit.facts.iter().enumerate();
        let facts = facts.filter(|(number, _)| bit(&position.live.inputs, *number));
        facts.map(|(_, fact)| fact.clone()).collect()
    }

    fn snapshot(&self, position: &NetworkPosition) -> Box<[u64]> {
        position.live.inputs.as_slice().into()
    }

    fn restore(
        &self,
        position: &mut NetworkPosition,
        snapshot: &Box<[u64]>,
    ) -> Result<(), Failure> {
        for (word, facts) in snapshot.iter().enumerate() {
            let mut bits = position.live.inputs[word] ^ facts;
            while bits != 0 {
                self.program.set(
                    &mut position.live,
                    word * 64 + bits.trailing_zeros() as usize,
                );
                bits &= bits - 1;
            }
        }
        self.program.settle(&mut position.live);
        Ok(())
    }

    #[inline]
    fn is_over(&self, position: &NetworkPosition) -> bool {
        self.bit(position, self.terminal)
    }

    #[inline]
    fn count_legal(&self, position: &NetworkPosition, role: usize) -> usize {
        self.legal_words(position, role)
            .map(|(_, bits)| bits.count_ones() as usize)
            .sum()
    }

    #[inline]
    fn nth_legal(&self, position: &NetworkPosition, role: usize, mut index: usize) -> u32 {
        for (first, mut bits) in self.legal_words(position, role) {
            let count = bits.count_ones() as usize;
            if index >= count {
                index -= count;
                continue;
            }
            for _ in 0..index {
                bits &= bits - 1;
            }
            return self.roles[role].moves[(first + bits.trailing_zeros()) as usize];
        }
        unreachable!("the index is below the number of legal moves")
    }

    fn legal(&self, position: &NetworkPosition, role: usize, out: &mut Vec<u32>) {
        out.clear();
        for (first, mut bits) in self.legal_words(position, role) {
            while bits != 0 {
                out.push(self.roles[role].moves[(first + bits.trailing_zeros()) as usize]);
                bits &= bits - 1;
            }
        }
        // Moves are numbered in the order of their texts.
        out.sort_unstable();
    }

    fn is_legal(&self, position: &NetworkPosition, role: usize, mv: u32) -> bool {
        let moves = &self.roles[role].moves;
        self.legal_words(position, role).any(|(first, mut bits)| {
            while bits != 0 {
                if moves[(first + bits.trailing_zeros()) as usize] == mv {
                    return true;
                }
                bits &= bits - 1;
            }
            false
        })
    }

    fn text<'a>(&'a self, _: &'a NetworkPosition, role: usize, mv: u32) -> &'a str {
        &self.circuit.moves[role][mv as usize].text
    }

    fn find(&self, _: &NetworkPosition, role: usize, text: &str) -> Option<u32> {
        self.by_text[role].get(text).copied()
    }

    fn each_goal(
        &self,
        position: &NetworkPosition,
        roles: &[usize],
        take: &mut dyn FnMut(Option<i64>),
    ) -> Result<(), Failure> {
        if let Some(program) = &self.goals {
            return GOALS.with_borrow_mut(|live| {
                program.restart(live, &position.live);
                let mut holds = |when: Ref| {
                    let value = program.value(live, when.node());
                    value.is_some_and(|value| value != when.is_negated())
                };
                self.goals_that(roles, &mut holds, take)
            });
        }
        self.question(&[], |memo| {
            let mut holds = |when| self.evaluate(&position.live, &[], when, memo);
            self.goals_that(roles, &mut holds, take)
        })
    }

    fn games_at_once(&self) -> u32 {
        self.lanes().map_or(1, |_| lanes::IN_A_WORD)
    }

    fn play_many(
        &self,
        series: &Series<'_, &NetworkPosition>,
        rng: &mut Rng,
        take: TakeGame<'_>,
    ) -> Option<Result<(), SeriesError<NetworkPosition>>> {
        if series.count < LEAST_AT_ONCE {
            return None;
        }
        let lanes = self.lanes()?;
        let series = Series {
            seats: series.seats,
            from: series.from.live.inputs.clone(),
            ply: series.ply,
            last: series.last,
            count: series.count,
            first: series.first,
        };
        let played = if series.count < lanes::IN_A_WORD * WIDE as u32 {
            lanes::play::<1>(lanes, &series, rng, take)
        } else {
            lanes::play::<WIDE>(lanes, &series, rng, take)
        };
        Some(played.map_err(|broken| match broken {
            Broken::Failure(failure) => SeriesError::Failure(failure),
            Broken::Stuck { facts, role } => SeriesError::Stuck {
                position: self.position_of(&facts),
                role,
            },
            Broken::Endless => SeriesError::Endless,
        }))
    }

    #[inline]
    fn step(
        &self,
        position: &mut NetworkPosition,
        joint: &[u32],
        percepts: Option<&mut Percepts>,
    ) -> Result<(), Failure> {
        let Some(specialiser) = &self.specialiser else {
            self.step_by_inputs(position, joint, percepts);
            return Ok(());
        };
        self.collect_flips(position);
        self.with_change(specialiser, joint, |change| match change {
            Some(change) => {
                if let Some(out) = percepts {
                    self.collect_percepts(position, change, out);
                }
                self.collect_change(position, change);
            }
            None => self.collect_effects(specialiser, position, joint, percepts),
        });
        self.apply(position);
        Ok(())
    }
}
