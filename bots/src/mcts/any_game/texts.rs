//! The texts of moves, each of which is stored once.

use std::collections::HashSet;
use std::rc::Rc;

/// Only games that name every move differently have this many texts; keeping them does not help there.
const MOST: usize = 100_000;

#[derive(Default)]
pub(super) struct Texts(HashSet<Rc<str>>);

impl Texts {
    pub(super) fn shared(&mut self, text: &str) -> Rc<str> {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        if self.0.len() == MOST {
            self.0.clear();
        }
        let new: Rc<str> = text.into();
        self.0.insert(new.clone());
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_stored_once() {
        let mut texts = Texts::default();
        let [one, same, other] = ["a1-b2", "a1-b2", "pass"].map(|text| texts.shared(text));
        assert!(Rc::ptr_eq(&one, &same));
        assert_eq!((&*one, &*other), ("a1-b2", "pass"));
    }
}
