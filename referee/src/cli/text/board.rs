//! Boards in the colours of the terminal.

use anstyle::{AnsiColor, Style};
use games::Session;
#[cfg(test)]
use games::View;
use games::kit::drawing::{self, Ink};

pub(crate) use games::kit::drawing::cells_of;

/// The colours of seats, in seat order.
const SEATS: [AnsiColor; 4] = [
    AnsiColor::Yellow,
    AnsiColor::Cyan,
    AnsiColor::Green,
    AnsiColor::Red,
];

/// See [`drawing::position`].
pub(crate) fn position(session: &dyn Session, marked: &[String]) -> String {
    drawing::position(session, marked, &coloured)
}

/// See [`drawing::position_for`].
pub(crate) fn position_for(session: &dyn Session, seat: usize, is_hidden: bool) -> String {
    drawing::position_for(session, seat, is_hidden, &coloured)
}

/// See [`drawing::board`].
#[cfg(test)]
pub(crate) fn board(view: &View, marked: &[String]) -> String {
    drawing::board(view, marked, &coloured)
}

fn coloured(ink: Ink, text: &str) -> String {
    let style = match ink {
        Ink::Piece(seat) => {
            let colour = seat.and_then(|seat| SEATS.get(seat));
            colour.map_or(Style::new(), |colour| colour.on_default().bold())
        }
        Ink::Ground => Style::new().dimmed(),
        Ink::Label => Style::new(),
    };
    format!("{style}{text}{style:#}")
}
