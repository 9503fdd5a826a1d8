"""Online planning: plan within a budget, execute one action, keep its subtree, and repeat until the episode ends."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from widthwise.core.budget import Budget
from widthwise.core.defaults import Defaults
from widthwise.core.errors import OnInterrupt, RunInterrupted, UsageError
from widthwise.core.simulator import Simulator, Step
from widthwise.online.choice import choose_action
from widthwise.online.defaults import action_budget, back_up_rules, default_planner, planning_defaults
from widthwise.online.doubts import Doubts, Recognise
from widthwise.online.episode import Episode, StepRecord
from widthwise.online.execution import execute
from widthwise.online.followed_paths import FollowedPath, knows_a_way
from widthwise.online.growth import grow
from widthwise.online.guidance import Guidance
from widthwise.online.lockstep import Evaluate, Playing
from widthwise.online.luck import Luck
from widthwise.online.policies import Behaviour, target
from widthwise.online.presets import DEFAULT, preset_settings
from widthwise.online.start import Start, lead
from widthwise.online.values import LookAhead, check_discount, leaf_value, look_ahead
from widthwise.simulator_search.driver import Driver, Evaluation, FeatureFunction
from widthwise.simulator_search.hiw import SimulatorHierarchy
from widthwise.simulator_search.ihiw import DiscoveredFeatures, DiscoveringHierarchy
from widthwise.simulator_search.levels import OnSimulator, levels_of
from widthwise.simulator_search.tree import NONE, Tree
from widthwise.simulators.names import simulator as as_simulator
from widthwise.task_search.ihiw import IHIW

if TYPE_CHECKING:
    from widthwise.online.prediction import Prediction
    from widthwise.simulators.chance import Mode
    from widthwise.simulators.stepped_env import SteppedEnv


_log = logging.getLogger(__name__)
#: Called at every step before the tree is cut, with the tree, rooted at the state before the action, and the record.
Recorder = Callable[[Tree, StepRecord], None]


class OnlinePlanner:
    """An agent that plans before every action.

    Settings that are not given come from the environment (`Defaults`) or from the preset.

    Args:
        simulator: The environment, in any form that `simulator` takes.
        planner: RolloutIW, CountRolloutIW, IW, HIW, IHIW or a `LevelPlanner`; by default the one chosen for the
            environment.
        preset: `default`, `paper`, `authors` or `demonstration`.
        budget: The limits for one action: `steps` simulator steps, `seconds`, and `nodes` in the tree. `bytes` is not
            used.
        features: The features of the lowest level, a function of a step. A hierarchy has its own for the levels above.
        evaluate: A network: for a list of steps it returns features, action probabilities and values.
        discount: The discount of future rewards.
        behaviour: The policy that chooses actions.
        target_temperature: The temperature of the policy that a network learns.
        target_prior: Whether that policy is proportional to the network's own as well, so that actions of equal return
            keep their probabilities.
        max_steps: The maximum number of actions in an episode.
        keep_observations: Whether the tree keeps observations.
        keep_records: Whether the episode keeps a `StepRecord` for each action.
        recorder: Called with the tree and the record after every action.
        recognise: Identifies observations. With it, the network's value of a state is not used again after the agent
            was in that state, so that the agent does not wait in a state with too high a value.
        chance: What to do if steps depend on chance: `refuse` (raise an error), `foresee` (the tree also restores
            random generators), or `reseed` (execute each action with other random numbers than it was planned with).
        keep_subtree: With `reseed`, whether the subtree of an outcome that was planned is kept.
        patience: How many times `budget.steps` may be spent on one action while no action looks better than another.
        settle: Whether the agent follows a known path to a goal without planning again.
        life_penalty: The amount that planning subtracts from the return of a step that loses a life (`info["lives"]`),
            so that the agent avoids it. Above 0, such a step also ends its branch of the tree. The score is not
            changed.
        clip_rewards: Whether a reward above 1 counts as 1 in planning, and one below -1 as -1; the score is not
            changed.
        untried_worth: Whether a node with untried actions is worth at least what a leaf is worth, if no network values
            it; by default as in the preset.
        root_actions: Whether every action of the root is executed at least once, as far as the budget allows, before
            the planner chooses what to expand.
        shorten: With `settle`, the simulator steps that may be spent at once on a path to follow: a shorter one to the
            goal, or a long one without an end where all steps give the same reward. 0 by default if `budget` limits
            steps or seconds.
        widen: Whether flat Rollout IW continues with width 2 where it is exhausted and no action looks better, if the
            defaults say so and `budget` limits neither steps nor seconds; by default only if no planner is given.
        defaults: The settings to use instead of those of the environment and the preset.

    Raises:
        UsageError: The simulator or an argument does not fit the planner.

    Example:
        >>> agent = ww.OnlinePlanner("corridor", ww.RolloutIW(1), budget=ww.Budget(steps=50), max_steps=5)
        >>> agent.run(seed=0).steps
        5
    """

    def __init__(
        self,
        simulator: Any,
        planner: OnSimulator | None = None,
        *,
        preset: str = DEFAULT,
        budget: Budget | None = None,
        features: FeatureFunction | None = None,
        evaluate: Evaluate | None = None,
        discount: float | None = None,
        behaviour: Behaviour | None = None,
        target_temperature: float = 0.01,
        target_prior: bool = False,
        max_steps: int | None = None,
        keep_observations: bool = True,
        keep_records: bool = True,
        recorder: Recorder | None = None,
        recognise: Recognise | None = None,
        chance: Mode = "refuse",
        keep_subtree: bool = True,
        patience: int | None = None,
        settle: bool | None = None,
        life_penalty: float | None = None,
        clip_rewards: bool = False,
        untried_worth: bool | None = None,
        root_actions: bool = False,
        shorten: int | None = None,
        widen: bool | None = None,
        defaults: Defaults | None = None,
    ) -> None:
        if chance not in ("refuse", "foresee", "reseed"):
            raise UsageError(f"chance={chance!r} is unknown: use 'refuse', 'foresee' or 'reseed'")
        if recognise is not None and not keep_observations:
            raise UsageError("recognise needs observations: leave out keep_observations=False")
        self.environment = simulator if isinstance(simulator, str) else type(simulator).__name__
        self.simulator: Simulator = as_simulator(simulator)
        settings = preset_settings(preset, self.simulator)
        self.defaults = defaults or planning_defaults(self.simulator, preset)
        self.planner = default_planner(self.defaults) if planner is None else planner
        unlimited = budget is None or (budget.steps is None and budget.seconds is None)
        self.budget = action_budget(budget, self.defaults)
        self.patience = patience or (self.defaults.patience if unlimited else 1)
        self.settle = self.defaults.settle if settle is None else settle
        self.shorten = shorten if shorten is not None else self.defaults.shorten if unlimited else 0
        self.widens = (planner is None if widen is None else widen) and unlimited and self.defaults.widen
        self.planners, functions = levels_of(self.planner, features, self.defaults.features)
        self.discovers = functions[0] if isinstance(self.planner, IHIW) else None
        self.discovered: DiscoveredFeatures | None = None  # what IHIW found in the episode so far
        if self.discovers is not None and evaluate is not None:
            raise UsageError("IHIW discovers features among those of a function: it cannot be combined with a network")
        worth = settings["untried_worth"] if untried_worth is None else untried_worth
        self.rules = back_up_rules(self.defaults, life_penalty, clip_rewards, worth)
        self.driver = Driver(self.simulator, functions, keep_observations=keep_observations, rules=self.rules)
        self.root_actions = root_actions
        self.luck = Luck(chance, self.driver)
        self.keep_subtree = keep_subtree
        self.evaluate = evaluate
        self.discount = settings["discount"] if discount is None else discount
        check_discount(self.discount)
        self.behaviour = behaviour or Behaviour(settings["behaviour"])
        self.target_temperature, self.target_prior = target_temperature, target_prior
        self.max_steps = max_steps
        self.keep_records = keep_records
        self.recorder = recorder
        self.doubts = None if recognise is None else Doubts(recognise)
        self.doubted: set[int] = set()  # the nodes whose values were not used for the last action
        self.episode = Episode()
        self.rng = random.Random()
        self._prediction: Prediction | None = None
        self.path = FollowedPath()
        self.guidance = Guidance()
        self.planning: SimulatorHierarchy  # at work since the episode began

    def run(self, seed: int = 0, *, on_interrupt: OnInterrupt = "raise") -> Episode:
        """Play one episode.

        Args:
            seed: The seed of the environment and of the agent.
            on_interrupt: "raise" turns Ctrl-C into a `RunInterrupted` whose `result` is the episode so far; "return"
                returns that episode, with `interrupted` set.

        Returns:
            The episode.

        Raises:
            RunInterrupted: The episode was interrupted, see `on_interrupt`.
            SimulatorError: The simulator broke its contract.
            ChanceError: Steps depend on chance, and `chance` is `refuse`.
        """
        playing = self.play(seed)
        try:
            step = next(playing)
            while True:
                if self.evaluate is None:
                    raise UsageError("the agent has no function that evaluates its nodes: set `evaluate`")
                step = playing.send(self.evaluate([step])[0])
        except StopIteration as end:
            episode: Episode = end.value
            episode.origin = (self, seed)
            _log.info("%s, seed %d: %r", self.planner.name, seed, episode)
            return episode
        except KeyboardInterrupt:
            self.episode.interrupted = True
            if on_interrupt == "raise":
                raise RunInterrupted(self.episode) from None
            return self.episode

    @property
    def env(self) -> SteppedEnv:
        """The environment that the agent plans in, as a Gymnasium environment for programs that call `predict`."""
        return self._predicted.env

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Any]:
        """Plan an action for the state of `agent.env`, as `predict` of Stable-Baselines3.

        The program that calls it steps `agent.env`: `evaluate_policy(agent, agent.env)`. The agent saves its state,
        plans and returns to it, so that only the steps of that program change it. Wrappers that change
        observations or actions belong inside, `OnlinePlanner(Wrapper(env))`; others, such as a monitor, outside.

        Args:
            observation: The last observation of `agent.env`, or a batch of it alone, as from a vectorised environment
                of one.
            state: Returned as it is.
            episode_start: Not used: `agent.env` notices when an episode begins.
            deterministic: Take the most probable action instead of drawing one.

        Returns:
            An action of the action space, or a batch of it, and `state`.

        Raises:
            UsageError: The observation is not the last one of `agent.env`, the environment was not stepped since the
                last prediction, or there are several observations.
            ChanceError: Steps depend on chance, and `chance` is `refuse`.
            MissingExtraError: Gymnasium is not installed.

        Example:
            >>> agent = ww.OnlinePlanner("corridor", ww.RolloutIW(1))
            >>> observation, info = agent.env.reset(seed=0)
            >>> action, state = agent.predict(observation)
            >>> agent.env.action_space.contains(action)
            True
        """
        return self._predicted(observation, deterministic), state

    @property
    def _predicted(self) -> Prediction:
        if self._prediction is None:
            from widthwise.online.prediction import Prediction

            self._prediction = Prediction(self)
        return self._prediction

    def play(self, seed: int = 0) -> Playing:
        """Play one episode as a coroutine, so that many agents can share one evaluation (see `run_together`).

        It yields only if the agent has `evaluate`.

        Args:
            seed: The seed of the environment and of the agent.

        Yields:
            Steps that need an evaluation.

        Returns:
            The episode.
        """
        yield from self.begin(seed)
        while not self.over:
            yield from self.act()
        return self.episode

    def begin(self, seed: int = 0, start: Start | None = None) -> Generator[Step, Evaluation, None]:
        """Begin an episode: a tree with its root. No planning is in progress between `begin` and each `act`.

        With a `start` the environment is reset with its seed, and its actions are the first ones of the episode.
        """
        self.prepare(seed)
        yield from self.take_root(lead(self, start or Start(seed)))

    def prepare(self, seed: int) -> None:
        """Forget the last episode, and check the simulator for chance if that is needed."""
        self.rng = random.Random(seed)
        self.episode = Episode()
        if self.doubts is not None:
            self.doubts.stood = set()
        self.forget_path()
        driver = self.driver
        self.luck.begin(seed)
        driver.steps = driver.restores = 0
        self.guidance.begin(self)
        if self.discovers is not None:
            self.discovered = DiscoveredFeatures(self.discovers)
            driver.functions = [self.discovered.low, self.discovered.high]

    def forget_path(self) -> None:
        """Plan again from the current state, even if a path was to be followed."""
        self.path = FollowedPath()

    def take_root(self, first: Step) -> Generator[Step, Evaluation, None]:
        """Make a step, at which the simulator is, the root of an empty tree."""
        self.driver.add(NONE, NONE, first, (yield first) if self.evaluates else None)
        self.planning = self.hierarchy(self.rng)
        self.episode.terminated = first.done

    @property
    def evaluates(self) -> bool:
        """Whether nodes are evaluated: there is a network, and it still guides the agent."""
        return self.evaluate is not None and not self.guidance.over

    @property
    def over(self) -> bool:
        """Whether the episode is at its end, or at `max_steps`."""
        return self.episode.terminated or (self.max_steps is not None and self.episode.steps >= self.max_steps)

    def act(self) -> Generator[Step, Evaluation, StepRecord]:
        """Plan, execute one action and continue with the subtree it leads to."""
        driver, episode = self.driver, self.episode
        begun, root = time.perf_counter(), driver.tree.root
        steps, restores = driver.steps, driver.restores
        self.guidance.before_action(self)
        yield from self.plan(self.planning)
        record = self.choose(self.rng)
        real = yield from execute(self, root, record)
        unguided = None
        if self.guidance.ends_with(self):  # nodes do not have the features of the planner that continues
            unguided = driver.step(root, record.action) if real is None else real
        child = driver.tree.nodes.children[root][record.action]
        record.reward = driver.tree.reward[child] if real is None else real.reward
        record.interactions, record.restores = driver.steps - steps, driver.restores - restores
        if self.recorder is not None:
            self.recorder(driver.tree, record)
        if real is not None:  # what was planned did not happen: nothing of it is kept
            child = driver.add(root, record.action, real, (yield real) if self.evaluates else None)
        episode.terminated = driver.tree.over(child)
        driver.tree.continue_after(child)
        self.planning.reroot(child)
        if unguided is not None and not episode.terminated:
            self.guidance.continue_without(self, unguided)
        record.kept = len(driver.tree)
        episode.actions.append(record.action)
        episode.rewards.append(record.reward)
        if self.keep_records:
            episode.records.append(record)
        episode.interactions, episode.restores = driver.steps, driver.restores
        episode.seconds += time.perf_counter() - begun
        return record

    def hierarchy(self, rng: random.Random) -> SimulatorHierarchy:
        """The planner at work on the tree of this episode."""
        if self.discovered is not None:
            return DiscoveringHierarchy(self.planners, self.driver.tree, rng, self.discovered)
        return SimulatorHierarchy(self.planners, self.driver.tree, rng)

    def plan(self, hierarchy: SimulatorHierarchy) -> Generator[Step, Evaluation, None]:
        """Grow the tree within the budget of one step, and search for a path to follow."""
        if self.path.actions:
            return
        settles = self.settle and self.evaluate is None
        until = None if self.budget.seconds is None else time.perf_counter() + self.budget.seconds
        if not (settles and knows_a_way(self)):
            yield from grow(self, hierarchy, until)
        if settles and self.shorten:
            self.path.search(self, until)

    def look_ahead(self) -> LookAhead:
        """The returns and subtree sizes of the actions of the root."""
        tree = self.driver.tree
        self.doubted = set() if self.doubts is None else self.doubts.nodes(tree)
        return look_ahead(tree, self.discount, self.doubted, leaf_value(tree, self.discount))

    def target(self, seen: LookAhead) -> list[float]:
        """The policy that a network learns from what the search saw."""
        tolerance = self.behaviour.tolerance(seen.prior)
        return target(seen, self.target_temperature, prior=self.target_prior, tie_tolerance=tolerance)

    def choose(self, rng: random.Random) -> StepRecord:
        """An action by the behaviour policy, with what it was chosen from."""
        return choose_action(self, rng)
