"""The list of games as a Markdown table."""

from __future__ import annotations

import sys
from typing import Sequence

from .catalogue import Entry
from .check import Findings, check

#: Observations of more bytes are worth a word.
LARGE = 20_000


def report(games: Sequence[Entry], list_all: bool, check_all: bool, rounds: int, seed: int) -> int:
    """Prints the table, or with a check alone only what is wrong. Returns the exit code."""
    served = [entry for entry in games if entry.misfit() is None]
    found: dict[str, Findings] = {}
    for number, entry in enumerate(served if check_all else []):
        print(f"{number + 1}/{len(served)} {entry.id}", file=sys.stderr, flush=True)
        found[entry.id] = check(entry, rounds, seed)
    if list_all:
        _print_table(served, found)
        _print_misfits(games)
    wrong = {name: findings.wrong for name, findings in found.items() if findings.wrong}
    for name, what in wrong.items():
        print(f"WRONG: {name}: {what}", file=sys.stdout if not list_all else sys.stderr)
    if check_all and not list_all:
        print(f"{len(found) - len(wrong)} of {len(found)} games passed")
    return 1 if wrong else 0


def _print_table(games: Sequence[Entry], found: dict[str, Findings]) -> None:
    checked = bool(found)
    print("| game | id | acts | chance | hidden | seats |" + (" check |" if checked else ""))
    print("|---|---|---|---|---|---|" + ("---|" if checked else ""))
    for entry in games:
        low, high = entry.seats
        cells = [
            entry.title,
            f"`{entry.id}`",
            "at once" if entry.simultaneous else "in turn",
            "yes" if entry.chance else "",
            "yes" if entry.hidden else "",
            str(low) if low == high else f"{low} to {high}",
        ]
        if checked:
            cells.append(_verdict(found[entry.id]))
        print("| " + " | ".join(cells) + " |")


def _verdict(findings: Findings) -> str:
    """The result of a check in a few words."""
    if findings.wrong:
        return f"**fails**: {findings.wrong}"
    words = ["passes", *dict.fromkeys(findings.notes)]
    if findings.no_sample:
        share = 100 * (findings.samples - findings.no_sample) // findings.samples
        words.append(f"`sample` answers {share} % of the time")
    if findings.observation_bytes > LARGE:
        words.append(f"observations of up to {findings.observation_bytes // 1000} kB")
    return "; ".join(words)


def _print_misfits(games: Sequence[Entry]) -> None:
    misfits = [(entry, entry.misfit()) for entry in games]
    rest = [(entry, why) for entry, why in misfits if why]
    if rest:
        print("\n| does not fit | why |\n|---|---|")
    for entry, why in rest:
        print(f"| {entry.title} (`{entry.short_name}`) | {why} |")
