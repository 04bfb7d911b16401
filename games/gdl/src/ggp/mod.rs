//! What players and managers of games in GDL exchange: KIF, scrambled names, steps of all roles.

pub(crate) mod kif;
pub(crate) mod script;
pub(crate) mod steps;
