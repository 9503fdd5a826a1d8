"""Whether the state of a search makes sense, before a search continues from it.

A checkpoint may come from another person, or be damaged in a way that its checksum does not show. A trajectory that
leads back to itself would otherwise never end, and a number out of range would be an error long after the search
continued.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from widthwise.core.shape import Mismatch, anything, fields, items, number, optional, switch, whole

#: Each of these columns has a row per region, or per entry.
_REGIONS, _ENTRIES = ("level", "length", "visits", "everywhere"), ("score", "gain", "steps", "node", "lives")
_BEST = ("score", "steps", "node", "ended", "interactions")
_STATE = fields(
    {
        "attempt": items(number, 3),
        "given_up": optional(number),
        "lowest": items(items(anything, 5)),
    },
)


def check_search(state: Any, actions: int) -> None:
    """Refuse what cannot be the state of a search.

    Args:
        state: What `capture` returned, from a file.
        actions: The number of actions of the environment.

    Raises:
        Mismatch: Something is out of range; the message names it.
    """
    if "attempt" not in state:
        return  # of an earlier version, which is refused with a reason of its own
    _STATE(state, "search")
    parents, chosen = np.frombuffer(state["parents"], np.int64), np.frombuffer(state["actions"], np.uint16)
    nodes = len(parents)
    _require(len(chosen) == nodes and bool((chosen < actions).all()), "actions")
    _require(bool(((parents >= -1) & (parents < np.arange(nodes))).all()), "parents")
    for names in (_REGIONS, _ENTRIES):
        columns = [_column(state, name) for name in names]
        _require(len({len(column) for column in columns}) == 1, " and ".join(names))
    for name in ("visits", "everywhere", "score", "gain"):
        _require(bool(np.isfinite(_column(state, name)).all()), name)
    for name in ("length", "visits", "everywhere", "gain", "steps"):
        _require(bool((_column(state, name) >= 0).all()), name)
    _require(int(_column(state, "length").sum()) == len(state["features"]), "features")
    held = _column(state, "node")
    _require(bool(((held >= -1) & (held < nodes)).all()), "node")
    levels = _column(state, "level").astype(np.int64)
    # The first region is outermost, and a region is at most one level inside the one before it.
    _require(not len(levels) or (levels[0] == 0 and bool((np.diff(levels) <= 1).all())), "level")
    _require(int((levels == levels.max(initial=-1)).sum()) == len(held), "level")
    if state["best"] is not None:
        items(anything, len(_BEST))(state["best"], "search.best")
        best = dict(zip(_BEST, state["best"], strict=True))
        shapes = {"score": number, "steps": whole(), "node": whole(-1, nodes - 1), "ended": switch}
        fields({**shapes, "interactions": whole()})(best, "search.best")


def _column(state: Any, name: str) -> npt.NDArray[Any]:
    column = state[name]
    _require(isinstance(column, np.ndarray) and column.ndim == 1, name)
    return np.asarray(column)


def _require(holds: bool | np.bool_, name: str) -> None:
    if not holds:
        raise Mismatch(f"search.{name} is out of range")
