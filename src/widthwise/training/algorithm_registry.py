"""The learning algorithms by name. Commands read the names before they load anything else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: For each algorithm the settings of planning in which it differs from `PlanningSettings`.
ALGORITHMS: Mapping[str, Mapping[str, Any]] = {
    "pi-iw": {"value": False, "doubt": False, "ties": False, "tiles": None},
    "pi-iw+": {"tiles": None},
    "pi-hiw": {},
}
#: Stands for pi-hiw where the environment has features for the upper level, and for pi-iw+ elsewhere.
AUTO = "auto"
