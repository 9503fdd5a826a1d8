"""A search as plain data and back, so that it continues exactly where a checkpoint was written.

Regions are written in the order of the archive, outer before inner, in columns. The saved states of the simulator are
written where it can turn them into bytes (`pack_snapshot`). Otherwise they are made again from the trajectories, which
takes at most as many simulator steps as the search had.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from typing import Any

import numpy as np

from widthwise.core.errors import InputError
from widthwise.simulator_search.archive import Archive, ArchiveRegion, Entry
from widthwise.simulator_search.archive_search import Best, LowLevel, SearchAtWork, usable
from widthwise.simulator_search.trajectories import START
from widthwise.simulators.scene_features import Scenes
from widthwise.training.search_shape import check_search

_NO_LIVES = -1


def capture(search: SearchAtWork) -> dict[str, Any]:
    """All that the future of a search depends on, as plain data."""
    regions = _preorder(search.archive)
    entries = [region.entry for _, _, region in regions if region.entry is not None]
    packed: list[bytes] | None = [entry.snapshot for entry in entries] if search.packs else None
    version, numbers, gauss = search.rng.getstate()
    best = search.best
    return {
        "random": {"version": version, "numbers": np.array(numbers, np.int64), "gauss": gauss},
        "parents": search.trajectories.parent.tobytes(),
        "actions": search.trajectories.action.tobytes(),
        "level": np.array([level for level, _, _ in regions], np.uint8),
        "length": np.array([len(features) for _, features, _ in regions], np.int64),
        "features": b"".join(features for _, features, _ in regions),
        "visits": np.array([region.visits for _, _, region in regions], np.float64),
        "everywhere": np.array(
            [0.0 if region.everywhere is None else region.everywhere.visits for _, _, region in regions], np.float64
        ),
        "score": np.array([entry.score for entry in entries], np.float64),
        "gain": np.array([entry.gain for entry in entries], np.float64),
        "steps": np.array([entry.steps for entry in entries], np.int64),
        "node": np.array([entry.node for entry in entries], np.int64),
        "lives": np.array([_NO_LIVES if entry.lives is None else entry.lives for entry in entries], np.int64),
        "policy": None
        if search.policy is None or not search.planner.follow
        else np.array([entry.policy for entry in entries], np.float32),
        "snapshots": None if packed is None else b"".join(packed),
        "snapshot_length": None if packed is None else np.array([len(snapshot) for snapshot in packed], np.int64),
        "lowest": [
            [row, low.stage, low.fruitless, None if low.table is None else low.table.save(), low.item_size]
            for row, (_, _, region) in enumerate(regions)
            if (low := region.low) is not None
        ],
        "scenes": [function.capture() for function in search.high if isinstance(function, Scenes)],
        "attempt": [search.attempts, search.highest, search.improved],
        "given_up": None if search.archive.lowest == -math.inf else search.archive.lowest,
        "best": None if best is None else [best.score, best.steps, best.node, best.ended, best.interactions],
    }


def restore(search: SearchAtWork, state: dict[str, Any]) -> None:
    """Continue a search that has just begun from a state.

    Args:
        search: A search with the settings, the features and the environment of the one that was captured.
        state: What `capture` returned.

    Raises:
        InputError: The environment no longer shows what it showed, so that the search cannot continue, or the state was
            captured by an earlier version.
    """
    scenes = [function for function in search.high if isinstance(function, Scenes)]
    check_search(state, search.simulator.actions)
    levels = 1 + int(max(state["level"], default=-1))
    if "attempt" not in state or len(state.get("scenes", ())) != len(scenes) or levels != search.archive.levels:
        raise InputError("the search was begun by an earlier version of Widthwise and cannot continue; begin a new one")
    for function, examples in zip(scenes, state.get("scenes", ()), strict=True):
        function.restore(examples)
    trajectories = search.trajectories
    trajectories.parent = array("q", state["parents"])
    trajectories.action = array("H", state["actions"])
    archive = search.archive = search.new_archive()
    outer = [archive.top] + [archive.top] * archive.levels
    regions: list[ArchiveRegion] = []
    leaves: list[ArchiveRegion] = []
    at = 0
    path: list[bytes] = []  # the features of a region and of those around it
    columns = zip(*(state[name].tolist() for name in ("level", "length", "visits", "everywhere")), strict=True)
    for level, length, visits, everywhere in columns:
        path[level:] = [bytes(state["features"][at : at + length])]
        at += length
        region = outer[level].add(path[-1], archive.everywhere(path))
        region.visits = visits
        if region.everywhere is not None:
            region.everywhere.visits = everywhere
        archive.regions[level] += 1
        outer[level + 1] = region
        regions.append(region)
        if level + 1 == archive.levels:
            leaves.append(region)
    columns = zip(*(state[name].tolist() for name in ("score", "gain", "steps", "node", "lives")), strict=True)
    for region, (score, gain, steps, node, lives) in zip(leaves, columns, strict=True):
        region.entry = Entry(None, score, steps, node, None if lives == _NO_LIVES else lives, gain=gain)
    if search.policy is not None and search.planner.follow:
        for region, probabilities in zip(leaves, _policies(state.get("policy"), search), strict=True):
            assert region.entry is not None
            region.entry.policy = array("f", probabilities)
    _snapshots(search, [region.entry for region in leaves if region.entry is not None], state)
    archive.bytes = sum(region.entry.size for region in leaves if region.entry is not None)
    archive.lowest = -math.inf if state["given_up"] is None else state["given_up"]
    for row, stage, fruitless, table, size in state["lowest"]:
        low = regions[row].low = LowLevel(search.planner)
        low.restore(stage, fruitless, table, size)
    search.best = None if state["best"] is None else Best(*state["best"])
    search.attempts, search.highest, search.improved = state["attempt"]
    generator = state["random"]
    search.rng.setstate((generator["version"], tuple(generator["numbers"].tolist()), generator["gauss"]))


def _policies(column: Any, search: SearchAtWork) -> list[list[float]]:
    """The probabilities of the policy in the state of each entry."""
    actions = search.simulator.actions
    rows: list[list[float]] = column.tolist() if isinstance(column, np.ndarray) and column.ndim == 2 else [[]]
    if not all(len(row) == actions and usable(row) for row in rows):
        raise ValueError("the policies of the entries are not probabilities of the actions")
    return rows


def _preorder(archive: Archive) -> list[tuple[int, bytes, ArchiveRegion]]:
    """All regions, outer before inner: the level, the features and the region."""
    ordered: list[tuple[int, bytes, ArchiveRegion]] = []
    pending = [(0, features, archive.top.inside[place]) for features, place in archive.top.index.items()][::-1]
    while pending:
        level, features, region = pending.pop()
        ordered.append((level, features, region))
        pending += [(level + 1, inner, region.inside[place]) for inner, place in region.index.items()][::-1]
    return ordered


def _snapshots(search: SearchAtWork, entries: list[Entry], state: dict[str, Any]) -> None:
    if state["snapshots"] is None or not search.packs:
        _replay(search, entries)
        return
    at = 0
    for entry, length in zip(entries, state["snapshot_length"].tolist(), strict=True):
        entry.snapshot = bytes(state["snapshots"][at : at + length])
        at += length


def _replay(search: SearchAtWork, entries: list[Entry]) -> None:
    """Make the snapshots again: walk the tree of the trajectories that lead to entries, each step once."""
    trajectories, simulator = search.trajectories, search.simulator
    wanted: dict[int, list[Entry]] = defaultdict(list)
    children: dict[int, list[int]] = defaultdict(list)
    seen = {START}
    for entry in entries:
        node = entry.node
        wanted[node].append(entry)
        while node not in seen:
            seen.add(node)
            children[trajectories.parent[node]].append(node)
            node = trajectories.parent[node]
    simulator.reset(search.seed)
    pending = [(START, simulator.save())]
    while pending:
        node, snapshot = pending.pop()
        for entry in wanted[node]:
            entry.snapshot = search.pack(snapshot)
        for child in children[node]:
            simulator.load(snapshot)
            if simulator.step(trajectories.action[child]).done:
                raise InputError(
                    f"{simulator.name}: an episode ends where it continued before; the environment has changed, so the "
                    "search cannot continue"
                )
            pending.append((child, simulator.save()))
