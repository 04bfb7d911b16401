//! Disjoint sets (union-find).

/// A partition of the numbers from 0.
#[derive(Clone, Debug)]
pub(crate) struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// Each number in its own set.
    pub(crate) fn new(count: usize) -> Self {
        DisjointSets {
            parent: (0..count as u32).collect(),
        }
    }

    /// The lowest number of a number's set.
    pub(crate) fn root(&mut self, number: usize) -> usize {
        let mut at = number as u32;
        while self.parent[at as usize] != at {
            let above = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = above;
            at = above;
        }
        at as usize
    }

    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_numbers_have_one_root() {
        let mut sets = DisjointSets::new(6);
        sets.join(4, 2);
        sets.join(5, 4);
        sets.join(1, 0);
        let roots: Vec<usize> = (0..6).map(|number| sets.root(number)).collect();
        assert_eq!(roots, [0, 0, 2, 3, 2, 2]);
    }
}
