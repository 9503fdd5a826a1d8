"""Plans and plan files, in the format that VAL and Fast Downward write."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from widthwise.classical.pddl.lexer import Check, read_text
from widthwise.classical.pddl.numbers import number as exact
from widthwise.classical.pddl.numbers import plain
from widthwise.core import notebook
from widthwise.core.errors import InputError, UsageError
from widthwise.core.files import write_whole
from widthwise.core.showing import counted

_COST = re.compile(r";\s*cost\s*=\s*([0-9.eE+]+)\s*(?:\((unit|general) cost\))?", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|\r|\n")
_STEP = re.compile(r"(?:[0-9.]+\s*:\s*)?\(\s*([^()\s]+(?:\s+[^()\s]+)*)\s*\)(?:\s*\[[0-9.]*\])?")


class Plan(list[str]):
    """A sequence of ground actions such as `(move a b)`, with its cost.

    A plan is a list of strings: it can be indexed, iterated over, compared with a list and written as JSON. Two plans
    are equal if their steps and their costs are equal.

    Args:
        steps: The actions in order.
        cost: The cost of the plan; the number of steps if it is not given.
        unit_cost: Whether every action costs 1. Plan files state this after the cost.

    Raises:
        UsageError: `steps` is a single string. Use `Plan.parse` for the text of a plan file.

    Example:
        >>> plan = ww.Plan(["(move a b)", "(move b c)"])
        >>> plan.cost, plan[0]
        (2, '(move a b)')
    """

    cost: float
    unit_cost: bool

    def __init__(self, steps: Iterable[str] = (), cost: float | None = None, unit_cost: bool = True) -> None:
        if isinstance(steps, str):
            raise UsageError("a plan is a list of actions, not a string: use Plan.parse(text), or Plan.read(path)")
        super().__init__(steps)
        self.cost = len(self) if cost is None else cost
        self.unit_cost = unit_cost

    @property
    def steps(self) -> tuple[str, ...]:
        """The actions in order."""
        return tuple(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Plan) and (self.cost, self.unit_cost) != (other.cost, other.unit_cost):
            return False
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __repr__(self) -> str:
        return f"<Plan of {counted(len(self), 'step')}, cost {number_text(self.cost)}{_ends(self)}>"

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def _repr_html_(self) -> str:
        kind = "unit cost" if self.unit_cost else "general cost"
        title = f"Plan: {counted(len(self), 'step')}, cost {number_text(self.cost)} ({kind})"
        return notebook.listing(title, self)

    def text(self) -> str:
        """The plan in the format of a plan file: one action per line, then a comment with the cost."""
        kind = "unit cost" if self.unit_cost else "general cost"
        return "".join(f"{line}\n" for line in (*self, f"; cost = {number_text(self.cost)} ({kind})"))

    def write(self, path: str | Path) -> None:
        """Write a plan file.

        Args:
            path: The file. It is replaced in one step, so it is never half-written.

        Raises:
            OutputError: The file cannot be written.
        """
        write_whole(Path(path), self.text())

    @staticmethod
    def read(path: str | Path, check: Check | None = None) -> Plan:
        """Read a plan file.

        Args:
            path: The file, or `-` for standard input.
            check: Called repeatedly while reading. It may raise an exception to stop.

        Returns:
            The plan.

        Raises:
            InputError: The file cannot be read or is not a plan.
        """
        text, name = read_text(path, check, "a plan file")
        return Plan.parse(text, name, check)

    @staticmethod
    def parse(text: str, filename: str = "<plan>", check: Check | None = None) -> Plan:
        """Read a plan from the text of a plan file.

        Comments, blank lines, upper case and step numbers (`0: (a b)` and `0.000: (a b) [1]`) are accepted.
        If no line states the cost, it is the number of steps.

        Args:
            text: The text.
            filename: The name that error messages show.
            check: Called repeatedly while reading. It may raise an exception to stop.

        Returns:
            The plan.

        Raises:
            InputError: A line is not an action.
        """
        steps: list[str] = []
        cost: float | None = None
        unit = True
        for number, line in enumerate(_lines(text), 1):
            if check is not None and not number & 255:
                check()
            cost_line = _COST.match(line.strip())
            if cost_line is not None:
                value = exact(cost_line[1].lower())
                if value is None:
                    raise _bad_line(filename, number, line, f"'{cost_line[1][:40]}' is not a number, or is too large")
                cost = plain(value)
                unit = (cost_line[2] or "unit").lower() == "unit"
            content = line.split(";", 1)[0].strip()
            if not content:
                continue
            step = _STEP.fullmatch(content)
            if step is None:
                what = (
                    "parentheses do not match" if content.count("(") != content.count(")") else "this is not an action"
                )
                raise _bad_line(filename, number, line, what)
            steps.append(f"({' '.join(step[1].lower().split())})")
        return Plan(steps, cost, unit)


def _ends(steps: list[str]) -> str:
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
