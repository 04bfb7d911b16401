//! Sheets in the form in which players elsewhere receive them, and translation of moves.

use std::collections::HashSet;
use std::sync::Arc;

use games::{Rng, Rules};

use crate::engine::Engine;
use crate::ggp::kif::Kif;
use crate::interpreter::Interpreter;
use crate::network::Network;
use crate::play::rules::GdlRules;
use crate::terms::Map;

/// Names that mean something to everybody, and keep their names. `nil` is the players' word for no move.
const KEYWORDS: [&str; 18] = [
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "sees", "base", "input",
    "distinct", "not", "or", "and", "<=", "random", "nil",
];
/// Letters of scrambled names.
const CONSONANTS: &[u8] = b"bdfgklmnprstvz";
const VOWELS: &[u8] = b"aeiou";

/// A sheet as players are sent it: without comments, and with each name spelled in one way.
///
/// ```
/// let sheet = "(ROLE Me) (init p) (way 1) ; a comment
///     (<= (legal ME (go ?X)) (true P) (way ?x)) (<= terminal (true p)) (goal me 50)";
/// let names = gdl::Names { id: "go", own_id: "go" };
/// let game = gdl::SheetGame::new(&names, sheet).unwrap();
/// let script = gdl::Script::of(&*game.rules).unwrap();
/// assert_eq!(
///     script.text(),
///     "((role Me) (init p) (way 1) (<= (legal Me (go ?x)) (true p) (way ?x)) \
///     (<= terminal (true p)) (goal Me 50))"
/// );
/// let other = script.scrambled(7);
/// let sent = other.sent("(GO 1)").unwrap();
/// assert!(!other.text().contains("(go ") && !sent.contains("GO"), "{sent}");
/// assert_eq!(other.received(&sent).as_deref(), Some("(go 1)"));
/// assert_eq!(other.received("(go 1)"), None);
/// ```
#[derive(Clone, Debug)]
pub struct Script {
    sheet: Vec<Kif>,
    /// By names in small letters.
    sent: Map<String, String>,
    /// By what is sent, in small letters.
    received: Map<String, String>,
    /// True if names have other names elsewhere.
    is_scrambled: bool,
}

impl Script {
    /// The sheet of these rules; `None` if they come from elsewhere.
    pub fn of(rules: &dyn Rules) -> Option<Self> {
        Some(Self::new(&text_of(rules)?))
    }

    /// Names are spelled as they are spelled first. Players count the bytes of what they are sent as
    /// characters, so names that are not ASCII are replaced.
    fn new(text: &str) -> Self {
        let sheet = Kif::read_all(text).unwrap_or_default();
        let mut script = Script {
            sheet,
            sent: Map::default(),
            received: Map::default(),
            is_scrambled: false,
        };
        script.name_all(&mut |word| word.is_ascii().then(|| word.to_owned()));
        script
    }

    /// The same with names that mean nothing, others for each seed. Numbers and the words of the language
    /// stay.
    #[must_use]
    pub fn scrambled(&self, seed: u64) -> Self {
        let mut script = Script {
            sent: Map::default(),
            received: Map::default(),
            is_scrambled: true,
            ..self.clone()
        };
        let (mut rng, mut taken) = (Rng::new(seed), HashSet::new());
        script.name_all(&mut |_| Some(fresh(&mut rng, &mut taken)));
        script
    }

    /// Names each name by `choose`; with a free name if that returns `None`.
    fn name_all(&mut self, choose: &mut dyn FnMut(&str) -> Option<String>) {
        let mut words = Vec::new();
        let mut known = HashSet::new();
        for tree in &self.sheet {
            tree.each_word(&mut |word| {
                let folded = word.to_lowercase();
                if !is_kept(&folded) && known.insert(folded.clone()) {
                    words.push((folded, word.to_owned()));
                }
            });
        }
        let (mut rng, mut taken) = (Rng::new(0), known);
        for (folded, word) in words {
            let variable = word.strip_prefix('?');
            let chosen = choose(&word).unwrap_or_else(|| fresh(&mut rng, &mut taken));
            let chosen = match variable {
                // Variables differ without regard to case as well, and nobody reads their names.
                Some(_) => format!("?{}", chosen.trim_start_matches('?').to_lowercase()),
                None => chosen,
            };
            self.received.insert(chosen.to_lowercase(), folded.clone());
            self.sent.insert(folded, chosen);
        }
    }

    /// The same game, starting from these facts.
    #[must_use]
    pub fn starting_with(&self, facts: &[String]) -> Self {
        let is_start = |rule: &Kif| {
            let head = match rule.list() {
                Some([arrow, head, ..]) if arrow.word() == Some("<=") => head,
                _ => rule,
            };
            head.head()
                .is_some_and(|head| head.eq_ignore_ascii_case("init"))
        };
        let facts = facts.iter().filter_map(|fact| Kif::read(fact).ok());
        let facts = facts.map(|fact| Kif::List(vec![Kif::new_word("init"), fact]));
        let rest = self.sheet.iter().filter(|rule| !is_start(rule)).cloned();
        Script {
            sheet: rest.chain(facts).collect(),
            ..self.clone()
        }
    }

    /// All rules as one list.
    pub fn text(&self) -> String {
        self.rename(&Kif::List(self.sheet.clone())).to_string()
    }

    /// A name or a term as players are sent it; `None` if it is neither.
    pub fn sent(&self, term: &str) -> Option<String> {
        Some(self.rename(&Kif::read(term).ok()?).to_string())
    }

    fn rename(&self, term: &Kif) -> Kif {
        let mut rename = |word: &str| {
            let folded = word.to_lowercase();
            Some(self.sent.get(&folded).cloned().unwrap_or(folded))
        };
        term.renamed(&mut rename).expect("every word has a name")
    }

    /// A term that a player has sent, with the sheet's names; `None` if it is none, or has a name that the
    /// player was not sent.
    pub fn received(&self, term: &str) -> Option<String> {
        let mut rename = |word: &str| {
            let folded = word.to_lowercase();
            match self.received.get(&folded) {
                Some(own) => Some(own.clone()),
                None if self.is_scrambled && !is_kept(&folded) => None,
                None => Some(folded),
            }
        };
        Some(Kif::read(term).ok()?.renamed(&mut rename)?.to_string())
    }
}

/// True if a word, in small letters, is the same everywhere.
fn is_kept(word: &str) -> bool {
    KEYWORDS.contains(&word) || word.parse::<i64>().is_ok()
}

/// A meaningless name that is not taken yet.
fn fresh(rng: &mut Rng, taken: &mut HashSet<String>) -> String {
    loop {
        let mut name = String::new();
        // More syllables where many names are taken.
        for _ in 0..3 + taken.len() / 50_000 {
            name.push(char::from(CONSONANTS[rng.index(CONSONANTS.len())]));
            name.push(char::from(VOWELS[rng.index(VOWELS.len())]));
        }
        if !is_kept(&name) && taken.insert(name.clone()) {
            return name;
        }
    }
}

/// The text of the sheet of these rules.
fn text_of(rules: &dyn Rules) -> Option<Arc<str>> {
    fn of<E: Engine>(rules: &dyn Rules) -> Option<Arc<str>> {
        let rules = rules.as_any().downcast_ref::<GdlRules<E>>()?;
        Some(rules.shared.text.clone())
    }
    of::<Network>(rules).or_else(|| of::<Interpreter>(rules))
}
