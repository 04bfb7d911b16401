//! Compares the matches of a log with the schedule.

use config::Config;
use protocol::Record;
use schedule::{Schedule, Scheduled};

use crate::playing::openings;

/// The matches of a schedule that are in a log: each at most once, and as scheduled.
pub(crate) struct Ledger<'a> {
    config: &'a Config,
    pub(crate) schedule: Schedule,
    /// The line of the log, by the match's number less one.
    lines: Vec<Option<usize>>,
}

impl<'a> Ledger<'a> {
    pub(crate) fn new(config: &'a Config, schedule: Schedule) -> Self {
        Ledger {
            config,
            schedule,
            lines: Vec::new(),
        }
    }

    /// Enters a match; the error explains why it does not belong here.
    pub(crate) fn enter(&mut self, record: &Record, line: usize) -> Result<(), String> {
        let id = &record.match_id;
        let number = id.strip_prefix("m-").and_then(|digits| digits.parse().ok());
        let scheduled = number.and_then(|number| self.schedule.get(number));
        let scheduled = scheduled.filter(|scheduled| scheduled.id() == *id);
        let scheduled = scheduled.ok_or_else(|| {
            format!("the match `{id}` is not in the schedule of this configuration")
        })?;
        if self.schedule.is_elsewhere(scheduled.number) {
            return Err(format!(
                "the match `{id}` is of another part of the schedule"
            ));
        }
        let at = scheduled.number - 1;
        if let Some(Some(before)) = self.lines.get(at) {
            return Err(format!(
                "the match `{id}` is there already, in line {before}"
            ));
        }
        compare(self.config, record, &scheduled)?;
        if self.lines.len() <= at {
            self.lines.resize(at + 1, None);
        }
        self.lines[at] = Some(line);
        let outcome = &record.result.outcome;
        let repetition = || ratings::repetition(record);
        self.schedule
            .finish_match(scheduled.number, outcome, repetition);
        Ok(())
    }
}

/// Compares a match with the schedule.
pub fn compare(config: &Config, record: &Record, scheduled: &Scheduled) -> Result<(), String> {
    let id = &record.match_id;
    let rules = &config.games[scheduled.game].rules;
    let bots = scheduled.seats.iter().map(|&bot| &config.bots[bot]);
    let names: Vec<&str> = bots.map(|bot| &*bot.name).collect();
    let players: Vec<&str> = record.players.iter().map(|p| &*p.name).collect();
    let seed = openings::seed(config, scheduled);
    let wrong = |what: &str, recorded: &str, right: &str| {
        Err(format!(
            "the match `{id}` has the {what} {recorded}, but is scheduled with {right}"
        ))
    };
    if record.game != rules.info().id {
        return wrong("game", &record.game, &rules.info().id);
    }
    if record.options != rules.options().to_json() {
        let right = rules.options().to_json().to_string();
        return wrong("options", &record.options.to_string(), &right);
    }
    if record.seed != seed {
        return wrong("seed", &record.seed.to_string(), &seed.to_string());
    }
    let deal = config.deals().commitment();
    let deal = deal.filter(|_| rules.info().has_deals());
    if record.deal != deal {
        let none = || "none".to_owned();
        let [recorded, right] = [record.deal.clone(), deal].map(|deal| deal.unwrap_or_else(none));
        return wrong("deal", &recorded, &right);
    }
    if players != names {
        return wrong("players", &players.join(", "), &names.join(", "));
    }
    let dealt = openings::from_book(config, scheduled);
    if let Some((start, moves)) = dealt.map_err(|broken| broken.to_string())? {
        let opened = record.moves.iter().map(|played| &*played.mv);
        let opened: Vec<&str> = opened.take(moves.len()).collect();
        let state = start.state().map_err(|broken| broken.to_string())?;
        if record.start != state || opened != moves {
            return Err(format!(
                "the match `{id}` has another opening than the book deals to it: was the \
                 book changed?"
            ));
        }
    }
    if record.result.outcome.len() != names.len() {
        return Err(format!("the match `{id}` has no outcome for each seat"));
    }
    Ok(())
}
