"""A recorded episode as plain data for a page."""

from __future__ import annotations

import math
from typing import Any

from widthwise.core.showing import counted
from widthwise.explorer.episode_trace import EpisodeTrace
from widthwise.online.episode import Episode
from widthwise.version import __version__


def episode_data(trace: EpisodeTrace, episode: Episode, *, environment: str, planner: str, seed: int) -> dict[str, Any]:
    """Everything that the page of an episode shows.

    Args:
        trace: What was recorded.
        episode: The episode.
        environment: Its name.
        planner: The name of the planner.
        seed: The seed of the episode.

    Returns:
        Plain data.
    """
    agent = trace.agent
    named = tuple(getattr(agent.simulator, "action_names", ()))
    names = [named[action] if action < len(named) else action for action in range(agent.simulator.actions)]
    sheet = trace.frames.sheet()
    states = [list(column) for column in trace.states]
    for _, level, node, before, _ in reversed(trace.changes):
        states[level][node] = before  # in the end, the states of nodes when they were made
    return {
        "kind": "episode",
        "title": f"{environment}: {planner}",
        "environment": environment,
        "planner": planner,
        "seed": seed,
        "status": "interrupted" if episode.interrupted else "ended" if episode.terminated else "stopped",
        "score": episode.score,
        "interactions": episode.interactions,
        "restores": episode.restores,
        "version": __version__,
        "actions": [str(name) for name in names],
        "notes": _notes(trace, episode, shown=sheet is not None or trace.maze is not None),
        "maze": None if trace.maze is None else list(trace.maze.layout.cells),
        "sheet": None if trace.maze is not None else sheet,
        "nodes": _finite(trace.columns),
        "states": states,
        "changes": [[step, level, node, after] for step, level, node, _, after in trace.changes],
        "texts": {str(node): text for node, text in trace.texts.items()},
        "steps": _finite(trace.steps),
    }


def _notes(trace: EpisodeTrace, episode: Episode, *, shown: bool) -> list[str]:
    """What the page leaves out, in sentences."""
    notes = []
    if trace.left_out:
        notes.append(
            f"The trees of the episode are large: {len(trace.columns['parent']):,} nodes are on the page, and "
            f"{counted(trace.left_out, 'showing', 'showings')} of others at single steps are left out."
        )
    if trace.frames.left_out and trace.maze is None:
        notes.append(
            f"The limit on frames was reached: the page has {counted(len(trace.frames.pictures), 'frame')}, and "
            f"{counted(trace.frames.left_out, 'node')} have none."
        )
    about_pictures = None if trace.pictures is None else trace.pictures.note()
    if about_pictures is not None:
        notes.append(about_pictures)
    elif not shown:
        notes.append("The observations of this environment are not images, so there are no frames.")
    if len(trace.steps) < episode.steps:
        notes.append(f"{episode.steps - len(trace.steps):,} steps were not recorded.")
    return notes


def _finite(value: Any) -> Any:
    """Numbers that JSON has: infinite ones become None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
