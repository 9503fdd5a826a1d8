"""Hierarchical width-based planning and learning: `task = load(domain, problem)`, then `solve(task)`."""

from typing import TYPE_CHECKING, Any

from widthwise.core.logs import quiet
from widthwise.version import __version__

if TYPE_CHECKING:
    from widthwise import theory
    from widthwise.classical.certificate import Certificate
    from widthwise.classical.certify import certify
    from widthwise.classical.checks import validate, verify_certificate
    from widthwise.classical.goal import Goal
    from widthwise.classical.load import Domain, example, load, parse
    from widthwise.classical.plan import Plan
    from widthwise.classical.result import Result
    from widthwise.classical.solve import solve, solve_each_goal
    from widthwise.classical.task import Task
    from widthwise.classical.validate import Verdict
    from widthwise.classical.verify import CertificateVerdict
    from widthwise.core.budget import Budget
    from widthwise.core.defaults import Defaults
    from widthwise.core.errors import (
        InputError,
        Interrupted,
        OutOfMemory,
        OutOfTime,
        RunInterrupted,
        SimulatorError,
        UnsupportedError,
        UsageError,
        WidthwiseError,
    )
    from widthwise.core.model import Model, State
    from widthwise.core.result import Outcome, Status, Stop, outcome_of
    from widthwise.core.simulator import Simulator, Step
    from widthwise.core.watchdog import watching
    from widthwise.exploration.search import search
    from widthwise.exploration.search_run import SearchResult
    from widthwise.explorer.explore import explore
    from widthwise.explorer.explorer_page import Explorer
    from widthwise.online.acting import OnlinePlanner
    from widthwise.online.episode import Episode
    from widthwise.online.policies import Behaviour
    from widthwise.online.presets import preset_settings
    from widthwise.portfolio.auto import Auto
    from widthwise.portfolio.registry import Planner
    from widthwise.simulator_search.archive_search import ArchiveSearch
    from widthwise.simulator_search.count_rollout_iw import CountRolloutIW
    from widthwise.simulator_search.driver import FeatureFunction, FeatureSet, Requests
    from widthwise.simulator_search.hiw import LevelPlanner, LevelSearch, Space
    from widthwise.simulator_search.rollout_iw import RolloutIW
    from widthwise.simulators.bins import Bins
    from widthwise.simulators.bprost import BProst
    from widthwise.simulators.checker import check_simulator
    from widthwise.simulators.features import Atoms, Cells, Info, Ram, Tiles
    from widthwise.simulators.minigrid import MiniGrid
    from widthwise.simulators.names import simulator
    from widthwise.simulators.observations import Observation
    from widthwise.simulators.scene_features import Scenes
    from widthwise.task_search.backward import Backward
    from widthwise.task_search.bfs import BFS, DFS
    from widthwise.task_search.bfws import BFWS, GBFS
    from widthwise.task_search.hiw import HIW
    from widthwise.task_search.ihiw import IHIW
    from widthwise.task_search.iw import IW
    from widthwise.task_search.siw import SIW
    from widthwise.training.api import TrainingProgress, TrainingResult, train
    from widthwise.training.policy import Policy
    from widthwise.up.bridge import from_unified_planning, to_unified_planning

# The module of each public name. Names are imported when they are first used, so a command imports only the modules
# that it needs.
_NAMES_OF = {
    "classical.certificate": ("Certificate",),
    "classical.certify": ("certify",),
    "classical.checks": ("validate", "verify_certificate"),
    "classical.goal": ("Goal",),
    "classical.load": ("Domain", "example", "load", "parse"),
    "classical.plan": ("Plan",),
    "classical.result": ("Result",),
    "classical.solve": ("solve", "solve_each_goal"),
    "classical.task": ("Task",),
    "classical.validate": ("Verdict",),
    "classical.verify": ("CertificateVerdict",),
    "core.budget": ("Budget",),
    "core.defaults": ("Defaults",),
    "core.errors": (
        "InputError",
        "Interrupted",
        "OutOfMemory",
        "OutOfTime",
        "RunInterrupted",
        "SimulatorError",
        "UnsupportedError",
        "UsageError",
        "WidthwiseError",
    ),
    "simulator_search.driver": ("FeatureFunction", "FeatureSet", "Requests"),
    "core.model": ("Model", "State"),
    "core.result": ("Outcome", "Status", "Stop", "outcome_of"),
    "core.simulator": ("Simulator", "Step"),
    "core.watchdog": ("watching",),
    "online.policies": ("Behaviour",),
    "online.presets": ("preset_settings",),
    "portfolio.auto": ("Auto",),
    "task_search.backward": ("Backward",),
    "task_search.bfs": ("BFS", "DFS"),
    "task_search.bfws": ("BFWS", "GBFS"),
    "exploration.search": ("search",),
    "explorer.explorer_page": ("Explorer",),
    "explorer.explore": ("explore",),
    "exploration.search_run": ("SearchResult",),
    "simulator_search.archive_search": ("ArchiveSearch",),
    "simulator_search.count_rollout_iw": ("CountRolloutIW",),
    "task_search.hiw": ("HIW",),
    "task_search.ihiw": ("IHIW",),
    "task_search.iw": ("IW",),
    "simulator_search.hiw": ("LevelPlanner", "LevelSearch", "Space"),
    "portfolio.registry": ("Planner",),
    "simulators.bins": ("Bins",),
    "simulators.bprost": ("BProst",),
    "simulators.checker": ("check_simulator",),
    "simulators.features": ("Atoms", "Cells", "Info", "Ram", "Tiles"),
    "simulators.minigrid": ("MiniGrid",),
    "simulators.names": ("simulator",),
    "simulators.observations": ("Observation",),
    "simulators.scene_features": ("Scenes",),
    "simulator_search.rollout_iw": ("RolloutIW",),
    "task_search.siw": ("SIW",),
    "training.api": ("TrainingProgress", "TrainingResult", "train"),
    "training.policy": ("Policy",),
    "up.bridge": ("from_unified_planning", "to_unified_planning"),
    "online.acting": ("OnlinePlanner",),
    "online.episode": ("Episode",),
}
# Silent unless the program that imports Widthwise configures logging.
quiet()

_MODULES = ("theory",)  # public as a whole
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names}

__all__ = [
    "BFS",
    "BFWS",
    "DFS",
    "GBFS",
    "HIW",
    "IHIW",
    "IW",
    "SIW",
    "ArchiveSearch",
    "Atoms",
    "Auto",
    "BProst",
    "Backward",
    "Behaviour",
    "Bins",
    "Budget",
    "Cells",
    "Certificate",
    "CertificateVerdict",
    "CountRolloutIW",
    "Defaults",
    "Domain",
    "Episode",
    "Explorer",
    "FeatureFunction",
    "FeatureSet",
    "Goal",
    "Info",
    "InputError",
    "Interrupted",
    "LevelPlanner",
    "LevelSearch",
    "MiniGrid",
    "Model",
    "Observation",
    "OnlinePlanner",
    "OutOfMemory",
    "OutOfTime",
    "Outcome",
    "Plan",
    "Planner",
    "Policy",
    "Ram",
    "Requests",
    "Result",
    "RolloutIW",
    "RunInterrupted",
    "Scenes",
    "SearchResult",
    "Simulator",
    "SimulatorError",
    "Space",
    "State",
    "Status",
    "Step",
    "Stop",
    "Task",
    "Tiles",
    "TrainingProgress",
    "TrainingResult",
    "UnsupportedError",
    "UsageError",
    "Verdict",
    "WidthwiseError",
    "__version__",
    "certify",
    "check_simulator",
    "example",
    "explore",
    "from_unified_planning",
    "load",
    "outcome_of",
    "parse",
    "preset_settings",
    "search",
    "simulator",
    "solve",
    "solve_each_goal",
    "theory",
    "to_unified_planning",
    "train",
    "validate",
    "verify_certificate",
    "watching",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    import importlib

    if name in _MODULES:
        return importlib.import_module(f"widthwise.{name}")
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'widthwise' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"widthwise.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
