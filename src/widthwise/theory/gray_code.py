"""The table of the appendix: all states in Gray code, and which of them IW(w) finds novel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import combinations

from widthwise.core.errors import UsageError
from widthwise.core.novelty import ValueTable

#: The most states of a table.
MOST_STATES = 100_000


@dataclass(frozen=True, slots=True)
class GrayCodeRow:
    """One row of the table: a state and its tuples of feature values.

    Args:
        state: The value of each feature.
        tuples: For each combination of w features, in order, their values in this state.
        new: For each combination, whether its values are seen for the first time.

    Example:
        >>> ww.theory.gray_code_table(2, 2, 1).rows[1]
        GrayCodeRow(state=(0, 1), tuples=((0,), (1,)), new=(False, True))
    """

    state: tuple[int, ...]
    tuples: tuple[tuple[int, ...], ...]
    new: tuple[bool, ...]

    @property
    def novel(self) -> bool:
        """Whether IW(w) finds the state novel."""
        return any(self.new)


@dataclass(frozen=True, slots=True)
class GrayCodeTable:
    """All d**n states in Gray code, with the novelty test of IW(w).

    Args:
        n: The number of features.
        d: The number of values of each feature.
        w: The width.
        rows: The states in order.

    Example:
        >>> print(ww.theory.gray_code_table(2, 2, 1))
        state  f0  f1  novel
        0 0    0*  0*  yes
        0 1    0   1*  yes
        1 1    1*  1   yes
        1 0    1   0   no
        novel states: 3 of 4; with tuples without f0: 2, only with tuples of f0: 1
    """

    n: int
    d: int
    w: int
    rows: tuple[GrayCodeRow, ...]

    @property
    def columns(self) -> list[tuple[int, ...]]:
        """The combinations of features, in the order of `GrayCodeRow.tuples`."""
        return list(combinations(range(self.n), min(self.w, self.n)))

    @property
    def novel(self) -> list[tuple[int, ...]]:
        """The novel states, in order."""
        return [row.state for row in self.rows if row.novel]

    @property
    def novel_without_first(self) -> list[tuple[int, ...]]:
        """The novel states of the paper's first part: some new tuple does not contain the first feature."""
        return [row.state for row in self.rows if self._without_first(row)]

    @property
    def novel_with_first(self) -> list[tuple[int, ...]]:
        """The novel states of the paper's second part: every new tuple contains the first feature."""
        return [row.state for row in self.rows if row.novel and not self._without_first(row)]

    def _without_first(self, row: GrayCodeRow) -> bool:
        return any(new and 0 not in column for new, column in zip(row.new, self.columns, strict=True))

    def __str__(self) -> str:
        head = ["state", *("".join(f"f{feature}" for feature in column) for column in self.columns), "novel"]
        lines = [head]
        for row in self.rows:
            cells = [
                " ".join(map(str, values)) + "*" * new if self.d > 10 else "".join(map(str, values)) + "*" * new
                for values, new in zip(row.tuples, row.new, strict=True)
            ]
            lines.append([" ".join(map(str, row.state)), *cells, "yes" if row.novel else "no"])
        widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
        shown = [
            "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
        ]
        return "\n".join([*shown, self._summary()])

    def _summary(self) -> str:
        return (
            f"novel states: {len(self.novel)} of {len(self.rows)}; with tuples without f0: "
            f"{len(self.novel_without_first)}, only with tuples of f0: {len(self.novel_with_first)}"
        )

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{''.join(f'f{feature}' for feature in column)}</th>" for column in self.columns)
        body = "".join(
            f"<tr><td>{_bold(row.state, row.novel)}</td>"
            + "".join(f"<td>{_bold(values, new)}</td>" for values, new in zip(row.tuples, row.new, strict=True))
            + "</tr>"
            for row in self.rows
        )
        summary = escape(self._summary())
        return f"<table><thead><tr><th>state</th>{head}</tr></thead><tbody>{body}</tbody></table><p>{summary}</p>"


def gray_code(n: int, d: int = 2) -> list[tuple[int, ...]]:
    """All d**n states in reflected Gray code: neighbours differ by 1 in one feature.

    Args:
        n: The number of features, at least 0.
        d: The number of values of each feature, at least 1.

    Returns:
        The states, beginning with all zeros.

    Raises:
        UsageError: An argument is too small, or there are more than 100,000 states.

    Example:
        >>> ww.theory.gray_code(2)
        [(0, 0), (0, 1), (1, 1), (1, 0)]
    """
    if n < 0 or d < 1:
        raise UsageError(f"a Gray code has n >= 0 features of d >= 1 values, not n = {n} and d = {d}")
    if d > 1 and (n > MOST_STATES.bit_length() or d**n > MOST_STATES):
        raise UsageError(f"{d}**{n} states are too many for a table: at most {MOST_STATES:,} are possible")
    states: list[tuple[int, ...]] = [()]
    for _ in range(n):
        states = [(value, *rest) for value in range(d) for rest in (states if value % 2 == 0 else states[::-1])]
    return states


def gray_code_table(n: int = 4, d: int = 2, w: int = 2) -> GrayCodeTable:
    """The table of the appendix: the states in Gray code as the order of expansion of IW(w).

    Args:
        n: The number of features. The paper shows 4.
        d: The number of values of each feature. The paper shows 2.
        w: The width, at least 1. The paper shows 2.

    Returns:
        The table. `print` shows it; new tuples have an asterisk.

    Raises:
        UsageError: An argument is too small, or there are more than 100,000 states.

    Example:
        >>> table = ww.theory.gray_code_table(4, 2, 2)
        >>> len(table.novel), len(table.novel_without_first), len(table.novel_with_first)
        (11, 7, 4)
    """
    if w < 1:
        raise UsageError(f"a width must be a whole number of at least 1, not {w}")
    table = ValueTable(w)
    rows = []
    for state in gray_code(n, d):
        pairs = list(table.tuples(state))
        new = tuple(pair not in table.seen for pair in pairs)
        table.seen.update(pairs)
        rows.append(GrayCodeRow(state, tuple(tuple(state[feature] for feature, _ in pair) for pair in pairs), new))
    return GrayCodeTable(n, d, w, tuple(rows))


def _bold(values: Sequence[int], bold: bool) -> str:
    text = " ".join(map(str, values))
    return f"<b>{text}</b>" if bold else text
