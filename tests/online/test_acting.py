"""Acting: values and policies worked out by hand, episodes, and that the same seed gives the same bytes."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from typing import Any

import pytest

import widthwise as ww
from places import SUPPORT
from sim_fakes import Corridor, Maze, both, cells, key, looked_up, place, random_features, random_graph, rooms
from widthwise.online.episode import Episode
from widthwise.online.lockstep import run_together
from widthwise.online.policies import Behaviour, target
from widthwise.online.values import LookAhead, look_ahead
from widthwise.simulator_search.driver import Evaluation
from widthwise.simulator_search.tree import NONE, Tree

RIW, CRIW, HIW, IW = ww.RolloutIW, ww.CountRolloutIW, ww.HIW, ww.IW
HIERARCHY = HIW(features=key, high=CRIW(1), low=RIW(1))


def small_tree() -> Tree:
    """The root with children 1 (action 0) and 2 (action 1); 1 has 3 (reward 1) and 4 (reward -1, the end)."""
    tree = Tree(actions=3, levels=1)
    tree.add(NONE, NONE, [b"a"])
    tree.add(0, 0, [b"b"], reward=0.5)
    tree.add(0, 1, [b"c"])
    tree.add(1, 0, [b"d"], reward=1.0)
    tree.add(1, 1, [b"e"], reward=-1.0, terminal=True)
    return tree


def test_returns_and_counts_by_hand() -> None:
    seen = look_ahead(small_tree(), discount=0.9)
    assert seen.returns == [pytest.approx(0.5 + 0.9 * 1.0), 0.0, None]
    assert seen.counts == [3, 1, 0]
    assert seen.value == 0.0


def test_a_value_estimate_is_a_lower_bound_except_at_the_end() -> None:
    tree = small_tree()
    tree.value[:] = [7.0, 0.1, 2.0, 3.0, 100.0]
    seen = look_ahead(tree, discount=0.5)
    # node 3 is worth 3, so 1 + .5 * 3 = 2.5 from node 1; the end is worth nothing beyond its reward
    assert seen.returns == [pytest.approx(0.5 + 0.5 * 2.5), pytest.approx(1.0), None]
    assert seen.value == 7.0


def test_a_doubted_estimate_counts_for_nothing() -> None:
    tree = small_tree()
    tree.value[:] = [7.0, 0.1, 2.0, 3.0, 100.0]
    seen = look_ahead(tree, discount=0.5, doubted={2, 3})
    # node 3 is worth its reward alone, so node 1 is worth 1 and not .1; node 2 is worth nothing
    assert seen.returns == [pytest.approx(0.5 + 0.5 * 1.0), 0.0, None]
    assert seen.value == 7.0
    # what is thought little of is not thought more of by doubt, and a doubted root is worth its best action
    tree.value[:] = [7.0, -3.0, -2.0, -4.0, 0.0]
    seen = look_ahead(tree, discount=0.5, doubted={0, 1, 2, 3})
    assert seen.returns == [pytest.approx(0.5 + 0.5 * -1.0), pytest.approx(-1.0), None]
    assert seen.value == pytest.approx(0.0)


@pytest.mark.parametrize("doubting", [False, True])
def test_who_doubts_does_not_wait_where_the_value_is_too_high(doubting: bool) -> None:
    def evaluate(steps: Any) -> list[Evaluation]:
        places = [step.observation[0] for step in steps]
        return [Evaluation(features=bytes([item]), value=0.9 if item == 3 else item / 50) for item in places]

    agent = ww.OnlinePlanner(
        Corridor(12),
        RIW(1),
        budget=ww.Budget(steps=3),
        evaluate=evaluate,
        max_steps=40,
        recognise=(lambda observation: observation) if doubting else None,
    )
    been = []
    agent.recorder = lambda tree, record: been.append(tree.observation[tree.root][0])
    agent.run(seed=1)
    assert 3 in been
    assert max(been) == 12 if doubting else max(been) < 7
    with pytest.raises(ww.UsageError, match="recognise needs observations"):
        ww.OnlinePlanner(Corridor(), RIW(1), keep_observations=False, recognise=lambda observation: observation)


def test_a_bad_child_need_not_be_followed() -> None:
    tree = Tree(actions=2, levels=1)
    tree.add(NONE, NONE, [b"a"])
    tree.add(0, 0, [b"b"])
    tree.add(1, 0, [b"c"], reward=-1.0, terminal=True)
    assert look_ahead(tree).returns == [0.0, None]
    tree.add(1, 1, [b"d"], reward=-0.5, terminal=True)  # now every way out is bad
    assert look_ahead(tree, 0.9).returns == [pytest.approx(-0.45), None]


def test_ties_go_to_large_subtrees_and_never_against_the_return() -> None:
    seen = LookAhead([0.8, 0.0, None], [10, 120, 0], 0.0)
    assert Behaviour()(seen) == [1.0, 0.0, 0.0]  # original: softmax(c) would take the second
    equal = LookAhead([0.5, 0.5, 0.4], [3, 4, 50], 0.0)
    e = math.e
    assert Behaviour()(equal) == [pytest.approx(1 / (1 + e)), pytest.approx(e / (1 + e)), 0.0]
    warm = Behaviour(count_temperature=2.0)(equal)
    assert warm[1] / warm[0] == pytest.approx(math.exp(0.5))
    nearly = LookAhead([0.5, 0.5 - 1e-3], [1, 400], 0.0)
    assert Behaviour()(nearly) == [1.0, 0.0]


def test_the_other_formulas() -> None:
    seen = LookAhead([0.0, 0.01, None], [9, 1, 0], 0.0)
    counts = Behaviour("counts", count_temperature=1.0)(seen)
    assert counts[0] / counts[1] == pytest.approx(math.exp(9 - 1 - 1.0))
    paper = Behaviour("paper", count_temperature=1.0)(seen)
    assert paper[0] / paper[1] == pytest.approx(math.exp(1 / 10 - 1 / 2 - 1.0))
    assert Behaviour("none")(LookAhead([1.0, 1.0], [1, 99], 0.0)) == [0.5, 0.5]
    assert Behaviour()(LookAhead([None, None], [0, 0], 0.0)) == [0.5, 0.5]
    with pytest.raises(ww.UsageError, match="formula"):
        Behaviour("nonsense")  # type: ignore[arg-type]
    with pytest.raises(ww.UsageError, match="above 0"):
        Behaviour(reward_temperature=0)


def test_returns_within_the_tolerance_are_ties_for_the_behaviour_and_for_the_target() -> None:
    seen = LookAhead([0.8, 1.0, 0.6, -1.0], [1, 1, 1, 1], 0.0, prior=[0.7, 0.1, 0.1, 0.1])
    assert Behaviour("prior")(seen) == [0.0, 1.0, 0.0, 0.0]
    assert Behaviour("prior", reward_temperature=1.0, tie_tolerance=0.3)(seen) == pytest.approx([7 / 8, 1 / 8, 0, 0])
    assert Behaviour(tie_tolerance=0.5)(seen) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
    learned = target(seen, 0.01, prior=True, tie_tolerance=0.3)
    assert learned == pytest.approx([7 / 8, 1 / 8, 0, 0], abs=1e-9)
    lost = LookAhead([-1_000.0, 0.0], [1, 1], 0.0, prior=[0.99, 0.01])  # a life is no tie
    assert Behaviour("prior", tie_tolerance=0.9)(lost) == [0.0, 1.0]
    assert Behaviour("prior", tie_tolerance=1.0)(lost) == [0.0, 1.0]
    rewarded = LookAhead([0.0, 1.0, -1.0], [1, 1, 1], 0.0, prior=[0.5, 0.1, 0.4])  # no reward is worth leaving the path
    assert Behaviour("prior", tie_tolerance=1.0)(rewarded) == pytest.approx([1.0, 0.0, 0.0])
    for tolerance in (-0.1, 1.1):
        with pytest.raises(ww.UsageError, match="tie_tolerance must be between 0 and 1"):
            Behaviour(tie_tolerance=tolerance)


def test_the_target_gives_unexplored_actions_the_value() -> None:
    seen = LookAhead([0.2, None, 0.1], [1, 0, 1], 0.3)
    e = [math.exp(2), math.exp(3), math.exp(1)]
    assert target(seen, temperature=0.1) == pytest.approx([item / sum(e) for item in e])


PLANNERS: list[tuple[Any, Any]] = [
    (RIW(1), both),
    (CRIW(1), both),
    (IW(1), both),
    (ww.BFS(), both),
    (HIERARCHY, place),
    (HIW(key, RIW(1), CRIW(1)), place),
    (HIW(key, IW(1), RIW(1)), place),
]


@pytest.mark.parametrize("planner, features", PLANNERS, ids=lambda item: getattr(item, "name", ""))
def test_an_episode_can_be_replayed(planner: Any, features: Any) -> None:
    """What the tree promised of the executed actions is what the simulator does."""
    simulator = Corridor(6, limit=40)
    agent = ww.OnlinePlanner(simulator, planner, features=features, budget=ww.Budget(steps=10))
    episode = agent.run(seed=3)
    assert agent.luck.finding is not None  # the check for chance comes before, and says what it cost
    assert simulator.count == episode.interactions + agent.luck.finding.steps  # every simulator step was counted
    fresh = Corridor(6, limit=40)
    step = fresh.reset(3)
    for action, reward in zip(episode.actions, episode.rewards, strict=True):
        assert not step.done
        step = fresh.step(action)
        assert step.reward == reward
    assert step.done and episode.terminated
    assert episode.score == sum(episode.rewards) and episode.steps == len(episode.records)
    assert episode.interactions == sum(record.interactions for record in episode.records)
    assert episode.restores == sum(record.restores for record in episode.records)
    assert all(record.interactions <= 10 for record in episode.records)


@pytest.mark.parametrize("high", [CRIW(1), RIW(1), IW(1), CRIW("n")], ids=lambda item: item.name)
@pytest.mark.parametrize("low", [RIW(1), CRIW(1), IW(1)], ids=lambda item: item.name)
def test_hierarchies_act_through_the_corridor(high: Any, low: Any) -> None:
    agent = ww.OnlinePlanner(Corridor(12), HIW(key, high, low), features=place, budget=ww.Budget(steps=40))
    for seed in range(3):
        episode = agent.run(seed)
        assert episode.score == 1.0 and episode.steps <= 40
        assert episode.records[0].high_level_states[0] in (1, 2)


def test_the_tree_never_holds_more_nodes_than_allowed() -> None:
    agent = ww.OnlinePlanner(
        Maze(), HIW(rooms, CRIW("n"), RIW(1)), features=cells, budget=ww.Budget(steps=30, nodes=50)
    )
    episode = agent.run(0)
    assert max(record.nodes for record in episode.records) == 50
    assert all(record.kept <= record.nodes for record in episode.records)
    assert all(item is not None for record in episode.records for item in [record.look_ahead.returns[record.action]])


def test_defaults_and_seconds() -> None:
    agent = ww.OnlinePlanner(Corridor(4), RIW(1), features=both)
    assert agent.budget.steps == 30 and agent.budget.nodes == 500
    timed = ww.OnlinePlanner(Corridor(4), HIERARCHY, features=place, budget=ww.Budget(seconds=0.05))
    assert timed.budget.steps is None
    assert timed.run(0).score == 1.0


def test_default_features_come_from_the_simulator() -> None:
    simulator: Any = Corridor(6)
    assert ww.OnlinePlanner(simulator, ww.BFS()).run(0).score == 1.0  # the observation itself, by default
    with pytest.raises(ww.UsageError, match="features"):
        ww.OnlinePlanner(simulator, HIW(high=CRIW(1), low=RIW(1)))
    simulator.default_features = (place, key)
    assert ww.OnlinePlanner(simulator, HIW(high=CRIW(1), low=RIW(1))).run(0).score == 1.0
    simulator.deterministic = False
    with pytest.raises(ww.UnsupportedError, match="not deterministic"):
        ww.OnlinePlanner(simulator, RIW(1))


def test_max_steps_and_interrupts() -> None:
    assert ww.OnlinePlanner(Corridor(6), RIW(1), features=both, max_steps=3).run(0).steps == 3

    def stop(tree: Tree, record: Any) -> None:
        if len(tree) > 1 and record.action >= 0 and agent.episode.steps == 2:
            raise KeyboardInterrupt

    agent = ww.OnlinePlanner(Corridor(6), RIW(1), features=both, recorder=stop)
    episode = agent.run(0, on_interrupt="return")
    assert episode.interrupted and episode.steps == 2 and not episode.terminated
    with pytest.raises(ww.RunInterrupted) as raised:
        agent.run(0)
    assert raised.value.result.actions == episode.actions and raised.value.result.interrupted


def test_the_recorder_sees_the_tree_before_it_is_cut() -> None:
    sizes: list[tuple[int, int]] = []
    agent = ww.OnlinePlanner(
        Corridor(6), HIERARCHY, features=place, recorder=lambda tree, record: sizes.append((len(tree), record.nodes))
    )
    episode = agent.run(0)
    assert len(sizes) == episode.steps and all(size == nodes for size, nodes in sizes)


def test_blind_step_when_nothing_could_be_explored() -> None:
    """A tree that is full already leaves no room to plan; the agent still acts, and keeps to the rules."""
    agent = ww.OnlinePlanner(Corridor(6, limit=5), RIW(1), features=both, budget=ww.Budget(steps=30, nodes=1))
    episode = agent.run(0)
    assert episode.steps == 5 and episode.interactions == 5


def same(left: Episode, right: Episode) -> bool:
    return (left.actions, left.rewards, left.records) == (right.actions, right.rewards, right.records)


def test_agents_in_lock_step_play_as_they_would_alone() -> None:
    batches: list[int] = []

    def evaluate(steps: Any) -> list[Evaluation]:
        batches.append(len(steps))
        return [Evaluation(bytes([step.observation[0]]), [0.3, 0.7], step.observation[0] / 100) for step in steps]

    def agents() -> list[ww.OnlinePlanner]:
        return [ww.OnlinePlanner(Corridor(6 + item), HIERARCHY, evaluate=evaluate, max_steps=30) for item in range(4)]

    alone = [agent.run(seed) for seed, agent in enumerate(agents())]
    assert set(batches) == {1}
    batches.clear()
    together = run_together(agents(), evaluate, range(4))
    assert batches[0] == 4 and sum(batches) == sum(item.interactions + 1 for item in together)
    assert all(same(left, right) for left, right in zip(alone, together, strict=True))


@pytest.mark.parametrize("seed", range(4))
def test_random_worlds_play_without_accident(seed: int) -> None:
    high = looked_up(random_features(seed + 9, 60, 2, 2))
    for planner in (HIW(high, CRIW(1), RIW(1)), HIW(high, CRIW("n"), RIW(2)), HIW(high, RIW(2), CRIW(1))):
        agent = ww.OnlinePlanner(
            random_graph(seed, 60), planner, features=looked_up(random_features(seed, 60)), max_steps=60
        )
        episode = agent.run(seed)
        assert episode.steps == 60 or episode.terminated


SCRIPT = """
import sys, hashlib
sys.path.insert(0, sys.argv[1])
from sim_fakes import Maze, cells, rooms
import widthwise as ww
planner = ww.HIW(rooms, ww.CountRolloutIW("n"), ww.RolloutIW(1))
episode = ww.OnlinePlanner(Maze(), planner, features=cells).run(7)
print(hashlib.sha256(repr((episode.actions, episode.records)).encode()).hexdigest())
"""


def test_same_seed_same_bytes_under_two_hash_seeds() -> None:
    result = set()
    for hash_seed in ("1", "2"):
        command = [sys.executable, "-c", SCRIPT, str(SUPPORT)]
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        result.add(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(result) == 1 and result.pop()
