"""What was run: commands, versions, commit, machine and seeds, of all runs of a section."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Protocol

from widthwise.core.continuing import CONTINUED_BY
from widthwise.core.showing import counted
from widthwise.reports.page.content import PageBlock
from widthwise.reports.page.tables import Column, table


class Run(Protocol):
    """What every kind of run has."""

    @property
    def folder(self) -> Path:
        """Its folder."""

    @property
    def config(self) -> dict[str, Any]:
        """Its configuration."""

    @property
    def finished(self) -> bool:
        """Whether it ran to its end."""


def facts(key: str, title: str, entries: Mapping[str, str]) -> PageBlock:
    """Names with their values."""
    items = "".join(f"<dt>{escape(name)}</dt><dd>{_value(name, text)}</dd>" for name, text in entries.items())
    return PageBlock(key, f"<h3>{escape(title)}</h3><dl>{items}</dl>", style="facts")


def origin(key: str, runs: Sequence[Run], details: Callable[[Any], Mapping[str, str]]) -> list[PageBlock]:
    """How runs were made: what they share as a list, and a line for each of them.

    Args:
        key: the beginning of the names of the blocks.
        runs: the runs.
        details: further columns of a run, by name.

    Returns:
        The blocks.
    """
    made = {name: list(dict.fromkeys(_made(run)[name] for run in runs)) for name in ("commit", "versions", "machine")}
    shared = {name: values[0] for name, values in made.items() if len(values) == 1}
    several = [name for name in made if name not in shared]
    if len(runs) == 1:
        (run,) = runs
        entries = {"folder": str(run.folder), "command": _command(run), **shared, **details(run)}
        return [facts(f"{key}-origin", "What was run", entries)]
    names = list(dict.fromkeys(name for run in runs for name in details(run)))
    columns = [Column(name, text=True) for name in ("folder", *names, "command", "state", *several)]
    rows = [
        [
            str(run.folder),
            *(details(run).get(name, "") for name in names),
            f"`{_command(run).replace('`', chr(39))}`",
            "finished" if run.finished else "not finished",
            *(_made(run)[name] for name in several),
        ]
        for run in runs
    ]
    blocks = [facts(f"{key}-origin", "What was run", shared)] if shared else []
    return [*blocks, table(f"{key}-runs", counted(len(runs), "run"), columns, rows)]


def lead(runs: Sequence[Run]) -> str:
    """A sentence that says which program made some runs, and on which machine."""
    versions = dict.fromkeys(
        str(part.get("versions", {}).get("widthwise", ""))
        for run in runs
        for part in (run.config, *run.config.get(CONTINUED_BY, []))
    )
    commits = dict.fromkeys(str(run.config.get("commit") or "") for run in runs)
    machines = dict.fromkeys(_made(run)["machine"] for run in runs)
    program = f"Widthwise {', '.join(filter(None, versions)) or 'of an unknown version'}"
    commit = next(iter(commits)) if len(commits) == 1 else ""
    where = next(iter(machines)) if len(machines) == 1 else counted(len(machines), "machine")
    changed = " with changes" if commit.endswith("-dirty") else ""
    program += f" at commit {commit[:10]}{changed}" if commit else ""
    return f"{counted(len(runs), 'run')} by {program}{f', on {where}' if where else ''}."


def _made(run: Run) -> dict[str, str]:
    parts = [run.config, *run.config.get(CONTINUED_BY, [])]
    return {
        "commit": "; ".join(_from(part, str(part.get("commit") or "unknown")) for part in parts),
        "versions": "; ".join(
            _from(part, ", ".join(f"{name} {version}" for name, version in part.get("versions", {}).items()))
            for part in parts
        ),
        "machine": _machine(run.config.get("machine", {})),
    }


def _from(part: Mapping[str, Any], text: str) -> str:
    """What made a part of a run; a version that continued it says from where on."""
    return f"from {counted(part['interactions'], 'interaction')} on {text}" if "interactions" in part else text


def _machine(machine: Mapping[str, Any]) -> str:
    cores = machine.get("cores")
    parts = [f"{value} cores" if name == "cores" and cores != 1 else str(value) for name, value in machine.items()]
    return ", ".join(parts)


def _command(run: Run) -> str:
    return str(run.config.get("command", "unknown"))


def _value(name: str, text: str) -> str:
    return (
        f"<code>{escape(text)}</code>" if name in ("folder", "command") or name.startswith("planner ") else escape(text)
    )
