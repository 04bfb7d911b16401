//! The formats of a report, one file each.

mod csv;
mod html;
mod json;
mod markdown;
mod markup;
mod plot;
mod text;

use super::statistics::{Sheet, SheetFormat};

pub(crate) use csv::text as csv_text;
pub use html::{all_parts, body as html, page};
pub use markdown::parts as markdown;
pub use plot::plot;
pub use text::parts as text;

pub(super) fn write(sheet: &Sheet, format: SheetFormat, width: Option<usize>) -> String {
    match format {
        SheetFormat::Text => text::write(sheet, width),
        SheetFormat::Markdown => markdown::write(sheet),
        SheetFormat::Csv => csv::write(sheet),
        SheetFormat::Json => json::write(sheet),
        SheetFormat::Html => html::write(sheet),
    }
}
