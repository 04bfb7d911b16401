//! The state of a match: position, clocks, moves and faults, and the messages that follow from
//! them.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use games::session::{MoveError, Tally};
use games::settlement::Settlement;
use games::{Actor, BrokenRules, Limits, Rng, Rules, Session};
use protocol::{
    AdjudicatedBy, Adjudication, BotHello, End, Failure, Fault, FaultCode, LoggedMove, MatchResult,
    Millis, MoveList, MoveText, Offer, Opponent, PlayedMove, Start, StateJson, ToBot, Turn, Wants,
    excerpt, faults,
};
use serde_json::Value;
use smallvec::SmallVec;

use crate::adjudication::{self, LimitWatch};
use crate::chance::{Chance, Draws};
use crate::clock::{self, Clock, Used};
use crate::early_end::{EarlyEnds, Opinions};
use crate::open_turn::MadeMove;
use crate::setup::{SeatSetup, Setup, wire_limits};

/// How many characters sentences quote of a list that a bot has sent.
const MAX_QUOTED_LIST: usize = 200;

pub(crate) struct MatchState {
    match_id: String,
    seed: u64,
    rules: Arc<dyn Rules>,
    limits: Limits,
    seats: Vec<SeatSetup>,
    /// What each seat is sent of the start: the state, or what it may know of it.
    start: Vec<Value>,
    pub(crate) session: Box<dyn Session>,
    pub(crate) clocks: Vec<Clock>,
    pub(crate) wants: Vec<Wants>,
    pub(crate) moves: Vec<LoggedMove>,
    /// How many plies each seat has been sent.
    sent: Vec<usize>,
    /// What each seat perceived of each step; empty unless the game has hidden information.
    perceived: Vec<Vec<Vec<Value>>>,
    /// How many steps each seat has been sent what it perceived of.
    sent_steps: Vec<usize>,
    faults: Vec<Fault>,
    pub(crate) at_fault: Vec<bool>,
    /// What will make each seat lose when its next turn comes.
    pub(crate) pending: Vec<Option<Failure>>,
    watch: LimitWatch,
    /// The reason, if a limit has ended the match.
    stopped: Option<&'static str>,
    early_ends: EarlyEnds,
    opinions: Opinions,
    /// What was adjudicated first.
    adjudication: Option<Adjudication>,
    /// The ply at which settling was tried last.
    settling_tried: Option<u32>,
    /// The random moves of seats at fault.
    forced: Rng,
    chance: Chance,
    /// What is not drawn, because it is recorded, by the number of the ply.
    recorded: Vec<Option<MoveText>>,
}

impl MatchState {
    pub(crate) fn new(setup: Setup) -> Result<Self, BrokenRules> {
        let seats = setup.seats.len();
        let draws = Draws::of(setup.seed, setup.deal);
        let clocks = setup.seats.iter().map(|p| Clock::new(p.time.clone()));
        let start = if setup.rules.info().hidden {
            let known = (0..seats).map(|seat| setup.start.observation(seat));
            known.collect::<Result<_, _>>()?
        } else {
            vec![setup.start.state()?; seats]
        };
        let mut table = MatchState {
            match_id: setup.match_id,
            seed: setup.seed,
            limits: setup.limits,
            start,
            session: setup.start,
            clocks: clocks.collect(),
            wants: vec![Wants::default(); seats],
            moves: Vec::new(),
            sent: vec![0; seats],
            perceived: Vec::new(),
            sent_steps: vec![0; seats],
            faults: Vec::new(),
            at_fault: vec![false; seats],
            pending: vec![None; seats],
            watch: LimitWatch::new(setup.limits),
            stopped: None,
            early_ends: EarlyEnds {
                // Alone, a bot would give itself half a point.
                offers: setup.early_ends.offers && seats > 1,
                ..setup.early_ends
            },
            opinions: Opinions::new(seats),
            adjudication: None,
            settling_tried: None,
            forced: draws.forced(),
            chance: Chance::with(draws),
            recorded: setup.recorded,
            rules: setup.rules,
            seats: setup.seats,
        };
        table.stopped = table.watch.see(&*table.session)?;
        table.play_opening(setup.opening)?;
        Ok(table)
    }

    /// Makes the plies of the opening, which end with a whole step.
    fn play_opening(&mut self, opening: Vec<String>) -> Result<(), BrokenRules> {
        let mut plies = opening.into_iter();
        while plies.len() > 0 {
            let actors: SmallVec<[Actor; 1]> = self.session.to_move().actors().collect();
            assert!(!actors.is_empty(), "openings do not end games");
            let step = plies.by_ref().take(actors.len());
            let step: SmallVec<[MoveText; 1]> = step.map(MoveText::from).collect();
            match self.make(&step) {
                Err(MoveError::Broken(broken)) => return Err(broken),
                made => made.expect("openings are legal"),
            }
            for (actor, mv) in actors.into_iter().zip(step) {
                match actor {
                    Actor::Seat(seat) => self.push(Some(seat), mv, MadeBy::Referee),
                    Actor::Chance => {
                        self.chance.skip();
                        self.push(None, mv, MadeBy::Referee);
                    }
                }
            }
        }
        Ok(())
    }

    /// The CPU time that a seat may use in the match; `None` if it is not limited.
    pub(crate) fn cpu_time(&self, seat: usize) -> Option<Duration> {
        self.seats[seat].cpu_time
    }

    /// How many bytes of `info` are kept with a seat's move.
    pub(crate) fn info_bytes(&self, seat: usize) -> u64 {
        self.seats[seat].info_bytes
    }

    /// The fault of a bot whose `hello` says that it does not play this game.
    pub(crate) fn refusal(&self, hello: &BotHello) -> Option<Failure> {
        let game = &self.rules.info().id;
        let games = hello.games.as_ref()?;
        let plays = games.contains(game);
        (!plays).then(|| {
            let list = excerpt(format!("{games:?}").as_bytes(), MAX_QUOTED_LIST);
            faults::other_games(&list, game)
        })
    }

    pub(crate) fn start_message(&self, seat: usize) -> Result<ToBot, BrokenRules> {
        let roles = self.rules.roles();
        let players = self.seats.iter().zip(roles);
        let known = Some(self.start[seat].clone());
        let (state, observation) = if self.rules.info().hidden {
            (None, known)
        } else {
            (known, None)
        };
        Ok(ToBot::Start(Box::new(Start {
            match_id: self.match_id.clone(),
            game: self.rules.info().id.clone(),
            options: self.rules.options().to_json(),
            seat,
            role: roles[seat].clone(),
            players: players
                .map(|(player, role)| Opponent {
                    name: player.name.clone(),
                    role: role.clone(),
                })
                .collect(),
            state,
            observation,
            time: self.seats[seat].time.clone(),
            limits: wire_limits(self.limits),
            offers: self.early_ends.offers,
        })))
    }

    pub(crate) fn turn_message(&mut self, seat: usize) -> Result<ToBot, BrokenRules> {
        let wants = self.wants[seat];
        let hidden = self.rules.info().hidden;
        let (mut state, mut observation) = (None, None);
        if wants.state && hidden {
            observation = Some(self.session.observation(seat)?);
        } else if wants.state {
            state = Some(match self.session.state_text()? {
                Some(text) => StateJson::Text(text),
                None => StateJson::Tree(self.session.state()?),
            });
        }
        let legal = if wants.legal {
            let mut legal = MoveList::default();
            self.session.each_legal(seat, &mut |mv| legal.push(mv))?;
            Some(legal)
        } else {
            None
        };
        Ok(ToBot::Turn(Box::new(Turn {
            ply: self.session.ply(),
            moves: self.news(seat),
            sees: hidden.then(|| self.new_perceptions(seat)),
            state,
            observation,
            legal,
            clock: clock::state(&self.clocks, seat),
            offers: if self.early_ends.offers {
                self.opinions.offers_to(seat)
            } else {
                Vec::new()
            },
            lines: None,
        })))
    }

    pub(crate) fn end_message(&mut self, seat: usize, result: &MatchResult) -> ToBot {
        if self.rules.info().hidden {
            // Nothing is hidden any more.
            self.sent[seat] = 0;
        }
        ToBot::End(Box::new(End {
            moves: played(&self.moves[self.sent[seat]..]).collect(),
            result: result.clone(),
        }))
    }

    /// The plies that a seat has not been sent yet; its own alone if the game has hidden information.
    fn news(&mut self, seat: usize) -> Vec<PlayedMove> {
        let from = std::mem::replace(&mut self.sent[seat], self.moves.len());
        let news = played(&self.moves[from..]);
        if self.rules.info().hidden {
            news.filter(|played| played.seat == Some(seat)).collect()
        } else {
            news.collect()
        }
    }

    /// What a seat perceived of each step since it was asked last.
    fn new_perceptions(&mut self, seat: usize) -> Vec<Vec<Value>> {
        let from = std::mem::replace(&mut self.sent_steps[seat], self.perceived.len());
        let steps = self.perceived[from..].iter();
        steps
            .map(|seats| seats.get(seat).cloned().unwrap_or_default())
            .collect()
    }

    /// Makes the step in which these seats have made their moves, and charges their clocks. Seats at
    /// fault move at random, and chance takes its course.
    ///
    /// # Errors
    /// If one of the moves is illegal, or rules from outside do not work.
    pub(crate) fn play(
        &mut self,
        moves: &mut [(usize, MadeMove, Duration)],
    ) -> Result<(), MoveError> {
        let actors: SmallVec<[Actor; 1]> = self.session.to_move().actors().collect();
        let mut step = SmallVec::<[MoveText; 1]>::new();
        for &actor in &actors {
            step.push(match actor {
                Actor::Seat(seat) => match moves.iter().find(|made| made.0 == seat) {
                    Some((_, made, _)) => made.mv.clone(),
                    None => match self.recorded(step.len()) {
                        Some(recorded) => recorded,
                        None => self.forced_move(seat)?,
                    },
                },
                Actor::Chance => match self.recorded(step.len()) {
                    Some(recorded) => recorded,
                    None => MoveText::from(self.chance.draw(&*self.session)?),
                },
            });
        }
        self.make(&step)?;
        for (actor, mv) in actors.into_iter().zip(step) {
            let Actor::Seat(seat) = actor else {
                self.push(None, mv, MadeBy::Referee);
                continue;
            };
            match moves.iter_mut().find(|made| made.0 == seat) {
                Some((_, made, suspended)) => {
                    self.clocks[seat].charge(made.used);
                    let (info, offer) = (made.info.take(), made.offer.take());
                    let rules = &self.early_ends;
                    self.opinions
                        .note(rules, seat, info.as_ref(), offer.as_ref());
                    self.push(Some(seat), mv, MadeBy::Bot(made.used, info, offer));
                    self.note_suspended(*suspended);
                }
                None => self.push(Some(seat), mv, MadeBy::Force),
            }
        }
        Ok(())
    }

    /// Makes a step in which no bot is asked.
    pub(crate) fn play_alone(&mut self) -> Result<(), BrokenRules> {
        self.play(&mut []).map_err(refused)
    }

    /// What is recorded for the ply that comes this many after the next one.
    fn recorded(&self, ahead: usize) -> Option<MoveText> {
        self.recorded.get(self.moves.len() + ahead)?.clone()
    }

    /// A random move for a seat at fault.
    fn forced_move(&mut self, seat: usize) -> Result<MoveText, BrokenRules> {
        let mv = self.session.random_move(seat, &mut self.forced)?;
        mv.map(MoveText::from).ok_or_else(|| {
            BrokenRules::new(format!(
                "the rules list no move for seat {seat}, which is to move"
            ))
        })
    }

    /// Notes that the referee did not run for a while during the turn of the last move.
    fn note_suspended(&mut self, suspended: Duration) {
        if let Some(last) = self.moves.last_mut()
            && !suspended.is_zero()
        {
            last.suspended_ms = Some(Millis(suspended));
        }
    }

    fn make(&mut self, step: &[MoveText]) -> Result<(), MoveError> {
        let choices: SmallVec<[&str; 1]> = step.iter().map(MoveText::as_str).collect();
        self.session.play_step(&choices)?;
        if self.rules.info().hidden {
            self.perceived.push(self.session.sees().to_vec());
        }
        self.stopped = self.watch.see(&*self.session)?;
        Ok(())
    }

    fn push(&mut self, seat: Option<usize>, mv: MoveText, by: MadeBy) {
        let forced = matches!(by, MadeBy::Force);
        let (used, info, offer) = match by {
            MadeBy::Bot(used, info, offer) => (used, info, offer),
            MadeBy::Referee | MadeBy::Force => (Used::default(), None, None),
        };
        self.moves.push(LoggedMove {
            seat,
            mv,
            ms: Millis(used.wall),
            cpu_ms: used.cpu.map(Millis),
            suspended_ms: None,
            info,
            offer,
            forced,
            analysis: Box::default(),
        });
    }

    pub(crate) fn set_pending(&mut self, seat: usize, failure: Failure) {
        let pending = &mut self.pending[seat];
        // How a bot crashed may become known later than the crash.
        let crash = |failure: &Failure| failure.code == FaultCode::Crash;
        if pending
            .as_ref()
            .is_none_or(|old| crash(old) && crash(&failure))
        {
            *pending = Some(failure);
        }
    }

    pub(crate) fn blame(&mut self, seat: usize, code: FaultCode, message: String) {
        self.at_fault[seat] = true;
        self.faults.push(Fault {
            seat,
            code,
            ply: self.session.ply(),
            message,
            ms: None,
            cpu_ms: None,
            answered: false,
        });
    }

    /// Notes how much time a turn had taken when a seat was found to be late, and whether an answer
    /// had come by then.
    pub(crate) fn note_late(&mut self, seat: usize, used: Used, answered: bool) {
        if let Some(fault) = self.faults.iter_mut().find(|fault| fault.seat == seat) {
            fault.ms = Some(Millis(used.wall));
            fault.cpu_ms = used.cpu.map(Millis);
            fault.answered = answered;
        }
    }

    /// Whether faults alone have decided the match.
    pub(crate) fn is_decided(&self) -> bool {
        adjudication::decided_by_faults(&self.at_fault)
    }

    /// The reason why the match is over, apart from faults.
    pub(crate) fn ended(&self) -> Option<Cow<'_, str>> {
        self.session.reason().or(self.stopped.map(Cow::Borrowed))
    }

    /// Judges what the bots have said, unless something was adjudicated before. Once a bot is at fault,
    /// results are not those of the game any more.
    pub(crate) fn adjudicate(&mut self) -> Result<(), BrokenRules> {
        if self.adjudication.is_some() || !self.faults.is_empty() || self.ended().is_some() {
            return Ok(());
        }
        let none = EarlyEnds {
            settled: None,
            play_out: 0.0,
            ..self.early_ends
        };
        if none == EarlyEnds::default() {
            return Ok(());
        }
        let scores = self.session.tally()?.scores;
        let verdict = self
            .opinions
            .verdict(&self.early_ends, self.moves.len() as u32, &scores);
        if let Some(verdict) = verdict {
            self.note_adjudication(verdict);
        }
        Ok(())
    }

    fn note_adjudication(&mut self, verdict: Adjudication) {
        let played_out = self.early_ends.is_played_out(self.seed, &self.match_id);
        self.adjudication = Some(Adjudication {
            played_out,
            ..verdict
        });
    }

    /// How many positions to look at to settle the position; `None` if this is not to be tried.
    pub(crate) fn settling_budget(&mut self) -> Option<u32> {
        let budget = self
            .early_ends
            .settled
            .filter(|_| self.rules.description().settles)?;
        let ply = Some(self.session.ply());
        let is_open = self.adjudication.is_none() && self.faults.is_empty();
        let is_new = std::mem::replace(&mut self.settling_tried, ply) != ply;
        (is_open && is_new).then_some(budget)
    }

    /// Takes note of what counting has found.
    pub(crate) fn settle(
        &mut self,
        settlement: Option<Settlement>,
        positions: u32,
        took: Duration,
    ) {
        let Some(Settlement { scores, outcome }) = settlement else {
            return;
        };
        let budget = self.early_ends.settled.unwrap_or_default();
        self.note_adjudication(Adjudication {
            ply: self.moves.len() as u32,
            by: AdjudicatedBy::Settled {
                budget,
                positions,
                ms: Millis(took),
            },
            scores,
            outcome,
            played_out: false,
        });
    }

    /// What has ended the match before its game did.
    fn ended_early(&self) -> Option<&Adjudication> {
        self.adjudication
            .as_ref()
            .filter(|early| !early.played_out && self.faults.is_empty())
    }

    /// What was adjudicated first.
    pub(crate) fn into_log(self) -> (Vec<LoggedMove>, Option<Adjudication>) {
        (self.moves, self.adjudication)
    }

    /// The result; `None` if the match is not over.
    pub(crate) fn result(&self) -> Result<Option<MatchResult>, BrokenRules> {
        let ended = self.ended();
        if let (None, Some(early)) = (&ended, self.ended_early()) {
            return Ok(Some(MatchResult {
                scores: early.scores.clone(),
                outcome: early.outcome.clone(),
                reason: early.by.reason().to_owned(),
                faults: Vec::new(),
            }));
        }
        if !self.is_decided() && ended.is_none() {
            return Ok(None);
        }
        let Tally { scores, outcome } = match self.session.end() {
            Some(end) => end.tally,
            None => self.session.tally()?,
        };
        let (outcome, reason) = if self.faults.is_empty() {
            (outcome, ended.unwrap_or_default().into_owned())
        } else {
            let outcome = adjudication::forfeit_outcome(&outcome, &self.at_fault);
            (outcome, adjudication::FORFEIT.to_owned())
        };
        Ok(Some(MatchResult {
            scores,
            outcome,
            reason,
            faults: self.faults.clone(),
        }))
    }
}

/// Who makes a move, and what belongs to it.
enum MadeBy {
    /// A bot, with what it used, says and offers.
    Bot(Used, Option<Value>, Option<Offer>),
    /// The referee, in the opening or for chance.
    Referee,
    /// The referee, for a seat at fault.
    Force,
}

/// The failure of rules that refuse a step of moves which they have listed or taken before.
pub(crate) fn refused(error: MoveError) -> BrokenRules {
    match error {
        MoveError::Broken(broken) => broken,
        other => BrokenRules::new(format!("the rules refuse a move that they list: {other}")),
    }
}

/// Plies as bots are sent them.
fn played(moves: &[LoggedMove]) -> impl Iterator<Item = PlayedMove> {
    moves.iter().map(|played| PlayedMove {
        seat: played.seat,
        mv: played.mv.clone(),
    })
}
