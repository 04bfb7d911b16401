//! Help texts as paragraphs: line breaks of the source disappear, and the terminal's width
//! determines the new ones.

use clap::Command;

/// Joins the lines of each paragraph in the texts after the help, of a command and its subcommands.
pub(crate) fn unwrapped(mut command: Command) -> Command {
    if let Some(text) = command.get_after_help() {
        let text = joined(&text.to_string());
        command = command.after_help(text);
    }
    let names: Vec<String> = command
        .get_subcommands()
        .map(|sub| sub.get_name().to_owned())
        .collect();
    for name in names {
        command = command.mut_subcommand(name, unwrapped);
    }
    command
}

/// Joins consecutive lines of prose. Lines that are indented, or end with a colon, stay.
fn joined(text: &str) -> String {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let is_prose = !line.is_empty() && !line.starts_with(char::is_whitespace);
        match paragraphs.last_mut() {
            Some(last) if goes_on && is_prose => {
                last.push(' ');
                last.push_str(line);
            }
            _ => paragraphs.push(line.to_owned()),
        }
        goes_on = is_prose && !line.ends_with(':');
    }
    paragraphs.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_prose_is_joined() {
        let text =
            "Examples:\n  a b\n  c d\n\nOne\nparagraph.\n\nAnother:\n  list\nand more\ntext.";
        let expected =
            "Examples:\n  a b\n  c d\n\nOne paragraph.\n\nAnother:\n  list\nand more text.";
        assert_eq!(joined(text), expected);
    }
}
