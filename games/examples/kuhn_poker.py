#!/usr/bin/env python3
"""Kuhn poker: three cards, one bet, and two players who know different things.

The smallest game in which it pays to bluff. What to learn from it:

- `hidden = True`: the referee tells every seat only what `observation` and `sees` allow. States are
  the full truth; only the referee has them.
- `sees` is what a seat perceives of a step: a card is seen by the one who gets it, a bet by both, and
  at the showdown both see both cards.
- `observation` is all that a seat knows. It must be the same for everything that the seat cannot tell
  apart, and different for all else.
- `sample` draws a state that fits an observation. Bots that search over what may be need it.

    referee play kuhn-poker --rules "python3 games/examples/kuhn_poker.py" --human first --bot mcts
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "bots/sdk/python/src"))

from referee_rules import CHANCE, Game, Result, require, run  # noqa: E402

#: From the lowest to the highest.
CARDS = "JQK"
#: How betting can end, and what the winner gets; who folds loses.
ENDS = {
    ("check", "check"): 1,
    ("check", "bet", "fold"): 1,
    ("check", "bet", "call"): 2,
    ("bet", "fold"): 1,
    ("bet", "call"): 2,
}


class KuhnPoker(Game):
    id = "kuhn-poker"
    title = "Kuhn poker"
    summary = "One card each of jack, queen and king; bet or check, call or fold."
    roles = ["first", "second"]
    hidden = True
    notation = [("check", "put nothing in"), ("bet", "put one more in"),
                ("call", "put in what the other one bet"), ("fold", "give up"),
                ("Q", "by chance: a queen is dealt")]
    guide = """\
# Kuhn poker

There are three cards: jack, queen, king. Both players put one chip in and get one card each, which
only they see. `first` may `check` or `bet` one more chip. After a bet the other one may `call`, by
putting in one as well, or `fold`, which leaves all chips to the one who bet. After a check `second`
may `check` or `bet`, too, and after that bet it is for `first` to call or fold. If nobody folds,
both cards are shown, and the higher one gets all chips.

The score is what you win or lose: one or two chips.
"""

    def start(self, rng):
        # `cards` are those that were dealt, in seat order.
        return {"cards": "", "bets": []}

    def to_move(self, state):
        return CHANCE if len(state["cards"]) < 2 else len(state["bets"]) % 2

    def legal(self, state, seat):
        return ["call", "fold"] if state["bets"][-1:] == ["bet"] else ["check", "bet"]

    def chance(self, state):
        left = [card for card in CARDS if card not in state["cards"]]
        return {card: 1 / len(left) for card in left}

    def apply(self, state, step):
        if len(state["cards"]) < 2:
            return {"cards": state["cards"] + step, "bets": []}
        return {"cards": state["cards"], "bets": state["bets"] + [step]}

    def result(self, state):
        bets = tuple(state["bets"])
        if bets not in ENDS:
            return None
        if bets[-1] == "fold":
            winner = len(bets) % 2  # the one who did not make the last move
        else:
            winner = 0 if beats(*state["cards"]) else 1
        chips = ENDS[bets]
        return Result([chips, -chips] if winner == 0 else [-chips, chips],
                      "fold" if bets[-1] == "fold" else "showdown")

    def sees(self, state, step, seat):
        if len(state["cards"]) < 2:
            return [step] if seat == len(state["cards"]) else []
        shown = self.shown(self.apply(state, step))
        return [step] if shown is None else [step, {"shown": shown}]

    def observation(self, state, seat):
        card = state["cards"][seat:seat + 1] or None
        return {"card": card, "bets": state["bets"], "shown": self.shown(state)}

    def shown(self, state):
        """Both cards, if they were laid open."""
        result = self.result(state)
        return state["cards"] if result and result.reason == "showdown" else None

    def sample(self, observation, seat, rng):
        if observation["shown"]:
            cards = observation["shown"]
        else:
            others = [card for card in CARDS if card != observation["card"]]
            cards = [rng.choice(others), rng.choice(others)]
            cards[seat] = observation["card"]
            dealt = min(observation["ply"], 2)
            cards = "".join(cards[:dealt])
        return {"cards": cards, "bets": observation["bets"]}

    def from_json(self, fields):
        cards, bets = fields["cards"], fields["bets"]
        dealt = len(cards) <= 2 and len(set(cards)) == len(cards) and set(cards) <= set(CARDS)
        require(isinstance(cards, str) and dealt, "cards", "were not dealt like that")
        known = any(list(end[:len(bets)]) == bets for end in ENDS)
        require(known and (not bets or len(cards) == 2), "bets", "cannot be made like that")
        return fields


def beats(one, two):
    """Whether one card is higher than another one."""
    return CARDS.index(one) > CARDS.index(two)


if __name__ == "__main__":
    run(KuhnPoker)
