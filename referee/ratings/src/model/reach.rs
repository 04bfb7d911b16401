//! Reachability between bots, in a graph of any size.

use std::collections::BTreeSet;

/// With at most this many components, reachability is a table.
const FEW: usize = 1024;

/// A graph with arrows from each bot to those that it scored against.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    /// The strongly connected component of each bot. Arrows between components lead from higher numbers
    /// to lower ones.
    component: Vec<u32>,
    /// By component: its successors.
    next: Vec<Vec<u32>>,
    /// The table, row by row; empty if there are many components.
    reached: Vec<bool>,
}

impl Reach {
    pub(super) fn new(direct: &[Vec<u32>]) -> Self {
        let component = components(direct);
        let count = component.iter().max().map_or(0, |most| *most as usize + 1);
        let mut next: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); count];
        for (bot, others) in direct.iter().enumerate() {
            let own = component[bot];
            let others = others.iter().map(|other| component[*other as usize]);
            next[own as usize].extend(others.filter(|other| *other != own));
        }
        let next: Vec<Vec<u32>> = next
            .into_iter()
            .map(|it| it.into_iter().collect())
            .collect();
        let mut reach = Reach {
            component,
            next,
            reached: Vec::new(),
        };
        if count <= FEW {
            let rows = (0..count).flat_map(|from| reach.follow(from));
            reach.reached = rows.collect();
        }
        reach
    }

    /// The components that can be reached from one.
    fn follow(&self, from: usize) -> Vec<bool> {
        let mut reached = vec![false; self.next.len()];
        let mut open = vec![from];
        reached[from] = true;
        while let Some(at) = open.pop() {
            for &next in &self.next[at] {
                if !std::mem::replace(&mut reached[next as usize], true) {
                    open.push(next as usize);
                }
            }
        }
        reached
    }

    pub(super) fn leads(&self, bot: usize, other: usize) -> bool {
        let [from, to] = [bot, other].map(|bot| self.component[bot] as usize);
        let count = self.next.len();
        if from == to {
            true
        } else if self.reached.is_empty() {
            // Arrows lead downwards.
            from > to && self.follow(from)[to]
        } else {
            self.reached[from * count + to]
        }
    }

    /// By bot: true if it reaches all others of its group, and true if all others reach it. In a connected
    /// graph with a single sink component, all reach the sink.
    pub(super) fn ends(&self, groups: &[usize]) -> Vec<[bool; 2]> {
        let count = groups.iter().max().map_or(0, |most| most + 1);
        let components = self.next.len();
        let mut entered = vec![false; components];
        for next in self.next.iter().flatten() {
            entered[*next as usize] = true;
        }
        let mut group = vec![0; components];
        for (bot, component) in self.component.iter().enumerate() {
            group[*component as usize] = groups[bot];
        }
        // Sources and sinks by group.
        let mut first = vec![0_u32; count];
        let mut last = vec![0_u32; count];
        for at in 0..components {
            first[group[at]] += u32::from(!entered[at]);
            last[group[at]] += u32::from(self.next[at].is_empty());
        }
        let ends = self.component.iter().zip(groups).map(|(component, group)| {
            let at = *component as usize;
            [
                !entered[at] && first[*group] == 1,
                self.next[at].is_empty() && last[*group] == 1,
            ]
        });
        ends.collect()
    }
}

/// The strongly connected components, by Tarjan's algorithm without recursion: logs may have chains
/// of thousands of bots.
fn components(direct: &[Vec<u32>]) -> Vec<u32> {
    const NEW: u32 = u32::MAX;
    let count = direct.len();
    let (mut number, mut low) = (vec![NEW; count], vec![NEW; count]);
    let mut component = vec![NEW; count];
    let mut stack: Vec<usize> = Vec::new();
    let (mut numbers, mut components) = (0, 0);
    for start in 0..count {
        if number[start] != NEW {
            continue;
        }
        // A bot, and how many of its arrows were followed.
        let mut open: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((bot, followed)) = open.pop() {
            if followed == 0 {
                (number[bot], low[bot]) = (numbers, numbers);
                numbers += 1;
                stack.push(bot);
            } else {
                let before = direct[bot][followed - 1] as usize;
                low[bot] = low[bot].min(low[before]);
            }
            let rest = direct[bot].iter().enumerate().skip(followed);
            let mut down = None;
            for (at, &next) in rest {
                let next = next as usize;
                if number[next] == NEW {
                    down = Some((at, next));
                    break;
                }
                if component[next] == NEW {
                    low[bot] = low[bot].min(number[next]);
                }
            }
            if let Some((at, next)) = down {
                open.push((bot, at + 1));
                open.push((next, 0));
                continue;
            }
            if low[bot] == number[bot] {
                while let Some(member) = stack.pop() {
                    component[member] = components;
                    if member == bot {
                        break;
                    }
                }
                components += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::Rng;

    /// Compares with step-by-step reachability, in graphs of all kinds.
    #[test]
    fn components_say_who_reaches_whom() {
        let mut rng = Rng::new(5);
        for round in 0..200 {
            let size = 2 + rng.index(12);
            let mut direct = vec![Vec::new(); size];
            for _ in 0..rng.index(1 + size * (1 + round % 3)) {
                direct[rng.index(size)].push(rng.index(size) as u32);
            }
            // A chain makes one group of all.
            for bot in 1..size {
                let [one, other] = if rng.index(2) == 0 {
                    [bot - 1, bot]
                } else {
                    [bot, bot - 1]
                };
                direct[one].push(other as u32);
            }
            let mut reached = vec![vec![false; size]; size];
            for (from, row) in reached.iter_mut().enumerate() {
                row[from] = true;
                for _ in 0..size {
                    for bot in 0..size {
                        if row[bot] {
                            direct[bot]
                                .iter()
                                .for_each(|next| row[*next as usize] = true);
                        }
                    }
                }
            }
            let whole = Reach::new(&direct);
            let mut stepwise = whole.clone();
            stepwise.reached.clear();
            let ends = whole.ends(&vec![0; size]);
            for bot in 0..size {
                for (other, expected) in reached[bot].iter().enumerate() {
                    assert_eq!(whole.leads(bot, other), *expected);
                    assert_eq!(stepwise.leads(bot, other), *expected);
                }
                let all = reached[bot].iter().all(|it| *it);
                let by_all = reached.iter().all(|row| row[bot]);
                assert_eq!(ends[bot], [all, by_all], "{direct:?} {bot}");
            }
        }
    }

    #[test]
    fn a_long_chain_is_no_recursion() {
        let direct: Vec<Vec<u32>> = (0..100_000).map(|bot| vec![(bot + 1) % 100_000]).collect();
        assert!(Reach::new(&direct).leads(77, 3));
    }
}
