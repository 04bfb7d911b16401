//! The subjects of a report, one file each, and their order.

mod adjudications;
pub(super) mod by_game_and_seat;
mod cyclic;
mod fitness;
mod goals;
pub(super) mod machines;
mod models;
pub(super) mod pairs;
mod ranking;
mod reliability;
mod seat_orders;
mod sprt;

use super::parts::Part;
use super::statistics::{By, Sheet};

pub(crate) use machines::too_noisy;
pub use models::table as model_table;
pub use pairs::{Pair, of_bot as pairs_of};
pub(crate) use ranking::{Scored, bounds};
pub use reliability::{bot_warning, load, same_answers};

/// Tables with a column for each bot are left out if there are more than `room` bots.
pub(super) fn all(sheet: &Sheet, room: usize) -> Vec<Part> {
    let mut parts = ranking::head(&sheet.report);
    parts.extend(sheet.bot_warnings.iter().map(reliability::bot_warning));
    parts.extend(fitness::warnings(&sheet.report));
    parts.extend(seat_orders::all(&sheet.report));
    parts.extend(machines::noisy(&sheet.report));
    parts.extend(sprt::all(&sheet.report));
    match sheet.by {
        None | Some(By::Version) => {
            parts.extend(ranking::between(&sheet.report, room));
            if fitness::is_cyclic(&sheet.report) {
                parts.extend(cyclic::second_opinion(&sheet.report));
            }
            parts.extend(fitness::residuals(&sheet.report));
            parts.extend(by_game_and_seat::overview(&sheet.report));
            parts.extend(adjudications::all(&sheet.report));
            parts.extend(models::all(sheet));
            parts.extend(reliability::all(sheet));
            parts.extend(ranking::method(&sheet.report));
        }
        Some(By::Game) => parts.extend(by_game_and_seat::by_game(sheet, room)),
        Some(By::Seat) => parts.extend(by_game_and_seat::by_seat(&sheet.report)),
        Some(By::Goal) => parts.extend(goals::all(&sheet.report)),
        Some(By::Opening) => parts.extend(by_game_and_seat::by_opening(sheet, room)),
        Some(By::Pair) => {
            parts.extend(pairs::list(&sheet.report));
            parts.extend(cyclic::second_opinion(&sheet.report));
        }
        Some(By::Machine) => parts.extend(machines::all(&sheet.report)),
    }
    parts
}
