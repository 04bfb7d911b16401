//! Results of formats besides points: a Swiss ranking, a bracket, the decision of a test.

use schedule::{Decided, Duel, SprtStanding, Standing, SwissRow};
use serde_json::{Value, json};

use super::points;
use super::table::Table;
use super::trials;
use ratings::sprt::Verdict;

/// The state of a test in one line. `None` for other formats.
pub fn line(standing: &Standing) -> Option<String> {
    match standing {
        Standing::Sprt(test) => Some(format!(
            "SPRT: LLR {:.2} ({:.2} to {:.2}) after {}",
            test.llr,
            test.hypotheses.lower(),
            test.hypotheses.upper(),
            pairs(test.pairs)
        )),
        _ => None,
    }
}

/// A standing as text, with a blank line after it. `names` are the bots'.
pub fn report(standing: &Standing, names: &[&str], width: Option<usize>) -> String {
    match standing {
        Standing::Swiss(rows) => format!(
            "Swiss: by points (a bye wins all), then by those of the opponents\n{}\n\n",
            swiss(rows, names).within(width)
        ),
        Standing::Knockout(stages) => format!("Knockout\n{}\n", bracket(stages, names)),
        Standing::Sprt(test) => format!("{}\n\n", decision(test, names)),
    }
}

pub fn json(standing: &Standing, names: &[&str]) -> Value {
    match standing {
        Standing::Swiss(rows) => {
            let rows = rows.iter().map(|row| {
                json!({
                    "bot": names[row.bot], "points": row.points, "buchholz": row.buchholz,
                    "byes": row.byes,
                })
            });
            json!({"swiss": rows.collect::<Value>()})
        }
        Standing::Knockout(stages) => {
            let name = |bot: Option<usize>| bot.map(|bot| names[bot]);
            let duel = |duel: &Duel| {
                json!({
                    "first": names[duel.first], "second": name(duel.second),
                    "points": duel.points, "winner": name(duel.winner), "decided": duel.decided,
                    "third_place": duel.third_place,
                })
            };
            let stage = |duels: &Vec<Duel>| duels.iter().map(duel).collect::<Value>();
            json!({"knockout": stages.iter().map(stage).collect::<Value>()})
        }
        Standing::Sprt(test) => json!({"sprt": {
            "bots": names, "hypotheses": test.hypotheses, "pairs": test.pairs,
            "repeats": test.repeats, "worth": test.worth, "pentanomial": test.counts,
            "score": test.score, "elo": test.elo, "corrected": test.corrected, "llr": test.llr,
            "lower": test.hypotheses.lower(), "upper": test.hypotheses.upper(),
            "verdict": test.verdict,
        }}),
    }
}

fn swiss(rows: &[SwissRow], names: &[&str]) -> Table {
    let header = ["#", "bot", "points", "Buchholz", "byes"];
    let rows = rows.iter().enumerate().map(|(i, row)| {
        vec![
            (i + 1).to_string(),
            names[row.bot].to_owned(),
            points(row.points),
            points(row.buchholz),
            row.byes.to_string(),
        ]
    });
    Table {
        header: header.map(str::to_owned).to_vec(),
        rows: rows.collect(),
        names: 1,
        keys: 2,
    }
}

fn bracket(stages: &[Vec<Duel>], names: &[&str]) -> String {
    let mut text = String::new();
    let mut winners = String::new();
    for duels in stages {
        let (third, duels): (Vec<&Duel>, _) = duels.iter().partition(|duel| duel.third_place);
        for (title, duels) in [
            (stage(duels.len()), &duels),
            ("Third place".to_owned(), &third),
        ] {
            if !duels.is_empty() {
                text.push_str(&format!(" {title}\n"));
            }
            for duel in duels {
                text.push_str(&format!("   {}\n", one(duel, names)));
            }
        }
        if let ([last], [] | [_]) = (&duels[..], &third[..]) {
            for (title, duel) in [("Winner", Some(last)), ("Third", third.first())] {
                if let Some(winner) = duel.and_then(|duel| duel.winner) {
                    winners = format!("{winners} {title}: {}\n", names[winner]);
                }
            }
        }
    }
    text + &winners
}

fn stage(duels: usize) -> String {
    match duels {
        1 => "Final".to_owned(),
        2 => "Semifinals".to_owned(),
        4 => "Quarterfinals".to_owned(),
        duels => format!("Round of {}", 2 * duels),
    }
}

fn one(duel: &Duel, names: &[&str]) -> String {
    let Some(second) = duel.second else {
        return format!("{}: bye", names[duel.first]);
    };
    let (first, second) = (names[duel.first], names[second]);
    let [mine, theirs] = duel.points.map(points);
    match (duel.winner, duel.decided) {
        (Some(winner), Some(how)) => {
            let how = match how {
                Decided::TieBreak => ", in further pairs",
                Decided::Place => ", by its place in the seeding",
                Decided::Points | Decided::Bye => "",
            };
            format!(
                "{first} – {second}  {mine}–{theirs}  {}{how}",
                names[winner]
            )
        }
        _ => format!("{first} – {second}  not decided"),
    }
}

fn decision(test: &SprtStanding, names: &[&str]) -> String {
    let (elo0, elo1) = (test.hypotheses.elo0, test.hypotheses.elo1);
    let (first, second) = (names[0], names[1]);
    let unit = test.hypotheses.model.unit();
    let accepted = match test.verdict {
        Verdict::H0 => {
            format!("H0 accepted: {first} is stronger than {second} by {elo0} {unit}, not {elo1}")
        }
        Verdict::H1 => {
            format!("H1 accepted: {first} is stronger than {second} by {elo1} {unit}, not {elo0}")
        }
        Verdict::Running => format!("not decided between {elo0} and {elo1} {unit}"),
    };
    let [lost, minus, even, plus, won] = test.counts;
    let mut text = format!(
        "SPRT: {accepted}\n\
         LLR {:.2} ({:.2} to {:.2}) after {}; with 0, ½, 1, 1½, 2 points for {first}: \
         {lost}, {minus}, {even}, {plus}, {won}",
        test.llr,
        test.hypotheses.lower(),
        test.hypotheses.upper(),
        pairs(test.pairs)
    );
    let estimate = test.corrected.as_ref();
    let estimate = estimate.map(|it| trials::estimate(it, test.elo, test.hypotheses.model));
    let repeats = trials::repeats(test.repeats, test.pairs, test.worth);
    for line in estimate.into_iter().chain(repeats) {
        text.push('\n');
        text.push_str(&line);
    }
    text
}

fn pairs(pairs: u64) -> String {
    match pairs {
        1 => "1 swapped pair".to_owned(),
        pairs => format!("{pairs} swapped pairs"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_tell_who_went_on_and_why() {
        let duel = |first, second, points, winner, decided| Duel {
            first,
            second,
            points,
            winner,
            decided,
            third_place: false,
        };
        let stages = [
            vec![
                duel(0, None, [0.0; 2], Some(0), Some(Decided::Bye)),
                duel(1, Some(2), [1.5, 2.5], Some(2), Some(Decided::Points)),
            ],
            vec![duel(0, Some(2), [2.0; 2], Some(0), Some(Decided::Place))],
        ];
        assert_eq!(
            bracket(&stages, &["a", "b", "c"]),
            " Semifinals\n   a: bye\n   b – c  1½–2½  c\n Final\n   a – c  2–2  a, by its place \
             in the seeding\n Winner: a\n"
        );
        let mut stages = stages.to_vec();
        stages[1].push(Duel {
            third_place: true,
            ..duel(1, Some(3), [1.0, 3.0], Some(3), Some(Decided::Points))
        });
        let text = bracket(&stages, &["a", "b", "c", "d"]);
        let end = " Third place\n   b – d  1–3  d\n Winner: a\n Third: d\n";
        assert!(text.ends_with(end), "{text}");
        let open = vec![duel(0, Some(1), [0.0; 2], None, None)];
        let text = bracket(&[open], &["a", "b"]);
        assert_eq!(text, " Final\n   a – b  not decided\n");
    }
}
