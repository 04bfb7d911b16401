//! A person at the terminal who takes a seat: prompts and commands.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use arbiter::Arbiter;
use games::kit::text::nearest;
use games::{Info, Rules};
use play::players::{Person, PersonInput};
use protocol::{BotMove, FromBot, TimeControl};
use supervisor::{BotSpec, REFEREE};
use tournament::playing::match_run::People;

use crate::cli::text::board;
use crate::cli::text::markdown;
use crate::cli::{CliError, print};

/// Stands in the log for the command of a person.
pub(crate) const COMMAND: [&str; 3] = [REFEREE, "play", "--human"];
/// Most moves in a list.
const LISTED: usize = 60;
/// Most moves in a list of those that begin with the input.
const NAMED: usize = 8;

const HELP: &str =
    "  a move         as it is written, or the beginning of it where only one move begins so
  a number       of a move in `list`
  list [TEXT]    the legal moves, or those that begin with TEXT
  notation       how moves are written
  rules          the rules of the game
  board          draws the board again
  resign         gives the match up
";

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

/// The meaning of a line.
#[derive(Debug, PartialEq, Eq)]
enum Word<'a> {
    Move(&'a str),
    Resign,
    /// A text to print.
    Print(String),
    Board,
    Notation,
    Rules,
    Nothing,
}

/// Interprets a line from the person whose turn it is.
fn interpret<'a>(line: &str, legal: &'a [String]) -> Word<'a> {
    let line = line.trim();
    if let Some(mv) = legal.iter().find(|mv| *mv == line) {
        return Word::Move(mv);
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word.to_ascii_lowercase().as_str() {
        "" => return Word::Nothing,
        "resign" => return Word::Resign,
        "help" | "?" => return Word::Print(HELP.to_owned()),
        "list" => return Word::Print(list(rest.trim(), legal)),
        "board" => return Word::Board,
        "notation" => return Word::Notation,
        "rules" => return Word::Rules,
        "undo" => {
            return Word::Print("what was played stands; there is no taking back\n".to_owned());
        }
        "quit" | "exit" => {
            return Word::Print("`resign` gives the match up, Ctrl-C breaks it off\n".to_owned());
        }
        _ => {}
    }
    if let Ok(number) = line.parse::<usize>() {
        return match number.checked_sub(1).and_then(|index| legal.get(index)) {
            Some(mv) => Word::Move(mv),
            None => Word::Print(format!(
                "the moves have numbers from 1 to {}\n",
                legal.len()
            )),
        };
    }
    let begun: Vec<&String> = legal.iter().filter(|mv| mv.starts_with(line)).collect();
    match begun.as_slice() {
        [mv] => Word::Move(mv),
        [] => Word::Print(format!(
            "no legal move begins with `{}`; `list` has all, `help` tells more\n",
            line.escape_debug()
        )),
        several => {
            let named: Vec<&str> = several.iter().take(NAMED).map(|mv| mv.as_str()).collect();
            let more = if several.len() > NAMED { ", …" } else { "" };
            let (named, count) = (named.join(", "), several.len());
            Word::Print(format!(
                "{count} moves begin with `{line}`: {named}{more}\n"
            ))
        }
    }
}

/// The moves that begin like this, with their numbers.
fn list(begin: &str, legal: &[String]) -> String {
    let all = legal.iter().enumerate();
    let all: Vec<_> = all.filter(|(_, mv)| mv.starts_with(begin)).collect();
    let lines = all.iter().take(LISTED);
    let mut text: String = lines
        .map(|(i, mv)| format!("{:>5}  {mv}\n", i + 1))
        .collect();
    if all.len() > LISTED {
        let more = all.len() - LISTED;
        text.push_str(&format!(
            "       and {more} more; `list TEXT` has those that begin with TEXT\n"
        ));
    }
    if all.is_empty() {
        text = format!("no legal move begins with `{}`\n", begin.escape_debug());
    }
    text
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
                Word::Move(mv) => {
                    return Ok(FromBot::Move(BotMove {
                        mv: mv.into(),
                        ply: Some(ask.ply),
                        info: None,
                    }));
                }
                Word::Resign => return Ok(FromBot::Resign {}),
                Word::Print(text) => print(&text)?,
                Word::Board => print(&ask.board)?,
                Word::Notation => {
                    let forms = self.info.notation.iter();
                    let forms = forms.map(|(form, meaning)| format!("  {form:14} {meaning}\n"));
                    print(&forms.collect::<String>())?;
                }
                Word::Rules => print(&markdown::for_terminal(self.guide()))?,
                Word::Nothing => {}
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
    use super::*;

    fn legal() -> Vec<String> {
        ["a1-b2", "a1-b3", "a11", "resign-not"]
            .map(str::to_owned)
            .to_vec()
    }

    #[track_caller]
    fn printed(line: &str, part: &str) {
        let legal = legal();
        let Word::Print(text) = interpret(line, &legal) else {
            panic!("`{line}` is an answer")
        };
        assert!(text.contains(part), "`{part}` in `{text}`");
    }

    #[test]
    fn moves_are_given_by_text_number_or_beginning() {
        let legal = legal();
        for (line, mv) in [
            ("a1-b2\n", "a1-b2"),
            (" 3 \r\n", "a11"),
            ("a1-b3", "a1-b3"),
            ("a11", "a11"),
            ("r", "resign-not"),
        ] {
            assert_eq!(interpret(line, &legal), Word::Move(mv));
        }
        printed("a1", "3 moves begin with `a1`: a1-b2, a1-b3, a11");
        printed("b", "no legal move begins with `b`");
        printed("5", "from 1 to 4");
        printed("0", "from 1 to 4");
    }

    #[test]
    fn words_are_understood() {
        let legal = legal();
        assert_eq!(interpret("resign", &legal), Word::Resign);
        assert_eq!(interpret("Board", &legal), Word::Board);
        assert_eq!(interpret("rules", &legal), Word::Rules);
        assert_eq!(interpret("  ", &legal), Word::Nothing);
        printed("help", "gives the match up");
        assert!(HELP.lines().all(|line| line.starts_with("  ")));
        printed("undo", "stands");
        printed("list a1-", "    2  a1-b3\n");
        printed("list z", "no legal move");
        let many: Vec<String> = (0..100).map(|i| format!("m{i}")).collect();
        let Word::Print(text) = interpret("list", &many) else {
            panic!("a list")
        };
        assert!(text.contains("and 40 more") && text.lines().count() == 61);
    }

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
