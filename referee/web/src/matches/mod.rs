//! Matches: their list, their pages, positions, analyses, and the bots' stderr.

pub(crate) mod analyses;
pub(crate) mod decisive;
pub(crate) mod match_list;
pub(crate) mod match_page;
pub(crate) mod position;
pub(crate) mod stderr;
pub(crate) mod views;
