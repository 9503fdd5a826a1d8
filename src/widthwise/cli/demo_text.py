"""Output of the demo: headings, paragraphs, tables, mazes."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

_WIDTH = 79


def title(text: str) -> None:
    """Print a heading."""
    print(f"{text}\n{'=' * len(text)}\n")


def say(text: str) -> None:
    """Print a paragraph."""
    print(textwrap.fill(text, _WIDTH, break_on_hyphens=False) + "\n")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: the first two columns left-aligned, the others right-aligned."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for number, line in enumerate(lines):
        cells = [
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print(f"  {'   '.join(cells)}".rstrip())
        if number == 0:
            print(f"  {'   '.join('-' * width for width in widths)}")
    print()


def draw_way(maze: Any, actions: Sequence[int]) -> None:
    """Print a maze with the path of some actions from its start."""
    path = [maze.reset(0).info["position"]]
    path += [maze.step(action).info["position"] for action in actions]
    maze.reset(0)
    drawing = [list(line.replace(".", " ")) for line in maze.draw().splitlines()]
    for row, column in path:
        if drawing[row][column] == " ":
            drawing[row][column] = "."
    print("\n".join("   " + "".join(line) for line in drawing) + "\n")
