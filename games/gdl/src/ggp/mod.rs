//! Messages between players and managers of games in GDL: KIF, scrambled names, steps of all roles.

pub(crate) mod kif;
pub(crate) mod script;
pub(crate) mod steps;
