"""Values of small games: `referee solve` over the adapter beside a plain search of OpenSpiel's states.

    REFEREE=target/release/referee python3 values.py        (needs `pip install open_spiel`)
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyspiel

ADAPTER = str(Path(__file__).resolve().parent / "openspiel.py")

#: Games of two seats that are small enough for both, and the value for the first seat where it is
#: published.
GAMES: list[tuple[str, dict[str, Any], int | None]] = [
    ("tic_tac_toe", {}, 0),
    ("nim", {"is_misere": False}, -1),
    ("nim", {}, -1),
    ("nim", {"pile_sizes": "1;2;4", "is_misere": False}, 1),
    ("hex", {"board_size": 3, "num_cols": 3, "num_rows": 3}, 1),
    ("connect_four", {"rows": 3, "columns": 4}, None),
    ("connect_four", {"rows": 4, "columns": 4}, 0),
    ("connect_four", {"rows": 3, "columns": 3, "x_in_row": 3}, None),
    ("mnk", {"m": 4, "n": 3, "k": 3}, 1),
    ("breakthrough", {"rows": 4, "columns": 3}, None),
    ("breakthrough", {"rows": 5, "columns": 3}, None),
    ("clobber", {"rows": 3, "columns": 3}, None),
    ("clobber", {"rows": 3, "columns": 4}, None),
]


def of_openspiel(name: str, options: dict[str, Any]) -> int:
    """The value for the first seat by all of OpenSpiel's states, each searched once."""
    known: dict[tuple[int, str], int] = {}

    def value(state: Any) -> int:
        if state.is_terminal():
            return int(state.returns()[0])
        key = (state.current_player(), str(state))
        if key not in known:
            best = max if key[0] == 0 else min
            known[key] = best(value(state.child(action)) for action in state.legal_actions())
        return known[key]

    return value(pyspiel.load_game(name, options).new_initial_state())


def of_referee(name: str, options: dict[str, Any], method: str) -> int:
    """The value for the first seat by `referee solve`."""
    game = f"openspiel-{name.replace('_', '-')}"
    command = [os.environ.get("REFEREE", "referee"), "solve", game, "--memory", "64MB"]
    command += ["--rules", f"{sys.executable} {ADAPTER} {name}"]
    command += ["--options", json.dumps(options), "--method", method]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"scores of best play: (-?\d+) : (-?\d+)", ran.stdout)
    if ran.returncode != 0 or found is None:
        raise SystemExit(f"{' '.join(command)} ended with {ran.returncode}: {ran.stderr}{ran.stdout}")
    return int(found.group(1))


def main() -> int:
    """Compares all games; the exit code is 1 if a value differs."""
    wrong = 0
    for name, options, published in GAMES:
        values = {"openspiel": of_openspiel(name, options)}
        for method in ("alpha-beta", "retrograde"):
            values[method] = of_referee(name, options, method)
        if published is not None:
            values["published"] = published
        agree = len(set(values.values())) == 1
        wrong += not agree
        print("ok  " if agree else "WRONG", name, json.dumps(options), values, flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
