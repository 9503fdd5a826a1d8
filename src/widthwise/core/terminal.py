"""Output that is rewritten in place on a terminal: a status line, and a picture of several lines.

These are the only places that write control sequences for the cursor.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import TextIO

_CLEAR_LINE = "\r\x1b[K"
_CLEAR_BELOW = "\x1b[J"
_HIDE_CURSOR, _SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"


class StatusLine:
    """One line that replaces itself on a terminal; `print` writes lines that stay above it.

    On a stream that is not a terminal there is nothing to replace: `show` and `clear` write nothing there.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.live = stream.isatty()
        self._shown = False

    def show(self, text: str) -> None:
        """Replace the line, cut to the width of the terminal."""
        if self.live:
            width = max(1, shutil.get_terminal_size((80, 24)).columns - 1)
            self.stream.write(f"{_CLEAR_LINE}{text[:width]}")
            self.stream.flush()
            self._shown = True

    def print(self, text: str) -> None:
        """Write a line that stays."""
        self.clear()
        print(text, file=self.stream, flush=True)

    def clear(self) -> None:
        """Remove the line, if one is shown."""
        if self._shown:
            self.stream.write(_CLEAR_LINE)
            self.stream.flush()
            self._shown = False


class Picture:
    """Several lines that are drawn over themselves; the cursor is hidden until `end`."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._height = 0
        self._ended = False
        stream.write(_HIDE_CURSOR)

    def draw(self, lines: Sequence[str]) -> None:
        """Draw the lines over those drawn before."""
        back = f"\x1b[{self._height}A" if self._height else ""
        self.stream.write(back + "".join(f"{_CLEAR_LINE}{line}\n" for line in lines) + _CLEAR_BELOW)
        self.stream.flush()
        self._height = len(lines)

    def end(self) -> None:
        """Show the cursor again; the last picture stays. May be called more than once."""
        if not self._ended:
            self._ended = True
            self.stream.write(_SHOW_CURSOR)
            self.stream.flush()
