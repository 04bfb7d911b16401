"""For tests of rules: plays games and checks what a rules program promises, without a referee.

    from referee_rules.testing import check, playthrough

    class Rules(unittest.TestCase):
        def test_the_promises_hold(self):
            check(Nim)
            check(Nim, {"heap": 1})

        def test_who_takes_the_last_one_wins(self):
            end = playthrough(Nim, ["take3", "take2"], {"heap": 5})[-1]
            self.assertEqual(end.result.scores, [0, 1])
"""

from __future__ import annotations

import json
import math
import random
from typing import Any, Iterable, Mapping, Sequence, Type

from .game import BadState, Game, Json, Step
from .position import Position, spoken
from .program import Program

#: The longest move, in bytes.
LONGEST_MOVE = 200
#: So many plies are played of a game that does not end.
LONGEST_GAME = 2000


class Broken(AssertionError):
    """A promise that the rules do not keep; the message has the steps that led there."""


def start(
    game: Type[Game[Any]], options: Mapping[str, Json] | None = None, seed: int = 0
) -> Position:
    """The position at the start of a match."""
    rules = game(options)
    return Position(rules, rules.start(random.Random(seed)))


def playthrough(
    game: Type[Game[Any]],
    steps: Iterable[Step],
    options: Mapping[str, Json] | None = None,
    seed: int = 0,
) -> list[Position]:
    """All positions of a match, from the start to the one after the last step. A step is a text,
    or `{0: "rock", 1: "paper"}`. Raises `IllegalStep` if one is not legal."""
    path = [start(game, options, seed)]
    for step in steps:
        path.append(path[-1].after(path[-1].step(spoken(step))))
    return path


def random_game(
    game: Type[Game[Any]], options: Mapping[str, Json] | None = None, seed: int = 0
) -> list[Position]:
    """All positions of a random match; chance is drawn by its probabilities. One that does not
    end is cut after 2000 plies."""
    rng = random.Random(seed)
    path = [start(game, options, seed)]
    while path[-1].result is None and path[-1].ply < LONGEST_GAME:
        path.append(path[-1].after(path[-1].random_step(rng)))
    return path


def check(
    game: Type[Game[Any]],
    options: Mapping[str, Json] | None = None,
    *,
    games: int = 20,
    seed: int = 0,
) -> None:
    """Plays random games and checks at every position that states come back, that moves are
    unique and lead somewhere, that `apply` leaves the old state alone, that probabilities sum to
    1, that the game ends with a result, and that observations tell a seat what it saw and nothing
    else. Raises `Broken`."""
    memories = _Memories()
    json.dumps(Program(game).ask("hello"), allow_nan=False)
    for number in range(games):
        _Game(game, options, seed + number, memories).play()


class _Memories:
    """What seats saw in all games and what they knew then: one must tell the other."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], str] = {}
        self._seen: dict[tuple[int, str], str] = {}

    def check(self, seat: int, seen: Sequence[Json], known: Json) -> None:
        saw, knows = json.dumps(seen, sort_keys=True), json.dumps(known, sort_keys=True)
        if self._known.setdefault((seat, saw), knows) != knows:
            raise Broken(
                f"the observation of seat {seat} tells more than it saw: after {saw} it is "
                f"{knows}, but also {self._known[seat, saw]}"
            )
        if self._seen.setdefault((seat, knows), saw) != saw:
            raise Broken(
                f"the observation of seat {seat} forgets what it saw: {knows} comes after {saw} "
                f"and after {self._seen[seat, knows]}"
            )


class _Game:
    """One random game that is checked."""

    def __init__(
        self,
        game: Type[Game[Any]],
        options: Mapping[str, Json] | None,
        seed: int,
        memories: _Memories,
    ) -> None:
        self.rng = random.Random(seed)
        self.seed, self.memories = seed, memories
        self.position = start(game, options, seed)
        self.steps: list[Json] = []
        self.seats = range(self.position.game.seat_count())
        self.again = start(game, options, seed)
        self.seen: list[list[Json]] = [[] for _ in self.seats]

    def play(self) -> None:
        """Plays to the end, with all checks on the way."""
        try:
            self._begin()
            while self.position.ply < LONGEST_GAME:
                self._look()
                if self.position.result is not None:
                    break
                self._step()
        except Broken as broken:
            raise Broken(f"{broken}\n(seed {self.seed}, after {self.steps})") from None
        except Exception as error:
            shown = f"{type(error).__name__}: {error}"
            raise Broken(f"{shown}\n(seed {self.seed}, after {self.steps})") from error

    def _begin(self) -> None:
        same = self.again.wire() == self.position.wire()
        self._require(same, "the same seed starts otherwise")
        # What a seat knows of a random start is where its memory begins.
        if self.position.game.hidden:
            for seat in self.seats:
                self.seen[seat].append(self.position.observation(seat))

    def _step(self) -> None:
        before, legal = json.dumps(self.position.wire()), self.position.legal
        step = self.position.random_step(self.rng)
        if self.position.game.hidden:
            for seen, new in zip(self.seen, self.position.sees(step)):
                seen.append(json.loads(json.dumps(new)))
        after = self.position.after(step)
        same = json.dumps(self.position.wire()) == before
        self._require(same, "`apply` has changed the state that it was given")
        again = Position(self.position.game, self.position.state, self.position.ply)
        self._require(again.legal == legal, "`legal` says something else the second time")
        self._require(again.after(step).wire() == after.wire(), "`apply` is not always the same")
        self.position = after
        self.steps.append(spoken(step))

    def _look(self) -> None:
        here = self.position
        self._check_turn()
        wire = json.loads(json.dumps(here.wire(), allow_nan=False))
        try:
            back = Position.read(here.game, wire)
        except BadState as bad:
            raise Broken(f"the state does not come back: {bad}") from bad
        self._require(back.wire() == here.wire(), "the state does not come back as it was")
        for what in ("legal", "to_move"):
            same = getattr(back, what) == getattr(here, what)
            self._require(same, f"`{what}` is something else after the state came back")
        self._require(back.ended() == here.ended(), "the result changes with the state's way back")
        key = here.game.key(here.state)
        self._require(back.game.key(back.state) == key, "`key` changes with the state's way back")
        self._check_scores()
        if here.game.overrides("view"):
            self._check_view()
        if here.game.hidden:
            self._check_observations(back)

    def _check_turn(self) -> None:
        actors = self.position.actors
        if self.position.result is not None:
            return
        self._require(actors, "nobody is to move, but there is no result")
        for actor, choice in self.position.choices.items():
            seat = isinstance(actor, int) and actor in self.seats
            self._require(seat or actor == "chance", f"{actor!r} is to move, but is no seat")
            self._require(choice, f"{actor} is to move, but has no legal move")
            texts = list(choice)
            self._require(len(set(texts)) == len(texts), f"two moves are equal: {texts}")
            for text in texts:
                fits = isinstance(text, str) and 0 < len(text.encode()) <= LONGEST_MOVE
                self._require(fits and text.isprintable(), f"{text!r} is no text for a move")
            if isinstance(choice, Mapping):
                self._require(
                    all(chance > 0 for chance in choice.values())
                    and math.isclose(sum(choice.values()), 1, abs_tol=1e-9),
                    f"the probabilities are not positive with the sum 1: {dict(choice)}",
                )
        if isinstance(self.position.to_move, list):
            order = [math.inf if isinstance(actor, str) else actor for actor in actors]
            rising = all(one < next for one, next in zip(order, order[1:]))
            self._require(len(order) > 1 and rising, f"{actors} is no ascending list of several")

    def _check_scores(self) -> None:
        scores, outcome = self.position.scores()
        whole = all(isinstance(score, int) for score in scores)
        self._require(whole, f"scores are whole numbers, not {scores}")
        inside = len(outcome) == len(scores) and all(0 <= share <= 1 for share in outcome)
        self._require(inside, f"an outcome is from 0 to 1 a seat, not {outcome}")

    def _check_view(self) -> None:
        view = json.loads(json.dumps(self.position.game.view(self.position.state)))
        cells = [cell["name"] for cell in view["cells"]]
        self._require(view["shape"] in ("square", "hex"), "a view's shape is `square` or `hex`")
        self._require(len(set(cells)) == len(cells), "two cells of the view have one name")
        on = [piece["cell"] for piece in view["pieces"]]
        self._require(set(on) <= set(cells), "a piece of the view stands on no cell")
        self._require(len(set(on)) == len(on), "two pieces of the view stand on one cell")
        single = all(len(piece["glyph"]) == 1 for piece in view["pieces"])
        self._require(single, "the glyph of a piece is one letter")

    def _check_observations(self, back: Position) -> None:
        here = self.position
        for seat in self.seats:
            known = here.observation(seat)
            same = back.observation(seat) == known
            self._require(same, f"the observation of seat {seat} changes with the state's way back")
            self.memories.check(seat, self.seen[seat], known)
            if here.game.overrides("sample"):
                drawn = here.game.sample(json.loads(json.dumps(known)), seat, self.rng)
                sample = Position(here.game, drawn, here.ply)
                sample = Position.read(here.game, json.loads(json.dumps(sample.wire())))
                same = sample.observation(seat) == known
                self._require(same, f"a sample is not what seat {seat} observes: {sample.wire()}")

    def _require(self, condition: object, message: str) -> None:
        if not condition:
            raise Broken(message)
