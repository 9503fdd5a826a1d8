"""The table of training runs as text, as Markdown and as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from widthwise.reports.text import aligned, without_backticks
from widthwise.reports.training_runs import LAST, Group, Point, RunRecords

LEGEND = (
    f"Score and steps are means over the training episodes of the last {LAST:.0%} of each run, then over seeds, "
    "with the minimum and the maximum in brackets. `solved from` is the number of interactions after which the mean "
    "score of ten successive episodes is always 1, for every seed. `network alone` is the last evaluation without "
    "search, `best` the best one of each run, `planner + network` the last evaluation with search. "
    "`evaluation cost` is the number of interactions of the evaluations; `interactions` does not include them."
)
PUBLISHED = (
    "The scores of the paper are from the end of its runs (tens of millions of interactions, five seeds); our scores "
    "are at the interactions in the table."
)

Published = Mapping[str, Mapping[str, float]]


def head(published: Published) -> list[str]:
    """The names of the columns."""
    names = ["environment", "algorithm", "seeds", "interactions", "score", "steps", "solved from"]
    names += ["network alone", "its steps", "best", "planner + network", "evaluation cost"]
    return [*names, "paper"] if published else names


def body(groups: Sequence[Group], published: Published) -> list[list[str]]:
    """The lines of the table as texts."""
    lines = []
    for group in groups:
        known = group.solved_from(1.0)
        line = [
            group.environment,
            group.label,
            f"{group.seeds}" if group.seeds == len(group.runs) else f"{group.seeds} ({len(group.runs)} runs)",
            f"{group.reached:,}",
            mean_text(group.last("score"), 2),
            mean_text(group.last("steps"), 0),
            "-" if known is None else f"{known.high:,.0f}",
            mean_text(group.final("network_score"), 2),
            mean_text(group.final("network_steps"), 0),
            mean_text(group.best("network_score"), 2),
            mean_text(group.latest("planner_score"), 2),
            mean_text(group.evaluation_total(), 0),
        ]
        if published:
            theirs = _theirs(group, published)
            line.append("-" if theirs is None else f"{theirs:,.2f}")
        lines.append(line)
    return lines


def _theirs(group: Group, published: Published) -> float | None:
    name = group.runs[0].config["settings"]["algorithm"]
    return published.get(group.environment, {}).get(name)


def mean_text(point: Point | None, digits: int) -> str:
    """A mean with its spread."""
    if point is None:
        return "-"
    if point.low == point.high:
        return f"{point.mean:,.{digits}f}"
    return f"{point.mean:,.{digits}f} [{point.low:,.{digits}f}, {point.high:,.{digits}f}]"


def notes(groups: Sequence[Group], published: Published) -> list[str]:
    """The legend, and a note about unfinished runs."""
    sentences = [LEGEND, *([PUBLISHED] if published else [])]
    going = [str(run.folder) for group in groups for run in group.runs if not run.finished]
    if going:
        sentences.append(f"Unfinished runs: {', '.join(going)}.")
    return [*sentences, *(text for group in groups for run in group.runs for text in actors_note(run))]


def actors_note(run: RunRecords) -> list[str]:
    """What a finished run says about its actors: how far behind their weights were, and where the time went."""
    actors, seconds = run.result.get("actors"), run.result.get("time_seconds")
    if not isinstance(actors, int) or not isinstance(seconds, dict):
        return []
    spent = {name: value for name, value in seconds.items() if isinstance(value, int | float) and value >= 0}
    total = sum(spent.values()) or 1.0
    shares = ", ".join(f"{name.replace('_', ' ')} {value / total:.0%}" for name, value in spent.items())
    lags = [line["lag"] for line in (*run.episodes, *run.continued) if isinstance(line.get("lag"), int | float)]
    behind = f", weights {fmean(lags):,.0f} updates behind (at most {max(lags):,.0f})" if lags else ""
    lost = run.result.get("actors_lost")
    return [f"{run.folder}: {actors} actors ({lost} lost){behind}{sizes_note(run)}; time of all processes: {shares}."]


def sizes_note(run: RunRecords) -> str:
    """What has travelled between actors and learner, and the size of the replay memory; older runs do not say it."""
    names = ("bytes_per_episode", "bytes_per_weight_update", "replay_bytes", "replay_bytes_at_most")
    sizes = [size for name in names if isinstance(size := run.result.get(name), int)]
    if len(sizes) < len(names):
        return ""
    episode, update, replay, most = sizes
    return (
        f"; {episode:,} bytes per episode, {update:,} per weight update; "
        f"replay memory {replay / 1e6:,.1f} MB of at most {most / 1e6:,.1f} MB"
    )


def training_table(groups: Sequence[Group], published: Published) -> str:
    """The table for a terminal."""
    rows = aligned([head(published), *body(groups, published)], left=(0, 1))
    return "\n".join([rows, "", *map(without_backticks, notes(groups, published))])


def training_markdown(groups: Sequence[Group], published: Published, plots: Sequence[str] = ()) -> str:
    """The table as a Markdown page; `plots` are links to pictures."""
    names = head(published)
    rule = [":--", ":--", *["--:"] * (len(names) - 2)]
    table = "\n".join("| " + " | ".join(row) + " |" for row in [names, rule, *body(groups, published)])
    return "\n\n".join([table, *notes(groups, published), *(f"![{name}]({name})" for name in plots)]) + "\n"
