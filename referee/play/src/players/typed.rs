//! Interprets what a person types in their turn.

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

/// The meaning of a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Typed<'a> {
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
pub fn interpret<'a>(line: &str, legal: &'a [String]) -> Typed<'a> {
    let line = line.trim();
    if let Some(mv) = legal.iter().find(|mv| *mv == line) {
        return Typed::Move(mv);
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word.to_ascii_lowercase().as_str() {
        "" => return Typed::Nothing,
        "resign" => return Typed::Resign,
        "help" | "?" => return Typed::Print(HELP.to_owned()),
        "list" => return Typed::Print(list(rest.trim(), legal)),
        "board" => return Typed::Board,
        "notation" => return Typed::Notation,
        "rules" => return Typed::Rules,
        "undo" => {
            return Typed::Print("what was played stands; there is no taking back\n".to_owned());
        }
        "quit" | "exit" => {
            return Typed::Print("`resign` gives the match up, Ctrl-C breaks it off\n".to_owned());
        }
        _ => {}
    }
    if let Ok(number) = line.parse::<usize>() {
        return match number.checked_sub(1).and_then(|index| legal.get(index)) {
            Some(mv) => Typed::Move(mv),
            None => Typed::Print(format!(
                "the moves have numbers from 1 to {}\n",
                legal.len()
            )),
        };
    }
    let begun: Vec<&String> = legal.iter().filter(|mv| mv.starts_with(line)).collect();
    match begun.as_slice() {
        [mv] => Typed::Move(mv),
        [] => Typed::Print(format!(
            "no legal move begins with `{}`; `list` has all, `help` explains\n",
            line.escape_debug()
        )),
        several => {
            let named: Vec<&str> = several.iter().take(NAMED).map(|mv| mv.as_str()).collect();
            let more = if several.len() > NAMED { ", …" } else { "" };
            let (named, count) = (named.join(", "), several.len());
            Typed::Print(format!(
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
        let Typed::Print(text) = interpret(line, &legal) else {
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
            assert_eq!(interpret(line, &legal), Typed::Move(mv));
        }
        printed("a1", "3 moves begin with `a1`: a1-b2, a1-b3, a11");
        printed("b", "no legal move begins with `b`");
        printed("5", "from 1 to 4");
        printed("0", "from 1 to 4");
    }

    #[test]
    fn words_are_understood() {
        let legal = legal();
        assert_eq!(interpret("resign", &legal), Typed::Resign);
        assert_eq!(interpret("Board", &legal), Typed::Board);
        assert_eq!(interpret("rules", &legal), Typed::Rules);
        assert_eq!(interpret("  ", &legal), Typed::Nothing);
        printed("help", "gives the match up");
        assert!(HELP.lines().all(|line| line.starts_with("  ")));
        printed("undo", "stands");
        printed("list a1-", "    2  a1-b3\n");
        printed("list z", "no legal move");
        let many: Vec<String> = (0..100).map(|i| format!("m{i}")).collect();
        let Typed::Print(text) = interpret("list", &many) else {
            panic!("a list")
        };
        assert!(text.contains("and 40 more") && text.lines().count() == 61);
    }
}
