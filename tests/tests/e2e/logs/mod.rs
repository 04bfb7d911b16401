//! Commands that read logs.

mod analyse;
mod forgery;
mod replay;
mod report;
mod standings;
