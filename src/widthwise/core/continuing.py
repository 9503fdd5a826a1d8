"""Runs that another version began: which of them this version continues, and what it records about that.

The version string alone decides nothing: a release that changes neither files nor results continues all runs of
the release before it. `CONTINUED` lists the versions whose runs continue. Where results have changed since, the entry
says in which kinds of runs and how, and a note says so when the run continues. The run records every version
that has written to it. All other versions are refused by name: newer ones, whose files may hold what this version does
not know, and unreleased ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from widthwise.core.errors import InputError
from widthwise.version import __version__

#: The entry of `config.json` with the versions that continued a run.
CONTINUED_BY = "continued"


@dataclass(frozen=True, slots=True)
class ResultChange:
    """What a run would have done otherwise under the version that began it."""

    kinds: frozenset[str]  # of runs: training, learning (a suite of training runs), search, classical, whole
    sentence: str


_LEARNING = frozenset({"training", "learning"})


#: The versions whose runs this version continues, with the differences in results since then.
CONTINUED: Mapping[str, tuple[ResultChange, ...]] = {
    "0.1.0": (
        ResultChange(
            _LEARNING,
            "in Rollout IW the end of an episode takes no novelty and prunes no node, and Count-based Rollout IW "
            "counts a visit before it asks for the successor",
        ),
        ResultChange(_LEARNING, "of policies that are equally good in evaluations, the newest is kept as the best"),
        ResultChange(
            frozenset({"whole"}),
            "novelty takes an atom's falsehood as a feature where a condition or goal wants the atom false",
        ),
    ),
    __version__: (),
}


def refuse_version(place: str, writer: str) -> None:
    """Raise `InputError` if runs of a version do not continue under this one.

    Args:
        place: the file or folder, for the message.
        writer: the version that wrote it.

    Raises:
        InputError: the version is not in `CONTINUED`.

    Example:
        >>> refuse_version("runs/small", "0.1.0")
    """
    if writer not in CONTINUED:
        raise InputError(
            f"{place} was made by Widthwise {writer}, but this is {__version__}, which continues runs of "
            f"{' and '.join(CONTINUED)} only: continue it with Widthwise {writer}, or start a new run"
        )


def notes_on_version(kind: str, writer: str) -> list[str]:
    """What the user has to know when a run continues under this version; nothing if this version wrote it.

    Args:
        kind: the kind of the run, as `config.json` names it.
        writer: the version that wrote it so far.

    Returns:
        Sentences, the first with the two versions.
    """
    if writer == __version__:
        return []
    differences = differences_since(kind, writer)
    if not differences:
        return [f"this run was started by Widthwise {writer} and continues with {__version__}; results are the same"]
    return [
        f"this run was started by Widthwise {writer} and continues with {__version__}; results may differ from here on",
        *(f"since {writer}: {sentence}" for sentence in differences),
    ]


def differences_since(kind: str, writer: str) -> list[str]:
    """How results of a kind of run differ from those of a version, each in a sentence; nothing for unknown versions."""
    return [difference.sentence for difference in CONTINUED.get(writer, ()) if kind in difference.kinds]


def last_writer(config: Mapping[str, Any]) -> str:
    """The version that wrote to a run last, according to its `config.json`; empty if that does not say."""
    entries = config.get(CONTINUED_BY) or [config]
    return str(entries[-1].get("versions", {}).get("widthwise", ""))


def with_version(config: Mapping[str, Any], now: Mapping[str, Any], interactions: int) -> dict[str, Any]:
    """The `config.json` of a run that continues: a version that has not written to it before is added.

    Args:
        config: the configuration as it is in the folder.
        now: the versions and the commit of this program, as `describe_run` gives them.
        interactions: how far the run is.

    Returns:
        The configuration to write. `versions` and `commit` stay those of the beginning.
    """
    if last_writer(config) == now["versions"]["widthwise"]:
        return dict(config)
    entry = {"interactions": interactions, "versions": now["versions"], "commit": now["commit"]}
    return {**config, CONTINUED_BY: [*config.get(CONTINUED_BY, []), entry]}
