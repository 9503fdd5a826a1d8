"""The names of atoms and operators, such as `(on a b)`, and how a user refers to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from widthwise.core.errors import UsageError


def fact_text(name: str, args: Iterable[str]) -> str:
    """Write an atom or an operator: its name and its arguments in parentheses."""
    return f"({' '.join((name, *args))})"


def canonical(name: str) -> str:
    """Return the name of an atom in lower case, with parentheses and single spaces."""
    words = _words(name)
    return fact_text(words[0], words[1:])


def matching(pattern: str, names: Sequence[str]) -> list[int]:
    """Return the places of the names that a pattern such as `(at robot *)` matches.

    Raises:
        UsageError: No name matches.
    """
    wanted = _words(pattern)
    places = [
        place
        for place, name in enumerate(names)
        if len(parts := name[1:-1].split(" ")) == len(wanted)
        and all(fnmatchcase(part, word) for part, word in zip(parts, wanted, strict=True))
    ]
    if not places:
        heads = sorted({name[1:-1].split(" ")[0] for name in names})
        hint = "" if wanted[0] in heads else suggestion(wanted[0], heads)
        raise UsageError(f"no reachable atom of this task matches the pattern {fact_text(wanted[0], wanted[1:])}{hint}")
    return places


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return the end of a message that names the most similar name, if there is one."""
    import difflib

    close = difflib.get_close_matches(name, list(names), 1)
    return f"; did you mean {close[0]}?" if close else ""


def _words(text: str) -> list[str]:
    words = re.sub(r"[()]", " ", text.lower()).split()
    if not words:
        raise UsageError(f"{text!r} is not an atom: write it like (at robot room1), with * for any object in a pattern")
    return words
