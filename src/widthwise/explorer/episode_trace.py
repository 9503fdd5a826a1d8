"""What is recorded of an episode for a page: one tree of all nodes that planning ever made, and every decision."""

from __future__ import annotations

from typing import Any

from widthwise.explorer.pictures import Pictures, pictures_of
from widthwise.explorer.sprites import FrameSheet
from widthwise.online.acting import OnlinePlanner
from widthwise.online.episode import StepRecord
from widthwise.simulator_search.tree import NONE, Tree
from widthwise.simulators.maze import Maze

#: The most nodes that are recorded; later trees have only their roots and the children of those.
MOST_NODES = 50_000
#: The most values of an observation that is shown as numbers.
_FEW_VALUES = 24
#: The most nodes with an observation as numbers.
_MOST_TEXTS = 5_000


class EpisodeTrace:
    """A recorder of an `OnlinePlanner`: called at every step, before the tree is cut.

    The rows of a tree are used again after a cut, so a node gets a separate number here. A node is part of the
    tree at a step if it was made at this step or before, and lies below the root of this step.

    Args:
        agent: The agent.
        seed: The seed of the episode.
    """

    def __init__(self, agent: OnlinePlanner, seed: int) -> None:
        self.agent = agent
        self.maze = agent.simulator if isinstance(agent.simulator, Maze) else None
        self.pictures: Pictures | None = None if self.maze is not None else pictures_of(agent, seed)
        self.frames = FrameSheet()
        self.columns: dict[str, list[Any]] = {
            name: [] for name in ("parent", "action", "reward", "born", "terminal", "frame", "value", "place")
        }
        self.states: list[list[int]] = []  # per level, highest first: the number of each node's high-level state
        self.changes: list[list[int]] = []  # (step, level, node, state before, state after)
        self.steps: list[dict[str, Any]] = []
        self.texts: dict[int, str] = {}
        self.left_out = 0
        self._numbers: list[dict[bytes, int]] = []  # per level: abstract states in the order they appear
        self._node: dict[int, int] = {}  # of a row of the tree
        self._previous: tuple[int, int] = (NONE, NONE)  # the root before, and the action executed there
        self._tree: Tree | None = None

    def __call__(self, tree: Tree, record: StepRecord) -> None:
        """Record a step."""
        step = len(self.steps)
        if not self._numbers:
            self._numbers = [{} for _ in tree.regions]
            self.states = [[] for _ in tree.regions]
        if tree is not self._tree and self._node:  # planning continues in a new tree, whose root was planned before
            child = self.steps[-1]["child"]
            self._node = {} if child < 0 else {tree.root: child}
        self._tree = tree
        full = len(self.columns["parent"]) >= MOST_NODES
        children = set(tree.nodes.children[tree.root])
        for row in tree.nodes.live:
            if row in self._node:
                self._colour_again(tree, row, step)
            elif not full or row == tree.root or row in children:
                self._add(tree, row, step)
            else:
                self.left_out += 1
        root = self._node[tree.root]
        child = tree.nodes.children[tree.root][record.action]
        prior = tree.prior[tree.root]
        value = tree.value[tree.root]
        self.steps.append(
            {
                "root": root,
                "action": record.action,
                "reward": float(record.reward),
                "child": self._node.get(child, -1),
                "nodes": record.nodes,
                "interactions": record.interactions,
                "highLevelStates": record.high_level_states,
                "returns": record.look_ahead.returns,
                "counts": record.look_ahead.counts,
                "behaviour": record.behaviour,
                "target": record.target,
                "prior": None if prior is None else list(map(float, prior)),
                "value": None if value is None else float(value),
                "asPlanned": record.as_planned,
            }
        )
        self._previous = (root, record.action)
        self._show_executed(tree, record, self._node.get(child, NONE))
        self._forget(tree, child, record)

    def _add(self, tree: Tree, row: int, step: int) -> None:
        """Give a node of the tree a number and record it."""
        number = len(self.columns["parent"])
        above, action = tree.nodes.parent[row], tree.nodes.action[row]
        parent = self._node.get(above, -1)
        if row == tree.root and self._previous[0] != NONE:  # the executed step had another outcome than planned
            parent, action = self._previous
        elif parent < 0 and row != tree.root:
            self.left_out += 1
            return
        self._node[row] = number
        value, observation = tree.value[row], tree.observation[row]
        entries: dict[str, Any] = {
            "parent": parent,
            "action": action,
            "reward": float(tree.reward[row]),
            "born": step,
            "terminal": int(tree.nodes.terminal[row]),
            "frame": self._frame(tree, row),
            "value": None if value is None else round(float(value), 4),
            "place": self._place(tree, row, parent),
        }
        for name, entry in entries.items():
            self.columns[name].append(entry)
        for level, states in enumerate(self.states):
            states.append(self._state(tree, row, level))
        if entries["frame"] < 0 and self.maze is None and len(self.texts) < _MOST_TEXTS:
            text = _as_numbers(observation)
            if text is not None:
                self.texts[number] = text

    def _frame(self, tree: Tree, row: int) -> int:
        """The number of the frame of a node; -1 if it has none."""
        if self.pictures is None:
            return -1
        if row == tree.root:
            picture = self.pictures.root(tree)
            self.frames.side = self.pictures.side or self.frames.side
            return self.frames.number(picture, executed=True)
        if self.frames.full:
            self.frames.left_out += 1
            return -1
        return self.frames.number(self.pictures.node(tree, row), executed=False)

    def _show_executed(self, tree: Tree, record: StepRecord, node: int) -> None:
        """Give the state after an executed step a frame, if it has none: a part of the sheet is kept for these."""
        if self.pictures is None:
            return
        frames = self.columns["frame"]
        if node != NONE and frames[node] >= 0:
            return
        picture = self.pictures.executed(tree, record)
        # A step with another outcome than planned leads to a root that is not in this tree.
        if node != NONE and record.as_planned is not False:
            frames[node] = self.frames.number(picture, executed=True)

    def _place(self, tree: Tree, row: int, parent: int) -> list[int] | None:
        """In a maze: row, column and whether the key is taken. An end has no snapshot and stays where its parent is."""
        if self.maze is None:
            return None
        snapshot = tree.snapshot[row]
        if snapshot is None:
            known: list[int] | None = self.columns["place"][parent] if parent >= 0 else None
            return known
        return [*self.maze.place(snapshot), snapshot[0] & 1]

    def _state(self, tree: Tree, row: int, level: int) -> int:
        """The number of the high-level state of a node; level 0 is the highest. Without the level all are one."""
        if level >= len(tree.regions):
            return self._numbers[level].setdefault(b"", len(self._numbers[level]))
        regions = tree.regions[len(tree.regions) - 1 - level]
        numbers = self._numbers[level]
        return numbers.setdefault(regions.features[regions.of[row]], len(numbers))

    def _colour_again(self, tree: Tree, row: int, step: int) -> None:
        """Record a high-level state that changed because features were discovered."""
        number = self._node[row]
        for level, states in enumerate(self.states):
            state = self._state(tree, row, level)
            if state != states[number]:
                self.changes.append([step, level, number, states[number], state])
                states[number] = state

    def _forget(self, tree: Tree, child: int, record: StepRecord) -> None:
        """Keep the numbers of the subtree that the agent keeps."""
        kept: dict[int, int] = {}
        replaced = record.luck is not None and not (record.as_planned and self.agent.keep_subtree)
        if child != NONE and not replaced:
            stack = [child]
            while stack:
                row = stack.pop()
                if row in self._node:
                    kept[row] = self._node[row]
                stack += [below for below in tree.nodes.children[row] if below != NONE]
        self._node = kept


def _as_numbers(observation: Any) -> str | None:
    """A short observation as text; None for any other."""
    if isinstance(observation, int | float | str):
        return str(observation)[:200]
    size = getattr(observation, "size", 0)
    if not (isinstance(size, int) and 0 < size <= _FEW_VALUES and hasattr(observation, "tolist")):
        return None
    values = observation.reshape(-1).tolist()
    return ", ".join(f"{value:.4g}" if isinstance(value, float) else str(value) for value in values)
