//! The search budget of one turn: a number of nodes, a deadline, or both.

use std::time::Instant;

use crate::turn::limits::SearchLimits;

/// The number of nodes between two checks of the clock.
const NODES_A_CHECK: u64 = 8;

/// Counts the nodes of a search and says when it has to end.
#[derive(Debug)]
pub(super) struct NodeBudget {
    limits: SearchLimits<u64>,
    nodes: u64,
    spent: bool,
}

impl NodeBudget {
    pub(super) fn new(most: Option<u64>, deadline: Option<Instant>) -> Self {
        NodeBudget {
            limits: SearchLimits::new(most, deadline),
            nodes: 0,
            spent: false,
        }
    }

    /// Counts a node; true if the budget is spent.
    #[inline]
    pub(super) fn count(&mut self) -> bool {
        if self.spent {
            return true;
        }
        self.nodes += 1;
        self.spent |= self.limits.most.is_some_and(|most| self.nodes > most);
        if self.limits.deadline.is_some() && self.nodes.is_multiple_of(NODES_A_CHECK) {
            self.check_clock();
        }
        self.spent
    }

    /// Checks the deadline; true if the budget is spent.
    pub(super) fn check_clock(&mut self) -> bool {
        self.spent |= self.limits.is_late();
        self.spent
    }

    #[inline]
    pub(super) fn is_spent(&self) -> bool {
        self.spent
    }

    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_nodes_needs_no_clock() {
        let mut budget = NodeBudget::new(Some(3), None);
        assert!(!budget.check_clock());
        assert_eq!([0; 4].map(|_| budget.count()), [false, false, false, true]);
    }

    #[test]
    fn the_clock_is_checked_now_and_then() {
        let mut budget = NodeBudget::new(None, Some(Instant::now()));
        let counted = (1..1000).find(|_| budget.count());
        assert_eq!(counted, Some(NODES_A_CHECK as i32));
        assert!(budget.is_spent());
    }
}
