//! A test between two bots from the matches of a log.

use serde::Serialize;

use crate::matches::Number;
use crate::results::{Entry, SwappedPairs};
use crate::sprt::{Corrected, Hypotheses, Scores, Verdict, corrected};

#[derive(Clone, Debug, PartialEq)]
pub struct SprtRequest {
    /// The bot that may be stronger, and the other one.
    pub bots: [String; 2],
    pub hypotheses: Hypotheses,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SprtReport {
    /// The bot that may be stronger, and the other one.
    pub bots: [usize; 2],
    pub hypotheses: Hypotheses,
    /// Complete pairs (or groups) that the test counts: in the order of the schedule, up to its
    /// decision.
    pub pairs: u64,
    /// Later pairs, which change nothing.
    pub after: u64,
    /// Pairs before the decision of which a match is missing: they are left out.
    pub incomplete: u64,
    /// Number of counted pairs that come after one of these.
    pub after_incomplete: u64,
    /// Matches that repeat an earlier one move by move.
    pub repeats: u64,
    /// Equivalent number of pairs without repetitions.
    pub worth: f64,
    /// Pairs with 0, ½, 1, 1½ and 2 points of the first bot; `None` if there are units that are
    /// no pairs.
    pub pentanomial: Option<[u64; 5]>,
    /// The first bot's mean score a match.
    pub score: f64,
    /// The estimate in the scale of the hypotheses; `None` if it is infinite.
    pub elo: Option<f64>,
    /// The difference in strength, corrected for when the test stopped; `None` if it did not.
    pub corrected: Option<Corrected>,
    pub llr: f64,
    /// At or below this, H0 is accepted.
    pub lower: f64,
    /// At or above this, H1 is accepted.
    pub upper: f64,
    pub verdict: Verdict,
}

struct Trial {
    /// The number of its first match.
    first: Number,
    /// The first bot's mean score; `None` where a match is missing.
    score: Option<f64>,
    /// Equal values mark matches that repeat each other.
    repetitions: Vec<Option<u64>>,
}

impl Trial {
    fn of(unit: &[Entry<'_>], bots: [usize; 2]) -> Option<Self> {
        let seats = |entry: &Entry<'_>| {
            let seat = |bot| (0..entry.seats).find(|seat| entry.bot(*seat) == bot);
            Some([seat(bots[0])?, seat(bots[1])?])
        };
        let both: Vec<[usize; 2]> = unit.iter().map(seats).collect::<Option<_>>()?;
        let scores = unit.iter().zip(both);
        let points: f64 = scores
            .map(|(entry, [one, other])| entry.versus(one, other))
            .sum();
        Some(Trial {
            first: unit.iter().map(|entry| entry.stored.number).min()?,
            score: complete(unit).then_some(points / unit.len() as f64),
            repetitions: unit
                .iter()
                .map(|entry| entry.stored.moves.map(Into::into))
                .collect(),
        })
    }
}

/// True if a unit is finished: every bot sat in each seat, and equally often.
fn complete(unit: &[Entry<'_>]) -> bool {
    let Some(first) = unit.first() else {
        return false;
    };
    let sat = |bot: usize, seat: usize| unit.iter().filter(|e| e.bot(seat) == bot).count();
    let times = sat(first.bot(0), 0);
    let each = |bot: usize| (0..first.seats).all(|seat| sat(bot, seat) == times);
    (0..first.seats).all(|seat| each(first.bot(seat)))
}

/// Takes pairs in until the test is decided, in the order of the schedule as the tournament does,
/// since those that are finished early are not like the others. Pairs of which a match is missing
/// are left out: it may be running, or it is not in the log at all.
pub(super) fn sprt_report(
    pairs: &SwappedPairs<'_>,
    bots: [usize; 2],
    hypotheses: &Hypotheses,
) -> SprtReport {
    let mut trials: Vec<Trial> = pairs
        .units()
        .filter_map(|unit| Trial::of(&unit, bots))
        .collect();
    trials.sort_by_key(|trial| trial.first);
    let mut scores = Scores::new();
    let mut verdict = Verdict::Running;
    let (mut after, mut incomplete, mut after_incomplete) = (0, 0, 0);
    for trial in trials {
        match trial.score {
            Some(score) if verdict == Verdict::Running => {
                scores.add_unit(score, trial.repetitions);
                verdict = scores.verdict(hypotheses);
                after_incomplete += u64::from(incomplete > 0);
            }
            Some(_) => after += 1,
            None => incomplete += u64::from(verdict == Verdict::Running),
        }
    }
    let elo = scores.elo(hypotheses.model);
    SprtReport {
        bots,
        hypotheses: hypotheses.clone(),
        pairs: scores.units(),
        after,
        incomplete,
        after_incomplete,
        repeats: scores.repeats(),
        worth: scores.worth(),
        pentanomial: scores.pentanomial(),
        score: scores.mean(),
        elo: elo.is_finite().then_some(elo),
        corrected: corrected(&scores, hypotheses, verdict),
        llr: scores.llr(hypotheses),
        lower: hypotheses.lower(),
        upper: hypotheses.upper(),
        verdict,
    }
}
