"""`explore`: a page about a run on a task, or about an episode in a simulator."""

from __future__ import annotations

from typing import Any

from widthwise.classical.result import Result
from widthwise.core.errors import UsageError
from widthwise.explorer.episode_data import episode_data
from widthwise.explorer.episode_trace import EpisodeTrace
from widthwise.explorer.explorer_page import Explorer
from widthwise.explorer.task_data import Stages, task_data
from widthwise.online.episode import Episode


def explore(run: Any, *, stages: Stages = "plan") -> Explorer:
    """Make a page that shows a search: its tree, why nodes were pruned, the plan, the episode.

    A run that was not traced is repeated with a trace: it has the same nodes and the same plan. An episode is played
    again with its agent and its seed.

    Args:
        run: What `solve` or `OnlinePlanner.run` returned.
        stages: For a run of several searches, such as `auto` and `siw`: the trees that the page shows. "plan" means
            those that lead to the plan, or the last one; "all" means all trees; a number means that search, counted
            from 1.

    Returns:
        The page: `save(path)` writes it as one HTML file, and a notebook shows it.

    Raises:
        UsageError: The run cannot be repeated, because it is a copy from another process, or there is no such search.

    Example:
        >>> ww.explore(ww.solve(ww.example("corridor"), "ihiw")).save("corridor.html")
        >>> ww.explore(ww.OnlinePlanner("corridor", max_steps=3).run(seed=0)).save("episode.html")
    """
    if isinstance(run, Result):
        return _of_result(run, stages)
    if isinstance(run, Episode):
        return _of_episode(run)
    raise UsageError(f"{run!r:.60} cannot be explored: give a result of solve or of OnlinePlanner.run")


def _of_result(result: Result, stages: Stages) -> Explorer:
    traced, notes = result.traced, []
    if traced is None:
        if result.again is None:
            raise UsageError("this result is a copy without its search: solve the task again, with trace=True")
        repeated = result.again()
        if (repeated.status, repeated.generated) != (result.status, result.generated):
            notes.append(
                f"The run was repeated for this page and ended differently: {repeated.status} after "
                f"{repeated.generated:,} nodes, not {result.status} after {result.generated:,}."
            )
        result, traced = repeated, repeated.traced
    if traced is None:
        raise UsageError(f"there is nothing to show: the run ended before its search ({result.reason})")
    data = task_data(result, traced, stages)
    data["notes"] = [*notes, *data["notes"]]
    return Explorer(data)


def _of_episode(episode: Episode) -> Explorer:
    if episode.origin is None:
        raise UsageError("this episode is a copy without its agent: play it again, with OnlinePlanner(...).run(seed)")
    agent, seed = episode.origin
    before = agent.recorder, agent.episode
    agent.recorder = trace = EpisodeTrace(agent, seed)
    try:
        repeated = agent.run(seed)
    finally:
        agent.recorder, agent.episode = before
    data = episode_data(trace, repeated, environment=agent.environment, planner=agent.planner.name, seed=seed)
    if repeated.actions != episode.actions:
        data["notes"].insert(0, "The episode was played again for this page and took other actions.")
    return Explorer(data)
