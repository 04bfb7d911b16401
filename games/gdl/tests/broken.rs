//! Broken sheets: each causes one sentence with line and column, and no panic.

#![allow(clippy::unwrap_used, reason = "these are tests")]

use gdl::{Names, SheetGame};

/// A sheet that works; errors replace a line of it, or follow it.
const GOOD: [&str; 10] = [
    "(role white)",
    "(role black)",
    "(init (cell 1 b))",
    "(init (control white))",
    "(legal black noop)",
    "(<= (legal white (mark ?x)) (true (cell ?x b)))",
    "(<= (next (cell ?x w)) (does white (mark ?x)))",
    "(<= (goal ?r 100) (role ?r) (true (cell 1 w)))",
    "(<= (goal ?r 0) (role ?r) (true (cell 1 b)))",
    "(<= terminal (true (cell 1 w)))",
];

fn error(text: &str) -> String {
    let names = Names {
        id: "broken",
        own_id: "broken",
    };
    match SheetGame::new(&names, text) {
        Ok(_) => panic!("taken: {text}"),
        Err(error) => error.to_string(),
    }
}

/// The good sheet with these lines behind it, from line 11 on.
fn with(lines: &str) -> String {
    format!("{}\n{lines}", GOOD.join("\n"))
}

/// The good sheet without the lines that begin so.
fn without(prefix: &str) -> String {
    let lines = GOOD.iter().filter(|line| !line.starts_with(prefix));
    lines.copied().collect::<Vec<_>>().join("\n")
}

#[test]
fn the_good_sheet_is_good() {
    let names = Names {
        id: "good",
        own_id: "good",
    };
    SheetGame::new(&names, &GOOD.join("\n")).unwrap();
}

/// Replacements for line 11, the column of the error, and a part of the message.
const LINES: [(&str, u32, &str); 58] = [
    ("(init (cell 2 b)", 1, "never closed"),
    ("(<= terminal (true (cell 2 b))", 1, "never closed"),
    ("(init (cell 2 b)))", 18, "a `)` too many"),
    (")", 1, "a `)` too many"),
    ("()", 1, "parentheses are empty"),
    ("((p q) r)", 1, "begins with its name, not with a list"),
    ("(p (q))(p ())", 11, "parentheses are empty; a term"),
    ("(p ((q) r))", 4, "a term begins with its name"),
    ("(p ?)", 4, "a `?` alone is no variable"),
    ("?x", 1, "the variable `?x` stands where a relation"),
    ("(?x a)", 1, "the variable `?x` stands where a relation"),
    ("(p (?f a))", 4, "not with the variable `?f`"),
    ("(p \"a\")", 4, "names cannot have the character"),
    ("(p a\u{7}b)", 5, "names cannot have the character"),
    ("(p a\\b)", 5, "names cannot have the character"),
    ("(<=)", 1, "a rule has a head"),
    ("<=", 1, "a rule has a head"),
    ("(<= (not (p 1)) (q 1))", 5, "`not` negates a condition"),
    ("(<= (or (p 1) (q 1)) (r 1))", 5, "`or` joins conditions"),
    ("(<= (and (p 1) (q 1)) (r 1))", 5, "`and` joins conditions"),
    (
        "(<= (distinct a b) (r 1))",
        5,
        "`distinct` compares two terms",
    ),
    ("(not (p 1))", 1, "`not` negates a condition"),
    ("(<= p (<= q r))", 7, "`<=` begins a rule"),
    ("(p (not q))", 4, "`not` stands where a term"),
    ("(p <=)", 4, "`<=` stands where a term"),
    ("(<= ?x (p 1))", 5, "the variable `?x` stands where"),
    ("(<= p ?x)", 7, "the variable `?x` stands where"),
    ("(true (cell 2 b))", 1, "`true` cannot be a head"),
    (
        "(<= (true (p ?x)) (true (cell ?x b)))",
        5,
        "`true` cannot be a head",
    ),
    (
        "(<= (does white noop) (true (cell 1 b)))",
        5,
        "`does` cannot be a head",
    ),
    ("(<= (role ?x) (true (cell ?x b)))", 5, "roles are facts"),
    ("(role ?x)", 1, "the variable `?x` stands in a fact"),
    ("(role white black)", 1, "`role` has 1 argument, not 2"),
    ("(role)", 1, "`role` has 1 argument, not none"),
    ("(init a b)", 1, "`init` has 1 argument, not 2"),
    ("(legal white)", 1, "`legal` has 2 arguments, not 1"),
    ("(goal white)", 1, "`goal` has 2 arguments, not 1"),
    ("(next)", 1, "`next` has 1 argument, not none"),
    ("(terminal now)", 1, "`terminal` has no arguments, not 1"),
    ("(sees white)", 1, "`sees` has 2 arguments, not 1"),
    ("(<= p (true a b))", 7, "`true` has 1 argument, not 2"),
    ("(<= p (does white))", 7, "`does` has 2 arguments, not 1"),
    (
        "(p a) (p a b)",
        7,
        "`p` has 1 argument at line 11, column 1, not 2 as here",
    ),
    (
        "(<= p (not (q 1) (q 2)))",
        7,
        "`not` takes one condition, not 2",
    ),
    ("(<= p (not))", 7, "`not` takes one condition, not 0"),
    (
        "(<= p (distinct a))",
        7,
        "`distinct` takes two terms, not 1",
    ),
    (
        "(<= p (distinct a b c))",
        7,
        "`distinct` takes two terms, not 3",
    ),
    ("(p ?x)", 1, "stands in a fact"),
    ("(<= (p ?x) (q 1))", 5, "stands in the head only"),
    (
        "(<= p (true (cell ?x b)) (not (q ?y)))",
        31,
        "stands only in a negated condition",
    ),
    (
        "(<= p (true (cell ?x b)) (distinct ?x ?y))",
        26,
        "stands only in `distinct`",
    ),
    (
        "(<= (p ?y) (true (cell ?x b)) (or (q ?x) (r ?y)))",
        5,
        "stands in the head only",
    ),
    (
        "(<= (init (p ?x)) (true (cell ?x b)))",
        19,
        "`init` cannot read `true`",
    ),
    (
        "(<= (init (p 1)) (q 1)) (<= (q 1) (true (cell 1 b)))",
        35,
        "`init` needs `q`",
    ),
    (
        "(<= (p ?x) (next (cell ?x 1 b)))",
        12,
        "`next` is only a head, and asked for in rules of `sees` alone",
    ),
    (
        "(<= (base (p ?x)) (role white)) (<= q (base (p 1)))",
        5,
        "stands in the head only",
    ),
    (
        "(distinct a a)",
        1,
        "`distinct` compares two terms in a body",
    ),
    (
        "(goal white 101)",
        1,
        "whole number from 0 to 100, not `101`",
    ),
];

#[test]
fn mistakes_are_named_with_line_and_column() {
    for (line, column, message) in LINES {
        let error = error(&with(line));
        let place = format!("line 11, column {column}: ");
        assert!(
            error.starts_with(&place) && error.contains(message),
            "{line}\n{error}"
        );
        assert!(
            error.len() < 400 && !error.contains(char::is_control),
            "{error}"
        );
    }
}

/// Other errors: the sheet, and a part of the message.
#[test]
fn sheets_that_lack_something_or_contradict_themselves_are_refused() {
    let deep = format!("(p {}a{})", "(f ".repeat(600), ")".repeat(600));
    let alternatives = format!(
        "(<= p {})",
        "(or (true (cell 1 b)) (true (cell 1 w)))".repeat(20)
    );
    let variables: String = (0..300).map(|n| format!("(true (cell ?v{n} b))")).collect();
    let roles: String = (0..70).map(|n| format!("(role r{n})")).collect();
    for (text, message) in [
        (String::new(), "no role plays"),
        ("; nothing but a comment".to_owned(), "no role plays"),
        ("(role random)".to_owned(), "no role plays"),
        (without("(role"), "no role plays"),
        (
            without("(<= (legal").replace("(legal black noop)", ""),
            "no rule defines `legal`",
        ),
        (without("(<= terminal"), "no rule defines `terminal`"),
        (without("(<= (goal"), "no rule defines `goal`"),
        (with("(<= p (not p))"), "`p` depends on its own negation"),
        (
            with("(<= p (not q)) (<= q (not p))"),
            "depends on its own negation",
        ),
        (
            with("(<= (win ?x) (arc ?x ?y) (not (win ?y))) (arc a b) (arc b a)"),
            "`(win a)` depends on its own negation",
        ),
        (
            with("(<= (goal ?r win) (role ?r))"),
            "a whole number from 0 to 100, not `win`",
        ),
        (
            with("(<= (goal ?r (f ?r)) (role ?r))"),
            "from 0 to 100, not a term",
        ),
        (with("(<= p (next (cell 1 b)))"), "`next` is only a head"),
        (with("(<= p (sees white x))"), "`sees` is only a head"),
        (
            with("(<= (init (p 1)) (does white noop))"),
            "`init` cannot read `does`",
        ),
        (with(&deep), "nested deeper than 500"),
        (with(&alternatives), "more than 4096 alternatives"),
        (
            with(&format!("(<= p {variables})")),
            "at most 200 variables",
        ),
        (
            with(&format!("(<= p {})", "(q 1)".repeat(500))),
            "the body has 500 conditions",
        ),
        (with(&roles), "roles play; at most 64"),
        (" ".repeat(9 << 20), "at most 8388608 are read"),
    ] {
        let error = error(&text);
        assert!(
            error.starts_with("line ") && error.contains(message),
            "{message}\n{error}"
        );
    }
}

#[test]
fn what_communities_write_is_read() {
    for line in [
        "(P A) (<= (q ?X) (p ?x))",
        "(<= (p) (true (cell 1 b)))\t(<= q (p)) ; a comment ) (",
        "(<= p (or (true (cell 1 b)) (and (true (cell 1 w)) (not (or (q 1) (q 2))))))",
        "(<= (goal white 40) (not (goal white 100)))",
        "(<= (even ?x) (succ ?y ?x) (not (even ?y))) (succ 1 2) (succ 2 3)",
        "(base (cell 1 b)) (input white (mark 1)) (<= (base (cell ?x w)) (base (cell ?x b)))",
        "(<= p (not (distinct a a)))",
        "(<= p)",
        "(<= p (unheard of))",
        "(<= p (not (unheard of)))",
        "(<= (p ?x) (distinct ?x a) (true (cell ?x b)))",
        "(<= p (legal white ?m) (not terminal) (goal white 0))",
        "(<= p (not (and (true (cell 1 b)) (not (true (cell 1 w))))))",
        "(init lonely) (<= (next lonely) (true (lonely)))",
        "(legal somebody noop)",
    ] {
        let names = Names {
            id: "good",
            own_id: "good",
        };
        let game = SheetGame::new(&names, &with(line));
        let game = game.unwrap_or_else(|error| panic!("{line}: {error}"));
        game.rules
            .start(0)
            .unwrap_or_else(|error| panic!("{line}: {error}"));
    }
}
