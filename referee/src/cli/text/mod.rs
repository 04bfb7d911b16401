//! Text for a terminal: boards, Markdown, help.

pub(crate) mod board;
pub(crate) mod markdown;
pub(crate) mod paragraphs;
