"""Plans and plan files, in the format that VAL and Fast Downward write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from widthwise.classical.pddl.lexer import Check, read_text
from widthwise.classical.pddl.numbers import number as exact
from widthwise.classical.pddl.numbers import plain
from widthwise.core.errors import InputError
from widthwise.core.files import write_whole
from widthwise.core.showing import counted

_COST = re.compile(r";\s*cost\s*=\s*([0-9.eE+]+)\s*(?:\((unit|general) cost\))?", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|\r|\n")
_STEP = re.compile(r"(?:[0-9.]+\s*:\s*)?\(\s*([^()\s]+(?:\s+[^()\s]+)*)\s*\)(?:\s*\[[0-9.]*\])?")


@dataclass(frozen=True, slots=True)
class Plan:
    """A sequence of ground actions such as `(move a b)`, with what it costs."""

    steps: tuple[str, ...]
    cost: float
    unit_cost: bool = True

    def __repr__(self) -> str:
        return f"<Plan of {counted(len(self.steps), 'step')}, cost {number_text(self.cost)}{_ends(self.steps)}>"

    def text(self) -> str:
        """Return the plan as a plan file has it: one action per line, the cost last."""
        kind = "unit cost" if self.unit_cost else "general cost"
        return "".join(f"{line}\n" for line in (*self.steps, f"; cost = {number_text(self.cost)} ({kind})"))

    def write(self, path: str | Path) -> None:
        """Write the plan to a file, whole or not at all; raises `OutputError` if that fails."""
        write_whole(Path(path), self.text())

    @staticmethod
    def read(path: str | Path, check: Check | None = None) -> Plan:
        """Read a plan file, or stdin for `-`; `check` is called now and then and may raise to stop the reading."""
        text, name = read_text(path, check, "a plan file")
        return Plan.parse(text, name, check)

    @staticmethod
    def parse(text: str, filename: str = "<plan>", check: Check | None = None) -> Plan:
        """Read a plan from a text.

        Comments, blank lines, upper case and step numbers (`0: (a b)` and `0.000: (a b) [1]`) are accepted.
        Without a line that tells the cost it is the number of steps.
        """
        steps: list[str] = []
        cost: float | None = None
        unit = True
        for number, line in enumerate(_lines(text), 1):
            if check is not None and not number & 255:
                check()
            told = _COST.match(line.strip())
            if told is not None:
                value = exact(told[1].lower())
                if value is None:
                    raise _bad_line(filename, number, line, f"'{told[1][:40]}' is not a number, or is too large")
                cost = plain(value)
                unit = (told[2] or "unit").lower() == "unit"
            content = line.split(";", 1)[0].strip()
            if not content:
                continue
            step = _STEP.fullmatch(content)
            if step is None:
                what = "parentheses do not match" if content.count("(") != content.count(")") else "this is no step"
                raise _bad_line(filename, number, line, what)
            steps.append(f"({' '.join(step[1].lower().split())})")
        return Plan(tuple(steps), len(steps) if cost is None else cost, unit)


def _ends(steps: tuple[str, ...]) -> str:
    """The first and the last step."""
    return f": {steps[0]}{' ... ' + steps[-1] if len(steps) > 1 else ''}" if steps else ""


def number_text(value: float) -> str:
    """Write a cost: whole numbers without a point."""
    return str(int(value)) if value == int(value) else repr(float(value))


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text one by one; the list of all of them may be much larger than the text."""
    start = 0
    for end in _LINE_END.finditer(text):
        yield text[start : end.start()]
        start = end.end()
    if start < len(text):
        yield text[start:]


def _bad_line(filename: str, number: int, line: str, what: str) -> InputError:
    column = len(line) - len(line.lstrip()) + 1
    shown = line.rstrip()[:100]
    return InputError(
        f"{filename}:{number}:{column}: {what}\n  {shown}\n  {' ' * (column - 1)}^\n"
        "expected: one action per line, such as (move a b)"
    )
