"""Output that is rewritten in place: on terminals only, and written by one module only."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import widthwise
from widthwise.core.terminal import Picture, StatusLine

SOURCE = Path(widthwise.__file__).parent


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_status_line_replaces_itself_and_makes_room_for_lines_that_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    stream = Terminal()
    line = StatusLine(stream)
    line.clear()
    assert stream.getvalue() == ""  # nothing is shown, so nothing is removed
    line.show("1 of 2")
    line.show("a line that is too long")
    line.print("stays whole, whatever the width")
    line.show("2 of 2")
    line.clear()
    line.clear()
    assert stream.getvalue() == (
        "\r\x1b[K1 of 2\r\x1b[Ka line th\r\x1b[Kstays whole, whatever the width\n\r\x1b[K2 of 2\r\x1b[K"
    )


def test_a_status_line_writes_nothing_but_lines_into_a_pipe() -> None:
    stream = io.StringIO()
    line = StatusLine(stream)
    line.show("1 of 2")
    line.print("stays")
    line.clear()
    assert stream.getvalue() == "stays\n"


def test_a_picture_is_drawn_over_the_one_before_and_shows_the_cursor_once() -> None:
    stream = Terminal()
    picture = Picture(stream)
    picture.draw(["a", "b"])
    picture.draw(["c"])
    picture.end()
    picture.end()
    assert stream.getvalue() == ("\x1b[?25l\r\x1b[Ka\n\r\x1b[Kb\n\x1b[J\x1b[2A\r\x1b[Kc\n\x1b[J\x1b[?25h")


def test_one_module_writes_control_sequences_for_the_cursor() -> None:
    sequences = (r"\x1b[K", r"\x1b[J", r"\x1b[?25", r"\x1b[{")
    writers = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if any(sequence in path.read_text(encoding="utf-8") for sequence in sequences)
    }
    assert writers == {"core/terminal.py"}
