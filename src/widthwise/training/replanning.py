"""The best trajectory by planning without a network: several trials for every part of it, and the best one is kept.

In a deterministic simulator a part of an episode can be tried again from the same state:

    pass: from a state of the best trajectory (the first pass from the initial state)
        until the episode ends:
            K trials: plan and act without a network, each with other random numbers, for some actions
            continue after the best of them: its rewards, less the penalty for lost lives, and the return in its tree
    the whole trajectory, from the reset, is the best one if it scores more

The first pass has one trial, of any length: that is an episode of the planner. Later ones have as many trials for each
part as the interactions allow. Choosing after every part improves a trajectory more than choosing among whole episodes,
because good parts add up. But a trial begins with an empty tree, so that parts must not be too short.
"""

from __future__ import annotations

import random
from collections.abc import Generator
from dataclasses import asdict, dataclass, field
from typing import Any

from widthwise.core.budget import Budget
from widthwise.core.defaults import Defaults
from widthwise.core.errors import InputError
from widthwise.core.simulator import Simulator, Step
from widthwise.online.acting import OnlinePlanner
from widthwise.simulator_search.driver import Evaluation

#: Actions of a trial, if there are several for a part.
PART = 20
#: The most trials for a part.
MOST_TRIALS = 8


@dataclass(slots=True)
class Trajectory:
    """Actions from a reset, their score, the sum of positive rewards, and whether the episode ends with them."""

    score: float = 0.0
    gain: float = 0.0
    actions: list[int] = field(default_factory=list)
    ended: bool = False

    @property
    def rank(self) -> tuple[bool, float]:
        """Trajectories with a reward come first, then those with the highest score: one that is cut may score more."""
        return self.gain > 0, self.score

    def add(self, action: int, step: Step) -> None:
        """Add an executed action."""
        self.actions.append(action)
        self.score += step.reward
        self.gain += max(0.0, step.reward)
        self.ended = step.done


@dataclass(slots=True)
class Pass:
    """A pass that is under way: the trials for a part, the trajectory so far, and the trials that were made."""

    trials: int
    trajectory: Trajectory = field(default_factory=Trajectory)
    actions: list[list[int]] = field(default_factory=list)
    worth: list[float] = field(default_factory=list)


class Replanning:
    """Passes over trajectories, each of which may find a better one.

    Args:
        simulator: The environment.
        seed: The seed of the reset and of the trials.
        steps_per_action: Simulator steps of planning before each action.
        nodes: The maximum number of nodes in the tree.
        defaults: The other settings of planning.
    """

    def __init__(
        self, simulator: Simulator, seed: int, *, steps_per_action: int, nodes: int, defaults: Defaults | None = None
    ) -> None:
        self.seed, self.steps_per_action = seed, steps_per_action
        # A trajectory is repeated with the random numbers of its reset, so that chance is foreseen.
        self.agent = OnlinePlanner(
            simulator,
            budget=Budget(steps=steps_per_action, nodes=nodes),
            chance="foresee",
            keep_observations=False,
            keep_records=False,
            defaults=defaults,
        )
        self.simulator = self.agent.driver.simulator
        self.best: Trajectory | None = None
        self.passes = self.trials = 0  # begun
        self._pass: Pass | None = None
        self._at: tuple[Step, Any] | None = None  # the end of the trajectory of the pass, and its snapshot
        self._trying = False
        self._worth = 0.0  # of the trial so far

    def offer(self, trajectory: Trajectory) -> None:
        """Take a trajectory if it is better than the best one."""
        if self.best is None or trajectory.rank > self.best.rank:
            self.best = trajectory

    def advance(self, wanted: int, left: int) -> int:
        """Continue with a pass, or begin one.

        Args:
            wanted: Simulator steps after which to return; repeating a trajectory may take more.
            left: Simulator steps after which the pass is ended, and counts as far as it has come.

        Returns:
            The simulator steps that were taken; an action without any counts as one. Steps that are left and are too
            few for a pass count as taken.
        """
        if self._pass is None and self.best is not None and left < len(self.best.actions) + self.steps_per_action:
            return left
        taken = 0 if self._pass is not None else self._begin(left)
        while taken < min(wanted, left) and self._pass is not None:
            taken += self._continue()
        if taken >= left and self._pass is not None:
            self._end_trial()
            taken += self._choose()
            self._end()
        return taken

    def _begin(self, left: int) -> int:
        """Begin a pass for which the steps that are left are enough; returns the steps that lead to its beginning."""
        place, trials = 0, 1
        if self.best is not None:
            actions = len(self.best.actions) - self.best.ended
            planned = left - actions  # after the actions before the pass were repeated
            first = max(0, actions - planned // (2 * self.steps_per_action))  # two trials for each part
            if self.passes > 1 or first > 0:
                place = random.Random(self.seed * 1_000_003 + self.passes).randint(first, actions)
            trials = planned // (self.steps_per_action * max(PART, actions - place))
        self._pass = Pass(min(max(trials, 1), MOST_TRIALS))
        self.passes += 1
        self._reset()
        if self.best is None:
            return 0
        taken = self._repeat(self.best.actions[:place])
        if self._pass.trajectory.ended:  # a search does not say whether a limit of steps ends its trajectory
            self.best.ended = True
            self._pass = self._at = None
        return taken

    def _reset(self) -> None:
        self._at = self.agent.driver.reset(self.seed), self.simulator.save()
        self._trying = False

    def _repeat(self, actions: list[int]) -> int:
        """Execute actions at the end of the trajectory of the pass; returns how many simulator steps that took."""
        assert self._pass is not None and self._at is not None
        step, snapshot = self._at
        self.simulator.load(snapshot)
        for action in actions:
            if step.done:
                raise InputError(
                    f"{self.simulator.name}: an episode ends where it continued before; the environment has changed or "
                    "does not restore its state exactly, so that trajectories cannot be repeated: set replanning=off"
                )
            step = self.simulator.step(action)
            self._pass.trajectory.add(action, step)
        self._at = step, None if step.done else self.simulator.save()
        return len(actions)

    def _continue(self) -> int:
        """One action of a trial, or what follows the last trial of a part; returns the simulator steps."""
        assert self._pass is not None
        if not self._trying:
            if len(self._pass.worth) < self._pass.trials:
                self._begin_trial()
            else:
                taken = self._choose()
                if self._pass.trajectory.ended:
                    self._end()
                return taken
        agent = self.agent
        before = agent.driver.steps
        self._act()
        if agent.over or (self._pass.trials > 1 and agent.episode.steps >= PART):
            self._end_trial()
        # An action that was planned before may take no step. It counts, so that an endless episode is cut.
        return max(1, agent.driver.steps - before)

    def _begin_trial(self) -> None:
        assert self._at is not None
        agent, (step, snapshot) = self.agent, self._at
        agent.prepare(self.seed * 1_000_003 + self.trials)
        agent.driver.start()
        self.simulator.load(snapshot)
        _result(agent.take_root(step))
        self.trials += 1
        self._trying, self._worth = True, 0.0

    def _act(self) -> None:
        agent, before = self.agent, self._worth
        record = _result(agent.act())
        tree, rules = agent.driver.tree, agent.rules
        self._worth += rules.counted(record.reward) - rules.life_penalty * (tree.root in tree.lost)
        planned = record.look_ahead.returns[record.action]
        if agent.over and planned is not None:  # planning may value an end by more than its reward
            self._worth = before + planned

    def _end_trial(self) -> None:
        """Remember the trial in progress: its actions, and what it is worth with what its tree shows ahead."""
        if not self._trying:
            return
        assert self._pass is not None
        known = [] if self.agent.over else [value for value in self.agent.look_ahead().returns if value is not None]
        self._pass.actions.append(list(self.agent.episode.actions))
        self._pass.worth.append(self._worth + max(known, default=0.0))
        self._trying = False

    def _choose(self) -> int:
        """Continue the trajectory of the pass with the best trial of the part; returns the simulator steps."""
        assert self._pass is not None
        trials, worth = self._pass.actions, self._pass.worth
        self._pass.actions, self._pass.worth = [], []
        return self._repeat(trials[worth.index(max(worth))]) if trials else 0

    def _end(self) -> None:
        assert self._pass is not None
        self.offer(self._pass.trajectory)
        self._pass = self._at = None

    def state(self) -> dict[str, Any]:
        """All that the future depends on, as plain data; of a trial in progress how many actions it has."""
        return {
            "passes": self.passes,
            "trials": self.trials,
            "best": None if self.best is None else asdict(self.best),
            "pass": None if self._pass is None else asdict(self._pass),
            "executed": len(self.agent.episode.actions) if self._trying else None,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Return to a state; a trial in progress is planned again up to where it was."""
        self.passes, self.trials = state["passes"], state["trials"]
        self.best = None if state["best"] is None else Trajectory(**state["best"])
        self._pass, self._at, self._trying = None, None, False
        under_way, executed = state["pass"], state["executed"]
        if under_way is None:
            return
        self._pass = Pass(under_way["trials"], actions=under_way["actions"], worth=under_way["worth"])
        self._reset()
        self._repeat(under_way["trajectory"]["actions"])
        if executed is not None:
            self.trials -= 1
            self._begin_trial()
            while len(self.agent.episode.actions) < executed:
                if self.agent.over:
                    raise InputError(
                        f"{self.simulator.name}: an episode ends where it continued before, so that the run cannot "
                        "continue"
                    )
                self._act()


def _result(work: Generator[Step, Evaluation, Any]) -> Any:
    """The result of a coroutine of an agent without a network, which asks for no evaluation."""
    try:
        next(work)
    except StopIteration as end:
        return end.value
    raise AssertionError("an agent without a network asks for no evaluation")
