#!/usr/bin/env python3
"""Plays every game without knowing a rule: random games after each legal move, by the referee's
forward model, and then the move that did best. Python 3, standard library only."""

import json
import os
import subprocess
import sys
import time


class Model:
    """`referee model` as a child process. The referee tells its bots where it is in REFEREE."""

    def __init__(self):
        command = [os.environ.get("REFEREE", "referee"), "model"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"]["message"])
        return answer["ok"]


def budget(clock, seat):
    """Seconds for this move: about half of what is allowed, since others need the machine, too."""
    limits = []
    if "move_ms" in clock:
        limits.append(clock["move_ms"] / 2)
    remaining = clock.get("remaining_ms", [None] * (seat + 1))[seat]
    if remaining is not None:
        limits.append(remaining / 30 + clock.get("increment_ms", 0) / 2)
    return min(limits, default=1000) / 1000


def choose(model, start, turn, began):
    """The legal move with the best mean outcome, and what there is to tell about it."""
    seat = start["seat"]
    model.ask(op="new", game=start["game"], options=start["options"], state=turn["state"],
              max_plies=start["limits"]["max_plies"])
    asked = time.monotonic()
    means = model.ask(op="playouts", count=1, seed=turn["ply"])["moves"]
    # One playout a move shows what it costs; the rest of the time buys so many more.
    cost = time.monotonic() - asked
    left = began + budget(turn["clock"], seat) - time.monotonic()
    count = int(left / cost)
    if count > 0:
        means = model.ask(op="playouts", count=count, seed=turn["ply"])["moves"]
    best = max(means, key=lambda move: means[move][seat])
    return best, {"value": means[best][seat], "nodes": len(means) * max(count, 1)}


def send(message):
    print(json.dumps(message), flush=True)


def main():
    model = Model()
    for line in sys.stdin:
        began = time.monotonic()
        message = json.loads(line)
        if message["type"] == "hello":
            send({"type": "hello", "protocol": 1, "name": "playouts-python", "version": "1",
                  "wants": {"state": True, "legal": False}})
        elif message["type"] == "start":
            start = message
            send({"type": "ready"})
        elif message["type"] == "turn":
            move, info = choose(model, start, message, began)
            send({"type": "move", "move": move, "ply": message["ply"], "info": info})
        elif message["type"] == "error":
            print(f"lost by {message['code']}: {message['message']}", file=sys.stderr)
        elif message["type"] == "quit":
            break


main()
