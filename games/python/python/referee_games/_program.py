"""What the program `referee` does: matches and tournaments of bots, and their standings."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Sequence, Union, cast

from ._native import Game

#: What `match` and others take as a path.
PathLike = Union[str, "os.PathLike[str]"]


def program() -> str:
    """The path of the program: the environment variable `REFEREE`, or `referee` on the path."""
    given = os.environ.get("REFEREE")
    found = given if given and Path(given).is_file() else shutil.which(given or "referee")
    if found is None:
        where = f"the environment variable REFEREE is {given!r}, which is no program" if given else (
            "there is no `referee` on the path, and the environment variable REFEREE is not set")
        raise FileNotFoundError(f"this needs the program `referee`: {where}; `pip install referee` has it")
    return found


def _run(*words: str) -> str:
    ran = subprocess.run([program(), *words], capture_output=True, text=True)
    if ran.returncode not in (0, 1) or (ran.returncode and not ran.stdout):
        said = ran.stderr.strip() or f"exit code {ran.returncode}"
        raise RuntimeError(f"`referee {words[0]}`: {said}")
    return ran.stdout


def match(game: str | Game, bots: Sequence[str], *, seed: int = 1, per_move: str = "1s",
          rules: str | None = None, **options: Any) -> dict[str, Any]:
    """Plays a match, and returns the log's record of it. `bots` are in the order of the seats:
    names of reference bots, perhaps with their options, or command lines."""
    if isinstance(bots, str):
        raise ValueError("`bots` is a list, one for each seat")
    if isinstance(game, Game):
        name, source, chosen = game.name, game.source, game.options
    elif game.endswith(".kif"):
        name, source, chosen = Path(game).stem, game, options
    else:
        name, source, chosen = game, rules, options
    words = ["play", name, "--format", "json", "--seed", str(seed), "--per-move", per_move]
    if chosen:
        words += ["--options", json.dumps(chosen)]
    if source is not None:
        words += ["--rules", source]
    for bot in bots:
        words += ["--bot", bot]
    return cast("dict[str, Any]", json.loads(_run(*words)))


def tournament(config: PathLike, *, out: PathLike) -> dict[str, Any]:
    """Plays the tournament of a configuration into the folder `out`, and returns its standings. If the
    folder is of a tournament that was stopped, it goes on."""
    words = ["tournament", os.fspath(config), "--out", os.fspath(out), "--quiet"]
    if (Path(out) / "games.jsonl").exists():
        words.append("--resume")
    _run(*words)
    return standings(out)


def standings(folder: PathLike) -> dict[str, Any]:
    """The standings of a tournament: what `referee standings --format json` prints."""
    return cast("dict[str, Any]", json.loads(_run("standings", os.fspath(folder), "--format", "json")))
