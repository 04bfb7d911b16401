//! Reads an answer about a position in its usual form in one pass, without serde: one seat is to move, and
//! all texts are plain. Everything else is left to serde, which also says what is wrong.

use std::sync::atomic::AtomicU8;
use std::sync::{Arc, OnceLock};

use games::ToMove;
use protocol::{MoveList, Scanner};

use crate::answer::repeated;
use crate::position::{LONGEST_MOVE, Legal, Position, cell};

/// Bytes for which a list of moves has room from the start; most are shorter.
const USUAL_LEGAL: usize = 256;

/// The fields read so far.
#[derive(Default)]
struct Fields<'a> {
    ply: Option<u32>,
    seat: Option<usize>,
    no_result: Option<()>,
    legal: Option<MoveList>,
    state: Option<&'a str>,
    key: Option<&'a str>,
}

impl<'a> Fields<'a> {
    /// Takes a field; `None` if it is unusual, or was there before.
    fn take(&mut self, scanner: &mut Scanner<'a>, key: &str) -> Option<()> {
        let is_first = match key {
            "ply" => {
                let ply = u32::try_from(scanner.number()?).ok()?;
                self.ply.replace(ply).is_none()
            }
            "to_move" => {
                let seat = usize::try_from(scanner.number()?).ok()?;
                self.seat.replace(seat).is_none()
            }
            "result" => self.no_result.replace(scanner.null()?).is_none(),
            "legal" => self.legal.replace(read_legal(scanner)?).is_none(),
            "state" => self.state.replace(scanner.canonical()?).is_none(),
            "key" => self.key.replace(scanner.text()?).is_none(),
            _ => false,
        };
        is_first.then_some(())
    }
}

/// Reads what stands in `ok`, if it is usual and nothing is wrong with it. See [`Position::read`].
pub(crate) fn read(text: &str, seats: Option<usize>) -> Option<Position> {
    let mut scanner = Scanner::new(text);
    let mut fields = Fields::default();
    scanner.object(|scanner, key| fields.take(scanner, key))?;
    scanner.end()?;
    let seat = fields.seat.filter(|seat| Some(*seat) < seats)?;
    let legal = fields.legal.map(|moves| Legal {
        moves: vec![(seat, moves)],
        chances: Vec::new(),
    });
    Some(Position {
        ply: fields.ply?,
        to_move: ToMove::seat(seat),
        end: None,
        legal: cell(legal),
        // A null is no state, for serde as well.
        state: cell(fields.state.filter(|state| *state != "null").map(Arc::from)),
        key: cell(fields.key.map(str::to_owned)),
        view: OnceLock::new(),
        tally: OnceLock::new(),
        roles: None,
        sees: Vec::new(),
        asked: AtomicU8::new(0),
    })
}

/// Reads a list of moves that a seat can choose from.
fn read_legal(scanner: &mut Scanner<'_>) -> Option<MoveList> {
    let mut moves = MoveList::with_room(USUAL_LEGAL);
    scanner.list(|scanner| {
        let mv = scanner.text()?;
        moves.push(mv);
        (1..=LONGEST_MOVE).contains(&mv.len()).then_some(())
    })?;
    (!moves.is_empty() && repeated::find(&moves).is_none()).then_some(moves)
}
