"""What is shown of a world in a video: a maze cell by cell, a screen, or nothing but the tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from widthwise.reports.colours import AGENT, DOOR, FLOOR, INK, KEY, PAPER, WALL, colour, mixed
from widthwise.reports.film import pillow
from widthwise.reports.tree_view import Cell, TreeView
from widthwise.simulator_search.tree import Tree

Picture = npt.NDArray[np.uint8]

SIDE = 330  # pixels of a world's longer side, about
TINT = np.array([255, 140, 0], dtype=np.float64)
#: How much of a pixel a tint covers at most; the rest is the picture below it.
ALPHA = 0.35
#: The same for the cells of a maze, whose floor has one colour.
CELL_ALPHA = 0.6


class MazeScene:
    """A maze: explored cells in the colours of the high-level states met there, the tree, and the path walked."""

    def __init__(self, cells: Sequence[str], now: Callable[[], tuple[Sequence[Cell], bool]]) -> None:
        self.cells, self.now = cells, now  # `now` is the path walked so far, and whether the key is taken
        self.size = max(4, SIDE // max(len(cells), len(cells[0])))

    def draw(self, tree: Tree | None, seen: TreeView | None) -> Any:
        """The maze now."""
        _, image, image_draw, _ = pillow()
        size = self.size
        picture = image.new("RGB", (size * len(self.cells[0]), size * len(self.cells)), FLOOR)
        pen = image_draw.Draw(picture)
        for row, line in enumerate(self.cells):
            for column, letter in enumerate(line):
                if letter == "#":
                    pen.rectangle(self.box((row, column)), fill=WALL)
        path, has_key = self.now()
        if seen is not None:
            self.explored(pen, seen, hierarchical=tree is not None and bool(tree.regions))
        self.things(pen, has_key)
        if len(path) > 1:
            pen.line([self.centre(place) for place in path], fill=AGENT, width=2, joint="curve")
        across, down = self.centre(path[-1])
        reach = size * 0.38
        pen.ellipse([across - reach, down - reach, across + reach, down + reach], fill=AGENT, outline=PAPER)
        return picture

    def explored(self, pen: Any, seen: TreeView, hierarchical: bool) -> None:
        """The cells in which the tree has nodes; a cell met in several states has a stripe for each."""
        for place, states in seen.cells.items():
            left, top, right, bottom = self.box(place)
            shown = states[:4]
            for number, state in enumerate(shown):
                begin, end = (left + (right - left + 1) * part // len(shown) for part in (number, number + 1))
                shade = mixed(FLOOR, colour(state if hierarchical else 1), CELL_ALPHA)
                pen.rectangle([begin, top, end - 1, bottom], fill=shade)
        for before, after in seen.edges:
            pen.line([self.centre(before), self.centre(after)], fill=INK, width=1)

    def things(self, pen: Any, has_key: bool) -> None:
        """The key, as long as it lies there, and the door."""
        for row, line in enumerate(self.cells):
            for column, letter in enumerate(line):
                if letter == "D" or (letter == "K" and not has_key):
                    pen.rectangle(self.box((row, column)), fill=DOOR if letter == "D" else KEY, outline=INK)

    def box(self, place: Cell) -> list[int]:
        """The pixels of a cell."""
        top, left = place[0] * self.size, place[1] * self.size
        return [left, top, left + self.size - 1, top + self.size - 1]

    def centre(self, place: Cell) -> tuple[float, float]:
        """The middle of a cell."""
        return (place[1] + 0.5) * self.size, (place[0] + 0.5) * self.size


class ScreenScene:
    """A screen: the world as it looks, tinted where the futures in the tree look different.

    `tinted=False` is for pictures that do not show the observation: the pixels of the two have nothing in common.
    """

    def __init__(self, now: Callable[[], Picture | None], *, tinted: bool = True) -> None:
        self.now, self.tinted = now, tinted

    def draw(self, tree: Tree | None, seen: TreeView | None) -> Any:
        """The screen now."""
        _, image, _, _ = pillow()
        screen = self.now()
        if screen is None:
            screen = None if tree is None else as_image(tree.observation[tree.root])
        if screen is None:
            return image.new("RGB", (1, SIDE), PAPER)
        screen = screen if screen.ndim == 3 else np.repeat(screen[:, :, None], 3, axis=2)
        scale = SIDE / max(screen.shape[:2])
        size = (round(screen.shape[1] * scale), round(screen.shape[0] * scale))
        way = image.Resampling.NEAREST if scale >= 1 else image.Resampling.BOX  # thin lines stay when it shrinks
        picture = image.fromarray(np.ascontiguousarray(screen[:, :, :3])).resize(size, way)
        share = None if tree is None or not self.tinted else futures(tree)
        if share is None:
            return picture
        tint = image.fromarray(np.rint(255 * share).astype(np.uint8)).resize(size, image.Resampling.NEAREST)
        strength = np.asarray(tint)[:, :, None] / 255.0
        tinted = np.asarray(picture) * (1 - strength) + TINT * strength
        return image.fromarray(np.rint(tinted).astype(np.uint8))


def futures(tree: Tree) -> npt.NDArray[np.float64] | None:
    """How strongly to tint each pixel of an observation: by how many nodes show there what the root does not.

    Returns shares from 0 to `ALPHA`; None if observations are no images.
    """
    root = as_image(tree.observation[tree.root])
    if root is None:
        return None
    counts = np.zeros(root.shape[:2])
    for node in tree.nodes.live:
        picture = as_image(tree.observation[node])
        if picture is not None and picture.shape == root.shape:
            changed = picture != root
            counts += changed.any(axis=2) if changed.ndim == 3 else changed
    # What most nodes show is change without an action of the agent; a few levels keep a video small.
    share = np.log1p(counts) / np.log1p(max(1, len(tree)))
    level = np.ceil(share * 5) / 5
    # The faintest tint is still to be seen on black.
    strength: npt.NDArray[np.float64] = np.where(level > 0, ALPHA * (0.3 + 0.7 * np.minimum(level, 1.0)), 0.0)
    return strength


def as_image(observation: Any) -> Picture | None:
    """An observation as an image of bytes, if it is one; of stacked frames the newest."""
    newest = getattr(observation, "newest", observation)
    if not isinstance(newest, np.ndarray) or newest.dtype != np.uint8:
        return None
    if newest.ndim == 2 or (newest.ndim == 3 and newest.shape[2] in (3, 4)):
        return newest if min(newest.shape[:2]) >= 16 else None
    return None
