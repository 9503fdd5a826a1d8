"""HIW that remembers: a search of any length from the initial state, over an archive of high-level states.

HIW in the paper starts again at every planning step, prunes, and becomes exhausted. Here the high level is an archive
that is kept during the whole search, and the low level never ends:

    while there are interactions left:
        choose a gain, high ones first, and a region on each level inside, rarely visited ones first; load its entry
        repeat for some steps:
            act: hold an action for a while, then take another at random; or follow a policy, if there is one
            remember the state of a few steps ago: a new region gets an entry, a better way to a known one replaces it

States shortly before a lost life are not kept. Most of them are lost already: a rollout from a fall ends as the fall
does, and the fall may be the shortest way to its region.

A search whose gain has not increased for long begins again with an empty archive. An early action may have made higher
gains impossible, such as a key that was used up, and high gains are preferred.

The low level may prune first as IW does and stop pruning later (`widths`): as long as a region is searched with a
width, a rollout ends at a state without novelty. When that finds nothing new any more, the next width is taken. "all"
prunes nothing.
"""

from __future__ import annotations

import math
import random
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from widthwise import _native
from widthwise.core.contract import guarded, innermost
from widthwise.core.errors import UsageError, in_terms
from widthwise.core.simulator import Simulator, Step
from widthwise.simulator_search.archive import Archive, ArchiveRegion, Entry, add_gain, gain_features
from widthwise.simulator_search.driver import FeatureFunction, pack, vector
from widthwise.simulator_search.trajectories import START, Trajectories, rank

#: How the low level prunes: states without novelty of a width, or nothing.
LowWidth = int | str
_WIDTHS = (1, 2, "n", "all")
#: The relative error that sums of equal rewards may have.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class ArchiveSearch:
    """A search with an archive of high-level states; each part can be switched off.

    Args:
        rollout: Simulator steps per visit to a region.
        hold: The mean number of steps for which an action is repeated.
        widths: The widths at which rollouts are pruned inside a region of the highest features, tried in this order:
            1, 2, "n", or "all" for no pruning.
        patience: The number of rollouts without a discovery after which the next width is used.
        improve: Whether a better path to a known region replaces its entry.
        through: Whether a rollout continues in regions that are already known. None: it does, unless the features are
            chosen for an environment whose regions are single situations.
        lives: Whether a rollout ends when a life is lost (`info["lives"]`); the state after it is not kept.
        survive: A state is kept if no life is lost within this many steps after it, as far as the rollout goes; 0 keeps
            every state. The first state with a new gain is always kept, with those before it. Needs `lives`.
        gains: Whether the gain, the sum of positive rewards, is an additional feature above all others: states with
            different gains are then in different regions, and high gains are preferred.
        scenes: Whether the scene that an image shows is a level of its own where the features are chosen for the
            environment.
        lowest: Whether the features that the environment declares for its lowest level, such as the cell of the agent
            in a maze, are a level of the archive too where the features are chosen for the environment.
        shared_counts: Whether visits to a region also count for the same region with other gains.
        count_steps: Whether a visit counts as the part of a full rollout that it took; otherwise all visits are equal.
            Where rollouts end early, more of them are made.
        restart: The number of interactions without a higher gain after which the search begins again with an empty
            archive; twice as many in the second attempt, three times in the third, and so on. The best trajectory is
            kept. 0: it never begins again.
        follow: The share of visits in which the actions are drawn from the policy, if the search has one. In the other
            visits they are random.
        memory_mb: The maximum size of the archive. When it is full, a state with a higher gain replaces those with the
            lowest gain, and other states are not stored.

    Raises:
        UsageError: A setting is out of its range.

    Example:
        >>> import widthwise as ww
        >>> ww.search("corridor", 3_000, planner=ww.ArchiveSearch(rollout=40)).score
        1.0
    """

    rollout: int = 27
    hold: float = 5.0
    widths: tuple[LowWidth, ...] = ("all",)
    patience: int = 10
    improve: bool = True
    through: bool | None = None
    lives: bool = True
    survive: int = 4
    gains: bool = True
    scenes: bool = True
    lowest: bool = True
    shared_counts: bool = True
    count_steps: bool = True
    restart: int = 100_000
    follow: float = 0.5
    memory_mb: float = 1_000.0

    def __post_init__(self) -> None:
        """Refuse settings that are out of range."""
        for name in ("rollout", "hold", "patience", "memory_mb"):
            if not getattr(self, name) >= 1:
                raise UsageError(f"{setting_name(name)} must be at least 1, not {getattr(self, name):g}")
        for name in ("survive", "restart"):
            if not getattr(self, name) >= 0:
                raise UsageError(f"{setting_name(name)} must not be negative, but is {getattr(self, name)}")
        if not 0 <= self.follow <= 1:
            raise UsageError(f"{setting_name('follow')} must be from 0 to 1, not {self.follow:g}")
        if not self.widths or any(width not in _WIDTHS for width in self.widths):
            given = ",".join(map(str, self.widths)) or "none"
            raise UsageError(f"{setting_name('widths')} must be chosen from 1, 2, n and all, not {given}")

    def begin(
        self,
        simulator: Simulator,
        features: Sequence[FeatureFunction],
        seed: int = 0,
        *,
        policy: Callable[[Step], Sequence[float]] | None = None,
    ) -> SearchAtWork:
        """Begin a search.

        Args:
            simulator: The environment.
            features: Feature functions, highest level first; the last is of the lowest level, where rollouts prune.
                The others define the regions of the archive; a single function does both.
            seed: The seed of the random numbers and of the environment's reset.
            policy: Gives a probability for each action: the policy that a share of the visits follows.

        Returns:
            The search, which has seen the initial state.
        """
        return SearchAtWork(self, simulator, features, seed, policy)


@dataclass(slots=True)
class Best:
    """The best trajectory so far."""

    score: float
    steps: int
    node: int
    ended: bool  # whether the episode ends with it
    interactions: int  # of the search when it was found


class SearchAtWork:
    """A search with an archive, as far as it has come. `visit` continues with it."""

    def __init__(
        self,
        planner: ArchiveSearch,
        simulator: Simulator,
        features: Sequence[FeatureFunction],
        seed: int,
        policy: Callable[[Step], Sequence[float]] | None = None,
    ) -> None:
        self.planner = planner
        self.simulator = guarded(simulator)
        self.high = list(features[:-1]) or list(features)
        self.low = features[-1]
        self.policy = policy
        self._judged: tuple[Step, array[float]] | None = None  # the last step that the policy was asked about
        self.seed = seed
        self.rng = random.Random(seed)
        # An archive has many entries, so that small snapshots are worth the time of packing.
        environment = innermost(self.simulator)
        self.packs = hasattr(environment, "pack_snapshot")
        self.pack: Callable[[Any], Any] = environment.pack_snapshot if self.packs else _unchanged
        self.unpack: Callable[[Any], Any] = environment.unpack_snapshot if self.packs else _unchanged
        self.trajectories = Trajectories()
        self.best: Best | None = None
        self.attempts = 0
        self._begin_attempt()

    def _begin_attempt(self) -> None:
        """Begin with an archive that has only the initial state."""
        self.attempts += 1
        self.archive = self.new_archive()
        self.highest, self.improved = 0.0, self.interactions  # the highest gain of this attempt, and when it came
        step = self.simulator.reset(self.seed)
        if step.done:
            raise UsageError(f"{self.simulator.name}: the episode is over at its reset, so there is nothing to search")
        self.archive.offer(self._features(step, 0.0), self._entry(step, 0.0, 0.0, 0, START))

    def new_archive(self) -> Archive:
        """An empty archive for the levels of this search."""
        gains = self.planner.gains
        shared, most = self.planner.shared_counts, self.planner.memory_mb * 1e6
        return Archive(len(self.high) + gains, gains=gains, most=most, shared=shared)

    @property
    def interactions(self) -> int:
        """Simulator steps so far."""
        return len(self.trajectories)

    def visit(self, most: int | None = None) -> bool:
        """Choose a region and roll out from its entry.

        Args:
            most: Simulator steps that are left; the rollout is no longer.

        Returns:
            Whether a new region was found.
        """
        planner, before = self.planner, self.interactions
        if planner.restart and before - self.improved >= planner.restart * self.attempts:
            self._begin_attempt()
        regions = self._choose()
        outer, entry = regions[int(planner.gains)], regions[-1].entry
        assert entry is not None
        pruning: LowLevel | None = outer.low
        if pruning is None:
            pruning = outer.low = LowLevel(planner)
        follows = self.policy is not None and self.rng.random() < planner.follow
        length = planner.rollout if most is None else min(most, planner.rollout)
        discovered = self._roll_out(entry, pruning, length, entry.policy if follows else None)
        pruning.count(discovered)
        for region in regions:
            region.count((self.interactions - before) / planner.rollout if planner.count_steps else 1.0)
        return discovered

    def _choose(self) -> list[ArchiveRegion]:
        """A region on each level, each inside the one before."""
        regions = [self.archive.top]
        for _ in range(self.archive.levels):
            regions.append(regions[-1].choose(self.rng))
        return regions[1:]

    def _roll_out(self, entry: Entry, pruning: LowLevel, length: int, followed: Sequence[float] | None) -> bool:
        """Roll out from an entry, by the policy if `followed` are its probabilities there, otherwise at random."""
        planner, rng, simulator = self.planner, self.rng, self.simulator
        simulator.load(self.unpack(entry.snapshot))
        node, score, gain, steps = entry.node, entry.score, entry.gain, entry.steps
        waiting: deque[tuple[list[bytes], Entry]] = deque()  # states that may be kept
        discovered = False
        action = -1
        for _ in range(length):
            if followed is not None:
                action = rng.choices(range(simulator.actions), followed)[0]
            elif action < 0 or rng.random() * planner.hold < 1:
                action = rng.randrange(simulator.actions)
            step = simulator.step(action)
            node = self.trajectories.add(node, action)
            score, gain, steps = score + step.reward, add_gain(gain, step.reward), steps + 1
            self._remember(score, steps, node, step)
            if gain > self.highest:
                self.highest, self.improved = gain, self.interactions
            lost = planner.lives and _lost(entry.lives, step)
            if step.done or lost:
                if lost:
                    waiting.clear()
                break
            features = self._features(step, gain)
            known = self.archive.entry(features)
            # A region that waits was reached before in this rollout, so that it is known as well.
            familiar = known is not None or any(features == others for others, _ in waiting)
            if known is None or (planner.improve and known.worse(score, steps)):
                waiting.append((features, self._entry(step, score, gain, steps, node)))
            # A new gain is rare, so that its first state is kept at once, and the states on the way to it.
            delay = planner.survive if self.archive.knows(features[0]) or not planner.gains else 0
            while waiting and steps - waiting[0][1].steps >= delay:
                discovered |= self.archive.offer(*waiting.popleft(), improve=planner.improve)
            if familiar and (planner.through is False or pruning.prunes(self.low, step)):
                break
            if followed is not None:
                followed = self._followed(step)
        for features, state in waiting:
            discovered |= self.archive.offer(features, state, improve=planner.improve)
        return discovered

    def _followed(self, step: Step) -> array[float] | None:
        """The probabilities of the policy, if one is followed, as checkpoints keep them."""
        if self.policy is None or not self.planner.follow:
            return None
        if self._judged is None or self._judged[0] is not step:
            self._judged = step, self._probabilities(self.policy(step))
        return self._judged[1]

    def _probabilities(self, given: Any) -> array[float]:
        try:
            numbers = array("f", given)
        except (TypeError, ValueError):
            numbers = array("f")
        if len(numbers) != self.simulator.actions or not usable(numbers):
            raise UsageError(
                f"the policy must give probabilities of the {self.simulator.actions} actions, not {given!r:.60}"
            )
        return numbers

    def _features(self, step: Step, gain: float) -> list[bytes]:
        """The features of a state on each level of the archive, highest first."""
        features = [vector(function, step) for function in self.high]
        return [gain_features(gain), *features] if self.planner.gains else features

    def _entry(self, step: Step, score: float, gain: float, steps: int, node: int) -> Entry:
        """The state of the simulator as an entry."""
        saved, policy = self.pack(self.simulator.save()), self._followed(step)
        return Entry(saved, score, steps, node, _lives(step), gain=gain, policy=policy)

    def _remember(self, score: float, steps: int, node: int, step: Step) -> None:
        """Keep the best trajectory, if it is one to report."""
        best = self.best
        if best is not None and rank(score, steps) <= rank(best.score, best.steps):
            return
        if score > 0 or (step.terminated and ends_costs(score - step.reward, steps - 1, step.reward)):
            self.best = Best(score, steps, node, step.terminated, self.interactions)


def usable(probabilities: Sequence[float]) -> bool:
    """Whether an action can be drawn from probabilities, which need not add up to 1."""
    return 0 < sum(probabilities) < math.inf and min(probabilities) >= 0


def ends_costs(score: float, steps: int, reward: float) -> bool:
    """Whether the last step of an episode ends costs, as the goal of an environment does in which every step costs.

    A lost episode ends in another way: its last step costs more than the steps before it, which often cost nothing.

    Args:
        score: The score before the last step.
        steps: The number of steps before it.
        reward: The reward of the last step.

    Returns:
        Whether the steps before cost something, and the last step costs no more than they do on average.
    """
    return score < 0 and reward * steps >= score * (1 + _ROUNDING)


class LowLevel:
    """How rollouts are pruned that begin in one region of the top level."""

    def __init__(self, planner: ArchiveSearch) -> None:
        self.widths = planner.widths
        self.patience = planner.patience
        self.stage = 0
        self.fruitless = 0  # rollouts since the last discovery
        self.item_size = 1  # bytes of a feature value
        self.table: _native.DepthTable | None = None

    def restore(self, stage: int, fruitless: int, table: Any, item_size: int) -> None:
        """Return to an earlier state; `table` is what the table had saved."""
        self.stage, self.fruitless, self.item_size = stage, fruitless, item_size
        if table is not None:
            self.table = self._new_table()
            self.table.load(table)

    def _new_table(self) -> _native.DepthTable:
        width = self.widths[self.stage]
        return _native.DepthTable(0 if width == "n" else int(width), self.item_size)

    def prunes(self, function: FeatureFunction, step: Step) -> bool:
        """Whether a state without novelty ends the rollout here."""
        if self.widths[self.stage] == "all":
            return False
        values = function(step)
        vector, self.item_size = (values, 1) if type(values) is bytes else pack(values)
        if self.table is None:
            self.table = self._new_table()
        novel, _ = self.table.insert(vector, 0, 0)
        return novel == 0

    def count(self, discovered: bool) -> None:
        """Count a rollout; after too many without a discovery the next width is taken."""
        self.fruitless = 0 if discovered else self.fruitless + 1
        if self.fruitless >= self.patience and self.stage + 1 < len(self.widths):
            self.stage, self.fruitless, self.table = self.stage + 1, 0, None


def setting_name(setting: str) -> str:
    """A setting of `ArchiveSearch` as the caller writes it: as an argument, or as an option of the command."""
    option = {"memory_mb": "archive-memory"}.get(setting, setting)
    return in_terms(python=setting, command=f"--{option}")


def _unchanged(snapshot: Any) -> Any:
    return snapshot


def _lives(step: Step) -> int | None:
    lives: Any = step.info.get("lives")
    return None if lives is None else int(lives)


def _lost(before: int | None, step: Step) -> bool:
    lives = _lives(step)
    return before is not None and lives is not None and lives < before
