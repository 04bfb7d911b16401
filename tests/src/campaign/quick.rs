//! Thousands of quick matches with a new process for each bot.

use super::{Findings, play};
use crate::traces::MARK;
use crate::{Arena, hostile};

/// Plays this many matches, or one more.
pub fn run(matches: u32) -> Findings {
    let mark = format!("quick-{}", std::process::id());
    let mut text = format!(
        "name = \"quick\"\nrounds = {}\nrestart = \"each-match\"\n\
         games = [{{ id = \"amazons\", options = {{ size = 5 }} }}]\n\
         [limits]\nmax_plies = 2\n[time]\nper_move = \"20s\"\nstartup = \"20s\"\n",
        matches.div_ceil(2)
    );
    for name in ["one", "other"] {
        text.push_str(&format!(
            "[[bots]]\nname = \"{name}\"\ncommand = ['{}', 'plays']\nenv = {{ {MARK} = '{mark}' }}\n",
            hostile().display()
        ));
    }
    let arena = Arena::new(&text);
    let mut findings = Findings::default();
    let matches = 2 * matches.div_ceil(2) as usize;
    let records = play(&arena, &mark, matches, &mut findings);
    let faults = records
        .iter()
        .filter(|m| m["result"]["faults"] != serde_json::json!([]));
    let faults = faults.count();
    findings.wrong_unless(faults == 0, || format!("{faults} matches with faults"));
    findings
}
