"""The section on training runs: learning curves with their spread, the table, where the time goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from widthwise.core.showing import counted
from widthwise.reports.axes import from_zero
from widthwise.reports.curves import PANELS, Panel
from widthwise.reports.page.charts import Axis, Chart, Curve
from widthwise.reports.page.content import PageBlock, Section, listed, name_of, paragraphs, pictures, tiles
from widthwise.reports.page.origin import origin
from widthwise.reports.page.tables import Column, TableCell, table
from widthwise.reports.training_runs import FailedRun, Group, Point, RunRecords
from widthwise.reports.training_series import end_figures, end_times, other_names, speed, time_shares
from widthwise.reports.training_text import Published, body, head, mean_text, notes

_KEY = "training"
#: More groups than this have no tiles: the table shows them.
_MOST_TILES = 8


@dataclass(frozen=True, slots=True)
class Frame:
    """What the charts of an environment share: the horizontal axis, all scores, and the cursor."""

    place: Axis
    scores: Sequence[float]
    sync: str


def training_section(
    groups: Sequence[Group], published: Published, failed: Sequence[FailedRun], plots: Mapping[str, str]
) -> Section:
    """The section of some groups of training runs."""
    runs = [run for group in groups for run in group.runs]
    blocks = [*_tiles(groups), *_progress(runs)]
    for environment in dict.fromkeys(group.environment for group in groups):
        own = [group for group in groups if group.environment == environment]
        blocks += _environment(environment, own)
    if plots:
        blocks.append(pictures(f"{_KEY}-static", plots))
    blocks.append(_failures(groups, failed))
    columns = [Column(name, text=number < 2) for number, name in enumerate(head(published))]
    rows = [[TableCell(text) for text in line] for line in body(groups, published)]
    blocks.append(table(f"{_KEY}-table", "Table", columns, rows))
    blocks.append(paragraphs(f"{_KEY}-legend", notes(groups, published)))
    blocks += _ends(groups)
    blocks += origin(_KEY, runs, _details)
    return Section(_KEY, "Training runs", blocks)


def _details(run: RunRecords) -> dict[str, str]:
    settings = run.config["settings"]
    return {
        "environment": str(settings["environment"]),
        "algorithm": str(run.config["label"]),
        "seed": str(run.seed),
        "interactions": f"{run.reached:,}",
    }


def _tiles(groups: Sequence[Group]) -> list[PageBlock]:
    if len(groups) > _MOST_TILES:
        return []
    several = len({group.environment for group in groups}) > 1
    entries = []
    for group in groups:
        score = group.final("network_score")
        what = "network alone, last evaluation"
        if score is None:
            score, what = group.last("score"), "training episodes at the end"
        name = f"{group.environment}: {group.label}" if several else group.label
        entries.append((name, mean_text(score, 2), f"score, {what}; {counted(len(group.runs), 'seed')}"))
    return [tiles(f"{_KEY}-tiles", entries)]


def _progress(runs: Sequence[RunRecords]) -> list[PageBlock]:
    """How far the unfinished runs are."""
    lines = []
    for run in runs:
        goal = run.config["settings"].get("interactions")
        if run.finished or not goal:
            continue
        done = min(1.0, run.reached / goal)
        name = f"{run.config['settings']['environment']}, {run.config['label']}, seed {run.seed}"
        lines.append(
            f"<p>{escape(name)}: {run.reached:,} of {goal:,} interactions ({done:.0%})<br>"
            f'<progress max="1" value="{done:.4f}" aria-label="{escape(name)}"></progress></p>'
        )
    return [PageBlock(f"{_KEY}-progress", "".join(lines), style="progress")] if lines else []


def _environment(environment: str, groups: Sequence[Group]) -> list[PageBlock]:
    key = f"{_KEY}-{name_of(environment)}"
    longest = max((run.reached for group in groups for run in group.runs), default=0)
    seeds = sorted({len(group.runs) for group in groups})
    spread = (
        "One seed."
        if seeds == [1]
        else f"Mean over {'-'.join(map(str, dict.fromkeys((seeds[0], seeds[-1]))))} seeds; the band goes from the "
        "lowest to the highest."
    )
    title = f"<h3 class=environment>{escape(environment)}</h3><p>{spread} Drag to zoom, double-click to reset.</p>"
    blocks = [PageBlock(f"{key}-title", title, style="note")]
    scores = [value for panel in PANELS if panel[1] == "score" for value in _values(panel, groups)]
    frame = Frame(Axis("training interactions", 0, max(1, longest)), scores, environment)
    finished = all(run.finished for group in groups for run in group.runs)
    for number, panel in enumerate(PANELS):
        # While a run is in progress, the first chart waits for its first episode.
        if (number or finished) and not any(points_of(group) for _, points_of in panel[2] for group in groups):
            continue
        blocks.append(_chart(f"{key}-{number}", panel, groups, frame).block())
    rate = _curves([(group.label, index, speed(group)) for index, group in enumerate(groups)])
    if rate:
        blocks.append(_other(f"{key}-speed", ("speed of training", "interactions per second"), rate, frame))
    blocks += _times(key, groups, frame.place)
    for name in other_names(groups):
        curves = _curves([(group.label, index, group.curve(name)) for index, group in enumerate(groups)])
        words = name.replace("_", " ")
        blocks.append(_other(f"{key}-{name_of(name)}", (words, words), curves, frame))
    return blocks


def _chart(key: str, panel: Panel, groups: Sequence[Group], frame: Frame) -> Chart:
    title, unit, series = panel
    values = frame.scores if unit == "score" else _values(panel, groups)
    low, high = from_zero(values, 0.0 if unit == "loss" and any(values) else 1.0)
    curves = [
        curve
        for index, group in enumerate(groups)
        for number, (name, points_of) in enumerate(series)
        for curve in _curves(
            [(f"{group.label}, {name}" if name else group.label, index, points_of(group))], dashed=number > 0
        )
    ]
    return Chart(key, _capital(title), frame.place, Axis(unit, low, high), curves, sync=frame.sync)


def _other(key: str, names: tuple[str, str], curves: Sequence[Curve], frame: Frame) -> PageBlock:
    """A chart of a series without its own panel; `names` are its title and unit."""
    low, high = from_zero([value for curve in curves for value in (*curve.lows, *curve.highs)], 0.0)
    axis = Axis(names[1], low, high if high > low else low + 1)
    return Chart(key, _capital(names[0]), frame.place, axis, curves, sync=frame.sync).block()


def _times(key: str, groups: Sequence[Group], place: Axis) -> list[PageBlock]:
    """A chart per group of the shares of time that its lines name."""
    blocks = []
    for index, group in enumerate(groups):
        shares = time_shares(group)
        if shares:
            curves = [
                Curve(name, xs, ys, colour=number) for number, (name, (xs, ys)) in enumerate(shares.items()) if xs
            ]
            title = "Where the time goes" if len(groups) == 1 else f"Where the time goes: {group.label}"
            caption = "The share of each part in the seconds that the run recorded."
            chart = Chart(
                f"{key}-time-{index}", title, place, Axis("% of the time", 0, 100), curves, caption, kind="stack"
            )
            blocks.append(chart.block())
    return blocks


def _ends(groups: Sequence[Group]) -> list[PageBlock]:
    """Tables of finished runs: where their seconds went, and further figures of their results."""
    blocks = []
    for key, title, figures_of, unit in (
        ("times", "Where the time went, seconds of finished runs", end_times, "s"),
        ("ends", "Other figures of finished runs", end_figures, ""),
    ):
        figures = [(group, figures_of(group)) for group in groups]
        names = list(dict.fromkeys(name for _, own in figures for name in own))
        if not names:
            continue
        columns = [Column("environment", text=True), Column("algorithm", text=True)]
        columns += [Column(name.replace("_", " ")) for name in names]
        rows: list[list[TableCell | str]] = [
            [group.environment, group.label, *(_end(own, name, share=unit == "s") for name in names)]
            for group, own in figures
            if own
        ]
        blocks.append(table(f"{_KEY}-{key}", title, columns, rows))
        if unit:
            bars = "".join(_bar(group.label, own, names) for group, own in figures if own)
            blocks.append(PageBlock(f"{_KEY}-bars", bars, style="facts"))
    return blocks


def _end(figures: Mapping[str, float], name: str, *, share: bool) -> TableCell:
    if name not in figures:
        return TableCell("-")
    value = figures[name]
    text = f"{value:,.1f}" if share or value != int(value) else f"{value:,.0f}"
    part = f" ({value / max(1e-9, sum(figures.values())):.0%})" if share else ""
    return TableCell(text + part, sort=value)


def _bar(label: str, figures: Mapping[str, float], names: Sequence[str]) -> str:
    """A bar of the shares of time, as a drawing with a text for each part."""
    total, left, parts = max(1e-9, sum(figures.values())), 0.0, []
    for number, name in enumerate(names):
        width = 100 * figures.get(name, 0.0) / total
        words = f"{name.replace('_', ' ')}: {width:.0f} %"
        parts.append(
            f'<rect class="fill-{number % 8}" x="{left:.3f}" y="0" width="{width:.3f}" height="6">'
            f"<title>{escape(words)}</title></rect>"
        )
        left += width
    keys = "".join(
        f"<span><i class=key-{number % 8}></i>{escape(name.replace('_', ' '))}</span>"
        for number, name in enumerate(names)
        if name in figures
    )
    picture = f'<svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">{"".join(parts)}</svg>'
    return f"<div class=bar><p>{escape(label)}</p>{picture}<p class=keys>{keys}</p></div>"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _values(panel: Panel, groups: Sequence[Group]) -> list[float]:
    return [
        value
        for group in groups
        for _, points_of in panel[2]
        for point in points_of(group)
        for value in (point.low, point.high)
    ]


def _curves(series: Sequence[tuple[str, int, Sequence[Point]]], *, dashed: bool = False) -> list[Curve]:
    return [
        Curve(
            label,
            [point.interactions for point in points],
            [point.mean for point in points],
            [point.low for point in points],
            [point.high for point in points],
            colour,
            dashed,
        )
        for label, colour, points in series
        if points
    ]


def _failures(groups: Sequence[Group], failed: Sequence[FailedRun]) -> PageBlock:
    """What went wrong, or that nothing did."""
    sentences = [f"{run.name} failed: {run.kind}: {run.reason}" for run in failed]
    for group in groups:
        for run in group.runs:
            name = f"{run.folder} ({group.label}, seed {run.seed})"
            if not run.finished:
                goal = run.config["settings"].get("interactions")
                of = f" of {goal:,}" if isinstance(goal, int) else ""
                sentences.append(f"{name} is not finished: {run.reached:,}{of} interactions")
            if run.episodes and not any(line["score"] for line in run.episodes):
                sentences.append(f"{name}: no training episode had a score other than 0, so there was little to learn")
            if not (run.episodes or run.continued):
                sentences.append(f"{name}: no training episode has ended")
            elif not run.episodes:
                sentences.append(f"{name}: no training episode that began at a reset has ended")
    if not sentences:
        return paragraphs(f"{_KEY}-failures", ["Every run has finished."], "fine")
    return listed(f"{_KEY}-failures", "Failures and unfinished runs", sentences, "bad" if failed else "warn")
