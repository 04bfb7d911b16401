//! For authors of bots, and for the machine: checks, templates, the shell.

pub(crate) mod bot;
pub(crate) mod check;
pub(crate) mod doctor;
pub(crate) mod examples;
pub(crate) mod ggp_player;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
#[cfg(not(feature = "mcp"))]
#[path = "without_mcp.rs"]
pub(crate) mod mcp;
pub(crate) mod new;
pub(crate) mod protocol;
pub(crate) mod shell;
