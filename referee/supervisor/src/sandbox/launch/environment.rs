//! The variables of a bot on their way through the processes that start it. Some of them
//! (`LD_PRELOAD`, `GLIBC_TUNABLES`) change any program that is started with them, and bubblewrap and
//! init have rights that the bot must not get. So they are passed on under other names until the
//! bot's own program is started.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// Precedes the name of a variable that is passed on.
const PREFIX: &str = "REFEREE_FOR_BOT_";

/// The variables of a process in its sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Environment {
    /// Those of the referee are not passed on.
    pub(crate) is_cleared: bool,
    /// Set by the referee.
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// Set for the bot alone.
    pub(crate) own: BTreeMap<String, String>,
}

impl Environment {
    /// Sets all variables for the bot's own program.
    pub(crate) fn set(&self, bot: &mut Command) {
        self.set_shared(bot);
        bot.envs(&self.own);
    }

    /// Sets the variables for a program that passes them on to an init, which restores the names.
    pub(crate) fn set_renamed(&self, program: &mut Command) {
        self.set_shared(program);
        program.envs(renamed(&self.own));
    }

    fn set_shared(&self, program: &mut Command) {
        if self.is_cleared {
            program.env_clear();
        }
        program.envs(self.variables.iter().map(|(name, text)| (name, text)));
    }
}

/// A bot's variables as they are passed to its init.
fn renamed(variables: &BTreeMap<String, String>) -> impl Iterator<Item = (String, &String)> {
    let named = |name: &String| format!("{PREFIX}{name}");
    variables
        .iter()
        .map(move |(name, text)| (named(name), text))
}

/// Sets the variables that were passed to this process under their own names, for the bot's own
/// program.
pub(crate) fn restore(program: &mut Command) {
    for (name, text) in env::vars_os() {
        if let Some(own) = own_name(&name) {
            program.env_remove(&name).env(own, text);
        }
    }
}

fn own_name(name: &OsStr) -> Option<OsString> {
    let own = name.as_bytes().strip_prefix(PREFIX.as_bytes())?;
    (!own.is_empty()).then(|| OsStr::from_bytes(own).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_restored_and_no_other_is_taken_for_one() {
        let variables = BTreeMap::from([
            ("LD_PRELOAD".to_owned(), "./x.so".to_owned()),
            (format!("{PREFIX}A"), "1".to_owned()),
        ]);
        let mut passed = renamed(&variables);
        assert!(passed.all(|(name, _)| name.starts_with(PREFIX)));
        for ((name, _), own) in renamed(&variables).zip(variables.keys()) {
            assert_eq!(own_name(name.as_ref()), Some(own.into()));
        }
        assert_eq!(own_name("PATH".as_ref()), None);
        assert_eq!(own_name(PREFIX.as_ref()), None);
    }
}
