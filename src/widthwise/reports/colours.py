"""Colours of videos and terminals: one for each high-level state, as distinct as possible."""

from __future__ import annotations

import colorsys

Colour = tuple[int, int, int]

PAPER, INK, BRANCH = (255, 255, 255), (32, 36, 44), (70, 110, 170)
FLOOR, WALL, KEY, DOOR, AGENT = (246, 246, 243), (84, 90, 102), (214, 39, 40), (30, 150, 60), (20, 60, 220)

_GOLDEN = 0.61803398875  # hues this far apart (as a share of the circle) never crowd


def colour(number: int) -> Colour:
    """The colour of the high-level state with this number."""
    hue = (0.09 + number * _GOLDEN) % 1.0
    light = (0.66, 0.54, 0.76)[number // 8 % 3]
    red, green, blue = colorsys.hls_to_rgb(hue, light, 0.62)
    return round(255 * red), round(255 * green), round(255 * blue)


def mixed(below: Colour, above: Colour, alpha: float) -> Colour:
    """A colour laid over another, of which it covers the part `alpha`."""
    red, green, blue = (round((1 - alpha) * low + alpha * high) for low, high in zip(below, above, strict=True))
    return red, green, blue


def terminal(number: int) -> int:
    """The same for terminals with 256 colours: the number of the nearest one in their cube of 6x6x6."""
    red, green, blue = (round(part / 255 * 5) for part in colour(number))
    return 16 + 36 * red + 6 * green + blue
