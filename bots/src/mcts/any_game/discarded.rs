//! Positions that a search no longer needs.

use super::tree::Node;

/// Frees positions one at a time. To free a whole tree takes a tenth of a second, and as long again in the
/// allocator, when it next looks for memory: both on the bot's clock.
#[derive(Default)]
pub(super) struct Discarded(Vec<Node>);

impl Discarded {
    pub(super) fn add(&mut self, position: Node) {
        self.0.push(position);
    }

    /// Frees a single position. If that is done for each new one, memory does not grow beyond what the
    /// largest tree took.
    pub(super) fn free_one(&mut self) {
        if let Some(mut position) = self.0.pop() {
            self.0.extend(position.take_children());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcts::any_game::tree::tests::line;

    #[test]
    fn positions_are_freed_one_at_a_time() {
        let rules = games::find("run")
            .unwrap()
            .configure(&serde_json::Value::Null)
            .unwrap();
        let mut discarded = Discarded::default();
        discarded.add(line(3, &*rules.start(1).unwrap()));
        for left in [1, 1, 0, 0] {
            discarded.free_one();
            assert_eq!(discarded.0.len(), left);
        }
    }
}
