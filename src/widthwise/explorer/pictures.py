"""What the states of an episode look like to people: the screen of a game, or what an environment renders.

The observation of an Atari game is gray and small. A second emulator does the action of a node again, from the state of
its parent, and its screen has the colours. The simulator of the planner is not touched, so that planning is the same.
"""

from __future__ import annotations

from typing import Any, Protocol

from widthwise.core.showing import counted
from widthwise.online.acting import OnlinePlanner
from widthwise.online.episode import StepRecord
from widthwise.reports.scenes import as_image
from widthwise.simulator_search.tree import NONE, Tree
from widthwise.simulators.atari import Atari
from widthwise.simulators.rendering import RenderedCopy, is_renderable


class Pictures(Protocol):
    """Makes pictures of states; None where there is none."""

    #: The longer side of a picture on the page, in pixels; None for the usual one.
    side: int | None

    def root(self, tree: Tree) -> Any:
        """The state that the agent is in, at the root of a tree that did not grow from the one before."""

    def node(self, tree: Tree, row: int) -> Any:
        """The state of a node below the root."""

    def executed(self, tree: Tree, record: StepRecord) -> Any:
        """The state after the executed step."""

    def note(self) -> str | None:
        """What a reader has to know about the pictures, in a sentence."""


def pictures_of(agent: OnlinePlanner, seed: int) -> Pictures:
    """The pictures that the environment of an agent can give.

    Args:
        agent: The agent.
        seed: The seed of its episode.

    Returns:
        Screens, rendered states, or observations.
    """
    world = agent.simulator
    if isinstance(world, Atari) and world.deterministic:
        return Screens(world)
    if is_renderable(world):
        return Rendered(agent, seed)
    return Observations()


class Observations:
    """What the agent sees, if it is an image."""

    side: int | None = None

    def root(self, tree: Tree) -> Any:
        """The observation at the root."""
        return as_image(tree.observation[tree.root])

    def node(self, tree: Tree, row: int) -> Any:
        """The observation at a node."""
        return as_image(tree.observation[row])

    def executed(self, tree: Tree, record: StepRecord) -> Any:
        """The observation after the executed step, as it was planned."""
        child = tree.nodes.children[tree.root][record.action]
        return None if child == NONE else as_image(tree.observation[child])

    def note(self) -> str | None:
        """Nothing has to be said."""
        return None


class Screens(Observations):
    """The screen of an Atari game in colour; the gray observation where a second emulator shows another one.

    Args:
        world: The game that is planned in.
    """

    def __init__(self, world: Atari) -> None:
        import pickle

        self.emulator: Atari = pickle.loads(pickle.dumps(world))
        self.gray = 0  # pictures that are observations

    def root(self, tree: Tree) -> Any:
        """The screen at the beginning of a game."""
        return self._screen(self.emulator.reset().observation, tree.observation[tree.root])

    def node(self, tree: Tree, row: int) -> Any:
        """The screen at a node."""
        above = tree.nodes.parent[row]
        snapshot = None if above == NONE else tree.snapshot[above]
        if snapshot is None:
            return super().node(tree, row)
        self.emulator.load(snapshot)
        return self._screen(self.emulator.step(tree.nodes.action[row]).observation, tree.observation[row])

    def executed(self, tree: Tree, record: StepRecord) -> Any:
        """The screen after the executed step."""
        child = tree.nodes.children[tree.root][record.action]
        return None if child == NONE else self.node(tree, child)

    def note(self) -> str | None:
        """Says that frames are gray, if some are."""
        if not self.gray:
            return None
        return (
            f"{counted(self.gray, 'frame is', 'frames are')} the gray observation of the agent: a second emulator did "
            "not show the same when it repeated the action."
        )

    def _screen(self, again: Any, seen: Any) -> Any:
        if seen is None or again == seen:
            return self.emulator.screen()
        self.gray += 1
        return as_image(seen)


class Rendered(Observations):
    """What a Gymnasium environment renders at the executed steps, if its observations are no images.

    Args:
        agent: The agent.
        seed: The seed of its episode.
    """

    def __init__(self, agent: OnlinePlanner, seed: int) -> None:
        self.world, self.seed = agent.simulator, seed
        self.copy: RenderedCopy | None = None
        self.images = False  # whether observations are images

    def root(self, tree: Tree) -> Any:
        """The state that the agent is in."""
        observed = super().root(tree)
        self.images = observed is not None
        if self.images:
            return observed
        if self.copy is None:
            self.side = 240  # there are few pictures, so that they can be larger
            self.copy = RenderedCopy(self.world, self.seed)
        return self.copy.picture

    def executed(self, tree: Tree, record: StepRecord) -> Any:
        """The state after the executed step."""
        if self.copy is None:
            return super().executed(tree, record)
        root = tree.root
        if self.copy.agrees(tree.observation[root], tree.reward[root], bool(tree.nodes.terminal[root])):
            self.copy.step(record.action, record.luck)
        return self.copy.picture

    def note(self) -> str | None:
        """Says which states have frames."""
        if self.images or self.copy is None:
            return None
        if self.copy.reason is not None:
            return f"The environment is not rendered, so states have no frames: {self.copy.reason}."
        return "The states of executed steps have frames. The others show the observation, if it is short."
