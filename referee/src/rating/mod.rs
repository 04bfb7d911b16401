//! Statistics of match logs. Pure: what is counted is handed in.

pub mod sprt;
