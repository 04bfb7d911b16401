//! Small well-formed sheets made at random: facts, helpers with recursion and negation, moves of one to
//! three roles, perhaps chance and percepts.

use std::fmt::Write as _;

use games::Rng;

const VALUES: [&str; 3] = ["1", "2", "3"];

struct Generator<'r> {
    rng: &'r mut Rng,
    roles: Vec<&'static str>,
    facts: usize,
    helpers: usize,
    out: String,
}

/// A sheet.
pub(crate) fn sheet(rng: &mut Rng) -> String {
    let mut roles = vec!["ann", "Bob", "cid"];
    roles.truncate(1 + rng.index(3));
    if rng.index(3) == 0 {
        roles.push("random");
    }
    let (facts, helpers) = (2 + rng.index(3), 2 + rng.index(4));
    let mut generator = Generator {
        rng,
        roles,
        facts,
        helpers,
        out: String::new(),
    };
    generator.write();
    generator.out
}

impl Generator<'_> {
    fn chance(&mut self, percent: u64) -> bool {
        self.rng.below(100) < percent
    }

    fn value(&mut self) -> &'static str {
        VALUES[self.rng.index(3)]
    }

    /// A variable that is bound, or a value.
    fn term(&mut self, bound: &[&'static str]) -> &'static str {
        if !bound.is_empty() && self.chance(80) {
            return bound[self.rng.index(bound.len())];
        }
        self.value()
    }

    fn write(&mut self) {
        let roles = self.roles.clone();
        for role in &roles {
            let _ = writeln!(self.out, "(role {role})");
        }
        self.out += "(dom 1) (DOM 2) (dom 3) (succ 1 2) (succ 2 3)\n";
        self.out +=
            "(init (clock 0)) (tick 0 1) (tick 1 2) (tick 2 3) (tick 3 4) (tick 4 5) (tick 5 6)\n";
        self.out += "(<= (next (clock ?n)) (true (clock ?m)) (tick ?m ?n))\n";
        for fact in 0..self.facts {
            for _ in 0..=self.rng.index(2) {
                let value = self.value();
                let _ = writeln!(self.out, "(init (f{fact} {value}))");
            }
            self.next_rules(fact);
        }
        for helper in 0..self.helpers {
            self.helper_rules(helper);
        }
        for role in roles.clone() {
            self.role_rules(role);
        }
        self.out += "(<= terminal (true (clock 6)))\n";
        if self.chance(40) {
            let body = self.body(&mut vec![], self.helpers, true);
            let _ = writeln!(self.out, "(<= terminal (true (clock 3)){body})");
        }
    }

    /// Conditions, the first of which binds `?x` and perhaps `?y`. Helpers below `level` may be asked.
    fn body(&mut self, bound: &mut Vec<&'static str>, level: usize, negations: bool) -> String {
        let mut body = String::new();
        for variable in ["?x", "?y"].iter().take(1 + self.rng.index(2)) {
            let fact = self.rng.index(self.facts);
            let text = match self.rng.index(4) {
                0 => format!(" (dom {variable})"),
                1 if level > 0 => format!(" (h{} {variable})", self.rng.index(level)),
                _ => format!(" (true (f{fact} {variable}))"),
            };
            body += &text;
            bound.push(variable);
        }
        for _ in 0..self.rng.index(3) {
            let test = self.test(bound, level, negations);
            body += &test;
        }
        body
    }

    fn test(&mut self, bound: &[&'static str], level: usize, negations: bool) -> String {
        let (one, other) = (self.term(bound), self.term(bound));
        let fact = self.rng.index(self.facts);
        match self.rng.index(7) {
            0 => format!(" (distinct {one} {other})"),
            1 => format!(" (succ {one} {other})"),
            2 if negations => format!(" (not (true (f{fact} {one})))"),
            3 if negations && level > 0 => {
                format!(" (not (h{} {one}))", self.rng.index(level))
            }
            4 => format!(" (or (true (f{fact} {one})) (succ {one} {other}))"),
            5 if negations => {
                format!(" (not (and (true (f{fact} {one})) (distinct {one} {other})))")
            }
            6 if level > 0 => format!(" (h{} {one})", self.rng.index(level)),
            _ => format!(" (true (f{fact} {one}))"),
        }
    }

    fn helper_rules(&mut self, helper: usize) {
        for _ in 0..=self.rng.index(2) {
            let mut bound = Vec::new();
            let body = self.body(&mut bound, helper, true);
            let head = self.term(&bound);
            let _ = writeln!(self.out, "(<= (h{helper} {head}){body})");
        }
        // Recursion, also through a later helper and back.
        if self.chance(40) {
            let other = if self.chance(30) {
                (helper + 1) % self.helpers
            } else {
                helper
            };
            let test = self.test(&["?x", "?y"], 0, true);
            let _ = writeln!(
                self.out,
                "(<= (h{helper} ?y) (h{other} ?x) (or (succ ?x ?y) (succ ?y ?x)){test})"
            );
        }
    }

    fn next_rules(&mut self, fact: usize) {
        let role = self.roles[self.rng.index(self.roles.len())];
        match self.rng.index(3) {
            0 => {
                let _ = writeln!(
                    self.out,
                    "(<= (next (f{fact} ?x)) (true (f{fact} ?x)) (not (does {role} (go ?x))))"
                );
            }
            1 => {
                let _ = writeln!(self.out, "(<= (next (f{fact} ?x)) (true (f{fact} ?x)))");
            }
            _ => {}
        }
        for _ in 0..=self.rng.index(2) {
            let mut bound = Vec::new();
            let body = self.body(&mut bound, self.helpers, true);
            let head = self.term(&bound);
            let role = self.roles[self.rng.index(self.roles.len())];
            let one = self.term(&bound);
            let mv = match self.rng.index(5) {
                0 => " (does ?r (go ?z)) (dom ?z)".to_owned(),
                1 => format!(" (does {role} (go {one}))"),
                2 => format!(" (not (does {role} (go {one})))"),
                3 => format!(" (does {role} wait)"),
                _ => String::new(),
            };
            let _ = writeln!(self.out, "(<= (next (f{fact} {head})){body}{mv})");
        }
        if self.chance(25) {
            // Recursion through moves.
            let _ = writeln!(
                self.out,
                "(<= (m{fact} ?x) (does ?r (go ?x)))\n(<= (m{fact} ?y) (m{fact} ?x) (succ ?x ?y) (true (f0 ?y)))\n\
                 (<= (next (f{fact} ?x)) (m{fact} ?x))"
            );
        }
    }

    fn role_rules(&mut self, role: &str) {
        let _ = writeln!(self.out, "(legal {role} Wait)");
        for _ in 0..=self.rng.index(2) {
            let mut bound = Vec::new();
            let body = self.body(&mut bound, self.helpers, true);
            let value = self.term(&bound);
            let _ = writeln!(self.out, "(<= (legal {role} (go {value})){body})");
        }
        let _ = writeln!(self.out, "(goal {role} 10)");
        let mut bound = Vec::new();
        let body = self.body(&mut bound, self.helpers, true);
        let _ = writeln!(self.out, "(<= (goal {role} 70){body})");
        let _ = writeln!(self.out, "(<= (goal {role} 0) (not (goal {role} 70)))");
        if self.roles.len() > 1 && role == "ann" && self.chance(40) {
            let other = self.roles[1];
            let _ = writeln!(self.out, "(<= (sees {role} (moved ?m)) (does {other} ?m))");
            let mut bound = Vec::new();
            let body = self.body(&mut bound, self.helpers, true);
            let value = self.term(&bound);
            let _ = writeln!(self.out, "(<= (sees {role} (p {value})){body})");
        }
    }
}
