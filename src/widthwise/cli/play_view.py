"""The live view of `play`: a maze in characters or figures on a terminal, a line per step in a pipe."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from widthwise.core.showing import counted
from widthwise.core.terminal import Picture
from widthwise.reports.colours import terminal
from widthwise.reports.tree_view import TreeViewer

if TYPE_CHECKING:
    from widthwise.cli.play_watch import Follower
    from widthwise.online.episode import StepRecord
    from widthwise.simulator_search.tree import Tree

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class View(Protocol):
    """Shows the steps of an episode."""

    def step(self, tree: Tree, record: StepRecord, action: str, number: int, score: float) -> None:
        """Show a step."""
        ...

    def end(self) -> None:
        """End the view; may be called more than once."""
        ...


def make_view(stream: TextIO, follower: Follower, viewer: TreeViewer, header: dict[str, Any], delay: float) -> View:
    """A picture on a terminal, lines elsewhere."""
    if stream.isatty() and os.environ.get("TERM", "") != "dumb":
        return Screen(stream, follower, viewer, header, delay)
    return StepLines(stream)


def high_level(record: StepRecord) -> str:
    """The number of high-level states in the tree, per level from the top."""
    known = record.high_level_states
    return f"{' / '.join(map(str, reversed(known)))} high-level state{'' if known == [1] else 's'}"


def line(record: StepRecord, action: str, number: int, score: float) -> str:
    """A step in one line."""
    known = ""
    if record.high_level_states:
        known = f", {high_level(record)}"
    reward = f", reward {record.reward:+g}" if record.reward else ""
    return (
        f"step {number}: {action}{reward}, score {score:g}; {counted(record.nodes, 'node')}{known}, "
        f"{counted(record.interactions, 'interaction')}"
    )


class StepLines:
    """A line per step."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def step(self, tree: Tree, record: StepRecord, action: str, number: int, score: float) -> None:
        """Print the step."""
        print(line(record, action, number, score), file=self.stream, flush=True)

    def end(self) -> None:
        """Do nothing."""


class Screen:
    """A picture that is drawn over itself."""

    def __init__(
        self, stream: TextIO, follower: Follower, viewer: TreeViewer, header: dict[str, Any], delay: float
    ) -> None:
        self.picture = Picture(stream)
        self.follower, self.viewer, self.header, self.delay = follower, viewer, header, delay
        self.colours = "NO_COLOR" not in os.environ

    def step(self, tree: Tree, record: StepRecord, action: str, number: int, score: float) -> None:
        """Draw the state before the action, with the search tree."""
        size = shutil.get_terminal_size()
        rows = [f"{self.header['planner']} in {self.header['env']}", line(record, action, number, score)]
        maze = self.follower.maze
        if maze is not None and maze.rows + 4 <= size.lines and maze.columns < size.columns:
            rows += self.maze(tree)
        else:
            rows += figures(record)
        rows = [row if "\x1b" in row else row[: size.columns - 1] for row in rows]
        self.picture.draw(rows)
        time.sleep(self.delay)

    def maze(self, tree: Tree) -> list[str]:
        """The maze: A agent, K key, D door, the path as dots; explored cells show their high-level state."""
        maze = self.follower.maze
        assert maze is not None
        seen = self.viewer.view(tree)
        grid = [[" " if letter == "." else letter for letter in row] for row in maze.layout.cells]
        if self.follower.has_key():
            row, column = maze.layout.key
            grid[row][column] = " "
        for row, column in self.follower.path:
            grid[row][column] = "·"
        for (row, column), states in seen.cells.items():
            if grid[row][column] in " ·":
                letter = _LETTERS[states[-1] % 26] if tree.regions else "+"
                back = f"\x1b[30;48;5;{terminal(states[-1])}m{letter}\x1b[0m"
                grid[row][column] = back if self.colours and tree.regions else letter
        row, column = self.follower.path[-1]
        grid[row][column] = "\x1b[1;97;44mA\x1b[0m" if self.colours else "A"
        return ["".join(row) for row in grid]

    def end(self) -> None:
        """Show the cursor again; the last picture stays."""
        self.picture.end()


def figures(record: StepRecord) -> list[str]:
    """The return and the number of nodes of each action, where there is no picture."""
    rows = ["action    return     nodes  probability"]
    seen = record.look_ahead
    for action, (worth, below, share) in enumerate(zip(seen.returns, seen.counts, record.behaviour, strict=True)):
        text = "-" if worth is None else f"{worth:.3f}"
        rows.append(f"{action:6}{text:>10}{below:10}{share:13.3f}")
    return rows
