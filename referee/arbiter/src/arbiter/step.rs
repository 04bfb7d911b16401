//! A step: one or more seats are asked for moves, and when all have answered, the step is played.

use games::session::MoveError;
use games::{BrokenRules, ToMove};
use protocol::{BadMessage, BotMove, FromBot, faults};
use serde_json::Value;
use smallvec::SmallVec;

use super::game::refused;
use super::turn::{Answer, Late, MadeMove, OpenTurn, SeatFault};
use super::{Arbiter, Phase};
use crate::clock::Used;
use crate::early_end;
use crate::events::{Action, Reading};

/// The answers of a step, in the order of the seats.
#[derive(Default)]
struct Answers {
    moves: SmallVec<[MadeMove; 1]>,
    faults: SmallVec<[SeatFault; 1]>,
}

impl Arbiter {
    /// Asks the seats that are to move and not at fault. False if all of them have failed before:
    /// the step has ended.
    pub(super) fn open_step(&mut self, to_move: ToMove) -> Result<bool, BrokenRules> {
        for number in to_move.seats() {
            if self.is_at_fault(number) {
                continue;
            }
            let seat = &mut self.seats[number];
            seat.stall = None;
            let pending = seat.pending.take();
            if pending.is_none() {
                let message = self.turn_message(number)?;
                let seat = number;
                self.actions.push(Action::Send { seat, message });
            }
            self.seats[number].turn = Some(OpenTurn::new(pending));
        }
        if self.awaited().next().is_none() {
            let Answers { faults, .. } = self.take_answers();
            self.blame(faults);
            return Ok(false);
        }
        self.phase = Phase::Step;
        Ok(true)
    }

    pub(super) fn close_turns(&mut self) {
        for seat in &mut self.seats {
            seat.turn = None;
        }
    }

    /// A line during the game, of a seat that may or may not have been asked.
    pub(super) fn step_line(
        &mut self,
        seat: usize,
        message: Result<FromBot, BadMessage>,
        now: Reading,
    ) -> Result<(), BrokenRules> {
        let asked = self.seats[seat].open_turn().and_then(|turn| turn.asked);
        let Some(asked) = asked else {
            self.unasked(seat, message);
            return Ok(());
        };
        let used = now.since(asked);
        if let Some(failure) = self.seats[seat].exceeded(used, now) {
            let answered = matches!(message, Ok(FromBot::Move(_) | FromBot::Fault(_)));
            let failure = self.with_cpu_time(seat, failure, used);
            return self.end_late_turn(seat, failure, Late { used, answered });
        }
        self.answer(seat, message, used)
    }

    /// A line of a seat whose answer is not awaited. Late answers and `info` are dropped. What
    /// would lose the match counts at the seat's next turn, so that the result does not depend on
    /// timing.
    fn unasked(&mut self, seat: usize, message: Result<FromBot, BadMessage>) {
        let failure = match message {
            Ok(FromBot::Resign {}) => faults::resigned(),
            Ok(FromBot::Ready {}) => faults::unasked("ready"),
            Ok(FromBot::Hello(_)) => faults::unasked("hello"),
            Ok(FromBot::Fault(_)) => faults::unasked("fault"),
            Ok(FromBot::Move(_) | FromBot::Info(_) | FromBot::Offer(_)) => return,
            Err(bad) => faults::bad_line(&bad),
        };
        self.seats[seat].set_pending(failure);
    }

    /// A line in time, of a seat whose answer is awaited.
    fn answer(
        &mut self,
        number: usize,
        message: Result<FromBot, BadMessage>,
        used: Used,
    ) -> Result<(), BrokenRules> {
        let fault = match message {
            Ok(FromBot::Info(info)) => {
                let seat = &mut self.seats[number];
                let max_info = seat.max_info;
                if let Some(turn) = seat.open_turn_mut() {
                    turn.info.add(info.fields, max_info);
                }
                return Ok(());
            }
            Ok(FromBot::Offer(offer)) => match early_end::exact_offer(offer, self.seats.len()) {
                Err(error) => faults::wrong_offer(&error.to_string()),
                Ok(offer) => {
                    if let Some(turn) = self.seats[number].open_turn_mut() {
                        turn.offer = Some(offer);
                    }
                    return Ok(());
                }
            },
            Ok(FromBot::Move(mv)) => return self.moved(number, mv, used),
            Ok(FromBot::Resign {}) => faults::resigned(),
            Ok(FromBot::Fault(fault)) => faults::no_move(fault.message.as_deref()),
            Ok(FromBot::Ready {}) => faults::unexpected("ready", "turn"),
            Ok(FromBot::Hello(_)) => faults::unexpected("hello", "turn"),
            Err(bad) => faults::bad_line(&bad),
        };
        self.answered(number, Answer::fault(fault))
    }

    /// A move in time. It is dropped if it answers another ply.
    fn moved(&mut self, seat: usize, mv: BotMove, used: Used) -> Result<(), BrokenRules> {
        let ply = self.game.session().ply();
        if let Some(answered) = mv.ply.filter(|answered| *answered != ply) {
            let dropped = format!("an answer to ply {answered} instead of {ply} was dropped");
            self.seats[seat].stall = Some(dropped);
            return Ok(());
        }
        let answer = match self.game.check(seat, &mv.mv) {
            Ok(()) => Answer::Move {
                mv: mv.mv,
                used,
                info: mv.info,
            },
            Err(MoveError::Broken(broken)) => return Err(broken),
            Err(error) => {
                let failure = self.game.illegal_move(seat, &mv.mv, &error)?;
                let max_info = self.seats[seat].max_info;
                if let (Some(Value::Object(info)), Some(turn)) =
                    (mv.info, self.seats[seat].open_turn_mut())
                {
                    turn.info.add(info, max_info);
                }
                Answer::fault(failure)
            }
        };
        self.answered(seat, answer)
    }

    /// Closes a turn. The step ends when all turns are closed: no seat learns anything before.
    pub(super) fn answered(&mut self, seat: usize, answer: Answer) -> Result<(), BrokenRules> {
        if let Some(turn) = self.seats[seat].open_turn_mut() {
            turn.answer = Some(answer);
        }
        if self.is_in_play() && self.awaited().next().is_none() {
            self.end_step()
        } else {
            Ok(())
        }
    }

    /// Judges all answers, and plays the step unless that ends the match.
    fn end_step(&mut self) -> Result<(), BrokenRules> {
        let Answers { moves, faults } = self.take_answers();
        self.blame(faults);
        if !self.is_decided()
            && let Some(first) = moves.first()
        {
            let is_alone = self.game.is_alone();
            match self.game.play(&moves) {
                Ok(step) => {
                    for made in &moves {
                        self.seats[made.seat].clock.charge(made.used);
                        self.adjudicator.note(made);
                    }
                    self.game.record(step, moves);
                }
                Err(MoveError::Broken(broken)) => return Err(broken),
                // Only the move of a seat that moves alone was not checked before.
                Err(error) if is_alone => {
                    let (seat, info) = (first.seat, first.info.clone());
                    let failure = self.game.illegal_move(seat, &first.mv, &error)?;
                    self.lose(seat, failure, info);
                }
                Err(error) => return Err(refused(error)),
            }
        }
        self.advance()
    }

    /// Ends all turns of the step.
    fn take_answers(&mut self) -> Answers {
        let mut answers = Answers::default();
        for (number, seat) in self.seats.iter_mut().enumerate() {
            let Some(turn) = seat.turn.take() else {
                continue;
            };
            match turn.answer {
                Some(Answer::Move { mv, used, info }) => answers.moves.push(MadeMove {
                    seat: number,
                    mv,
                    used,
                    suspended: turn.suspended,
                    info: turn.info.with(info, seat.max_info),
                    offer: turn.offer,
                }),
                Some(Answer::Fault { failure, late }) => answers.faults.push(SeatFault {
                    seat: number,
                    failure,
                    late,
                    info: turn.info.with(None, seat.max_info),
                }),
                None => unreachable!("the step has not ended"),
            }
        }
        answers
    }
}
