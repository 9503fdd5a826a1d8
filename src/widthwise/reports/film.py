"""An episode as a video: the state on the left, the search tree and its figures on the right."""

from __future__ import annotations

import contextlib
import os
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from widthwise.core.errors import MissingExtraError, OutputError
from widthwise.reports.colours import BRANCH, INK, PAPER, colour
from widthwise.reports.tree_view import TreeView, TreeViewer
from widthwise.simulator_search.tree import NONE, Tree

PANEL = 270  # pixels of the right half
MARGIN = 10
LINE = 15
_UNASSIGNED = "\U000fffff"  # no font has it
_WRITTEN = {"π": "pi", "Π": "Pi", "ß": "ss"}


class Scene(Protocol):
    """The left half of a picture: the current state, with the part that the search tree covers."""

    def draw(self, tree: Tree | None, seen: TreeView | None) -> Any:
        """A picture (of Pillow) of the world now; without a tree, of the world alone."""
        ...


class Film:
    """Collects pictures while an episode is played, and writes them as GIF or MP4."""

    def __init__(self, scene: Scene, viewer: TreeViewer, per_second: float = 8.0) -> None:
        pillow()
        self.scene, self.viewer, self.per_second = scene, viewer, per_second
        self.pictures: list[Any] = []

    def add(self, tree: Tree, lines: Sequence[str]) -> None:
        """A picture of the tree at the state acted in; `lines` is what to write next to it."""
        seen = self.viewer.view(tree)
        self.pictures.append(self._compose(self.scene.draw(tree, seen), lines, tree, seen))

    def end(self, lines: Sequence[str]) -> None:
        """The last picture, after the last action."""
        self.pictures.append(self._compose(self.scene.draw(None, None), lines))

    def _compose(self, left: Any, lines: Sequence[str], tree: Tree | None = None, seen: TreeView | None = None) -> Any:
        _, image, image_draw, font = pillow()
        width, height = left.size[0] + PANEL, max(left.size[1], 240)
        whole = image.new("RGB", (width + width % 2, height + height % 2), PAPER)  # video encoders need even sides
        whole.paste(left, (0, 0))
        pen = image_draw.Draw(whole)
        letters = font.load_default(12)
        across = left.size[0] + MARGIN
        for number, line in enumerate(lines):
            pen.text((across, MARGIN + LINE * number), drawable(line, letters), fill=INK, font=letters)
        if tree is not None and seen is not None:
            top = 2 * MARGIN + LINE * len(lines)
            draw_tree(pen, tree, seen, (across, top, width - MARGIN, height - MARGIN))
        return whole

    def save_gif(self, path: Path) -> None:
        """Write the video as GIF; the file appears when it is complete. Raises `OutputError` if writing fails."""
        _, image, _, _ = pillow()
        flat = [picture.quantize(96, dither=image.Dither.NONE) for picture in self.pictures]
        each = round(1000 / self.per_second)
        times = [each] * (len(flat) - 1) + [max(2000, each)]
        with _written(path) as draft:
            flat[0].save(
                draft, format="GIF", save_all=True, append_images=flat[1:], duration=times, loop=0, optimize=True
            )

    def save_mp4(self, path: Path) -> None:
        """Write the video as MP4; the file appears when it is complete. Raises `OutputError` if writing fails."""
        imageio = video()
        import numpy as np

        with _written(path) as draft:
            hold = round(2 * self.per_second)
            with imageio.get_writer(draft, fps=self.per_second, codec="libx264", macro_block_size=2) as writer:
                for picture in [*self.pictures, *self.pictures[-1:] * hold]:
                    writer.append_data(np.asarray(picture))
            if b"moov" not in draft.read_bytes():  # the index, which is written last; the encoder's exit code is lost
                raise OSError("the encoder could not complete the video")


def drawable(text: str, font: Any) -> str:
    """A text in letters that a font has: π is written pi, é is written e, and what else the font lacks is a `?`.

    The font that comes with Pillow has hardly more than ASCII, and draws a box for what it lacks.
    """
    lacking = bytes(font.getmask(_UNASSIGNED))

    def known(letter: str) -> bool:
        return letter.isascii() or bytes(font.getmask(letter)) != lacking

    written = ""
    for letter in unicodedata.normalize("NFC", text):
        plain = _WRITTEN.get(letter) or unicodedata.normalize("NFKD", letter)[0]
        written += letter if known(letter) else plain if known(plain) else "?"
    return written


def draw_tree(pen: Any, tree: Tree, seen: TreeView, box: tuple[int, int, int, int]) -> None:
    """Draw a tree into a box: to the right by depth, branches coloured by their high-level state, ends as dots."""
    left, top, right, bottom = box
    nodes = tree.nodes
    leaves: dict[int, int] = {}
    for node in reversed(nodes.live):
        below = sum(leaves[child] for child in nodes.children[node] if child != NONE)
        leaves[node] = max(1, below)
    first = nodes.depth[tree.root]
    deepest = max(nodes.depth[node] for node in nodes.live) - first
    wide = (right - left - 4) / max(1, deepest)
    high = (bottom - top - 4) / leaves[tree.root]
    start = {tree.root: 0}
    spots: dict[int, tuple[float, float]] = {}
    for node in nodes.live:  # parents come before their children
        begin = start[node]
        for child in nodes.children[node]:
            if child != NONE:
                start[child] = begin
                begin += leaves[child]
        spot = (
            left + 2 + wide * (nodes.depth[node] - first),
            top + 2 + high * (start[node] + leaves[node] / 2),
        )
        spots[node] = spot
        if node != tree.root:
            shade = colour(seen.state[node]) if tree.regions else BRANCH
            pen.line([spots[nodes.parent[node]], spot], fill=shade, width=1)
    if len(nodes.live) <= 400:  # more dots than that would hide the branches
        for node, (across, down) in spots.items():
            if nodes.terminal[node]:
                pen.ellipse([across - 1, down - 1, across + 1, down + 1], fill=INK)
    across, down = spots[tree.root]
    pen.ellipse([across - 3, down - 3, across + 3, down + 3], fill=INK)


def pillow() -> tuple[Any, Any, Any, Any]:
    """The package Pillow and the parts of it that are used here."""
    try:
        import PIL
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise MissingExtraError("a video of the episode", "video") from None
    return PIL, Image, ImageDraw, ImageFont


def video() -> Any:
    """The package that writes MP4."""
    try:
        import imageio.v2 as imageio
        import imageio_ffmpeg  # noqa: F401
    except ImportError:
        raise MissingExtraError("an MP4 video", "video") from None
    return imageio


@contextlib.contextmanager
def _written(path: Path) -> Iterator[Path]:
    """A draft next to a file that takes its name when the block ends; no draft is left if anything fails."""
    draft = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        yield draft
        draft.replace(path)
    except OSError as error:
        raise OutputError.of(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()
