"""Planning from the state of an environment that another program steps, one action at a time.

The program steps `agent.env`, which is the simulator that the agent plans in. Before each action the agent saves the
true state, plans, and returns to it. It plans only from the state whose observation it was given; anything else, such
as an environment of the same kind that was stepped instead, is refused.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from widthwise.core.errors import MissingExtraError, UsageError
from widthwise.simulator_search.tree import NONE

if TYPE_CHECKING:
    from collections.abc import Generator

    from widthwise.core.simulator import Step
    from widthwise.online.acting import OnlinePlanner
    from widthwise.simulator_search.driver import Evaluation
    from widthwise.simulators.stepped_env import SteppedEnv

_REMEDY = "step the environment of the agent: evaluate_policy(agent, agent.env)"


class Prediction:
    """The state of an environment that other programs step, as far as an agent needs it."""

    def __init__(self, agent: OnlinePlanner) -> None:
        if find_spec("gymnasium") is None:
            raise MissingExtraError("the environment of an agent", "gym")
        from widthwise.simulators.stepped_env import SteppedEnv

        self.agent = agent
        self.env: SteppedEnv = SteppedEnv(agent.simulator)
        self._moment = 0  # of the last prediction
        self._resets = 0
        self._chosen = NONE

    def __call__(self, observation: Any, deterministic: bool) -> Any:
        """An action of the environment for the state it is in, as an array; a batch of one for a batch of one."""
        import numpy as np

        batch = self._check(observation)
        number = self._choose(deterministic)
        action = np.asarray(self.env.action_of(number))
        return action[np.newaxis] if batch else action[()]  # one number as a scalar, which environments can hash

    def _check(self, observation: Any) -> bool:
        """Refuse to plan unless the environment is in the state that the observation shows."""
        from widthwise.simulators.stepped_env import matching, shown

        env = self.env
        if env.last is None:
            raise UsageError(f"the environment of this agent was never reset, so its state is not known: {_REMEDY}")
        fit = matching(observation, shown(env.last.observation))
        if fit is None:
            raise UsageError(
                "the observation is not the one that the environment of this agent returned last. Either another "
                f"environment was stepped, then {_REMEDY}; or a wrapper around it changes observations, then wrap the "
                "environment before it is given to the agent"
            )
        if env.moment == self._moment:
            raise UsageError(f"the environment of this agent was not stepped since the last prediction: {_REMEDY}")
        if env.last.done:
            raise UsageError("the episode is over: reset the environment")
        return fit == 1

    def _choose(self, deterministic: bool) -> int:
        from contextlib import nullcontext

        from widthwise.simulators.generators import shared_kept

        agent, simulator = self.agent, self.agent.driver.simulator
        true = simulator.save()
        # With `reseed` the plan must not know the random numbers that the environment is about to draw.
        with shared_kept() if agent.luck.fresh else nullcontext():
            try:
                self._evaluated(self._root(true))
                self._evaluated(agent.plan(agent.planning))
                record = agent.choose(agent.rng)
                action = record.action
                if deterministic:
                    action = max(range(len(record.behaviour)), key=record.behaviour.__getitem__)
                root, steps = agent.driver.tree.root, agent.episode.steps
                planned = agent.driver.tree.nodes.children[root][action]
                if agent.luck.verifies and planned != NONE:
                    agent.luck.verify(root, action, planned, steps)
            finally:
                simulator.load(true)
                agent.driver.at = NONE
        self._moment, self._resets, self._chosen = self.env.moment, self.env.resets, action
        return action

    def _root(self, true: Any) -> Generator[Step, Evaluation, None]:
        """The tree, rooted at the true state: what is left of the last one where that came true, else a new one."""
        agent, env = self.agent, self.env
        driver, simulator, step = agent.driver, agent.driver.simulator, env.last
        assert step is not None
        if env.resets != self._resets:
            agent.prepare(env.seed)  # may try the simulator for chance
            simulator.load(true)
        node = self._came_true(step)
        if agent.luck.fresh:
            agent.luck.draw(agent.luck.of_step(env.moment))
        if node == NONE:
            driver.start()
            agent.forget_path()
            yield from agent.take_root(step)
            return
        driver.tree.snapshot[node] = simulator.save()
        agent.planning.reroot(node)
        driver.at = node

    def _came_true(self, step: Step) -> int:
        """The node of the tree that the environment has reached by the action that was predicted, if there is one."""
        import numpy as np

        agent, env, tree = self.agent, self.env, self.agent.driver.tree
        if env.resets != self._resets or env.moment != self._moment + 1 or not agent.driver.keep_observations:
            return NONE
        if not np.array_equal(np.asarray(env.action), np.asarray(env.action_of(self._chosen))):
            return NONE
        child = tree.nodes.children[tree.root][self._chosen]
        return child if child != NONE and agent.luck.same(child, step) else NONE

    def _evaluated(self, requests: Generator[Step, Evaluation, None]) -> None:
        """Run a coroutine of the agent, with its network if it has one."""
        evaluate = self.agent.evaluate
        try:
            step = next(requests)
            while True:
                assert evaluate is not None
                step = requests.send(evaluate([step])[0])
        except StopIteration:
            return
