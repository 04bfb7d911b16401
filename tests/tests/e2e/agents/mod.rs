//! `referee mcp`: agents that play, develop bots, send garbage, and go away.

mod developing;
mod garbage;
mod leaving;
mod matches;
mod over_http;
mod secrets;
