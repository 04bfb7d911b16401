//! The fixed facts about rules.

use crate::kit::info::Info;
use crate::kit::options::Options;

/// The rules of a game under fixed options, apart from how it is played.
#[derive(Clone, Debug)]
pub struct Description {
    /// The game's description of itself.
    pub info: Info,
    /// The id that the rules have without the prefix that a configuration puts before it. Seeds are made
    /// from it, so that a prefix does not change the moves of a match.
    pub own_id: String,
    /// The options, with the defaults filled in.
    pub options: Options,
    /// The names of the seats, in seat order.
    pub roles: Vec<String>,
    /// True if [`Session::settlement`](crate::Session::settlement) can prove anything in this game.
    pub settles: bool,
    /// The origin of rules from outside; `None` for rules that are compiled in.
    pub origin: Option<Origin>,
}

impl Description {
    /// Rules that are compiled in, for the largest number of seats.
    pub fn new(info: Info, options: Options) -> Self {
        Description {
            own_id: info.id.clone(),
            roles: info.roles.clone(),
            info,
            options,
            settles: false,
            origin: None,
        }
    }
}

/// The source of external rules, for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The name that the rules have for themselves.
    pub name: String,
    /// Their version, if they have one.
    pub version: Option<String>,
    /// The SHA-256 of their files, as 64 hexadecimal digits.
    pub sha256: String,
}
