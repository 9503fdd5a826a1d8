"""The options of the engine: the planner, its width, the seed and the limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from widthwise.classical.solve import as_planner
from widthwise.core.budget import Budget
from widthwise.core.errors import UsageError
from widthwise.portfolio.registry import Planner, make_planner, parse_widths

#: The limit of seconds for a timeout that has passed already.
_NO_TIME = 1e-9


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of the engine, with the meaning that `WidthwiseEngine` documents."""

    planner: str | Planner = "auto"
    width: int | str | None = None
    seed: int | None = None
    max_nodes: int | None = None
    max_time: float | None = None
    max_memory: float | None = None  # megabytes
    improve: bool = False

    def changed(self, options: Mapping[str, Any]) -> Settings:
        """The settings with other values for some options; raises `UsageError` if one is unknown or wrong."""
        names = [entry.name for entry in fields(self)]
        for name in options:
            if name not in names:
                raise UsageError(f"widthwise has no option {name!r}; its options are {', '.join(names)}")
        settings = replace(self, **options)
        settings.make_planner()
        settings.budget(None)
        if settings.seed is not None and (not isinstance(settings.seed, int) or settings.seed < 0):
            raise UsageError(f"a seed must be a whole number of at least 0, not {settings.seed!r}")
        return settings

    def make_planner(self) -> Planner:
        """The planner with its width."""
        if isinstance(self.planner, str):
            return make_planner(self.planner, None if self.width is None else parse_widths(str(self.width)))
        if self.width is not None:
            raise UsageError("give the width to the planner itself, such as IW(2)")
        return as_planner(self.planner)

    def budget(self, timeout: float | None) -> Budget:
        """The limits of a run. A timeout of 0 or less has passed already."""
        seconds = self.max_time
        if timeout is not None:
            seconds = max(timeout, _NO_TIME) if seconds is None else min(max(timeout, _NO_TIME), seconds)
        size = None if self.max_memory is None else int(self.max_memory * 1_000_000)
        return Budget(nodes=self.max_nodes, seconds=seconds, bytes=size)
