"""A network plays a whole match without a fault.

    network_bot.py NETWORK.npz
"""

import sys
from pathlib import Path

import referee_games as rg

BOT = Path(__file__).resolve().parents[3] / "bots/examples/python/network_bot.py"
command = f"{sys.executable} {BOT} {sys.argv[1]} --playouts 8 --leaves 4 --rollouts 1"
record = rg.match("paper-penguins", bots=[command, "random"], per_move="60s", size=5)
assert record["result"]["faults"] == [], record["result"]
moves = [move for move in record["moves"] if move["seat"] == 0]
assert all(move["info"]["nodes"] >= 8 for move in moves), moves
print(f"a network made {len(moves)} moves")
