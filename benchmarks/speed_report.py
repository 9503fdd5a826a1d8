"""The report of the speed benchmark: ratios first, then the figures they come from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from page_width import wrapped

Line = dict[str, Any]

OURS = "widthwise"
GROUNDERS = ["fast-downward", "pymimir", "tarski"]
LEGEND = {"fast-downward": "FD translator", "tarski": "tarski + clingo"}
# Ratios the project has set itself: (must, aim) for grounding, and what must hold against either searcher.
GROUND_TARGET, GROUND_AIM, GROUND_FROM = 5.0, 20.0, 0.1
SEARCH_TARGET = {"lapkt": 15.0, "pymimir": 50.0}
GROWTH_TARGET = 0.1
NODE_BYTES = 24
FEW_NODES = 20_000
# Million nodes per second of a throw-away C++ loop with the same pruning rule, no limits and no tree, taken
# once on another 2-core machine: the line to come close to, not a peer.
TIGHT = {
    "driverlog/p10": (39, 31),
    "gripper/prob20": (71, 39),
    "logistics98/prob05": (100, 40),
    "satellite/p20-pfile20": (273, 62),
    "scanalyzer-08-strips/p10": (34, 24),
    "barman-sat11-strips/pfile08-031": (43, 16),
    "rovers/p20": (47, 36),
    "driverlog/p20": (68, 26),
}

# A section at the end of the page that is written by hand; a new report keeps it.
BY_HAND = "\n## Between commits\n"

TEMPLATE = f"""\
# Speed of classical planning

Written by `make bench`. A ratio above 1 means that Widthwise is faster. The peers run in an environment of
their own, on the same tasks, in turns with Widthwise.

{{date}}, commit {{commit}}. {{machine}}. {{versions}}.{{absent}}
Command: `{{command}}`. Best of {{repeat}} processes; a measurement that takes over 5 s is made once.

## Ratios

{{targets}}

## Parse and ground, seconds

Target: {GROUND_TARGET:g} times as fast as the fastest peer (aim {GROUND_AIM:g}) where that takes over
{GROUND_FROM:g} s in all. Parse / ground; CPU time for the peers, the time `widthwise ground` reports for us.

{{ground}}

## Generated nodes, millions per second

One search of exactly that width for the whole goal, to its end or to the limit of {{seconds:g}} s. Parsing
and grounding are not counted; searches under 50 ms are repeated for 0.2 s. Every generated successor counts,
pruned or not. lapkt leaves out successors it has met before: its figure is its expanded nodes times the
successors per expanded node that pymimir (or else Widthwise) counts, if that is more than its own count.
Seconds are CPU time for the peers and the time the search reports for us; `call` is the rate over the CPU
time of the whole `solve` call in Python. `tight` is a bare C++ loop measured once on another machine.

{{search}}

## Growth

IW on bundled families, at most a million nodes. Target: the rate at ten times the atoms is at least
{GROWTH_TARGET:g} of the rate before. Bytes per kept node is the growth of resident memory, less one bit per
pair of atoms at width 2, over the nodes kept (not given under {FEW_NODES:,} nodes); stated are the bits of a
state in whole words and {NODE_BYTES} bytes; a state of more than 512 atoms takes them when it is expanded.

{{growth}}

## Small tasks from start to end, seconds

Wall / CPU time of the whole command, start of Python included: `widthwise solve --planner iw --width 2`, the
shortest script with IW(2) for lapkt and pymimir, and `python -m fast_downward.translate`, which only grounds.

{{solve}}

## Peak memory, MB

Largest resident memory of a process, interpreter and libraries included. lapkt grounds by tarski.

{{memory}}
"""


class Figures:
    """The measurements of a run, looked up by what was measured; the best repetition counts."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self.groups: dict[tuple[str, str, str], list[Line]] = {}
        for line in lines:
            system, what, task, _ = line["key"].rsplit(" ", 3)
            self.groups.setdefault((system, what, task), []).append(line)

    def tasks(self, what: str) -> list[str]:
        """Return the tasks of one kind of measurement in the order they were made."""
        return list(dict.fromkeys(task for _, kind, task in self.groups if kind == what))

    def best(self, system: str, what: str, task: str, cost: Callable[[Line], float]) -> Line | None:
        """Return the cheapest of the repetitions that ended, or nothing."""
        lines = self.groups.get((system, what, task), [])
        ended = [line for line in lines if line.get("status") not in ("failed", "time-out")]
        return min(ended, key=cost, default=None)

    def note(self, system: str, what: str, task: str) -> str:
        """Say why there is no figure."""
        lines = self.groups.get((system, what, task), [])
        return str(lines[0].get("status", "–")) if lines else "–"

    def load(self, system: str, task: str) -> tuple[float, float] | None:
        """Return the seconds of parsing and grounding."""
        line = self.best(system, "ground", task, lambda line: line["parse"] + line["ground"])
        return (line["parse"], line["ground"]) if line else None

    def rate(self, system: str, width: int, task: str) -> float | None:
        """Return the generated nodes per second, all successors counted."""
        what = f"iw{width}"
        line = self.best(system, what, task, lambda line: line["seconds"] / max(line["generated"], 1))
        if line is None:
            return None
        generated = float(line["generated"])
        if system == "lapkt":
            generated = max(generated, line["expanded"] * self._branching(what, task))
        return generated / float(line["seconds"])

    def _branching(self, what: str, task: str) -> float:
        """Return successors per expanded node, from a system that counts them all."""
        for system in ("pymimir", OURS):
            line = self.best(system, what, task, lambda line: line["seconds"])
            if line and line["expanded"]:
                return float(line["generated"]) / float(line["expanded"])
        return 0.0


def write_report(path: Path, config: Line, lines: dict[str, Line]) -> str:
    """Write the report and return its summary for the terminal."""
    figures = Figures(lines.values())
    ground, ground_rows = _ground(figures)
    search, search_rows = _search(figures)
    growth, growth_rows = _growth(figures)
    solve, solve_rows = _solve(figures)
    targets = ["| what | target | worst | geometric mean | |", "|---|---|---|---|---|"]
    targets += [*ground, *search, *growth, *solve]
    versions = ", ".join(f"{name} {version}" for name, version in config["versions"].items())
    absent = f" Missing here: {', '.join(config['missing'])}." if config["missing"] else ""
    if config.get("resumed"):
        absent += " This run was resumed: some figures are from an earlier part of it."
    text = TEMPLATE.format(
        **{name: config[name] for name in ("date", "commit", "machine", "command", "repeat", "seconds")},
        versions=versions,
        absent=absent,
        targets="\n".join(targets),
        ground="\n".join(ground_rows),
        search="\n".join(search_rows),
        growth="\n".join(growth_rows),
        solve="\n".join(solve_rows),
        memory="\n".join(_memory(figures)),
    )
    if path.exists():
        _, heading, notes = path.read_text().partition(BY_HAND)
        text += heading + notes
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(wrapped(text))
    return "\n".join(targets)


def _ground(figures: Figures) -> tuple[list[str], list[str]]:
    rows = [f"| task | ratio | {' | '.join(_name(peer) for peer in GROUNDERS)} | widthwise |"]
    rows.append("|---" * (len(GROUNDERS) + 3) + "|")
    ratios = []
    for task in figures.tasks("ground"):
        cells = {system: figures.load(system, task) for system in (*GROUNDERS, OURS)}
        totals = {name: sum(cell) for name, cell in cells.items() if cell}
        ours = totals.pop(OURS, None)
        ratio = min(totals.values()) / ours if ours and totals else None
        counts = bool(totals) and min(totals.values()) > GROUND_FROM
        if counts:
            ratios.append(ratio)
        shown = [
            f"{cell[0]:.4f} / {cell[1]:.4f}" if cell else figures.note(system, "ground", task)
            for system, cell in cells.items()
        ]
        mark = "" if counts else " (short)"
        rows.append(f"| {task} | {_ratio(ratio)}{mark} | {' | '.join(shown)} |")
    what = f"parse + ground, fastest peer's time / ours, tasks over {GROUND_FROM:g} s"
    target = f"≥ {GROUND_TARGET:g}, aim {GROUND_AIM:g}"
    return [_target(what, target, ratios, GROUND_TARGET)], rows


def _search(figures: Figures) -> tuple[list[str], list[str]]:
    head = ["width", "task", "ours / lapkt", "ours / pymimir", "ours / tight"]
    rows = [f"| {' | '.join([*head, 'widthwise', 'call', 'lapkt', 'pymimir'])} |", "|---" * 9 + "|"]
    targets = []
    for width in (1, 2):
        what = f"iw{width}"
        ratios: dict[str, list[float | None]] = {peer: [] for peer in SEARCH_TARGET}
        for task in figures.tasks(what):
            ours = figures.rate(OURS, width, task)
            cells = []
            for peer, item in ratios.items():
                theirs = figures.rate(peer, width, task)
                ratio = ours / theirs if ours and theirs else None
                cells.append(_ratio(ratio))
                if theirs:
                    item.append(ratio)
            tight = TIGHT.get(task)
            cells.append(_ratio(ours / 1e6 / tight[width - 1] if ours and tight else None))
            cells.append(_million(ours) or figures.note(OURS, what, task))
            line = figures.best(OURS, what, task, lambda line: line["call_cpu"])
            cells.append(_million(line["generated"] / line["call_cpu"] if line else None) or "–")
            for peer in ratios:
                cells.append(_million(figures.rate(peer, width, task)) or figures.note(peer, what, task))
            rows.append(f"| {width} | {task} | {' | '.join(cells)} |")
        for peer, item in ratios.items():
            wanted = SEARCH_TARGET[peer]
            targets.append(_target(f"IW({width}) nodes/s, ours / {peer}", f"≥ {wanted:g}", item, wanted))
    return targets, rows


def _growth(figures: Figures) -> tuple[list[str], list[str]]:
    head = ["width", "family", "atoms", "million nodes/s", "of the smaller", "kept nodes"]
    rows = [f"| {' | '.join([*head, 'bytes per kept node', 'stated'])} |", "|---" * 8 + "|"]
    targets = []
    for width in (1, 2):
        ratios: list[float | None] = []
        before: dict[str, float] = {}
        for task in figures.tasks(f"growth{width}"):
            family = task.split(":")[0]
            line = figures.best(OURS, f"growth{width}", task, lambda line: line["seconds"])
            if line is None:
                ratios.append(None)
                rows.append(f"| {width} | {task} | {figures.note(OURS, f'growth{width}', task)} |" + " – |" * 5)
                continue
            rate = line["generated"] / line["seconds"]
            ratio = rate / before[family] if family in before else None
            if ratio is not None:
                ratios.append(ratio)
            before[family] = rate
            table = line["atoms"] ** 2 / 8 if width == 2 else 0
            each = f"{(line['grown_bytes'] - table) / line['kept']:.0f}" if line["kept"] >= FEW_NODES else "–"
            stated = math.ceil(line["atoms"] / 64) * 8 + NODE_BYTES
            cells = [family, str(line["atoms"]), _million(rate) or "–", _ratio(ratio), str(line["kept"])]
            rows.append(f"| {width} | {' | '.join(cells)} | {each} | {stated} |")
        what = f"IW({width}) nodes/s, ten times the atoms / before"
        targets.append(_target(what, f"≥ {GROWTH_TARGET:g}", ratios, GROWTH_TARGET))
    return targets, rows


def _solve(figures: Figures) -> tuple[list[str], list[str]]:
    systems = ["lapkt", "pymimir", "fast-downward", OURS]
    rows = [f"| task | ratio (wall) | {' | '.join(map(_name, systems))} |", "|---" * (len(systems) + 2) + "|"]
    ratios = []
    for task in figures.tasks("solve"):
        result = {name: figures.best(name, "solve", task, lambda line: line["wall_seconds"]) for name in systems}
        walls = {name: line["wall_seconds"] for name, line in result.items() if line}
        ours = walls.pop(OURS, None)
        ratio = min(walls.values()) / ours if ours and walls else None
        if ratio:
            ratios.append(ratio)
        cells = [
            f"{line['wall_seconds']:.3f} / {line['cpu_seconds']:.3f}" if line else figures.note(name, "solve", task)
            for name, line in result.items()
        ]
        rows.append(f"| {task} | {_ratio(ratio)} | {' | '.join(cells)} |")
    return [_target("small tasks start to end, fastest peer's wall time / ours", "–", ratios, None)], rows


def _memory(figures: Figures) -> list[str]:
    systems = ["fast-downward", "tarski", "pymimir", "lapkt", OURS]
    rows = [f"| what | task | {' | '.join(map(_name, systems))} |", "|---" * (len(systems) + 2) + "|"]
    for what, label in (("ground", "ground"), ("iw2", "IW(2)")):
        for task in figures.tasks(what):
            lines = [figures.best(system, what, task, lambda line: line["peak_mb"]) for system in systems]
            cells = [
                f"{line['peak_mb']:.0f}" if line else figures.note(system, what, task)
                for system, line in zip(systems, lines, strict=True)
            ]
            rows.append(f"| {label} | {task} | {' | '.join(cells)} |")
    return rows


def _target(what: str, target: str, ratios: Sequence[float | None], least: float | None) -> str:
    """Write a row of the summary; a task that only the peer has a figure for is a target not met."""
    known = [ratio for ratio in ratios if ratio is not None]
    if not known:
        return f"| {what} | {target} | – | – | not measured |"
    mean = math.exp(sum(map(math.log, known)) / len(known))
    met = "" if least is None else "met on " if least <= min(known) and len(known) == len(ratios) else "not met, "
    count = f"{sum(ratio >= (least or 0) for ratio in known)} of {len(ratios)}"
    return f"| {what} | {target} | {_ratio(min(known))} | {_ratio(mean)} | {met}{count} |"


def _name(system: str) -> str:
    return LEGEND.get(system, system)


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _million(rate: float | None) -> str:
    return f"{rate / 1e6:.3g}" if rate else ""
