//! A report of a log for people and programs: composed once, of headings, notes and tables, and written
//! by one file for each format.

mod figures;
mod formats;
mod parts;
mod sections;
mod statistics;
#[cfg(test)]
mod tests;

pub use figures::{COUNTS, counts, figures, interval, of, percent, signed_figures};
pub use figures::{count, signed};
pub(super) use formats::csv_text;
pub use formats::plot;
pub use formats::{all_parts, html, markdown, page, text};
pub use parts::{Grid, Part, heading, quoted};
pub(crate) use sections::too_noisy;
pub use sections::{Pair, bot_warning, load, model_table, pairs_of, same_answers};
pub(crate) use sections::{Scored, bounds};
pub use statistics::{By, Sheet, SheetFormat};

impl Sheet {
    /// Text fits a terminal of `width` columns; `None` leaves it as wide as it is.
    pub fn write(&self, format: SheetFormat, width: Option<usize>) -> String {
        formats::write(self, format, width)
    }
}
