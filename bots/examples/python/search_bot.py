#!/usr/bin/env python3
"""Plays every game without knowing a rule: random games by the referee's forward model, more of
them for the moves that did well. Uses the SDK, installed or beside this folder."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "sdk/python/src"))

from referee_bot import Bot, Move  # noqa: E402

#: Random games at a time.
BATCH = 10
#: Of the moves that are left, one of so many stays for the next round.
CUT = 4


class Record:
    """What random games after a move came to."""

    def __init__(self, move, mean):
        self.move, self.sum, self.games = move, mean, 1

    def worth(self):
        """The mean, as if a game had been won and one lost before: a single win proves little."""
        return (self.sum + 1) / (self.games + 2)


class SearchBot(Bot):
    name = "search-python"
    version = "1"
    wants_legal = False

    def choose(self, turn):
        model, seat = self.model_at(turn), turn.match.seat
        means = model.playouts(seed=turn.ply)
        moves = [Record(move, outcome[seat]) for move, outcome in means.items()]
        games = len(moves)
        while len(moves) > 1 and turn.time_left() > 0:
            moves.sort(key=Record.worth, reverse=True)
            moves = moves[: max(2, len(moves) // CUT)]
            games += self.round(turn, model, moves)
        best = max(moves, key=Record.worth)
        return Move(best.move, {"value": best.sum / best.games, "nodes": games})

    def round(self, turn, model, moves):
        """Random games after each of these moves, for a fair share of the time that is left."""
        rounds, left = 1, len(moves)
        while left > 2:
            rounds, left = rounds + 1, left // CUT
        share = turn.time_left() * (1 - 1 / rounds)
        games = 0
        while turn.time_left() > share:
            for record in moves:
                if turn.time_left() <= share:
                    break
                seed = turn.ply + record.games
                outcome = model.playout_after(record.move, BATCH, seed).outcome
                record.sum += BATCH * outcome[turn.match.seat]
                record.games += BATCH
                games += BATCH
        return games


if __name__ == "__main__":
    SearchBot().run()
