"""A maze in pixels: fetch the key and reach the door without touching a wall."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from widthwise.core.errors import InputError, UsageError
from widthwise.core.files import read_regular
from widthwise.core.simulator import Step
from widthwise.simulators.features import Cells, Tiles

#: Mazes with more rows or columns than this are large: coarse tiles do not separate their rooms.
_SMALL = 24
#: A maze with a side of fewer cells than this (the corridor) is too narrow for four tiles.
_NARROW = 8

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

#: What an action does to (row, column).
MOVES = {"no-op": (0, 0), "up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
#: An image is this many pixels high and wide.
PIXELS = 84
#: The most bytes of a file with a maze.
MOST_BYTES = 1 << 20
#: The default limit of steps of an episode.
LIMIT = 200

_FLOOR, _WALL, _KEY, _DOOR = ".", "#", "K", "D"
_COLORS = {_FLOOR: (0, 0, 0), _WALL: (128, 128, 128), _KEY: (255, 0, 0), _DOOR: (0, 255, 0)}
_AGENT_COLOR = (0, 0, 255)


@dataclass(frozen=True)
class MazeLayout:
    """A maze as it was written: cells in rows, and where things are, as (row, column)."""

    cells: tuple[str, ...]
    agent: tuple[int, int]
    key: tuple[int, int]
    door: tuple[int, int]
    limit: int = LIMIT

    @classmethod
    def parse(cls, text: str, source: str = "maze") -> MazeLayout:
        """Read a maze from text; `source` names the text in messages.

        One line per row, all of the same length: `#` is a wall, `.` or a space the floor, `A` the agent,
        `K` the key, `D` the door. Lines `limit: 300` (steps of an episode) and `start: 1,1` (row and
        column, from 0, for an agent that starts on the door) may stand before or after the rows.
        """
        limit, start, rows, lines = LIMIT, None, list[str](), list[int]()
        for number, line in enumerate(text.splitlines(), 1):
            name, colon, value = line.partition(":")
            if colon and name.strip() == "limit":
                limit = _limit(value, f"{source}:{number}")
            elif colon and name.strip() == "start":
                start = _place(value, f"{source}:{number}")
            elif line.strip():
                rows.append(line.rstrip("\r"))
                lines.append(number)
        if not rows:
            raise InputError(f"{source}: the maze has no rows; draw it with # walls, . floor, A agent, K key, D door")
        places = _find(rows, lines, source)
        if start is not None:
            if "A" in places:
                raise InputError(f"{source}: give the start of the agent only once, by the letter A or by `start:`")
            places["A"] = start
        for letter, what in (("A", "agent"), ("K", "key"), ("D", "door")):
            if letter not in places:
                raise InputError(f"{source}: the {what} ({letter}) is missing")
        agent = places["A"]
        cells = tuple(row.replace("A", _FLOOR).replace(" ", _FLOOR) for row in rows)
        if not (0 <= agent[0] < len(cells) and 0 <= agent[1] < len(cells[0])):
            raise InputError(f"{source}: the start {agent} is outside the maze")
        if cells[agent[0]][agent[1]] in (_WALL, _KEY):
            raise InputError(f"{source}: the start {agent} is on a wall or on the key")
        return cls(cells, agent, places["K"], places["D"], limit)

    @classmethod
    def read(cls, path: str | Path) -> MazeLayout:
        """Read a maze from a regular file; raises `InputError` if it cannot be read or is not a maze."""
        try:
            return cls.parse(read_regular(Path(path), MOST_BYTES).decode(), str(path))
        except UnicodeDecodeError:
            raise InputError(f"{path}: this is not a UTF-8 text file") from None


def _limit(value: str, place: str) -> int:
    if not value.strip().isdecimal() or int(value) < 1:
        raise InputError(f"{place}: the limit {value.strip()!r} is not a whole number above 0")
    return int(value)


def _place(value: str, place: str) -> tuple[int, int]:
    parts = [part.strip() for part in value.split(",")]
    if len(parts) != 2 or not all(part.isdecimal() for part in parts):
        raise InputError(f"{place}: write the start as row,column, such as 1,1")
    return int(parts[0]), int(parts[1])


def _find(rows: list[str], lines: list[int], source: str) -> dict[str, tuple[int, int]]:
    """Where the letters are; also checks the drawing."""
    places: dict[str, tuple[int, int]] = {}
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(rows[0]):
            raise InputError(f"{source}:{line}: this row has {len(row)} cells, but the first row has {len(rows[0])}")
        for column, letter in enumerate(row):
            if letter not in "#. AKD":
                raise InputError(
                    f"{source}:{line}:{column + 1}: unknown character {letter!r}; "
                    "use # wall, . floor, A agent, K key, D door"
                )
            if letter in "AKD":
                if letter in places:
                    raise InputError(f"{source}:{line}:{column + 1}: a second {letter}; a maze has only one")
                places[letter] = (lines.index(line), column)
    if max(len(rows), len(rows[0])) > PIXELS:
        raise InputError(f"{source}: the maze is too large; a side has at most {PIXELS} cells, one per pixel")
    return places


class Maze:
    """A maze as a simulator.

    The actions are no-op, up, down, left, right. The reward is +1 at the door with the key, and -1 for
    walking into a wall; both end the episode. An observation is an image of 84x84x3 bytes, read-only
    because it is shared: there is one per state, drawn when it is first seen. `info` has the `cell` the
    agent is on (rows are counted first), its `position` as (row, column), and whether it has the `key`.
    """

    action_names = tuple(MOVES)
    actions = len(MOVES)
    deterministic = True
    value_range = (-1.0, 1.0)  # an episode has one reward, +1 or -1, or none

    def __init__(self, layout: MazeLayout | str, limit: int | None = None) -> None:
        self.layout = MazeLayout.parse(layout) if isinstance(layout, str) else layout
        self.limit = self.layout.limit if limit is None else limit
        if self.limit < 1:
            raise UsageError(f"the limit of a maze must be at least 1 step, not {self.limit}")
        self.rows, self.columns = len(self.layout.cells), len(self.layout.cells[0])
        # A state is 2 * cell + has key.
        self._moves = [self._outcomes(state) for state in range(2 * self.rows * self.columns)]
        self._images: list[Image | None] = [None] * len(self._moves)
        self._painter = _Painter(self.layout)
        self._start = 2 * self._cell(self.layout.agent)
        self._state, self._steps = self._start, 0
        self._over = False

    @property
    def preset_kind(self) -> str:
        """The kind of environment in the presets, by the size of the maze."""
        if min(self.rows, self.columns) < _NARROW:
            return "corridor"
        return "small maze" if max(self.rows, self.columns) <= _SMALL else "large maze"

    def level_features(self, tiles: tuple[int, int], colours: int) -> tuple[Cells, Tiles]:
        """The features of the levels, lowest first: the cell of the agent, and tiles of the image."""
        return Cells(), Tiles(*tiles, colours)

    def _cell(self, place: tuple[int, int]) -> int:
        return place[0] * self.columns + place[1]

    def _outcomes(self, state: int) -> list[tuple[int, float, bool]]:
        """For each action the next state, the reward, and whether it ends the episode."""
        place, key = divmod(state >> 1, self.columns), state & 1
        outcomes = []
        for down, right in MOVES.values():
            row, column = place[0] + down, place[1] + right
            inside = 0 <= row < self.rows and 0 <= column < self.columns
            if not inside or self.layout.cells[row][column] == _WALL:
                outcomes.append((state, -1.0, True))
                continue
            has_key = key | ((row, column) == self.layout.key)
            won = bool(has_key) and (row, column) == self.layout.door
            outcomes.append((2 * self._cell((row, column)) + has_key, float(won), won))
        return outcomes

    def reset(self, seed: int | None = None) -> Step:
        """Begin an episode; nothing in a maze is random, so the seed does not matter."""
        self._state, self._steps, self._over = self._start, 0, False
        return self._show(0.0, False)

    def step(self, action: int) -> Step:
        """Do the action."""
        if self._over:
            raise UsageError("the episode has ended: call reset or load first")
        if not 0 <= action < 5:
            raise UsageError(f"the actions of a maze are 0 to 4, not {action}")
        self._state, reward, ended = self._moves[self._state][action]
        self._steps += 1
        return self._show(reward, ended)

    def _show(self, reward: float, ended: bool) -> Step:
        state = self._state
        image = self._images[state]
        if image is None:
            image = self._images[state] = self._painter.paint(divmod(state >> 1, self.columns), bool(state & 1))
        late = not ended and self._steps >= self.limit
        self._over = ended or late
        cell = state >> 1
        info = {"cell": cell, "position": divmod(cell, self.columns), "key": state & 1}
        return Step(image, reward, ended, late, info)

    def save(self) -> tuple[int, int, bool]:
        """A snapshot: the state, the number of steps, and whether the episode is over."""
        return self._state, self._steps, self._over

    def load(self, snapshot: tuple[int, int, bool]) -> None:
        """Return to a snapshot."""
        self._state, self._steps, self._over = snapshot

    def place(self, snapshot: tuple[int, int, bool]) -> tuple[int, int]:
        """Where the agent is in a snapshot, as (row, column)."""
        return divmod(snapshot[0] >> 1, self.columns)

    def draw(self) -> str:
        """The maze in characters, as it is now."""
        rows = [list(row) for row in self.layout.cells]
        if self._state & 1:
            rows[self.layout.key[0]][self.layout.key[1]] = _FLOOR
        row, column = divmod(self._state >> 1, self.columns)
        rows[row][column] = "A"
        return "\n".join("".join(letters) for letters in rows)

    def __getstate__(self) -> dict[str, Any]:
        # The pictures are drawn again where they are needed.
        return {"layout": self.layout, "limit": self.limit, "snapshot": self.save()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["layout"], state["limit"])  # type: ignore[misc]
        self.load(state["snapshot"])


class _Painter:
    """Paints cells onto pixels by the area they cover, so that all cells weigh the same."""

    def __init__(self, layout: MazeLayout) -> None:
        self._layout = layout
        self._down = _cover(len(layout.cells))
        self._across = _cover(len(layout.cells[0]))
        cells = np.array([[_COLORS[letter] for letter in row] for row in layout.cells], dtype=np.float64)
        self._grounds = [self._spread(cells)]
        cells[layout.key] = _COLORS[_FLOOR]
        self._grounds.append(self._spread(cells))

    def _spread(self, cells: Floats) -> Floats:
        picture: Floats = np.einsum("yr,rck,xc->yxk", self._down, cells, self._across, optimize=True)
        return picture

    def paint(self, place: tuple[int, int], has_key: bool) -> Image:
        """The picture with the agent at that place."""
        row, column = place
        below = _COLORS[_FLOOR] if place == self._layout.key else _COLORS[self._layout.cells[row][column]]
        change = np.subtract(_AGENT_COLOR, below)
        area = np.outer(self._down[:, row], self._across[:, column])
        picture = self._grounds[has_key] + area[:, :, None] * change
        image = np.rint(picture).clip(0, 255).astype(np.uint8)
        image.flags.writeable = False
        return image


def _cover(cells: int) -> Floats:
    """How much of each pixel each cell covers, along one side."""
    edges = np.arange(cells + 1) * (PIXELS / cells)
    pixels = np.arange(PIXELS)
    low = np.maximum(pixels[:, None], edges[None, :-1])
    high = np.minimum(pixels[:, None] + 1, edges[None, 1:])
    covered: Floats = np.clip(high - low, 0, None)
    return covered
