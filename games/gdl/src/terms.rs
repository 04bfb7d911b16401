//! Names and ground terms as numbers, so that equal terms are equal numbers.

/// A fast hash function, the same in every run.
pub(crate) type Hash = foldhash::fast::FixedState;

/// A map with a fast hash function. Nothing depends on the order of its entries.
pub(crate) type Map<K, V> = std::collections::HashMap<K, V, Hash>;

/// A name, without regard to case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Symbol(pub(crate) u32);

/// A ground term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Term(pub(crate) u32);

#[derive(Clone, Debug)]
struct Node {
    symbol: Symbol,
    arguments: Box<[Term]>,
    /// Its nesting depth.
    depth: u32,
    /// The number of words that it has when it is written.
    words: u32,
}

/// All names and ground terms of a sheet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    /// Names as they were spelled first.
    names: Vec<String>,
    by_name: Map<String, Symbol>,
    nodes: Vec<Node>,
    by_node: Map<Box<[u32]>, Term>,
    key: Vec<u32>,
}

impl Terms {
    /// Interns a name.
    pub(crate) fn symbol(&mut self, name: &str) -> Symbol {
        let folded = name.to_lowercase();
        if let Some(symbol) = self.by_name.get(&folded) {
            return *symbol;
        }
        let symbol = Symbol(self.names.len() as u32);
        self.names.push(name.to_owned());
        self.by_name.insert(folded, symbol);
        symbol
    }

    /// A name as it was spelled first.
    pub(crate) fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// Interns a term.
    pub(crate) fn term(&mut self, symbol: Symbol, arguments: &[Term]) -> Term {
        self.key.clear();
        self.key.push(symbol.0);
        self.key.extend(arguments.iter().map(|term| term.0));
        if let Some(term) = self.by_node.get(&self.key[..]) {
            return *term;
        }
        let term = Term(self.nodes.len() as u32);
        let below = arguments.iter().map(|term| self.depth(*term));
        let depth = below.max().map_or(0, |depth| depth + 1);
        let words = arguments.iter().map(|term| self.words(*term));
        let words = words.fold(1u64, u64::saturating_add);
        self.nodes.push(Node {
            symbol,
            arguments: arguments.into(),
            depth,
            words: u32::try_from(words).unwrap_or(u32::MAX),
        });
        self.by_node.insert(self.key[..].into(), term);
        term
    }

    pub(crate) fn find(&self, symbol: Symbol, arguments: &[Term]) -> Option<Term> {
        let mut key = Vec::with_capacity(arguments.len() + 1);
        key.push(symbol.0);
        key.extend(arguments.iter().map(|term| term.0));
        self.by_node.get(&key[..]).copied()
    }

    /// The nesting depth of a term; 0 for a name.
    pub(crate) fn depth(&self, term: Term) -> u32 {
        self.nodes[term.0 as usize].depth
    }

    /// The number of words in a term's text; `u64::MAX` or less if they are too many to count.
    pub(crate) fn words(&self, term: Term) -> u64 {
        u64::from(self.nodes[term.0 as usize].words)
    }

    pub(crate) fn parts(&self, term: Term) -> (Symbol, &[Term]) {
        let node = &self.nodes[term.0 as usize];
        (node.symbol, &node.arguments)
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A term in its canonical form.
    pub(crate) fn text(&self, term: Term) -> String {
        let mut out = String::new();
        self.write(term, &mut out);
        out
    }

    fn write(&self, term: Term, out: &mut String) {
        let (symbol, arguments) = self.parts(term);
        if arguments.is_empty() {
            out.push_str(self.name(symbol));
            return;
        }
        out.push('(');
        out.push_str(self.name(symbol));
        for argument in arguments {
            out.push(' ');
            self.write(*argument, out);
        }
        out.push(')');
    }

    /// The whole number that a term stands for.
    pub(crate) fn number(&self, term: Term) -> Option<i64> {
        let (symbol, arguments) = self.parts(term);
        arguments
            .is_empty()
            .then(|| self.name(symbol))?
            .parse()
            .ok()
    }
}
