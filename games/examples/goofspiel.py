#!/usr/bin/env python3
"""Goofspiel: chance, then both players at once.

What to learn from it:

- One game can have steps of several kinds: `to_move` answers `CHANCE` when a prize is turned up, and
  [0, 1] when the players bid for it.
- Moves are texts, so that a card is "7" and not 7.

    referee play goofspiel --rules "python3 games/examples/goofspiel.py" --options '{"cards":5}' --human one --bot mcts
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "bots/sdk/python/src"))

from referee_rules import CHANCE, Choice, Game, Int, Result, require, run  # noqa: E402


class Goofspiel(Game):
    id = "goofspiel"
    title = "Goofspiel"
    summary = "Bid your cards for prizes, both at once; the higher card takes the prize."
    roles = ["one", "two"]
    symmetric = True
    notation = [("7", "bid the card 7; or, by chance, the prize 7 is turned up")]
    guide = """\
# Goofspiel

Each of two players has the cards 1 to N, and a third set, shuffled, has the prizes. Each round the
next prize is turned up, and both bid one of their cards for it at the same time. The higher card
takes the prize, which counts as many points as it shows; both cards are gone. Whoever has more
points when all cards are gone wins.

If both bid the same, nobody gets the prize. With the option `ties` set to `carry`, it is added to
the next one instead.
"""
    cards = Int(default=13, min=1, max=30, help="How many cards each player has.")
    ties = Choice("discard", "carry", help="What happens to a prize when both bid the same.")

    def start(self, rng):
        cards = list(range(1, self.cards + 1))
        # `prize` is what is turned up, and `pot` what was carried over.
        return {"prizes": cards, "hands": [cards, cards], "prize": None, "pot": 0,
                "points": [0, 0]}

    def to_move(self, state):
        return CHANCE if state["prize"] is None else [0, 1]

    def legal(self, state, seat):
        return [str(card) for card in state["hands"][seat]]

    def chance(self, state):
        prizes = state["prizes"]
        return {str(prize): 1 / len(prizes) for prize in prizes}

    def apply(self, state, step):
        if state["prize"] is None:
            prize = int(step)
            prizes = [other for other in state["prizes"] if other != prize]
            return {**state, "prizes": prizes, "prize": prize}
        bids = [int(step[seat]) for seat in (0, 1)]
        hands = [[card for card in hand if card != bid]
                 for hand, bid in zip(state["hands"], bids)]
        worth = state["prize"] + state["pot"]
        points, pot = list(state["points"]), 0
        if bids[0] != bids[1]:
            points[0 if bids[0] > bids[1] else 1] += worth
        elif self.ties == "carry":
            pot = worth
        return {**state, "hands": hands, "prize": None, "pot": pot, "points": points}

    def result(self, state):
        return None if state["hands"][0] else Result(state["points"], "no_cards")

    def scores(self, state):
        return state["points"]

    def from_json(self, fields):
        prizes, hands, prize = fields["prizes"], fields["hands"], fields["prize"]
        known = set(range(1, self.cards + 1))
        for name, cards in (("prizes", prizes), ("hands", hands[0]), ("hands", hands[1])):
            require(set(cards) <= known and len(set(cards)) == len(cards), name, "are no cards")
        require(prize is None or prize in known - set(prizes), "prize", "is none of the prizes")
        left = len(prizes) + (prize is not None)
        require(len(hands) == 2 and len(hands[0]) == len(hands[1]) == left, "hands",
                "have not as many cards as there are prizes")
        most = self.cards * (self.cards + 1) // 2
        given = [*fields["points"], fields["pot"]]
        require(len(given) == 3 and min(given) >= 0 and sum(given) <= most, "points",
                "are not what the prizes were worth")
        return fields

    def view(self, state):
        one, two = state["points"]
        worth, pot = state["prize"] or "none yet", state["pot"]
        notes = [f"prize: {worth}" + (f", and {pot} carried over" if pot else ""),
                 f"points: {one} to {two}"]
        notes += [f"cards of {role}: " + " ".join(map(str, hand))
                  for role, hand in zip(self.roles, state["hands"])]
        return {"shape": "square", "cells": [], "pieces": [], "notes": notes}


if __name__ == "__main__":
    run(Goofspiel)
