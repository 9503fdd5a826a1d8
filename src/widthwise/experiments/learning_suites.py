"""Suites of training runs: algorithms, settings and seeds, each a run folder of its own that goes on where it was."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from widthwise.core.errors import UsageError
from widthwise.core.run_folder import CONFIG
from widthwise.experiments.jobs import Job, Outcome, Part
from widthwise.experiments.rows import read_table
from widthwise.online.presets import FIRST
from widthwise.training.run_settings import RunSettings, parse_parts

#: What tells one line of a suite from another.
KEYS = ("environment", "algorithm", "parts", "seed")
RUNS = "runs"


@dataclass(frozen=True, slots=True)
class Suite:
    """What is trained: every algorithm in every environment with every seed."""

    environments: Sequence[str]
    algorithms: Sequence[str]  # `pi-iw`, `pi-hiw:tiles=4x4`, `pi-hiw:tiles=4x4:value=off`
    seeds: int
    common: Mapping[str, Any] = field(default_factory=dict)  # of RunSettings, for all

    def __post_init__(self) -> None:
        """Refuse what would fail in every single run."""
        if self.seeds < 1:
            raise UsageError(f"--seeds counts seeds from 1 up, so it cannot be {self.seeds}")
        for what, names in (("environment", self.environments), ("algorithm", self.algorithms)):
            for name in names:
                if list(names).count(name) > 1:
                    raise UsageError(f"the {what} {name} is given twice")

    def settings(self) -> dict[str, Any]:
        """What must not change when the suite goes on."""
        # A suite of version 0.1 has neither.
        unknown = {"preset", "evaluation_share"} if self.common.get("preset") == FIRST else set()
        return {
            "environments": list(self.environments),
            "algorithms": list(self.algorithms),
            "seeds": list(range(self.seeds)),
            **{name: value for name, value in self.common.items() if name not in unknown},
        }

    def runs(self) -> Iterator[RunSettings]:
        """The settings of every run, seeds outermost: an early look then shows all algorithms."""
        for seed in range(self.seeds):
            for environment in self.environments:
                for text in self.algorithms:
                    name, *parts = text.split(":")
                    common = dict(self.common)
                    own = {**common.pop("parts", {}), **parse_parts(parts)}
                    yield RunSettings(environment=environment, algorithm=name, seed=seed, parts=own, **common)


def expand_tiles(algorithms: Sequence[str], tiles: Sequence[str]) -> list[str]:
    """Algorithms with a hierarchy once for each tiling, unless they name their own."""
    found = []
    for text in algorithms:
        hierarchical = text.split(":")[0] == "pi-hiw" and "tiles=" not in text
        found += [f"{text}:tiles={one}" for one in tiles] if hierarchical and tiles else [text]
    return found


def check(suite: Suite) -> list[RunSettings]:
    """The runs of a suite, each of which could be begun: names and settings are tried out."""
    from widthwise.training.launch import config_of

    runs = list(suite.runs())
    for settings in runs[: len(suite.environments) * len(suite.algorithms)]:
        config_of(settings)
    return runs


def folder_of(settings: RunSettings) -> str:
    """The name of the folder of a run within its suite."""
    parts = [settings.environment, settings.algorithm, *(f"{name}-{value}" for name, value in settings.parts.items())]
    return re.sub(r"[^\w.+-]+", "-", f"{'-'.join(parts)}-seed{settings.seed}")


def jobs_of(runs: Sequence[RunSettings], out: Path) -> Iterator[Job]:
    """One job per run; the first of them come first."""
    for index, settings in enumerate(runs):
        part = {
            "environment": settings.environment,
            "algorithm": settings.algorithm,
            "parts": ",".join(f"{name}={value}" for name, value in settings.parts.items()),
            "seed": settings.seed,
        }
        payload = {"settings": settings.describe(), "folder": str(out / RUNS / folder_of(settings))}
        yield Job(f"{__name__}:prepare", payload, [part], 1.0 - index / len(runs) / 2)


def prepare(payload: Mapping[str, Any]) -> Callable[[Part], Outcome]:
    """What trains one run to its end, from its newest checkpoint if it has one; runs in a worker."""
    from widthwise.training import launch
    from widthwise.training.run import Listener

    folder, settings = Path(payload["folder"]), RunSettings.of(payload["settings"])

    def run(part: Part) -> Outcome:
        if (folder / CONFIG).exists():
            launch.refuse_changes(folder, settings.describe())
            training = launch.resume(folder, Listener(), settings.interactions, given=settings.describe())
        else:
            launch.clear_unborn(folder)
            training = launch.begin(folder, settings, Listener(), ["widthwise", "bench", str(folder)])
        try:
            result = training.run()
        finally:
            training.folder.close()
        assert result is not None  # nobody stops it: a suite ends its workers
        return {"folder": f"{RUNS}/{folder.name}", **result}

    return run


def paper_scores() -> dict[str, dict[str, float]]:
    """The paper's Atari table: the score by environment and algorithm."""
    from widthwise.simulators.atari_games import ale_name

    columns = {"pi-iw": "pi_iw_1", "pi-iw+": "pi_iw_1_plus", "pi-hiw": "pi_hiw_n_1"}
    return {
        f"atari:{ale_name(line['game'])}": {
            name: float(line[column]) for name, column in columns.items() if line[column]
        }
        for line in read_table("paper_atari.csv")
    }
