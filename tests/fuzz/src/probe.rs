//! Our servers as functions from bytes to bytes, without a socket.

use std::path::Path;

use web::Watch;

/// The answer of `referee watch` to the bytes of a connection.
pub(crate) fn web_answers(folder: &Path, sent: &[u8]) -> Vec<u8> {
    let watch = Watch::new(&[folder.to_owned()], None);
    runtime().block_on(watch.answers_to(sent))
}

/// The answer of `referee ggp-player`, busy with a match, to the bytes of a connection.
pub(crate) fn ggp_player_answers(sent: &[u8]) -> Vec<u8> {
    runtime().block_on(ggp_player::answers_to(sent))
}

fn runtime() -> tokio::runtime::Runtime {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().expect("a runtime")
}
