//! Numbers of moves and planes of the games with fish.

use super::fish_game::{FishGame, FishGamePosition, PenguinMoves};
use super::fish_rules::{Move, Setup};
use super::position::{MOST_FISH, Phase};
use crate::game::Game;
use crate::kit::board::NO_CELL;
use crate::kit::board::bitset::cells64;
use crate::kit::outcome::Seat;
use crate::learning::{Learnable, Planes, Writer};

/// Points in planes are divided by this.
const POINTS: f32 = 100.0;
/// Places of chips that are laid.
const LAID: usize = NO_CELL as usize * (1 + MOST_FISH as usize);

impl<M: PenguinMoves> Learnable for FishGame<M> {
    fn every_move(&self) -> Vec<Self::Move> {
        let board = self.board();
        let mut moves = Vec::new();
        if matches!(self.fish_rules.setup, Setup::Laid) {
            let chips = |cell| (1..=MOST_FISH).map(move |fish| Move::Lay { cell, fish });
            moves.extend(board.cells().flat_map(chips));
        }
        moves.extend(board.cells().map(Move::Place));
        moves.extend(M::every(board).into_iter().map(Move::Go));
        moves
    }

    #[inline]
    fn places(mv: Self::Move) -> [usize; 2] {
        match mv {
            Move::Lay { cell, fish } => {
                [cell as usize * (1 + MOST_FISH as usize) + fish as usize, 0]
            }
            Move::Place(cell) => [LAID + cell as usize, 0],
            Move::Go(step) => {
                let [group, place] = M::places(step);
                [LAID + NO_CELL as usize + group, place]
            }
        }
    }

    #[inline]
    fn each_legal(
        &self,
        position: &Self::Position,
        scratch: &mut Vec<Self::Move>,
        mut take: impl FnMut(Self::Move),
    ) {
        let FishGamePosition { blocked, common } = position;
        if common.phase() == Phase::Move {
            self.moves
                .each(blocked, common.movers(), |step| take(Move::Go(step)));
        } else {
            self.legal(position, scratch);
            scratch.iter().copied().for_each(take);
        }
    }

    fn planes(&self) -> Planes {
        let seats = self.seats();
        let seat_names = || (0..seats).map(|after| whose(after, seats));
        let mut names: Vec<String> = Vec::new();
        names.extend(seat_names().map(|whose| format!("{whose} penguins")));
        names.extend(["cells of 1 fish", "cells of 2 fish", "cells of 3 fish"].map(String::from));
        names.extend(["laying chips", "placing penguins"].map(String::from));
        names.extend(seat_names().map(|whose| format!("{whose} points / 100")));
        names.extend(seat_names().map(|whose| format!("{whose} turn")));
        Planes::of_board(self.board(), names)
    }

    fn observe(
        &self,
        position: &FishGamePosition<M::Blocked>,
        _: &[Self::Move],
        seat: Seat,
        planes: &mut Writer<'_>,
    ) {
        let common = &position.common;
        let seats = self.seats();
        let in_turn = || (0..seats).map(|after| (seat + after) % seats);
        in_turn().for_each(|seat| planes.cells(cells64(common.penguins(seat))));
        for fish in 1..=MOST_FISH {
            planes.cells(cells64(common.cells_with(fish)));
        }
        planes.flag(common.phase() == Phase::Lay);
        planes.flag(common.phase() == Phase::Place);
        let scores = self.scores(position);
        in_turn().for_each(|seat| planes.all(scores[seat] as f32 / POINTS));
        let to_move = common.to_move();
        in_turn().for_each(|seat| planes.flag(to_move == Some(seat)));
    }
}

/// The name of the seat that follows so many seats after one's own.
fn whose(after: usize, seats: usize) -> String {
    match (after, seats) {
        (0, _) => "own".to_owned(),
        (1, 2) => "other's".to_owned(),
        _ => format!("next {after}'s"),
    }
}
