//! Looks games up by their ids, and says of an unknown one which ids there are.

use games::kit::text::{nearest, quoted};
use games::registry::Entry;
use thiserror::Error;

/// An id that no game has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", sentence(.0))]
pub struct UnknownGame(pub String);

/// The game with this id.
///
/// # Errors
/// If there is none; the error names the nearest id and all others.
pub(crate) fn find(id: &str) -> Result<&'static Entry, UnknownGame> {
    games::find(id).ok_or_else(|| UnknownGame(id.to_owned()))
}

fn sentence(id: &str) -> String {
    let ids: Vec<&str> = games::GAMES
        .iter()
        .map(|game| game.info.id.as_str())
        .collect();
    let near = nearest(id, &ids).map_or(String::new(), |near| format!("did you mean `{near}`? "));
    format!(
        "there is no game `{id}`; {near}the games are {}",
        quoted(&ids)
    )
}
