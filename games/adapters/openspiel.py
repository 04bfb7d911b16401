#!/usr/bin/env python3
"""OpenSpiel's games for `referee`: a rules program over `pip install open_spiel`.

    referee play openspiel-go --rules "python3 games/adapters/openspiel.py" --bot mcts --bot random
    python3 games/adapters/openspiel.py --list            # the games, as a table
    python3 games/adapters/openspiel.py --list --check    # and whether they keep the promises

Names of games (`openspiel-go`, or OpenSpiel's own `go`) restrict what is served, listed or checked.
"""

from __future__ import annotations

import argparse
import sys


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="OpenSpiel's games as a rules program.")
    parser.add_argument("games", nargs="*", metavar="GAME", help="only these games")
    parser.add_argument("--list", action="store_true", help="print a table of all games")
    parser.add_argument("--check", action="store_true", help="play random games and check them")
    parser.add_argument("--rounds", type=int, default=3, help="random games a game (default 3)")
    parser.add_argument("--seed", type=int, default=1, help="what they follow from (default 1)")
    return parser.parse_args()


def main() -> int:
    """Serves, lists or checks."""
    options = arguments()
    try:
        import pyspiel  # noqa: F401
    except ImportError as error:
        print(f"openspiel.py needs OpenSpiel (pip install open_spiel): {error}", file=sys.stderr)
        return 1
    from openspiel_rules import catalogue, program, report

    known = catalogue.entries()
    names = [catalogue.id_of(name) for name in options.games]
    unknown = [name for name in names if name not in {entry.id for entry in known}]
    if unknown:
        print(f"OpenSpiel has no game {', '.join(unknown)}", file=sys.stderr)
        return 2
    games = [entry for entry in known if not names or entry.id in names]
    if options.list or options.check:
        return report.report(games, options.list, options.check, options.rounds, options.seed)
    served = [entry for entry in games if entry.misfit() is None]
    answers = program.private_output()
    program.serve(program.Program(served), sys.stdin.buffer, answers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
