//! Internal subcommands: processes between the referee and a bot.

#[cfg(target_os = "linux")]
pub(crate) mod init;
pub(crate) mod launch;
pub(crate) mod supervise;
