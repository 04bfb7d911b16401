//! Perft and random games that the program computes by itself.

use games::perft::Perft;
use games::playout::{PlayoutMeans, PlayoutRequest};
use games::{BrokenRules, Session as _};
use serde::Deserialize;

use super::ProgramSession;
use super::process::PlayoutLimit;

impl ProgramSession {
    /// Random games that the program plays by itself, if it plays this many.
    pub(crate) fn own_playouts(
        &self,
        request: &PlayoutRequest,
    ) -> Result<Option<PlayoutMeans>, BrokenRules> {
        if !self.rules.program.can.playout || self.to_move().is_over() {
            return Ok(None);
        }
        let &PlayoutRequest { count, seed, .. } = request;
        let body = format!("\"op\":\"playout\",\"count\":{count},\"seed\":{seed}");
        let seats = self.rules.seats();
        let played = self.held(Some(PlayoutLimit(request.max_plies)), |connection| {
            connection.ask(&body, |text| {
                let playouts: PlayoutMeans = serde_json::from_str(text)
                    .map_err(|error| format!("gives no playouts that can be read ({error})"))?;
                let is_outcome = |value| (0.0..=1.0).contains(value);
                if playouts.outcome.len() == seats && playouts.outcome.iter().all(is_outcome) {
                    Ok(playouts)
                } else {
                    Err(format!(
                        "gives playouts with an `outcome` that is not {seats} numbers from 0 to 1"
                    ))
                }
            })
        })?;
        // Its refusal means that they are too many for one request.
        Ok(played.ok())
    }

    /// The program's own perft; `None` if it refuses this much in one request.
    pub(super) fn own_perft(&self, depth: u32) -> Result<Option<u64>, BrokenRules> {
        #[derive(Deserialize)]
        struct Nodes {
            nodes: u64,
        }

        let body = format!("\"op\":\"perft\",\"depth\":{depth}");
        let counted = self.held(None, |connection| {
            connection.ask(&body, |text| {
                serde_json::from_str::<Nodes>(text)
                    .map_err(|error| format!("gives no number of nodes ({error})"))
            })
        })?;
        Ok(counted.ok().map(|counted| counted.nodes))
    }

    /// Counts the paths by each first step, each with the program's own perft if it has one.
    pub(super) fn divide(&self, depth: u32) -> Result<Perft, BrokenRules> {
        let mut divided = Vec::new();
        let mut failure = None;
        self.each_child(&mut |step, child| {
            if failure.is_none() {
                match child.perft_nodes(depth - 1) {
                    Ok(nodes) => divided.push((step.join(" + "), nodes)),
                    Err(broken) => failure = Some(broken),
                }
            }
        })?;
        failure.map_or(Ok(Perft::divided(divided)), Err)
    }
}
