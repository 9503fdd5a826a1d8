"""The argument parser: an error is one message with a suggestion and the help to call."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

_CHOICE = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)")


class Parser(argparse.ArgumentParser):
    """An argument parser for a command and its options; options are written in full."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False, **options})
        #: Options whose value may begin with a dash, such as `--options --first`.
        self.any_value: set[str] = set()

    def error(self, message: str) -> NoReturn:
        """Print what is wrong with the call and where to read more, and exit with code 2."""
        wrong = _CHOICE.search(message)
        if wrong is not None:
            message += _suggestion(wrong[1], re.findall(r"[\w:.+-]+", wrong[2]))
        self.exit(2, f"widthwise: {message}\n(see `{self.prog} --help`)\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse; report unknown arguments as an error of the command, not of the whole program."""
        if args is not None and self.any_value:
            args = self._joined(args)
        values, rest = super().parse_known_args(args, namespace)
        if rest:
            names = list(self._option_string_actions)
            hint = next((text for word in rest if (text := _suggestion(word.partition("=")[0], names))), "")
            what = "option" if rest[0].startswith("-") else "argument"
            self.error(f"unknown {what} {rest[0]}{hint}")
        return values, rest

    def _joined(self, args: Sequence[str]) -> list[str]:
        """`--options --first` as `--options=--first`, which argparse takes for an option with a value."""
        joined: list[str] = []
        words = iter(args)
        for word in words:
            value = next(words, None) if word in self.any_value else None
            joined.append(word if value is None else f"{word}={value}")
        return joined


def _suggestion(word: str, names: Iterable[str]) -> str:
    import difflib

    close = difflib.get_close_matches(word, list(names), 1)
    return f"; did you mean {close[0]}?" if close else ""
