//! Strongly connected components of a graph.

/// The component of each node, numbered so that edges lead to the same or a smaller number, and how
/// many components there are. `edges` returns the nodes that a node depends on.
pub(crate) fn components<'e>(
    count: usize,
    edges: impl Fn(usize) -> &'e [u32],
) -> (Vec<u32>, usize) {
    const NONE: u32 = u32::MAX;
    let mut search = Search {
        index: vec![NONE; count],
        low: vec![0; count],
        component: vec![NONE; count],
        stack: Vec::new(),
        next_index: 0,
        components: 0,
    };
    // A node and how many of its edges were followed.
    let mut path: Vec<(usize, usize)> = Vec::new();
    for root in 0..count {
        if search.index[root] != NONE {
            continue;
        }
        search.enter(root);
        path.push((root, 0));
        while let Some((node, followed)) = path.last_mut() {
            let node = *node;
            if let Some(&to) = edges(node).get(*followed) {
                *followed += 1;
                let to = to as usize;
                if search.index[to] == NONE {
                    search.enter(to);
                    path.push((to, 0));
                } else if search.component[to] == NONE {
                    search.low[node] = search.low[node].min(search.index[to]);
                }
                continue;
            }
            path.pop();
            search.leave(node);
            if let Some((above, _)) = path.last() {
                search.low[*above] = search.low[*above].min(search.low[node]);
            }
        }
    }
    (search.component, search.components)
}

/// Tarjan's search.
struct Search {
    index: Vec<u32>,
    low: Vec<u32>,
    component: Vec<u32>,
    stack: Vec<usize>,
    next_index: u32,
    components: usize,
}

impl Search {
    fn enter(&mut self, node: usize) {
        self.index[node] = self.next_index;
        self.low[node] = self.next_index;
        self.next_index += 1;
        self.stack.push(node);
    }

    fn leave(&mut self, node: usize) {
        if self.low[node] != self.index[node] {
            return;
        }
        while let Some(member) = self.stack.pop() {
            self.component[member] = self.components as u32;
            if member == node {
                break;
            }
        }
        self.components += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn components_come_after_what_they_depend_on() {
        let edges: [&[u32]; 5] = [&[1], &[2], &[1, 3], &[], &[0, 4]];
        let (component, count) = components(5, |node| edges[node]);
        assert_eq!(count, 4);
        assert_eq!(component, [2, 1, 1, 0, 3]);
    }
}
