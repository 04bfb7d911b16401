#!/usr/bin/env python3
"""Plays every game, at random. Python 3, standard library only."""

import json
import random
import sys

SEED = sys.argv[1] if len(sys.argv) > 1 else "1"


def send(message):
    # `flush` is not a detail: a message that waits in a buffer is a timeout.
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        # Only the legal moves are needed, so the referee need not send the position.
        send({"type": "hello", "protocol": 1, "name": "random-python", "version": "1",
              "wants": {"state": False, "legal": True}})
    elif message["type"] == "start":
        # Made from text, a generator is the same in every process: the match can be repeated.
        rng = random.Random(f"{SEED} {message['match']} {message['seat']}")
        send({"type": "ready"})
    elif message["type"] == "turn":
        send({"type": "move", "move": rng.choice(message["legal"]), "ply": message["ply"]})
    elif message["type"] == "error":
        print(f"lost by {message['code']}: {message['message']}", file=sys.stderr)
    elif message["type"] == "quit":
        break
