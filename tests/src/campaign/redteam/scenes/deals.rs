//! Bots that try to learn deals ahead of time.

use std::fs;

use serde_json::Value;

use super::super::judge::{Verdict, faults_of, moves_of};
use super::super::options::Tier;
use super::super::site::Site;
use super::scene::{Scene, Stage, Tiers};

/// The attacker. Its name comes before its opponent's, as it assumes.
const NAME: &str = "foreseer";

pub(super) const SCENES: &[Scene] = &[Scene {
    name: "hidden-deals",
    by: "a bot",
    cannot: "foresee what is dealt or drawn, or read the secret that it follows from",
    tiers: Tiers::Each,
    promised: |tier, _| matches!(tier, Tier::Restricted | Tier::Strict),
    play: hidden_deals,
}];

/// Kuhn poker against a bot that knows how deals were made of seeds.
fn hidden_deals(stage: &Stage) -> Verdict {
    let site = Site::new(stage.programs, stage.user, None);
    let sheet = fs::read(crate::root().join("games/sheets/kuhn-poker.kif")).expect("a sheet");
    fs::write(site.arena.path("shared/kuhn-poker.kif"), sheet).expect("a copy");
    let rounds = if stage.short { 20 } else { 60 };
    let attacker = format!(
        "['env', 'RED_DEAL_SECRET={}', '{}', 'foresees']",
        site.arena.path("out/secret.toml").display(),
        stage.programs.hostile().display()
    );
    let bots = site.bot(NAME, &attacker, "attacker", "")
        + &site.bot("opponent", "\"referee bot random\"", "opponent", "");
    let played = site.play(&format!(
        "name = \"redteam\"\nrounds = {rounds}\nsandbox = \"{}\"\ngames = [\"kuhn-poker\"]\n\
         rules = [\"shared/kuhn-poker.kif\"]\n[time]\nper_move = \"60s\"\nstartup = \"60s\"\n{}{bots}",
        stage.tier.name(),
        Site::resources(stage.tier),
    ));
    let mut verdict = Verdict::default();
    let (right, all) = foreseen(&played.records);
    if all < rounds {
        let faults = faults_of(&played, NAME);
        verdict.unknown.push(format!(
            "only {all} predictions; {faults:?} {}",
            played.ran.stderr
        ));
    }
    // A third of them is right by chance; this many never are.
    let what = format!("{right} of {all} deals were foreseen");
    verdict.tried(what, right * 10 >= all * 9 && all > 0);
    let moves = moves_of(&played, NAME);
    let reads = moves.iter().any(|mv| mv["info"]["secret"] == true);
    verdict.tried("secret.toml was read", reads);
    verdict
}

/// Correct guesses of the opponent's card, and all guesses.
pub fn foreseen(records: &[Value]) -> (usize, usize) {
    let (mut right, mut all) = (0, 0);
    for record in records {
        let moves = record["moves"].as_array().into_iter().flatten();
        let dealt = moves.clone().find(|played| played["seat"].is_null());
        let dealt = dealt.and_then(|dealt| dealt["move"].as_str());
        let cards: Vec<&str> = dealt
            .into_iter()
            .flat_map(|dealt| dealt.split(' '))
            .collect();
        let cards = cards.get(1..).unwrap_or_default();
        let Some((prediction, own)) = moves.clone().find_map(|played| {
            let prediction = played["info"]["foreseen"].as_array()?;
            Some((prediction, played["seat"].as_u64()? as usize))
        }) else {
            continue;
        };
        let (card, predicted) = (cards.get(1 - own), prediction[1 - own].as_str());
        all += 1;
        right += usize::from(card.map(|card| card.trim_end_matches(')')) == predicted);
    }
    (right, all)
}
