#!/usr/bin/env python3
"""Liar's Dice: two to six players, dice under cups, and bids that need not be true.

What to learn from it:

- `seats` and an option: how many players there are is said by `seat_count`; `roles` has the names for
  the largest number.
- All dice of a player are one event of chance, with the probabilities of what they show together.
- An observation has all that a seat ever saw in the match, the earlier rounds included. So the state
  has to have it, too.
- Who is out first is last: `Result` takes any points, and what they are worth follows from their
  order.

    referee play liars-dice --rules "python3 games/examples/liars_dice.py" --options '{"dice":2}' --human first --bot mcts
"""

import sys
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "bots/sdk/python/src"))

from referee_rules import CHANCE, Bool, Game, Int, Result, require, run  # noqa: E402


class LiarsDice(Game):
    id = "liars-dice"
    title = "Liar's Dice"
    summary = "Bid on what all dice show together, or call the last bid a lie."
    roles = ["first", "second", "third", "fourth", "fifth", "sixth"]
    seats = (2, 6)
    hidden = True
    notation = [("3x5", "bid: at least three of all dice show 5"),
                ("liar", "call the last bid a lie"),
                ("13356", "by chance: what the dice of a player show")]
    guide = """\
# Liar's Dice

Every player has some dice and rolls them under a cup, so that only they see them. Then they bid in
turn. A bid such as `3x5` says that at least three of all dice, those of all players together, show a
five. The next player must bid higher (more dice, or as many dice of a higher number), or call the
last bid a lie: `liar`. Then all dice are shown. If the bid was true, the one who called loses a die,
otherwise the one who bid. All roll again, and the one who lost a die begins, or the next one if it
was their last. Whoever has dice left at the end wins; the others rank by how long they stayed.

With the option `wild`, ones count as every number.
"""
    players = Int(default=2, min=2, max=6, help="How many players there are.")
    dice = Int(default=5, min=1, max=5, help="How many dice each of them has.")
    sides = Int(default=6, min=2, max=9, help="How many sides a die has.")
    wild = Bool(default=False, help="Whether ones count as every number.")

    def seat_count(self):
        return self.players

    def start(self, rng):
        return self.new_round([self.dice] * self.players, 0, [])

    def new_round(self, left, turn, past):
        """The state before all roll. `left` are the numbers of dice, `dice` what they show (`null`
        before they are rolled), `bids` those of this round, `past` all rounds before."""
        dice = [None if count else "" for count in left]
        return {"left": left, "turn": turn, "dice": dice, "bids": [], "past": past}

    def to_move(self, state):
        return CHANCE if None in state["dice"] else state["turn"]

    def chance(self, state):
        return rolls(state["left"][state["dice"].index(None)], self.sides)

    def legal(self, state, seat):
        count, side = read(state["bids"][-1][1]) if state["bids"] else (0, 0)
        bids = [(n, s) for n in range(1, sum(state["left"]) + 1) for s in range(1, self.sides + 1)]
        higher = [f"{n}x{s}" for n, s in bids if (n, s) > (count, side)]
        return higher + ["liar"] if state["bids"] else higher

    def apply(self, state, step):
        if None in state["dice"]:
            dice = list(state["dice"])
            dice[dice.index(None)] = step
            return {**state, "dice": dice}
        if step != "liar":
            bids = state["bids"] + [[state["turn"], step]]
            return {**state, "bids": bids, "turn": following(state["left"], state["turn"])}
        loser = self.loser(state)
        left = [count - (seat == loser) for seat, count in enumerate(state["left"])]
        turn = loser if left[loser] else following(left, loser)
        return self.new_round(left, turn, state["past"] + [self.shown(state)])

    def loser(self, state):
        """Who loses a die when the last bid is called a lie."""
        bidder, bid = state["bids"][-1]
        count, side = read(bid)
        counted = {str(side), "1"} if self.wild else {str(side)}
        found = sum(die in counted for die in "".join(state["dice"]))
        return state["turn"] if found >= count else bidder

    def shown(self, state):
        """What all see at the end of a round."""
        return {"dice": state["dice"], "bids": state["bids"], "caller": state["turn"],
                "loser": self.loser(state)}

    def result(self, state):
        if sum(count > 0 for count in state["left"]) > 1:
            return None
        # Who went out first has 0 points, the next one 1, and so on.
        left, points = [self.dice] * self.players, [self.players - 1] * self.players
        for round in state["past"]:
            loser = round["loser"]
            left[loser] -= 1
            if left[loser] == 0:
                points[loser] = left.count(0) - 1
        return Result(points, "one_left")

    def sees(self, state, step, seat):
        if None in state["dice"]:
            return [step] if seat == state["dice"].index(None) else []
        return [step, self.shown(state)] if step == "liar" else [step]

    def observation(self, state, seat):
        rolled = [shown is not None for shown in state["dice"]]
        own = state["dice"][seat]
        return {**state, "dice": own, "rolled": rolled}

    def sample(self, observation, seat, rng):
        dice = [None if count else "" for count in observation["left"]]
        for other, rolled in enumerate(observation["rolled"]):
            if rolled:
                drawn = (rng.randint(1, self.sides) for _ in range(observation["left"][other]))
                dice[other] = "".join(map(str, sorted(drawn)))
        dice[seat] = observation["dice"]
        names = ("left", "turn", "bids", "past")
        return {**{name: observation[name] for name in names}, "dice": dice}

    def from_json(self, fields):
        # Played again from the start, the rounds must come to the same.
        state = self.start(None)
        for round in fields["past"]:
            state = self.replayed(state, round["dice"], round["bids"])
            require(state["turn"] == round["caller"] and state["bids"], "past", "is out of turn")
            require(self.shown(state) == round, "past", "has a round that went otherwise")
            state = self.apply(state, "liar")
        dice, bids = fields["dice"], fields["bids"]
        require(not bids or None not in dice, "bids", "were made before all had rolled")
        require(self.replayed(state, dice, bids) == fields, "past", "does not lead to all the rest")
        return fields

    def replayed(self, state, dice, bids):
        """A round that has just begun, after these dice and bids."""
        require(len(dice) == self.players, "dice", "are not those of all players")
        for seat, shown in enumerate(dice):
            if shown and state["left"][seat]:
                require(None in state["dice"][: seat + 1], "dice", "were rolled out of turn")
                require(shown in self.chance(state), "dice", "cannot show that")
                state = self.apply(state, shown)
        for seat, bid in bids:
            legal = seat == state["turn"] and bid != "liar" and bid in self.legal(state, seat)
            require(legal, "bids", "were not legal")
            state = self.apply(state, bid)
        return state


def read(bid):
    """The number of dice and the side that a bid is about."""
    count, side = bid.split("x")
    return int(count), int(side)


def following(left, seat):
    """The next seat that has dice."""
    order = [(seat + step) % len(left) for step in range(1, len(left) + 1)]
    return next(other for other in order if left[other])


@lru_cache(maxsize=None)
def rolls(count, sides):
    """All that some dice can show, in ascending order, with probabilities."""
    chances = {}
    for shown in combinations_with_replacement("123456789"[:sides], count):
        orders = factorial(count) // prod(factorial(shown.count(side)) for side in set(shown))
        chances["".join(shown)] = orders / sides**count
    return chances


if __name__ == "__main__":
    run(LiarsDice)
