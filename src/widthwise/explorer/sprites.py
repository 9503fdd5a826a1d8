"""The frames of an episode as one image: a sprite sheet, written as PNG with the standard library alone."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from widthwise.reports.scenes import as_image

Picture = npt.NDArray[np.uint8]
#: The longer side of a frame on the sheet, in pixels: half of an Atari screen fits.
SIDE = 112
#: The most pixels of all frames. A browser holds four bytes for each.
MOST_PIXELS = 12_000_000
#: The share of these pixels that is kept for the frames of executed steps.
_FOR_STEPS = 0.4


@dataclass(slots=True)
class FrameSheet:
    """The different frames of an episode, in the order in which they were first seen."""

    pictures: list[Picture] = field(default_factory=list)
    numbers: dict[bytes, int] = field(default_factory=dict)
    pixels: int = 0
    left_out: int = 0  # nodes without a frame, because the sheet was full
    side: int = SIDE  # the longer side of a frame, at most
    full: bool = False  # whether a new frame of a state that was not executed did not fit

    def number(self, picture_or_none: Any, *, executed: bool) -> int:
        """The number of the frame with a picture; -1 if it is not an image or the sheet is full."""
        image = as_image(picture_or_none)
        if image is None:
            return -1
        picture = _reduced(image, self.side)
        key = repr(picture.shape).encode() + picture.tobytes()
        known = self.numbers.get(key)
        if known is not None:
            return known
        pixels = picture.shape[0] * picture.shape[1]
        if self.pixels + pixels > MOST_PIXELS * (1 if executed else 1 - _FOR_STEPS):
            self.left_out += 1
            self.full = self.full or not executed
            return -1
        self.numbers[key] = len(self.pictures)
        self.pictures.append(picture)
        self.pixels += pixels
        return len(self.pictures) - 1

    def sheet(self) -> dict[str, Any] | None:
        """The sheet for a page: an image as a data URI, the size of a frame, the frames in a row; None without any."""
        if not self.pictures:
            return None
        height = max(picture.shape[0] for picture in self.pictures)
        width = max(picture.shape[1] for picture in self.pictures)
        coloured = any(picture.ndim == 3 for picture in self.pictures)
        columns = max(1, min(len(self.pictures), 4096 // width))
        rows = -(-len(self.pictures) // columns)
        sheet = np.zeros((rows * height, columns * width, *((3,) if coloured else ())), dtype=np.uint8)
        for number, picture in enumerate(self.pictures):
            top, left = number // columns * height, number % columns * width
            if coloured and picture.ndim == 2:
                picture = np.repeat(picture[:, :, None], 3, axis=2)
            sheet[top : top + picture.shape[0], left : left + picture.shape[1]] = picture
        return {"image": f"data:image/png;base64,{base64.b64encode(png(sheet)).decode()}"} | {
            "width": width,
            "height": height,
            "columns": columns,
        }


def _reduced(image: Picture, side: int) -> Picture:
    """A frame of at most `side` pixels a side: means of squares of pixels, so that thin lines stay; no transparency."""
    every = -(-max(image.shape[:2]) // side)
    shown = image[:, :, :3] if image.ndim == 3 else image
    if every == 1:
        return np.ascontiguousarray(shown)
    height, width = (length // every for length in shown.shape[:2])
    squares = shown[: height * every, : width * every].astype(np.uint32)
    squares = squares.reshape(height, every, width, every, *shown.shape[2:]).sum(axis=(1, 3))
    means: Picture = (squares // every**2).astype(np.uint8)
    return means


def png(picture: Picture) -> bytes:
    """A picture as PNG: gray for two dimensions, colours for three."""
    height, width = picture.shape[:2]
    colour = 2 if picture.ndim == 3 else 0
    # Each row begins with the number of its filter; 0 is none.
    rows = np.concatenate([np.zeros((height, 1), dtype=np.uint8), picture.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    chunks: Sequence[tuple[bytes, bytes]] = (
        (b"IHDR", header),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    )
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body
