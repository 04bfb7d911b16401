//! The state of a match: position, clocks, moves and faults, and the messages that follow from
//! them.

use std::sync::Arc;
use std::time::Duration;

use games::session::MoveError;
use games::{Limits, Rng, Rules, Session};
use protocol::{
    BotHello, End, Failure, Fault, FaultCode, LoggedMove, MatchResult, Millis, MoveList, MoveText,
    Opponent, PlayedMove, Start, ToBot, Turn, Wants, excerpt, faults,
};

use crate::adjudication::{self, LimitWatch};
use crate::clock::{self, Clock, Used};
use crate::setup::{SeatSetup, Setup, wire_limits};

/// Separates the random moves of seats at fault from other streams of the match's seed.
const FORCED_MOVES: u64 = 2;
/// How many characters sentences quote of a list that a bot has sent.
const MAX_QUOTED_LIST: usize = 200;

pub(crate) struct MatchState {
    match_id: String,
    rules: Arc<dyn Rules>,
    limits: Limits,
    seats: Vec<SeatSetup>,
    start: serde_json::Value,
    pub(crate) session: Box<dyn Session>,
    pub(crate) clocks: Vec<Clock>,
    pub(crate) wants: Vec<Wants>,
    pub(crate) moves: Vec<LoggedMove>,
    /// How many plies each seat has been sent.
    told: Vec<usize>,
    faults: Vec<Fault>,
    pub(crate) at_fault: Vec<bool>,
    /// What will make each seat lose when its next turn comes.
    pub(crate) pending: Vec<Option<Failure>>,
    watch: LimitWatch,
    /// The reason, if a limit has ended the match.
    stopped: Option<&'static str>,
    rng: Rng,
}

impl MatchState {
    pub(crate) fn new(setup: Setup) -> Self {
        let seats = setup.seats.len();
        let clocks = setup.seats.iter().map(|p| Clock::new(p.time.clone()));
        let mut table = MatchState {
            match_id: setup.match_id,
            limits: setup.limits,
            start: setup.start.state(),
            session: setup.start,
            clocks: clocks.collect(),
            wants: vec![Wants::default(); seats],
            moves: Vec::new(),
            told: vec![0; seats],
            faults: Vec::new(),
            at_fault: vec![false; seats],
            pending: vec![None; seats],
            watch: LimitWatch::new(setup.limits),
            stopped: None,
            rng: Rng::from_parts(&[setup.seed, FORCED_MOVES]),
            rules: setup.rules,
            seats: setup.seats,
        };
        table.stopped = table.watch.see(&*table.session);
        for mv in setup.opening {
            let seat = table.session.to_move().expect("openings do not end games");
            let played = table.make(seat, &mv);
            played.expect("openings are legal");
            table.push(seat, mv.into(), Used::default(), None, false);
        }
        table
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
        let game = self.rules.info().id;
        let games = hello.games.as_ref()?;
        let plays = games.iter().any(|id| id == game);
        (!plays).then(|| {
            let list = excerpt(format!("{games:?}").as_bytes(), MAX_QUOTED_LIST);
            faults::other_games(&list, game)
        })
    }

    pub(crate) fn start_message(&self, seat: usize) -> ToBot {
        let roles = self.rules.roles();
        let players = self.seats.iter().zip(roles);
        ToBot::Start(Box::new(Start {
            match_id: self.match_id.clone(),
            game: self.rules.info().id.to_owned(),
            options: self.rules.options().to_json(),
            seat,
            role: roles[seat].to_owned(),
            players: players
                .map(|(player, role)| Opponent {
                    name: player.name.clone(),
                    role: (*role).to_owned(),
                })
                .collect(),
            state: self.start.clone(),
            time: self.seats[seat].time.clone(),
            limits: wire_limits(self.limits),
        }))
    }

    pub(crate) fn turn_message(&mut self, seat: usize) -> ToBot {
        let wants = self.wants[seat];
        ToBot::Turn(Box::new(Turn {
            ply: self.session.ply(),
            moves: self.news(seat),
            state: wants.state.then(|| self.session.state()),
            legal: wants.legal.then(|| {
                let mut legal = MoveList::default();
                self.session.each_legal(&mut |mv| legal.push(mv));
                legal
            }),
            clock: clock::state(&self.clocks, seat),
        }))
    }

    pub(crate) fn end_message(&mut self, seat: usize, result: &MatchResult) -> ToBot {
        ToBot::End(Box::new(End {
            moves: self.news(seat),
            result: result.clone(),
        }))
    }

    /// The plies that a seat has not been sent yet.
    fn news(&mut self, seat: usize) -> Vec<PlayedMove> {
        let from = std::mem::replace(&mut self.told[seat], self.moves.len());
        let news = self.moves[from..].iter().map(|played| PlayedMove {
            seat: played.seat,
            mv: played.mv.clone(),
        });
        news.collect()
    }

    /// Plays a bot's move and charges its clock.
    pub(crate) fn play(
        &mut self,
        seat: usize,
        mv: MoveText,
        used: Used,
        info: Option<serde_json::Value>,
    ) -> Result<(), MoveError> {
        self.make(seat, &mv)?;
        self.clocks[seat].charge(used);
        self.push(seat, mv, used, info, false);
        Ok(())
    }

    /// Notes that the referee did not run for a while during the turn of the last move.
    pub(crate) fn note_suspended(&mut self, suspended: Duration) {
        if let Some(last) = self.moves.last_mut() {
            last.suspended_ms = Some(Millis(suspended));
        }
    }

    /// Plays a random move for a seat at fault.
    pub(crate) fn play_forced(&mut self, seat: usize) {
        if let Some(mv) = self.session.random_move(&mut self.rng) {
            let played = self.make(seat, &mv);
            played.expect("drawn from the legal moves");
            self.push(seat, mv.into(), Used::default(), None, true);
        }
    }

    fn make(&mut self, seat: usize, mv: &str) -> Result<(), MoveError> {
        debug_assert_eq!(self.session.to_move(), Some(seat));
        self.session.play(mv)?;
        self.stopped = self.watch.see(&*self.session);
        Ok(())
    }

    fn push(
        &mut self,
        seat: usize,
        mv: MoveText,
        used: Used,
        info: Option<serde_json::Value>,
        forced: bool,
    ) {
        self.moves.push(LoggedMove {
            seat,
            mv,
            ms: Millis(used.wall),
            cpu_ms: used.cpu.map(Millis),
            suspended_ms: None,
            info,
            forced,
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

    /// The reason why the match is over, apart from faults.
    pub(crate) fn ended(&self) -> Option<&'static str> {
        self.session.reason().or(self.stopped)
    }

    /// The result; `None` if the match is not over.
    pub(crate) fn result(&self) -> Option<MatchResult> {
        let decided = adjudication::decided_by_faults(&self.at_fault);
        let ended = self.ended();
        if !decided && ended.is_none() {
            return None;
        }
        let outcome = self.session.outcome();
        let (outcome, reason) = if self.faults.is_empty() {
            (outcome.to_vec(), ended.unwrap_or_default())
        } else {
            let outcome = adjudication::forfeit_outcome(&outcome, &self.at_fault);
            (outcome, adjudication::FORFEIT)
        };
        Some(MatchResult {
            scores: self
                .session
                .scores()
                .iter()
                .map(|s| i64::from(*s))
                .collect(),
            outcome,
            reason: reason.to_owned(),
            faults: self.faults.clone(),
        })
    }
}
