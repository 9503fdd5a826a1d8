"""The planners on simulators: what they find, what they prune, and that their labels hold."""

from __future__ import annotations

import random
from typing import Any

import pytest

import widthwise as ww
from sim_fakes import Corridor, Maze, both, cells, key, looked_up, place, random_features, random_graph
from sim_search import begin, searches_of
from twin_rollouts import literal_criw, literal_iw, tuples
from widthwise.simulator_search.driver import Driver
from widthwise.simulator_search.levels import levels_of
from widthwise.simulator_search.tree import NONE

RIW, CRIW, HIW, IW = ww.RolloutIW, ww.CountRolloutIW, ww.HIW, ww.IW


def paths(driver: Driver) -> dict[tuple[int, ...], int]:
    return {tuple(driver.tree.path(node)): node for node in driver.tree.nodes.live}


@pytest.mark.parametrize("width", [1, 2, "n"])
@pytest.mark.parametrize("seed", range(15))
def test_rollouts_run_to_the_end_are_iw(seed: int, width: Any) -> None:
    """Every node IW(w) keeps is in the tree of RIW(w), kept as well, and each tuple at no greater depth."""
    graph, features = random_graph(seed), looked_up(random_features(seed))
    generated, seen = literal_iw(graph, features, width)
    driver, hierarchy = begin(random_graph(seed), RIW(width), features, seed)
    driver.run(hierarchy.requests())
    search: Any = hierarchy.top
    assert search.exhausted
    known = paths(driver)
    assert set(generated) <= set(known)
    queue = [()]  # the part of the tree that is not pruned
    while queue:
        path = queue.pop()
        for action in range(graph.actions):
            child = known[(*path, action)]
            kept = search.owned[child] > 0 and not driver.tree.nodes.terminal[child]
            assert kept == generated[(*path, action)]
            if kept:
                queue.append((*path, action))  # type: ignore[arg-type]
    depths: dict[Any, int] = {}
    for path, node in known.items():  # type: ignore[assignment]
        for item in tuples(driver.tree.nodes.features[node], width):
            depths[item] = min(len(path), depths.get(item, len(path)))
    assert all(depths[item] <= depth for item, depth in seen.items())


@pytest.mark.parametrize("width", [1, 2, "n"])
@pytest.mark.parametrize("seed", range(8))
def test_iw_is_literal_iw(seed: int, width: Any) -> None:
    features = looked_up(random_features(seed))
    generated, _ = literal_iw(random_graph(seed), features, width)
    driver, hierarchy = begin(random_graph(seed), IW(width), features)
    driver.run(hierarchy.requests())
    assert list(generated) == [tuple(driver.tree.path(node)) for node in driver.tree.nodes.live]


@pytest.mark.parametrize("seed", range(10))
def test_breadth_first_search_visits_every_state(seed: int) -> None:
    graph = random_graph(seed)
    driver, hierarchy = begin(graph, ww.BFS(), lambda step: bytes([step.observation]))
    driver.run(hierarchy.requests())
    reached, queue = {0}, [0]
    for state in queue:
        for after in [] if state in graph.ends else graph.table[state]:
            if after not in reached:
                reached.add(after)
                queue.append(after)
    assert {driver.tree.observation[node] for node in driver.tree.nodes.live} == reached


def solved_lie(search: Any, node: int) -> bool:
    """Whether something below a node could still be expanded by a rollout."""
    nodes = search.space.nodes
    stack = [node]
    while stack:
        node = stack.pop()
        if nodes.terminal[node] or not search.owned[node]:
            continue
        if search.space.untried(node):
            return True
        stack += [search.space.own[entry] for entry in search.space.known(node) if not search.space.outside(entry)]
    return False


@pytest.mark.parametrize("width", [1, 2, "n"])
@pytest.mark.parametrize("seed", range(8))
def test_labels_never_lie(seed: int, width: Any) -> None:
    driver, hierarchy = begin(random_graph(seed, 40), RIW(width), looked_up(random_features(seed, 40)), seed)
    search: Any = hierarchy.top
    requests = hierarchy.requests()
    request = next(requests)
    while True:
        parent, action = request
        assert not driver.tree.nodes.terminal[parent] and driver.tree.nodes.children[parent][action] == NONE
        for node, labels in search.open.items():
            if not labels:
                assert not solved_lie(search, node)
        try:
            request = requests.send(driver.expand(parent, action))
        except StopIteration:
            break
    assert not solved_lie(search, driver.tree.root)


@pytest.mark.parametrize("width", [1, 2, "n"])
@pytest.mark.parametrize("seed", range(8))
def test_counts_never_go_down_and_pruned_nodes_leave_open(seed: int, width: Any) -> None:
    driver, hierarchy = begin(random_graph(seed, 40), CRIW(width), looked_up(random_features(seed, 40)), seed)
    search: Any = hierarchy.top
    requests = hierarchy.requests()
    request = next(requests)
    counts: dict[bytes, int] = {}
    total = 0
    while True:
        assert all(search.counts[vector] >= count for vector, count in counts.items())
        counts = dict(search.counts)
        assert sum(counts.values()) == total + 1  # one visit for every expansion, counted before it is made
        nodes = search.space.nodes
        for node in search.open:
            assert search.owned[node] > 0 and not nodes.terminal[node]
            assert search.open[node] == search.space.untried(node)
            up = nodes.parent[node]
            while up != NONE:  # descendants of pruned nodes are pruned
                assert search.owned[up] > 0
                up = nodes.parent[up]
        owners = [0] * len(driver.tree)
        for node in nodes.live:
            owners[node] = search.owned[node]
        assert sum(owners) == len(search.table)  # every tuple has one owner
        try:
            request = requests.send(driver.expand(*request))
            total += 1
        except StopIteration:
            break
    assert not search.open


@pytest.mark.parametrize("width", [1, 2, "n"])
@pytest.mark.parametrize("seed", range(8))
def test_count_based_rollouts_are_algorithm_three(seed: int, width: Any) -> None:
    """Node for node the same as the algorithm written out with sets of tuples."""
    features = looked_up(random_features(seed, 50))
    for temperature in (0.005, 0.5):
        literal, counts = literal_criw(random_graph(seed, 50), features, width, temperature, random.Random(seed))
        driver, hierarchy = begin(random_graph(seed, 50), CRIW(width, temperature), features, seed)
        driver.run(hierarchy.requests())
        assert [tuple(driver.tree.path(node)) for node in driver.tree.nodes.live] == literal
        assert hierarchy.top.counts == counts  # type: ignore[attr-defined]


def test_selection_prefers_rare_features() -> None:
    """With counts 0 and 3 and a temperature of 1, the odds are exp(1 - 1/4) to 1."""
    driver, hierarchy = begin(Corridor(), CRIW(1, temperature=1.0), both)
    search: Any = hierarchy.top
    driver.expand(0, 1)
    search.reset()
    search.counts[both(driver.simulator.reset())] = 3
    drawn = [search.select() for _ in range(4000)]
    assert drawn.count(1) / drawn.count(0) == pytest.approx(2.117, rel=0.15)


@pytest.mark.parametrize("low", [RIW(1), CRIW(1), IW(1)], ids=lambda item: item.name)
@pytest.mark.parametrize("high", [RIW(1), CRIW("n"), IW(1)], ids=lambda item: item.name)
def test_a_trivial_level_changes_nothing(high: Any, low: Any) -> None:
    """With one high-level state, HIW asks for the same expansions as its low-level planner."""
    for seed in range(4):
        features = looked_up(random_features(seed))
        flat, first = begin(random_graph(seed), low, features, seed)
        steps = flat.run(first.requests())
        hierarchical = HIW(features=lambda step: b"\x00", high=high, low=low)
        tall, second = begin(random_graph(seed), hierarchical, features, seed)
        assert tall.run(second.requests()) == steps
        assert flat.tree.nodes.parent == tall.tree.nodes.parent
        assert flat.tree.nodes.action == tall.tree.nodes.action


@pytest.mark.parametrize("low", [RIW(1), CRIW(1), IW(1)], ids=lambda item: item.name)
@pytest.mark.parametrize("high", [RIW(1), CRIW(1), IW(1), IW("n")], ids=lambda item: item.name)
def test_hierarchies_solve_the_corridor_that_is_too_wide_for_flat_search(high: Any, low: Any) -> None:
    for planner, features, solved in ((low, both, False), (HIW(features=key, high=high, low=low), place, True)):
        driver, hierarchy = begin(Corridor(8), planner, features)
        driver.run(hierarchy.requests())
        assert (max(driver.tree.reward) == 1.0) == solved


@pytest.mark.parametrize("seed", range(8))
def test_labels_never_lie_on_any_level_or_after_a_step(seed: int) -> None:
    low, high = looked_up(random_features(seed, 60)), looked_up(random_features(seed + 50, 60, 2, 3))
    driver, hierarchy = begin(random_graph(seed, 60), HIW(high, RIW(2), RIW(1)), low, seed)
    nodes = driver.tree.nodes

    def check() -> None:
        for search in searches_of(hierarchy):
            inside = [node for node in search.open if not search.space.outside(node)]
            assert not any(solved_lie(search, node) for node in inside if not search.open[node])

    for _ in range(6):
        requests = hierarchy.requests()
        try:
            request = next(requests)
            for _ in range(25):
                request = requests.send(driver.expand(*request))
                check()
        except StopIteration:
            pass
        options = [child for child in nodes.children[driver.tree.root] if child != NONE and not nodes.terminal[child]]
        if not options:
            break
        hierarchy.reroot(options[-1])
        check()


def test_depth_first_search_visits_every_place() -> None:
    driver, hierarchy = begin(Corridor(8), ww.DFS(), both)
    driver.run(hierarchy.requests())
    assert max(driver.tree.reward) == 1.0
    assert max(driver.tree.nodes.depth) == 16


def check_colours(driver: Driver) -> None:
    """Regions are connected, and exactly as large as equal features make them."""
    tree = driver.tree
    for level, regions in enumerate(tree.regions, start=1):
        assert {regions.of[node] for node in tree.nodes.live} == set(regions.live)
        for node in tree.nodes.live:
            region = regions.of[node]
            entry = regions.entry[region]
            parent = tree.nodes.parent[node]
            assert regions.features[region] == driver_features(driver, node, level)
            if node == entry:
                assert node == tree.root or regions.of[parent] != region
            else:
                assert regions.of[parent] == region
                assert level == len(tree.regions) or tree.regions[level].of[parent] == tree.regions[level].of[node]


def driver_features(driver: Driver, node: int, level: int) -> bytes:
    from widthwise.core.simulator import Step

    return driver.functions[level](Step(driver.tree.observation[node]))  # type: ignore[misc]


@pytest.mark.parametrize("seed", range(10))
def test_three_levels_over_one_tree(seed: int) -> None:
    middle, top = random_features(seed + 50, 60, 2, 3), random_features(seed + 90, 60, 1, 2)
    low = looked_up(random_features(seed, 60))
    planner = HIW(looked_up(top), CRIW(1), HIW(looked_up(middle), RIW(1), RIW(1)))
    driver, hierarchy = begin(random_graph(seed, 60), planner, low, seed)
    rng = random.Random(seed)
    for _ in range(12):
        driver.run(hierarchy.requests(), 15)
        check_colours(driver)
        options = [child for child in driver.tree.nodes.children[driver.tree.root] if child != NONE]
        options = [child for child in options if not driver.tree.nodes.terminal[child]]
        if not options:
            break
        hierarchy.reroot(rng.choice(options))
        check_colours(driver)
        nodes = driver.tree.nodes
        assert nodes.live[0] == driver.tree.root
        assert all(nodes.parent[node] in nodes.live for node in nodes.live[1:])
        assert sorted([*nodes.live, *nodes.free]) == list(range(len(nodes.parent)))  # rows are used again


@pytest.mark.parametrize("planner", [RIW(1), CRIW(1), IW(1), RIW(2)], ids=lambda item: item.name)
def test_after_a_step_a_search_is_as_good_as_new(planner: Any) -> None:
    """Run to the end, step, run to the end: every node IW(w) would keep from the new root has been expanded."""
    for seed in range(6):
        features = looked_up(random_features(seed))
        graph = random_graph(seed)
        driver, hierarchy = begin(graph, planner, features, seed)
        driver.run(hierarchy.requests())
        inner = [child for child in driver.tree.nodes.children[0] if not driver.tree.nodes.terminal[child]]
        if not inner:
            continue
        hierarchy.reroot(inner[0])
        driver.run(hierarchy.requests())
        start = driver.tree.observation[inner[0]]
        graph = random_graph(seed)
        graph.reset = lambda seed=None, graph=graph, start=start: graph.load(start) or ww_step(start)  # type: ignore
        generated, _ = literal_iw(graph, features, planner.width)
        if not isinstance(planner, CRIW):  # the paper's pruning of descendants may lose what IW keeps
            assert set(generated) <= set(paths(driver))


def ww_step(observation: Any) -> Any:
    from widthwise.core.simulator import Step

    return Step(observation)


def test_the_driver_restores_only_when_it_has_to() -> None:
    graph = random_graph(3)
    driver, _ = begin(graph, RIW(1), looked_up(random_features(3)))
    child = driver.expand(0, 0)
    driver.expand(child, 1)
    assert (driver.steps, driver.restores) == (2, 0)
    driver.expand(0, 1)
    assert (driver.steps, driver.restores) == (3, 1)
    assert graph.count == 3 and graph.loads == [0]


def test_a_prior_guides_rollouts() -> None:
    driver, hierarchy = begin(Corridor(20), RIW(1), both)
    driver.tree.prior[0] = [0.0, 1.0]
    requests = hierarchy.requests()
    request = next(requests)
    for _ in range(10):
        assert request[1] == 1
        node = driver.expand(*request)
        driver.tree.prior[node] = [0.0, 1.0]
        request = requests.send(node)
    assert driver.tree.nodes.depth[node] == 10


def test_wide_feature_values_and_mistakes() -> None:
    np = pytest.importorskip("numpy")
    wide = lambda step: np.array([step.observation[0] * 300], np.uint16)  # noqa: E731
    driver, hierarchy = begin(Corridor(5), RIW(1), wide)
    driver.run(hierarchy.requests())
    assert driver.tree.item_sizes == [2]
    assert len({driver.tree.nodes.features[node] for node in driver.tree.nodes.live}) == 6
    for bad in (lambda step: [2**40], lambda step: 0.5, lambda step: np.array([0.5]), lambda step: "text"):
        with pytest.raises(ww.UsageError):
            begin(Corridor(5), RIW(1), bad)
    with pytest.raises(ww.UsageError, match="1, 2 or n"):
        begin(Corridor(5), RIW(3), both)
    with pytest.raises(ww.UsageError, match="above 0"):
        CRIW(temperature=0)
    with pytest.raises(ww.UsageError, match="HIW"):
        levels_of(HIW(high=CRIW(), low=RIW()), both)
    with pytest.raises(ww.UsageError, match="function of a step"):
        levels_of(HIW(features=["(at a)"]), both)
    with pytest.raises(ww.UsageError, match="not supported on a simulator"):
        levels_of(HIW(key, entry_in_table=False), both)
    with pytest.raises(ww.UsageError, match="only the options high and low"):
        levels_of(ww.IHIW(pick="random"), both)
    with pytest.raises(ww.UsageError, match="cannot plan on a simulator"):
        levels_of(ww.Auto(), both)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["corridor", "maze"])
def test_golden_trees(name: str) -> None:
    """The trees of small searches, kept as files; tests/support/make_sim_golden.py writes them anew."""
    from make_sim_golden import golden, load

    assert golden(name) == load(name)


def test_the_maze_is_solved_by_whole_vectors() -> None:
    driver, hierarchy = begin(Maze(), RIW("n"), cells)
    driver.run(hierarchy.requests())
    assert max(driver.tree.reward) == 1.0
