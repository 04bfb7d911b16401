"""The adapter beside OpenSpiel itself: figures that are known, and games played on both sides.

    python3 -m unittest test_openspiel        (in this folder; needs `pip install open_spiel`)
"""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any, Iterator

import pyspiel

from openspiel_rules.catalogue import (
    BOARDS_WITHOUT_MEMORY,
    WHOLE,
    WHOLE_FOR_TWO,
    WHOLE_UNLESS,
    entries,
)
from openspiel_rules.knowledge import perceived, percepts
from openspiel_rules.program import Program
from openspiel_rules.steps import CHANCE, move_text

ADAPTER = str(Path(__file__).resolve().parent / "openspiel.py")

#: Counts of OpenSpiel's games that are published or follow from their rules, by depth from 1.
COUNTS: list[tuple[str, dict[str, Any], list[int]]] = [
    ("tic-tac-toe", {}, [9, 72, 504, 3024, 15120, 54720]),
    ("connect-four", {}, [7, 49, 343, 2401, 16807, 117649]),
    ("breakthrough", {}, [22, 484, 11132]),
    ("chess", {}, [20, 400, 8902]),
    ("othello", {}, [4, 12, 56, 244, 1396]),
    ("go", {"board_size": 5}, [26, 651, 15650]),
    ("hex", {"board_size": 3, "num_cols": 3, "num_rows": 3}, [9, 72, 504]),
    ("kuhn-poker", {}, [3, 6, 12, 24, 12]),
    ("goofspiel", {"num_cards": 3, "points_order": "descending"}, [9, 36]),
    ("goofspiel", {"num_cards": 3}, [3, 27, 54, 216]),
    ("matrix-rps", {}, [9]),
    ("oshi-zumo", {"coins": 3}, [16]),
    ("backgammon", {}, [30]),
    ("liars-dice", {}, [6, 36, 432]),
]


class Table:
    """A program with a short way to ask it."""

    def __init__(self) -> None:
        self.program = Program()

    def ask(self, op: str, **fields: Any) -> Any:
        """The answer, which must not be an error."""
        answer = self.program.answer({"id": 0, "op": op, **fields})
        if "error" in answer:
            raise AssertionError(answer["error"])
        return json.loads(json.dumps(answer["ok"]))

    def new(self, game: str, options: Any = None, **fields: Any) -> Any:
        """Sets up a game by OpenSpiel's name, with blanks as `-`."""
        return self.ask("new", game=f"openspiel-{game}", options=options or {}, **fields)

    def error(self, op: str, **fields: Any) -> str:
        """The code of the error that is the answer."""
        answer = self.program.answer({"id": 0, "op": op, **fields})
        return str(answer["error"]["code"])


def random_move(rng: random.Random, here: Any) -> Any:
    """Something that is legal."""
    if here["to_move"] == CHANCE:
        return rng.choices(list(here["legal"]), list(here["legal"].values()))[0]
    if isinstance(here["to_move"], list):
        return {seat: rng.choice(moves) for seat, moves in here["legal"].items()}
    return rng.choice(here["legal"])


def count(state: Any, depth: int) -> int:
    """Positions after so many steps, by OpenSpiel alone."""
    if depth == 0:
        return 1
    if state.is_terminal():
        return 0
    if state.is_simultaneous_node():
        seats = range(state.num_players())
        total = 0
        for joint in itertools.product(*(state.legal_actions(seat) for seat in seats)):
            new = state.clone()
            new.apply_actions(joint)
            total += count(new, depth - 1)
        return total
    return sum(count(state.child(action), depth - 1) for action in state.legal_actions())


class Catalogue(unittest.TestCase):
    def test_every_game_is_served_or_says_why_not(self) -> None:
        games = {game["id"] for game in Table().ask("hello")["games"]}
        for entry in entries():
            self.assertEqual(entry.id in games, entry.misfit() is None, entry.id)
            self.assertRegex(entry.id, r"^[a-z0-9][a-z0-9-]*$")
        self.assertGreater(len(games), 100)
        for missing in ("tarok", "repeated-game", "mfg-garnet", "crossword"):
            self.assertNotIn(f"openspiel-{missing}", games)

    def test_names_of_games_are_those_of_openspiel(self) -> None:
        known = set(pyspiel.registered_names())
        for names in (WHOLE, WHOLE_FOR_TWO, WHOLE_UNLESS, BOARDS_WITHOUT_MEMORY):
            self.assertEqual(set(names) - known, set())

    def test_options_have_types_and_bounds(self) -> None:
        games = {game["id"]: game for game in Table().ask("hello")["games"]}
        go = games["openspiel-go"]["options"]
        self.assertEqual(go["board_size"]["default"], 19)
        self.assertEqual((go["komi"]["type"], go["komi"]["default"]), ("text", "7.5"))
        kuhn = games["openspiel-kuhn-poker"]
        self.assertEqual((kuhn["seats"], len(kuhn["roles"])), ([2, 10], 10))
        self.assertEqual(kuhn["options"]["players"]["max"], 10)
        self.assertTrue(kuhn["hidden"])
        self.assertNotIn("imp_info", games["openspiel-goofspiel"]["options"])
        self.assertTrue(games["openspiel-goofspiel-hidden"]["hidden"])

    def test_options_arrive(self) -> None:
        table = Table()
        self.assertEqual(table.new("kuhn-poker", {"players": 3})["roles"][2:], ["player-2"])
        here = table.new("go", {"board_size": 5, "komi": "0.5"}, want=["legal"])
        self.assertEqual(len(here["legal"]), 26)

    def test_wrong_options_are_named(self) -> None:
        wrong: list[dict[str, Any]] = [
            {"board_sise": 5},
            {"board_size": "5"},
            {"board_size": True},
            {"board_size": 2**40},
            {"komi": "much"},
            {"komi": [1]},
        ]
        for options in wrong:
            request = {"op": "new", "game": "openspiel-go", "options": options}
            error = Table().program.answer(request)["error"]
            self.assertEqual(error["code"], "bad_option")
            self.assertIn(list(options)[0], error["message"])

    def test_options_that_crash_openspiel_do_not_crash_the_program(self) -> None:
        table = Table()
        game = "openspiel-universal-poker"
        self.assertEqual(table.error("new", game=game, options={"numPlayers": 3}), "bad_option")
        game = "openspiel-snake"
        self.assertEqual(table.error("new", game=game, options={"players": 3}), "bad_option")


class Counts(unittest.TestCase):
    def test_counts_are_those_of_openspiel_and_of_the_rules(self) -> None:
        for game, options, numbers in COUNTS:
            table = Table()
            table.new(game, options)
            state = pyspiel.load_game(game.replace("-", "_"), options).new_initial_state()
            for depth, number in enumerate(numbers, 1):
                with self.subTest(game=game, depth=depth):
                    self.assertEqual(table.ask("perft", depth=depth)["nodes"], number)
                    self.assertEqual(count(state, depth), number)

    def test_perft_is_what_steps_one_by_one_give(self) -> None:
        table = Table()

        def walk(depth: int) -> int:
            here = table.ask("get", want=["legal"])
            legal = here["legal"]
            moves: list[Any] = list(legal)
            if isinstance(here["to_move"], list):
                chosen = itertools.product(*legal.values())
                moves = [dict(zip(legal, choice)) for choice in chosen]
            if depth == 1:
                return len(moves)
            total = 0
            for move in moves:
                table.ask("play", moves=[move])
                total += walk(depth - 1)
                table.ask("undo")
            return total

        for game, options, depth in [
            ("leduc-poker", {}, 5),
            ("goofspiel", {"num_cards": 3}, 5),
            ("tic-tac-toe", {}, 4),
            ("backgammon", {}, 2),
        ]:
            table.new(game, options)
            self.assertEqual(walk(depth), table.ask("perft", depth=depth)["nodes"], game)


class Play(unittest.TestCase):
    def test_games_go_as_openspiel_plays_them(self) -> None:
        for entry in entries():
            # Bridge analyses every deal, which takes seconds.
            if entry.misfit() is None and entry.short_name != "bridge":
                with self.subTest(game=entry.id):
                    self.play_beside(entry.id, pyspiel.load_game(entry.short_name, entry.fixed))

    def play_beside(self, name: str, game: Any) -> None:
        """Plays a random game on both sides and compares what both say."""
        rng, table, state = random.Random(name), Table(), game.new_initial_state()
        here = table.ask("new", game=name, want=["legal"])
        for _ in range(300):
            if state.is_terminal():
                break
            move = random_move(rng, here)
            if state.is_chance_node():
                self.assertEqual(here["to_move"], CHANCE)
                possible = sorted(p for _, p in state.chance_outcomes() if p > 0)
                for one, other in zip(sorted(here["legal"].values()), possible):
                    self.assertAlmostEqual(one, other)
                state.apply_action(self.action(state, -1, here["legal"], move))
            elif state.is_simultaneous_node():
                seats = list(range(state.num_players()))
                self.assertEqual(here["to_move"], seats if len(seats) > 1 else 0)
                legal = here["legal"] if len(seats) > 1 else {"0": here["legal"]}
                moves = move if len(seats) > 1 else {"0": move}
                joint = [self.action(state, s, legal[str(s)], moves[str(s)]) for s in seats]
                state.apply_actions(joint)
            else:
                self.assertEqual(here["to_move"], state.current_player())
                state.apply_action(self.action(state, here["to_move"], here["legal"], move))
            here = table.ask("play", moves=[move], want=["legal"])
        if state.is_terminal():
            returns, scores = state.returns(), here["result"]["scores"]
            scale = 1 if scores == [round(value) for value in returns] else 1000
            self.assertEqual(scores, [round(scale * value) for value in returns])
        else:
            self.assertIsNone(here["result"])

    def action(self, state: Any, player: int, texts: Any, move: str) -> int:
        """OpenSpiel's action of a move: both list them in the same order."""
        if player < 0:
            legal = [action for action, p in state.chance_outcomes() if p > 0]
        else:
            legal = state.legal_actions(player)
        self.assertEqual(len(texts), len(legal))
        action = legal[list(texts).index(move)]
        text = move_text(state.action_to_string(player, action))
        self.assertIn(move, (text, f"{text}#{action}"))
        return int(action)

    def test_returns_become_scores_and_ranks(self) -> None:
        table = Table()
        table.new("matrix-pd")
        here = table.ask("play", moves=[{"0": "Defect", "1": "Cooperate"}])
        self.assertEqual(here["result"]["scores"], [10, 0])
        self.assertEqual(here["result"]["outcome"], [1.0, 0.0])
        table.new("matching-pennies-3p")
        here = table.ask("play", moves=[{"0": "Heads", "1": "Heads", "2": "Heads"}])
        self.assertEqual(here["result"]["scores"], [1, 1, -1])
        self.assertEqual(here["result"]["outcome"], [0.75, 0.75, 0.0])

    def test_fractions_are_scaled(self) -> None:
        table = Table()
        here = table.new("pathfinding", want=["legal"])
        rng = random.Random(1)
        while here["to_move"] is not None:
            here = table.ask("play", moves=[random_move(rng, here)], want=["legal"])
        self.assertGreater(here["result"]["scores"][0], 1000)
        self.assertTrue(0 < here["result"]["outcome"][0] < 1)

    def test_playouts_are_means_of_outcomes(self) -> None:
        table = Table()
        table.new("tic-tac-toe")
        table.ask("play", moves=["x(0,0)", "o(1,0)", "x(0,1)", "o(1,1)"])
        each = table.ask("playouts", count=50, seed=1)["moves"]
        self.assertEqual(each["x(0,2)"], [1.0, 0.0])
        again = table.ask("playouts", count=50, seed=1)["moves"]
        self.assertEqual(each, again)
        played = table.ask("playout", count=200, seed=2)
        self.assertAlmostEqual(sum(played["outcome"]), 1)
        self.assertTrue(1 <= played["plies"] <= 5)
        self.assertIn("count", table.ask("playout", ms=5))

    def test_scores_can_be_had_before_the_end(self) -> None:
        table = Table()
        here = table.new("2048", want=["scores"])
        self.assertEqual((here["scores"], here["result"]), ([0], None))


class Keys(unittest.TestCase):
    #: Small boards, on which positions come back by other ways.
    OPTIONS: dict[str, dict[str, Any]] = {
        "breakthrough": {"rows": 4, "columns": 3},
        "clobber": {"rows": 3, "columns": 3},
        "connect_four": {"rows": 3, "columns": 3, "x_in_row": 3},
        "gomoku": {"size": 3, "connect": 3},
        "hex": {"board_size": 3, "num_cols": 3, "num_rows": 3},
        "mnk": {"m": 3, "n": 3, "k": 3},
    }

    def test_the_same_follows_from_positions_with_one_key(self) -> None:
        rng = random.Random(5)
        for name in sorted(BOARDS_WITHOUT_MEMORY):
            table = Table()
            known: dict[str, Any] = {}
            again = 0
            for _ in range(60):
                new = {"want": ["legal", "key"]}
                here = table.new(name.replace("_", "-"), self.OPTIONS.get(name, {}), **new)
                way: list[str] = []
                while here["result"] is None:
                    follows = {}
                    for move in here["legal"]:
                        follows[move] = table.ask("play", moves=[move], want=["key"])["key"]
                        table.ask("undo")
                    said = (here["to_move"], here["legal"], follows)
                    before = known.setdefault(here["key"], (way[:], said))
                    self.assertEqual(before[1], said, (name, way))
                    again += before[0] != way
                    way.append(rng.choice(here["legal"]))
                    here = table.ask("play", moves=[way[-1]], **new)
                before = known.setdefault(here["key"], (way[:], here["result"]))
                self.assertEqual(before[1], here["result"], (name, way))
            self.assertGreater(again, 0, f"{name}: no position came back by another way")

    def test_other_keys_know_the_way(self) -> None:
        table = Table()
        keys = []
        for moves in (["Nf3", "Nf6", "Nc3"], ["Nc3", "Nf6", "Nf3"]):
            table.new("chess")
            keys.append(table.ask("play", moves=moves, want=["key"])["key"])
        self.assertNotEqual(*keys)


class Errors(unittest.TestCase):
    def test_errors_have_their_codes_and_change_nothing(self) -> None:
        table = Table()
        self.assertEqual(table.error("get"), "no_game")
        self.assertEqual(table.error("new", game="chess"), "unknown_game")
        self.assertEqual(table.error("dance"), "bad_request")
        table.new("tic-tac-toe")
        self.assertEqual(table.error("play", moves=["x(0,0)", "o(0,0)"]), "illegal_move")
        self.assertEqual(table.error("play", moves=[{"0": "x(0,0)"}]), "illegal_move")
        self.assertEqual(table.error("play", moves=[7]), "illegal_move")
        self.assertEqual(table.error("play", moves="x(0,0)"), "bad_request")
        self.assertEqual(table.error("undo"), "bad_count")
        self.assertEqual(table.error("get", want=["weather"]), "bad_request")
        self.assertEqual(table.error("get", want=["observation"]), "bad_request")
        self.assertEqual(table.ask("get")["ply"], 0)

    def test_states_that_cannot_be_are_refused(self) -> None:
        table = Table()
        table.new("matrix-rps")
        wrong: list[Any] = [
            7,
            {},
            {"history": [0]},
            {"history": [[0]]},
            {"history": [[0, 3]]},
            {"history": [[0, None]]},
            {"history": [[0, 1], [0, 1]]},
            {"history": [[0, 1]], "ply": 1},
            {"history": [[0, 1]], "to_move": 0},
            {"history": [[0, True]]},
        ]
        for state in wrong:
            with self.subTest(state=state):
                code = table.error("new", game="openspiel-matrix-rps", state=state)
                self.assertEqual(code, "bad_state")
        self.assertEqual(table.ask("get")["to_move"], [0, 1])
        ended = table.new("matrix-rps", state={"history": [[0, 1]], "ply": 2})
        self.assertEqual(ended["result"]["scores"], [-1, 1])

    def test_moves_are_one_line_and_short(self) -> None:
        self.assertEqual(move_text("a\n\tb "), "a b")
        self.assertLessEqual(len(move_text("é" * 500).encode()), 200)


class Kuhn(unittest.TestCase):
    """Kuhn poker is small enough to look at everything."""

    def histories(self) -> Iterator[tuple[list[str], Any]]:
        """All ways to the end, with their ends."""
        table = Table()

        def below(moves: list[str]) -> Iterator[tuple[list[str], Any]]:
            table.new("kuhn-poker")
            here = table.ask("play", moves=moves, want=["legal"])
            if here["to_move"] is None:
                yield moves, here
            for move in here["legal"]:
                yield from below([*moves, move])

        yield from below([])

    def test_there_are_30_histories_worth_minus_one_18th(self) -> None:
        histories = list(self.histories())
        self.assertEqual(len(histories), 30)
        value = sum(
            self.chances(moves) * end["result"]["scores"][0] for moves, end in histories
        )
        self.assertAlmostEqual(value, -1 / 18)

    def chances(self, moves: list[str]) -> float:
        """How likely this history is if both play the equilibrium in which seat 0 never bluffs."""
        cards = [int(move.split(":")[1]) for move in moves[:2]]
        bets = {
            (0, ""): [0.0, 0.0, 0.0],
            (1, "Pass"): [1 / 3, 0.0, 1.0],
            (1, "Bet"): [0.0, 1 / 3, 1.0],
            (0, "Pass Bet"): [0.0, 1 / 3, 1.0],
        }
        chance = 1 / 6
        for number, move in enumerate(moves[2:]):
            bet = bets[number % 2, " ".join(moves[2 : 2 + number])][cards[number % 2]]
            chance *= bet if move == "Bet" else 1 - bet
        return chance

    def test_a_seat_perceives_its_card_and_the_bets_alone(self) -> None:
        inputs: dict[tuple[int, str, tuple[str, ...]], set[str]] = {}
        for moves, _ in self.histories():
            for length in range(2, len(moves) + 1):
                table = Table()
                table.new("kuhn-poker")
                want = ["sees", "observation"]
                for seat in (0, 1):
                    table.new("kuhn-poker")
                    request = {"moves": moves[:length], "want": want, "as": seat}
                    here = table.ask("play", **request)
                    sees = [step[seat] for step in here["sees"]]
                    self.assertEqual(here["observation"]["steps"], sees)
                    knows = (seat, moves[seat], tuple(moves[2:length]))
                    told = json.dumps([sees, here["observation"]])
                    inputs.setdefault(knows, set()).add(told)
        self.assertTrue(all(len(told) == 1 for told in inputs.values()))
        everything = [told for one in inputs.values() for told in one]
        self.assertEqual(len(set(everything)), len(inputs))

    def test_samples_are_what_may_be(self) -> None:
        table = Table()
        table.new("kuhn-poker")
        moves = ["Deal:1", "Deal:2", "Pass"]
        here = table.ask("play", moves=moves, want=["observation", "state"], **{"as": 1})
        table.new("kuhn-poker", observation=here["observation"])
        states = table.ask("sample", seed=5, count=200, **{"as": 1})["states"]
        self.assertEqual(len(states), 200)
        first = [state["history"][0] for state in states]
        self.assertEqual({tuple(state["history"][1:]) for state in states}, {(2, 0)})
        self.assertEqual(set(first), {0, 1})
        self.assertTrue(60 < first.count(0) < 140, first.count(0))
        again = table.ask("sample", seed=5, count=200, **{"as": 1})["states"]
        self.assertEqual(states, again)
        self.assertEqual(table.error("get", want=["legal"]), "no_game")
        self.assertEqual(table.error("play", moves=["Bet"]), "no_game")
        kept = table.ask("get", want=["observation"])["observation"]
        self.assertEqual(kept, here["observation"])


class Hidden(unittest.TestCase):
    def test_percepts_are_exact(self) -> None:
        texts = ["", "abc", "abcd", "axcd", "", "axcd axcd", "cd", "cdcd"]
        texts += ["a 1\nb 2\nc", "a 10\nb\nc d", "a\n\nb 2\nc", "a 1\nb 2"]
        for before, now in itertools.product(texts, repeat=2):
            self.assertEqual(perceived(before, percepts(before, now)), now)
        self.assertEqual(percepts("0", "0b"), ["b"])
        self.assertEqual(percepts("0b", "0b"), [])
        changes = [{"at": 3, "cut": 0, "add": "2"}, {"at": 7, "cut": 0, "add": "!"}]
        self.assertEqual(percepts("a 1\nb2\n", "a 12\nb2!\n"), changes)

    def test_the_other_seats_cards_are_not_perceived(self) -> None:
        # The same deal but for cards that seat 0 does not see; then everybody plays the same.
        for game, hidden in [("leduc-poker", 1), ("liars-dice", 1), ("universal-poker", 1)]:
            seen = set()
            table = Table()
            here = table.new(game, want=["legal"])
            own = list(here["legal"])[0]
            here = table.ask("play", moves=[own], want=["legal"])
            for other in list(here["legal"]):
                asked = {"moves": [other], "want": ["observation", "legal"], "as": 0}
                here = table.ask("play", **asked)
                seen.add(json.dumps([here["observation"], here["legal"]]))
                table.ask("undo", count=hidden)
            self.assertEqual(len(seen), 1, game)

    def test_a_secret_bid_is_not_perceived(self) -> None:
        for bid in ("[P1]Bid: 1", "[P1]Bid: 2"):
            table = Table()
            options = {"num_cards": 4, "points_order": "descending"}
            table.new("goofspiel-hidden", options)
            moves = [{"0": "[P0]Bid: 4", "1": bid}]
            here = table.ask("play", moves=moves, want=["observation"], **{"as": 0})
            self.assertNotIn(bid, json.dumps(here["observation"]))
            self.assertEqual(here["observation"]["acts"], True)

    def test_undo_takes_back_what_was_perceived(self) -> None:
        table = Table()
        table.new("leduc-poker")
        rng = random.Random(3)
        observations = []
        here = table.ask("get", want=["legal", "observation"], **{"as": 0})
        while here["to_move"] is not None:
            observations.append(here["observation"])
            move = random_move(rng, here)
            here = table.ask("play", moves=[move], want=["legal", "observation"], **{"as": 0})
        for observation in reversed(observations):
            here = table.ask("undo", want=["observation"], **{"as": 0})
            self.assertEqual(here["observation"], observation)


class Process(unittest.TestCase):
    """The program as the referee starts it."""

    def run_lines(self, lines: list[bytes], *arguments: str) -> tuple[list[Any], int]:
        command = [sys.executable, ADAPTER, *arguments]
        done = subprocess.run(command, input=b"".join(lines), capture_output=True, check=False)
        return [json.loads(line) for line in done.stdout.splitlines()], done.returncode

    def test_every_line_has_one_answer_and_the_end_is_quiet(self) -> None:
        lines = [b"\n", b"\xff\n", b"[]\n", b"{}\n", b'{"id":[1],"op":"get"}\n']
        lines.append(b'{"op":"hello"}\n')
        answers, code = self.run_lines(lines)
        self.assertEqual(code, 0)
        self.assertEqual(len(answers), len(lines))
        self.assertEqual([answer["id"] for answer in answers], [None] * 4 + [[1], None])
        self.assertEqual([a["error"]["code"] for a in answers[:4]], ["bad_request"] * 4)

    def test_hello_is_small_and_loads_no_game(self) -> None:
        load = pyspiel.load_game
        try:
            pyspiel.load_game = None
            answers = [Table().ask("hello")]
        finally:
            pyspiel.load_game = load
        self.assertLess(len(json.dumps(answers[0])), 200_000)

    def test_games_can_be_named(self) -> None:
        answers, _ = self.run_lines([b'{"op":"hello"}\n'], "go", "openspiel-chess")
        games = [game["id"] for game in answers[0]["ok"]["games"]]
        self.assertEqual(games, ["openspiel-chess", "openspiel-go"])
        self.assertEqual(self.run_lines([], "goh")[1], 2)

    def test_what_openspiel_prints_is_no_answer(self) -> None:
        # OpenSpiel itself reports wrong options, and warns of Quoridor.
        new = b'{"op":"new","game":"openspiel-snake","options":{"players":3}}\n'
        answers, _ = self.run_lines([new, b'{"op":"new","game":"openspiel-quoridor"}\n'])
        self.assertEqual([list(answer) for answer in answers], [["id", "error"], ["id", "ok"]])


if __name__ == "__main__":
    os.chdir(Path(__file__).resolve().parent)
    unittest.main()
