#!/usr/bin/env python3
"""Plays every game without knowing a rule: a best-first search on the referee's forward model,
which says in one answer what all moves lead to and what that is worth. Uses the SDK, installed or
where it lies in the repository."""

import math
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "sdk/python/src"))

from referee_bot import Bot, Move  # noqa: E402

#: How much moves that were tried less are preferred.
CURIOSITY = 0.1


class Node:
    """A move of a seat, the position after it, and the answers to it."""

    def __init__(self, move, seat, position):
        self.move, self.seat, self.position = move, seat, position
        # What its seat expects, summed up over all looks at it and beyond.
        self.sum, self.looks = position.value[seat], 1
        self.children = []

    def pick(self):
        """The child to try next: a good one, or one that is not known well (UCB1)."""
        total = math.log(sum(child.looks for child in self.children) + 1)

        def promise(child):
            return child.sum / child.looks + CURIOSITY * math.sqrt(total / child.looks)

        return max(self.children, key=promise)


class SearchBot(Bot):
    name = "search-python"
    version = "2"
    wants_legal = False

    def choose(self, turn):
        model = self.model_at(turn)
        root = Node("", turn.match.seat, model.position(want=["value"]))
        self.expand(model, root, [])
        tried = 0
        while turn.time_left() > 0 and len(root.children) > 1:
            self.try_line(model, root)
            tried += 1
        best = max(root.children, key=lambda child: (child.looks, child.sum))
        return Move(best.move, {"value": best.sum / best.looks, "nodes": tried})

    def try_line(self, model, root):
        """Follows the most promising moves, looks at all answers to the last one, and remembers
        what the best of them leads to."""
        line, node = [], root
        while node.children:
            node = node.pick()
            line.append(node)
        if not node.position.over:
            node = self.expand(model, node, [node.move for node in line])
        for passed in line:
            passed.sum += node.position.value[passed.seat]
            passed.looks += 1

    def expand(self, model, node, moves):
        """Gives a node its children, with one request, and returns the best of them."""
        seat = node.position.to_move
        children = model.children_after(moves, want=["value"])
        node.children = [Node(child.move, seat, child.position) for child in children]
        return max(node.children, key=lambda child: child.sum)


if __name__ == "__main__":
    SearchBot().run()
