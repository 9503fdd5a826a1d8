"""Errors with a place: the file, the line with a caret under the word, what was expected, and a hint."""

from __future__ import annotations

from collections.abc import Iterable

from widthwise.classical.pddl.lexer import END, Source
from widthwise.core.errors import InputError, UnsupportedError

_SHOWN = 120  # how much of a long line an error shows
_MESSAGE = 600  # the longest sentence of an error
_COMPARED = 2_000  # the most known names that are compared with an unknown name


def render(source: Source, index: int, what: str, expected: str | None, hint: str | None) -> str:
    """Write an error as the user sees it."""
    place = source.place(index)
    text, column = place.text.rstrip(), place.column - 1
    if len(text) > _SHOWN:
        start = max(0, column - _SHOWN // 2)
        text, column = text[start : start + _SHOWN], column - start
    margin = "".join("\t" if c == "\t" else " " for c in text[:column].ljust(column))
    caret = "^" * max(1, min(place.width, len(text) - column))
    lines = [f"{source.filename}:{place.line}:{place.column}: {_short(what)}", f"  {text}", f"  {margin}{caret}"]
    if expected:
        lines.append(f"expected: {_short(expected)}")
    if hint:
        lines.append(f"hint: {_short(hint)}")
    return "\n".join(lines)


def _short(text: str) -> str:
    """Shorten a message with a very long name in it."""
    return text if len(text) <= _MESSAGE else f"{text[: _MESSAGE // 2]} ... {text[-_MESSAGE // 2 :]}"


class PddlError(InputError):
    """A PDDL text is wrong; the message shows where."""

    def __init__(
        self, what: str, source: Source, index: int, expected: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(render(source, index, what, expected, hint))
        self.what = _short(what)
        self.filename = source.filename
        self.line, self.column = source.place(index)[:2]
        self.expected = expected
        self.hint = hint


class PddlUnsupportedError(UnsupportedError):
    """A PDDL text uses a construct that Widthwise does not support; the message names it and shows where."""

    def __init__(
        self, what: str, source: Source, index: int, expected: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(render(source, index, f"not supported: {what}", expected, hint))
        self.what = _short(what)
        self.filename = source.filename
        self.line, self.column = source.place(index)[:2]
        self.expected = expected
        self.hint = hint


def near(name: str, names: Iterable[str]) -> str | None:
    """Return the known name that is most similar to `name`, if any is similar."""
    import difflib  # only errors need it

    if len(name) > 200:
        return None
    known = list(names)
    if len(known) > _COMPARED:  # in a long list, only names with the same beginning
        known = [other for other in known if other[:2] == name[:2] and abs(len(other) - len(name)) < 3][:_COMPARED]
    similar = difflib.get_close_matches(name, known, 1, 0.6)
    return similar[0] if similar else None


def quoted(token: str) -> str:
    """Write a token for a message."""
    return "the end of the file" if token == END else f"'{token}'"
