"""Suites of training runs: algorithms, settings and seeds, each in a separate run folder that can be resumed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from widthwise.core.errors import UsageError, WidthwiseError
from widthwise.core.run_folder import CONFIG
from widthwise.experiments.jobs import Job, Outcome, Part
from widthwise.experiments.rows import read_table
from widthwise.online.presets import FIRST, preset_options
from widthwise.training.run_settings import RunSettings

#: The fields that distinguish one line of a suite from another.
KEYS = ("environment", "algorithm", "overrides", "seed")
RUNS = "runs"
#: Between the settings of an algorithm; the colon of `tiles=4x4:gray` belongs to the tiles.
_COLON = re.compile(r":(?!gray(?::|$))")


@dataclass(frozen=True, slots=True)
class Suite:
    """What is trained: every algorithm in every environment with every seed."""

    environments: Sequence[str]
    algorithms: Sequence[str]  # `pi-iw`, `pi-hiw:tiles=4x4`, `pi-hiw:tiles=4x4:value=off`
    seeds: int
    common: Mapping[str, Any] = field(default_factory=dict)  # of RunSettings, for all

    def __post_init__(self) -> None:
        """Refuse what would fail in every run."""
        if self.seeds < 1:
            raise UsageError(f"--seeds must be at least 1, not {self.seeds}")
        for what, names in (("environment", self.environments), ("algorithm", self.algorithms)):
            for name in names:
                if list(names).count(name) > 1:
                    raise UsageError(f"the {what} {name} is given twice")

    def settings(self) -> dict[str, Any]:
        """What must not change when the suite continues."""
        from widthwise.training.overrides import plain_overrides

        # A suite of version 0.1 has neither.
        unknown = {"preset", "evaluation_share"} if self.common.get("preset") == FIRST else set()
        return {
            "environments": list(self.environments),
            "algorithms": list(self.algorithms),
            "seeds": list(range(self.seeds)),
            **{name: value for name, value in self.common.items() if name not in unknown},
            **({"overrides": plain_overrides(self.common["overrides"])} if "overrides" in self.common else {}),
        }

    def runs(self) -> Iterator[RunSettings]:
        """The settings of every run, seeds outermost: an early look then shows all algorithms."""
        from widthwise.training.overrides import parse_overrides

        for seed in range(self.seeds):
            for environment in self.environments:
                for text in self.algorithms:
                    name, *texts = _COLON.split(text)
                    overrides = {**self.common.get("overrides", {}), **parse_overrides(texts)}
                    own = {"environment": environment, "algorithm": name, "seed": seed, "overrides": overrides}
                    yield RunSettings(**{**self.common, **own})


def expand_tiles(algorithms: Sequence[str], tiles: Sequence[str]) -> list[str]:
    """Algorithms with a hierarchy once for each tiling, unless they name their own."""
    expanded = []
    for text in algorithms:
        hierarchical = text.split(":")[0] == "pi-hiw" and "tiles=" not in text
        expanded += [f"{text}:tiles={tiling}" for tiling in tiles] if hierarchical and tiles else [text]
    return expanded


def check(suite: Suite) -> list[RunSettings]:
    """The runs of a suite; raises `UsageError` if one of them could not begin."""
    from widthwise.training.configure import configure

    runs = list(suite.runs())
    for settings in runs[: len(suite.environments) * len(suite.algorithms)]:
        configure(settings)
    return runs


def key_of(settings: RunSettings) -> dict[str, Any]:
    """The fields that distinguish the line of a run from other lines of its suite."""
    from widthwise.training.overrides import override_texts

    return {
        "environment": settings.environment,
        "algorithm": settings.algorithm,
        "overrides": ",".join(f"{name}={text}" for name, text in override_texts(settings.overrides).items()),
        "seed": settings.seed,
    }


def folder_of(settings: RunSettings) -> str:
    """The name of the folder of a new run within its suite."""
    from widthwise.training.overrides import override_texts

    overrides = [f"{name}-{text}" for name, text in override_texts(settings.overrides).items()]
    parts = [settings.environment, settings.algorithm, *overrides, f"seed{settings.seed}"]
    return re.sub(r"[^\w.+-]+", "-", "-".join(parts))


def folders_of(runs: Sequence[RunSettings], out: Path) -> list[Path]:
    """The folder of every run: the one in which it was begun, whatever its name, or a new one."""
    from widthwise.training.launch import read_settings

    begun: dict[str, Path] = {}
    for path in sorted((out / RUNS).glob(f"*/{CONFIG}")):
        try:
            begun[str(key_of(read_settings(path.parent)[1]))] = path.parent
        except WidthwiseError:
            continue  # damaged: the run in it reports what is wrong
    return [begun.get(str(key_of(settings)), out / RUNS / folder_of(settings)) for settings in runs]


#: The bytes of a process with torch and an emulator, without what it remembers.
_PROCESS_BYTES = 350_000_000
#: The bytes of a node of a tree in addition to its observation: features, a snapshot, the lists of Python.
_NODE_BYTES = 16_384


def memory_of(settings: RunSettings) -> int:
    """The bytes a training run may take: process, trees, replay memory and archive, with copies for checkpoints."""
    import numpy as np

    from widthwise.core.contract import guarded
    from widthwise.training.configure import configure, make_simulator
    from widthwise.training.demonstration import archive_bytes

    config = configure(settings)
    observation = guarded(make_simulator(settings)).reset(settings.seed).observation
    parts = observation.values() if isinstance(observation, dict) else [observation]
    row = sum(np.asarray(part).nbytes for part in parts if not isinstance(part, str))
    nodes = settings.trees * config.planning.nodes
    searched = config.learning.archive
    archive = min(archive_bytes(searched), searched * (row + _NODE_BYTES))  # a step adds at most one state
    return _PROCESS_BYTES + 2 * (config.learning.replay * row + archive) + nodes * (row + _NODE_BYTES)


def jobs_of(runs: Sequence[RunSettings], out: Path) -> Iterator[Job]:
    """One job per run, in the order of the runs."""
    memory: dict[str, int] = {}  # by all settings but the seed
    for index, (settings, folder) in enumerate(zip(runs, folders_of(runs, out), strict=True)):
        payload = {"settings": settings.describe(), "folder": str(folder.resolve())}
        key = str({**key_of(settings), "seed": 0})
        if key not in memory:
            memory[key] = memory_of(settings)
        weight = 1.0 - index / len(runs) / 2
        yield Job(f"{__name__}:prepare", payload, [key_of(settings)], weight, memory=memory[key])


def _as_begun(settings: RunSettings, begun: RunSettings) -> dict[str, Any]:
    """The settings of a run of a suite, without options of its preset that a run from before them does not have."""
    added = preset_options(settings.preset, settings.environment)
    if added.keys() & begun.options.keys():
        return settings.describe()
    options = {name: value for name, value in settings.options.items() if name not in added}
    return {**settings.describe(), "options": options}


def prepare(payload: Mapping[str, Any]) -> Callable[[Part], Outcome]:
    """A function that trains one run to its end, from its newest checkpoint if there is one; called in a worker."""
    from widthwise.training import launch
    from widthwise.training.transport import ActorOptions

    folder, settings = Path(payload["folder"]), RunSettings.of(payload["settings"])
    options = ActorOptions(evaluate_beside=False)  # the other cores have their own runs

    def run(part: Part) -> Outcome:
        if (folder / CONFIG).exists():
            launch.refuse_changes(folder, _as_begun(settings, launch.read_settings(folder)[1]))
            training_run = launch.resume(
                folder, None, settings.interactions, given=settings.describe(), options=options
            )
        else:
            launch.clear_unfinished(folder)
            training_run = launch.begin(folder, settings, None, ["widthwise", "bench", str(folder)], options)
        try:
            result = training_run.run()
        finally:
            training_run.folder.close()
        assert result is not None  # a suite stops its workers, never a single run
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
