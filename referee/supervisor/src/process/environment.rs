//! The variables of a bot's own: they reach the bot, and none of the processes on the way to it. Those
//! are this program and bubblewrap, outside of the sandbox and with all rights of the user, while a
//! bot's variables may be anything: `LD_PRELOAD=./evil.so` would run code of the bot in them.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::process::Command;

/// What stands before the name of each of a bot's variables until the bot starts. No loader or library
/// looks at such a name.
const PREFIX: &[u8] = b"REFEREE_BOT_ENV:";

/// The variables under the names by which they are carried to the bot.
pub(crate) fn carried(env: &BTreeMap<String, String>) -> impl Iterator<Item = (OsString, &str)> {
    env.iter().map(|(name, value)| {
        let name = [PREFIX, name.as_bytes()].concat();
        (OsString::from_vec(name), &**value)
    })
}

/// Gives the bot, which this process starts or becomes, the variables that were carried here.
pub(crate) fn unpack(bot: &mut Command) {
    for (carried, value) in env::vars_os() {
        if let Some(name) = carried.as_bytes().strip_prefix(PREFIX) {
            bot.env_remove(&carried).env(OsStr::from_bytes(name), value);
        }
    }
}
