//! Pages of other sites in a spectator's browser.

use super::super::judge::Verdict;
use super::super::site::Site;
use super::network::pages;
use super::scene::{Scene, Stage, Tiers};
use crate::web::{ask, host};

pub(super) const SCENES: &[Scene] = &[Scene {
    name: "foreign-pages",
    by: "a page of another site",
    cannot: "read matches in somebody's browser",
    tiers: Tiers::Any,
    promised: |_, _| true,
    play: foreign_pages,
}];

/// Names that were made to point here, and pages that ask from elsewhere.
fn foreign_pages(stage: &Stage) -> Verdict {
    let site = Site::new(stage.programs, stage.user, None);
    site.arena.write("shared/games.jsonl", "");
    let server = pages(stage, &site);
    let here = host(&server.links[0]);
    let port = here.rsplit(':').next().unwrap_or_default();
    let mut verdict = Verdict::default();
    if ask(here, "GET", "/api/overview", "", "").status != 200 {
        verdict
            .unknown
            .push("the pages do not answer at all".to_owned());
    }
    for headers in [
        format!("Host: evil.example:{port}\r\n"),
        format!("Host: localhost.evil.example:{port}\r\n"),
        format!("Host: {here}\r\nOrigin: http://evil.example\r\n"),
        format!("Host: {here}\r\nOrigin: null\r\n"),
        format!("Host: evil.example\r\nOrigin: http://{here}\r\n"),
    ] {
        let answer = ask(here, "GET", "/api/overview", &headers, "");
        verdict.tried(headers.replace("\r\n", " "), answer.status == 200);
    }
    verdict
}
