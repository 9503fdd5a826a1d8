"""The run folder of a search: what is written while it runs, and how it continues."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from widthwise.core import shape
from widthwise.core.continuing import notes_on_version, with_version
from widthwise.core.errors import InputError, OutOfTime, UsageError
from widthwise.core.files import cannot_write
from widthwise.core.run_folder import CONFIG, RESULT, RunFolder, read_json, refuse_existing, write_json
from widthwise.core.showing import setting
from widthwise.simulator_search.archive_search import Best
from widthwise.training.checkpoint import About, Checkpoints, makes_sense
from widthwise.training.folder import Lines
from widthwise.training.search_state import capture, restore

if TYPE_CHECKING:
    from widthwise.exploration.search_run import ExplorationRun

KIND = "search"
PROGRESS = "progress.jsonl"

_HELD = shape.fields(
    {
        "search": shape.table(shape.anything),
        "lines": shape.whole(),
        "seconds": shape.number,
        "next_line": shape.whole(),
    },
    {
        "replay_steps": shape.whole(),
        "shown": shape.optional(
            shape.fields(
                {
                    "score": shape.number,
                    "steps": shape.whole(),
                    "node": shape.whole(),
                    "ended": shape.switch,
                    "interactions": shape.whole(),
                }
            )
        ),
    },
)

#: The fields of a result that describe the trajectory.
TRAJECTORY = ("score", "steps", "actions", "ended", "found_at")
_TRAJECTORY = shape.fields(
    {
        "score": shape.optional(shape.number),
        "steps": shape.whole(),
        "actions": shape.items(shape.whole(0)),
        "ended": shape.switch,
        "found_at": shape.whole(),
    },
)


class SearchFolder(RunFolder):
    """The run folder of a search."""

    def __init__(self, folder: Path, about: About) -> None:
        super().__init__(folder, ".lock")
        self.config: dict[str, Any] = {}
        try:
            self.lines = Lines(folder / PROGRESS)
        except OSError:
            super().close()
            raise
        self.checkpoints = Checkpoints(folder, about)

    @classmethod
    def create(cls, folder: Path, config: dict[str, Any], about: About) -> SearchFolder:
        """A new run folder, or one that was given up before its settings were written."""
        again = f"continue it with --out {shlex.quote(str(folder))} --resume"
        if not (folder.is_dir() and all(map(_before_settings, folder.iterdir()))):
            refuse_existing(folder, f"{again}, or give another folder")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            opened = cls(folder, about)
        except OSError as error:
            raise cannot_write(folder, error) from None
        try:
            opened.lines.cut(0)
            write_json(folder / CONFIG, config)
            opened.checkpoints.prepare()
        except BaseException:
            opened.close()
            raise
        return opened

    @classmethod
    def resume(cls, folder: Path, config: dict[str, Any], about: About) -> SearchFolder:
        """The folder of a search that continues; its settings are the same, but it may go further."""
        began = read_search_config(folder)
        for name in {**began["settings"], **config["settings"]}:
            before, value = began["settings"].get(name), config["settings"].get(name)
            longer = name == "interactions" and isinstance(before, int) and value >= before
            if before != value and not longer:
                raise UsageError(
                    f"{folder} was started with {name} {setting(before)}; it cannot continue with {setting(value)}"
                )
        try:
            opened = cls(folder, about)
        except OSError as error:
            raise cannot_write(folder, error) from None
        opened.config = {**began, "settings": config["settings"]}
        return opened

    def save(self, run: ExplorationRun) -> None:
        """Write a checkpoint."""
        state = {
            "search": capture(run.search),
            "lines": self.lines.size(),
            "seconds": run.elapsed(),
            "next_line": run.next_line,
            "replay_steps": run.replay_steps,
            "shown": None if run.shown is None else asdict(run.shown),
        }
        self.checkpoints.save(state)

    def load(self, run: ExplorationRun, now: Mapping[str, Any]) -> None:
        """Continue a run from its newest checkpoint; lines that are newer are dropped.

        Args:
            run: the run that continues. Without a checkpoint it starts from the beginning.
            now: the versions and the commit of this program.
        """
        if not any(self.checkpoints.folder.glob("*.ckpt")):
            run.listener.say(
                f"{self.folder}: the search was stopped before its first checkpoint, so it starts from the beginning"
            )
            self.checkpoints.prepare()
            self.lines.cut(0)
            return
        try:
            self._load(run, now)
        except OutOfTime as error:
            raise OutOfTime(
                f"{self.folder}: the time was over before the saved states of the search were made again from its "
                f"trajectories; continue it with a longer time limit ({error})"
            ) from None
        run.earlier = self._trajectory(run)

    def _load(self, run: ExplorationRun, now: Mapping[str, Any]) -> None:
        checkpoint = self.checkpoints.load(run.listener.say)
        checkpoint.refuse_other(self.checkpoints.about, to_continue=True)
        with makes_sense(checkpoint.path):
            _HELD(checkpoint.data, "data")
            restore(run.search, checkpoint.data["search"])
            run.shown = best = run.search.best
            shown = checkpoint.data.get("shown", None if best is None else asdict(best))  # absent: all were replayed
            if shown != (None if best is None else asdict(best)):
                run.shown = None if shown is None else Best(**shown)
                run.replayed()  # its actions are among those of the search
        self.lines.cut(checkpoint.data["lines"])
        for note in notes_on_version(KIND, checkpoint.about["widthwise"]):
            run.listener.say(note)
        write_json(self.folder / CONFIG, with_version(self.config, now, run.interactions))
        run.seconds, run.next_line = checkpoint.data["seconds"], checkpoint.data["next_line"]
        run.replay_steps = checkpoint.data.get("replay_steps", 0)

    def _trajectory(self, run: ExplorationRun) -> dict[str, Any] | None:
        """The trajectory in the folder, which a search that was killed may have found after its last checkpoint."""
        try:
            result = read_json(self.folder / RESULT, _TRAJECTORY)
        except InputError:  # there is none, or it is damaged; the search writes it again
            return None
        if any(action >= run.search.simulator.actions for action in result["actions"]):
            return None
        return {name: result[name] for name in TRAJECTORY} | {"replayed": False}  # the file may have been changed

    def close(self) -> None:
        """Release the folder."""
        self.lines.close()
        super().close()


def _before_settings(path: Path) -> bool:
    """Whether a file of a run folder is one that is written before `config.json`."""
    return path.name in (".lock", PROGRESS) or path.name.startswith(f".{CONFIG}.")


def read_search_config(folder: Path) -> dict[str, Any]:
    """The configuration of a search in a folder; raises `InputError` if it is not the folder of a search."""
    if not (folder / CONFIG).exists():
        raise InputError(f"{folder}: there is no run to continue: it contains no {CONFIG}")
    config: dict[str, Any] = read_json(folder / CONFIG)
    if config.get("kind") != KIND or not isinstance(config.get("settings"), dict):
        raise InputError(f"{folder}: this is not the folder of a search")
    return config
