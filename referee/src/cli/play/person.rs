//! A person at the terminal who takes a seat: prompts and commands.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use arbiter::Arbiter;
use games::kit::text::nearest;
use games::{Info, Rules};
use play::players::{Person, PersonInput, Typed, interpret};
use protocol::{BotMove, FromBot, TimeControl};
use supervisor::{BotSpec, REFEREE};
use tournament::playing::match_run::People;

use crate::cli::text::board;
use crate::cli::text::markdown;
use crate::cli::{CliError, print};

/// Stands in the log for the command of a person.
pub(crate) const COMMAND: [&str; 3] = [REFEREE, "play", "--human"];

/// The seats that people take, given by numbers or roles.
pub(crate) fn seats(words: &[String], rules: &dyn Rules) -> Result<Vec<usize>, CliError> {
    let roles = rules.roles();
    let mut seats = Vec::new();
    for word in words {
        let number = word.parse().ok().filter(|seat| *seat < roles.len());
        let seat = number.or_else(|| roles.iter().position(|role| role == word));
        let Some(seat) = seat.filter(|seat| !seats.contains(seat)) else {
            let all: Vec<String> = roles
                .iter()
                .enumerate()
                .map(|(i, r)| format!("{i} ({r})"))
                .collect();
            let id = &rules.info().id;
            let free: Vec<&str> = (0..roles.len())
                .filter(|seat| !seats.contains(seat))
                .map(|seat| &*roles[seat])
                .collect();
            let near = nearest(word, &free);
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            return Err(CliError::Usage(format!(
                "--human: `{word}` is no free seat of {id}, which has {}{near}",
                all.join(", ")
            )));
        };
        seats.push(seat);
    }
    Ok(seats)
}

/// A person as a bot's spec: without a time limit.
pub(crate) fn spec(role: &str, people: usize, time: &TimeControl) -> Result<BotSpec, CliError> {
    let name = match people {
        1 => "human".to_owned(),
        _ => format!("human ({role})"),
    };
    let time = TimeControl {
        per_move: None,
        base: None,
        increment: None,
        ..time.clone()
    };
    let command = COMMAND.map(str::to_owned).to_vec();
    let mut spec = BotSpec::new(name, command, std::env::current_dir()?, &time);
    spec.own_time = true;
    Ok(spec)
}

/// The people in these seats, and the connections to them.
pub(crate) fn people(seats: &[usize]) -> (BTreeMap<usize, PersonInput>, People) {
    let pairs = seats.iter().map(|&seat| {
        let (person, input) = Person::new();
        ((seat, input), (seat, person))
    });
    pairs.unzip()
}

pub(crate) enum Scene {
    /// A board.
    Picture(String),
    /// A question.
    Ask(Ask),
}

pub(crate) struct Ask {
    seat: usize,
    role: String,
    ply: u32,
    legal: Vec<String>,
    board: String,
}

impl Ask {
    /// The turn of this seat.
    pub(crate) fn of(arbiter: &Arbiter, seat: usize, role: &str, is_hidden: bool) -> Self {
        let session = arbiter.session();
        // It is computed already: the person's turn was made with this list.
        let legal = session.fork().legal_of(seat).unwrap_or_default();
        Ask {
            seat,
            role: role.to_owned(),
            ply: session.ply(),
            legal,
            board: board::position_for(session, seat, is_hidden),
        }
    }

    /// The board as the person may see it.
    pub(crate) fn board(&self) -> String {
        self.board.clone()
    }

    fn prompt(&self) -> String {
        let (role, ply) = (&self.role, self.ply);
        match self.legal.len() {
            1 => format!("{role}, ply {ply}, one legal move > "),
            n => format!("{role}, ply {ply}, {n} legal moves > "),
        }
    }
}

/// Shows scenes and prompts people, one after another.
pub(crate) struct Terminal<R> {
    input: R,
    info: Info,
    inputs: BTreeMap<usize, PersonInput>,
}

impl<R: BufRead> Terminal<R> {
    /// A terminal with its input from `input`.
    pub(crate) fn new(input: R, info: Info, inputs: BTreeMap<usize, PersonInput>) -> Self {
        Terminal {
            input,
            info,
            inputs,
        }
    }

    /// Shows all scenes until there are no more.
    ///
    /// # Errors
    /// If nothing can be printed or read any more.
    pub(crate) fn show(mut self, scenes: impl Iterator<Item = Scene>) -> Result<(), CliError> {
        for scene in scenes {
            match scene {
                Scene::Picture(text) => print(&text)?,
                Scene::Ask(ask) => {
                    let answer = self.ask(&ask)?;
                    let input = self.inputs.get(&ask.seat);
                    if input.is_none_or(|input| input.send(answer).is_err()) {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn ask(&mut self, ask: &Ask) -> Result<FromBot, CliError> {
        loop {
            print(&ask.prompt())?;
            let Some(line) = self.line()? else {
                print("\nthe input has ended: that is to resign\n")?;
                return Ok(FromBot::Resign {});
            };
            match interpret(&line, &ask.legal) {
                Typed::Move(mv) => {
                    return Ok(FromBot::Move(BotMove {
                        mv: mv.into(),
                        ply: Some(ask.ply),
                        info: None,
                    }));
                }
                Typed::Resign => return Ok(FromBot::Resign {}),
                Typed::Print(text) => print(&text)?,
                Typed::Board => print(&ask.board)?,
                Typed::Notation => {
                    let forms = self.info.notation.iter();
                    let forms = forms.map(|(form, meaning)| format!("  {form:14} {meaning}\n"));
                    print(&forms.collect::<String>())?;
                }
                Typed::Rules => print(&markdown::for_terminal(self.guide()))?,
                Typed::Nothing => {}
            }
        }
    }

    /// The rules of the game for people.
    fn guide(&self) -> &str {
        games::find(&self.info.id).map_or("", |entry| &entry.guide)
    }

    /// The next line; `None` at the end of the input.
    fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        match self.input.read_until(b'\n', &mut line)? {
            0 => Ok(None),
            _ => Ok(Some(String::from_utf8_lossy(&line).into_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn seats_are_numbers_or_roles() {
        let rules = games::find("siam")
            .unwrap()
            .configure(&serde_json::Value::Null);
        let rules = rules.unwrap();
        let seats = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
            super::seats(&words, &*rules).map_err(|error| error.to_string())
        };
        assert_eq!(seats(&["1"]), Ok(vec![1]));
        assert_eq!(seats(&["rhinos", "0"]), Ok(vec![1, 0]));
        let near = seats(&["rhino"]).unwrap_err();
        assert!(near.ends_with("did you mean `rhinos`?"), "{near}");
        assert!(
            seats(&["2"])
                .unwrap_err()
                .contains("0 (elephants), 1 (rhinos)")
        );
        assert!(
            seats(&["1", "rhinos"])
                .unwrap_err()
                .contains("no free seat")
        );
    }
}
