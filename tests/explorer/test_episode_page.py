"""The page of an episode in a real browser: the film, the tree at each step, frames, and how actions were chosen."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import widthwise as ww
from browser_tools import wait_until
from cli_tools import call
from tiny_world import TinyWorld
from widthwise.core.errors import UsageError
from widthwise.core.simulator import Step
from widthwise.explorer import episode_trace as module
from widthwise.explorer.episode_trace import EpisodeTrace
from widthwise.explorer.pictures import Screens
from widthwise.explorer.sprites import _reduced
from widthwise.simulator_search.tree import NONE
from widthwise.simulators.atari import Atari


class Watched(EpisodeTrace):
    """Compares, at every step, the tree with what the page will show of it."""

    def __init__(self, agent):
        super().__init__(agent, 0)
        self.trees = []

    def __call__(self, tree, record):
        paths = {row: tuple(tree.path(row)) for row in tree.nodes.live}
        top = tree.regions[-1] if tree.regions else None
        states = {} if top is None else {paths[row]: top.features[top.of[row]] for row in paths}
        self.trees.append((set(paths.values()), states))
        super().__call__(tree, record)


def shown(data, step, level=0):
    """The nodes of a step as the page has them: the actions from the root, each with its high-level state."""
    nodes, root = data["nodes"], data["steps"][step]["root"]
    states = [list(column) for column in data["states"]]
    for at, of_level, node, state in data["changes"]:
        if at <= step:
            states[of_level][node] = state
    paths: dict[int, tuple[int, ...]] = {root: ()}
    for node, parent in enumerate(nodes["parent"]):
        if parent in paths and nodes["born"][node] <= step:
            paths[node] = (*paths[parent], nodes["action"][node])
    return {path: states[level][node] if states else None for node, path in paths.items()}


AGENTS = [
    lambda: ww.OnlinePlanner("maze-small", max_steps=15),
    lambda: ww.OnlinePlanner("corridor", ww.RolloutIW(1), max_steps=10),
    lambda: ww.OnlinePlanner("corridor", ww.IHIW(), max_steps=8),
    lambda: ww.OnlinePlanner(TinyWorld(), ww.RolloutIW(1), features=lambda step: step.observation[10, ::3, 0]),
]


@pytest.mark.parametrize("make", AGENTS)
def test_every_tree_is_shown_as_it_was(make):
    from widthwise.explorer.episode_data import episode_data

    agent = make()
    agent.recorder = trace = Watched(agent)
    episode = agent.run(0)
    data = episode_data(trace, episode, environment="world", planner="planner", seed=0)
    assert len(trace.trees) == episode.steps == len(data["steps"])
    for step, (paths, states) in enumerate(trace.trees):
        now = shown(data, step)
        assert set(now) == paths
        pairs = {(now[path], state) for path, state in states.items()}
        # Equal states have equal numbers, and different states different ones.
        assert len({number for number, _ in pairs}) == len({state for _, state in pairs}) == len(pairs)
    assert [step["action"] for step in data["steps"]] == episode.actions


def test_recording_an_episode_changes_nothing():
    plain = ww.OnlinePlanner("maze-small", max_steps=12).run(seed=3)
    page = ww.explore(plain)
    assert [step["action"] for step in page.data["steps"]] == plain.actions
    assert (page.data["interactions"], page.data["score"]) == (plain.interactions, plain.score)
    assert page.data["notes"] == []
    with pytest.raises(UsageError, match="copy without its agent"):
        ww.explore(pickle.loads(pickle.dumps(plain)))


def test_a_long_episode_is_bounded_and_says_so(monkeypatch):
    monkeypatch.setattr(module, "MOST_NODES", 150)
    data = ww.explore(ww.OnlinePlanner("maze-small", max_steps=12).run(seed=0)).data
    assert len(data["nodes"]["parent"]) < 150 + 100 + 12 * 6
    assert "are left out" in data["notes"][0]
    for step in data["steps"]:
        assert data["nodes"]["born"][step["root"]] >= 0 and step["child"] > NONE


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(400, True), (1200, False), (2000, False)])
def test_a_maze_shows_the_way(tmp_path, open_page, width, dark):
    path = tmp_path / "page.html"
    done = call("play", "maze-small", "--quiet", "--explore", str(path))
    assert done.code == 0, done.err
    page = open_page(path, width=width, dark=dark)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(".film button").count() == 39  # 38 steps and the end
    assert page.locator("tbody tr").count() == 5
    page.locator("#step").fill("14")
    assert "the agent chose left" in page.locator("section", has_text="How the action was chosen").last.inner_text()
    assert page.locator("tr.chosen th").inner_text() == "left"
    assert page.evaluate("explorer.episode.layout.count") == 500
    assert page.locator(".legend li").count() == 15
    # The way of the agent is drawn in its colour, from the start to where it stands.
    way = """() => {
      const pen = explorer.picture.getContext("2d"), { data } = explorer, scale = pen.getTransform().a;
      const unit = explorer.picture.width / explorer.world.width, root = data.steps[explorer.step].root;
      const colour = ([row, column]) =>
        [...pen.getImageData((column + 0.5) * unit, (row + 0.5) * unit, 1, 1).data].slice(0, 3).join();
      const spots = [];
      for (let node = root; node >= 0; node = data.nodes.parent[node]) spots.push(data.nodes.place[node]);
      return [spots.length, [...new Set(spots.map(colour))]];
    }"""
    length, colours = page.evaluate(way)
    assert (length, colours) == (15, ["20,60,220"])
    page.locator(".film button").last.click()
    assert "the episode ends here" in page.locator("aside").inner_text()


@pytest.mark.browser
def test_the_frame_under_the_pointer_is_shown(tmp_path, open_page):
    class Grey(TinyWorld):
        def _show(self, reward: float = 0.0, ended: bool = False) -> Step:
            picture = np.full((20, 20), 40 * self.place, np.uint8)
            return Step(picture, reward, ended, not ended and self.time >= self.limit)

    agent = ww.OnlinePlanner(Grey(), ww.RolloutIW(1), features=lambda step: [step.observation[0, 0]])
    episode = agent.run(0)
    path = tmp_path / "page.html"
    ww.explore(episode).save(path)
    page = open_page(path)
    wait_until(page, "explorer.world.image.complete")
    shade = "() => explorer.picture.getContext('2d').getImageData(5, 5, 1, 1).data[0]"
    wait_until(page, f"({shade})() === 80")
    node = page.evaluate("explorer.data.nodes.frame.findIndex((frame) => frame !== explorer.data.nodes.frame[0])")
    x, y = page.evaluate("node => explorer.canvas.spot(node)", node)
    page.locator(".tree-place canvas").nth(1).hover(position={"x": x, "y": y})
    assert page.evaluate("explorer.hovered") == node
    assert page.evaluate(shade) in (40, 120)
    assert page.evaluate("explorer.world.image.src.length") < 2_000  # few different frames, each stored once


@pytest.mark.browser
def test_the_policy_and_the_value_of_a_network_are_shown(tmp_path, open_page):
    from widthwise.simulator_search.driver import Evaluation

    def network(steps):
        return [Evaluation(features=step.observation[10, ::3, 0], prior=[0.2, 0.3, 0.5], value=0.25) for step in steps]

    agent = ww.OnlinePlanner(TinyWorld(), ww.RolloutIW(1), evaluate=network, max_steps=4)
    path = tmp_path / "page.html"
    ww.explore(agent.run(0)).save(path)
    page = open_page(path)
    text = page.locator("section", has_text="How the action was chosen").last.inner_text()
    assert "network's policy" in text and "0.500" in text and "The network's value of the state is 0.2500" in text
    assert "network's value\n0.25" in page.locator("aside").inner_text()


@pytest.mark.browser
@pytest.mark.atari
def test_atari_shows_the_screen_in_colour(tmp_path, open_page):
    agent = ww.OnlinePlanner("atari:breakout", ww.RolloutIW(1), budget=ww.Budget(steps=20), max_steps=3)
    episode = agent.run(0)
    page_of_run = ww.explore(episode)
    data = page_of_run.data
    assert (data["sheet"]["width"], data["sheet"]["height"]) == (80, 105)
    assert data["notes"] == [] and [step["action"] for step in data["steps"]] == episode.actions
    assert min(data["nodes"]["frame"]) >= 0
    path = tmp_path / "page.html"
    page_of_run.save(path)
    page = open_page(path)
    wait_until(page, "explorer.world.image.complete && explorer.world.image.naturalWidth > 0")
    # The rows of bricks have colours: red at the top, blue at the bottom.
    colour = """(row) => [...explorer.picture.getContext("2d").getImageData(
      Math.round(explorer.picture.width / 2), Math.round(explorer.picture.height * row), 1, 1).data].slice(0, 3)"""
    wait_until(page, f"({colour})(60 / 210).join() !== '0,0,0'")
    red, blue = page.evaluate(f"[({colour})(60 / 210), ({colour})(90 / 210)]")
    assert red[0] > 150 > red[2] and blue[2] > 150 > blue[0]


@pytest.mark.atari
def test_the_screens_of_nodes_are_those_of_their_states():
    agent = ww.OnlinePlanner("atari:breakout", ww.RolloutIW(1), budget=ww.Budget(steps=15), max_steps=2)
    shown = {}

    class Compared(EpisodeTrace):
        def __call__(self, tree, record):
            super().__call__(tree, record)
            known = {row: tree.path(row) for row in tree.nodes.live}
            shown.update({(len(self.steps) - 1, tuple(path)): row for row, path in known.items()})

    agent.recorder = trace = Compared(agent, 0)
    agent.run(0)
    assert isinstance(trace.pictures, Screens) and trace.pictures.gray == 0
    again = Atari("breakout")
    checked = 0
    for step, path in shown:
        if step:
            continue
        again.reset(0)
        for action in path:
            again.step(action)
        number = next(
            node for node in range(len(trace.columns["parent"])) if _actions(trace.columns, node) == list(path)
        )
        expected = _reduced(again.screen(), trace.frames.side)
        assert np.array_equal(trace.frames.pictures[trace.columns["frame"][number]], expected)
        checked += 1
    assert checked > 10


def _actions(columns, node):
    """The actions from the root to a node."""
    actions = []
    while columns["parent"][node] >= 0:
        actions.append(columns["action"][node])
        node = columns["parent"][node]
    return actions[::-1]


@pytest.mark.atari
def test_a_screen_that_differs_from_the_observation_is_not_shown():
    world = Atari("breakout")
    screens = Screens(world)
    seen = world.reset().observation
    other = world.step(1).observation
    assert screens._screen(seen, seen).ndim == 3 and screens.note() is None
    assert np.array_equal(screens._screen(seen, other), other.newest)
    assert "1 frame is the gray observation" in str(screens.note())


def test_a_gymnasium_environment_is_rendered_at_executed_steps():
    pytest.importorskip("pygame")
    agent = ww.OnlinePlanner("CartPole-v1", budget=ww.Budget(steps=15), max_steps=4)
    data = ww.explore(agent.run(0)).data
    frames = data["nodes"]["frame"]
    executed = [step["root"] for step in data["steps"]] + [data["steps"][-1]["child"]]
    assert sorted(node for node, frame in enumerate(frames) if frame >= 0) == sorted(executed)
    assert data["sheet"]["width"] > data["sheet"]["height"] > 100
    assert data["notes"] == [
        "The states of executed steps have frames. The others show the observation, if it is short."
    ]


def test_executed_steps_have_frames_when_the_sheet_is_full(monkeypatch):
    class Grey(TinyWorld):
        def _show(self, reward: float = 0.0, ended: bool = False) -> Step:
            picture = np.full((20, 20), 20 * self.place + self.time, np.uint8)
            return Step(picture, reward, ended, not ended and self.time >= self.limit)

    monkeypatch.setattr("widthwise.explorer.sprites.MOST_PIXELS", 400 * 12)
    agent = ww.OnlinePlanner(Grey(), ww.RolloutIW(1), features=lambda step: [step.observation[0, 0]])
    data = ww.explore(agent.run(0)).data
    executed = [step["root"] for step in data["steps"]]
    assert min(data["nodes"]["frame"]) < 0 <= min(data["nodes"]["frame"][node] for node in executed)
    assert "The limit on frames was reached" in data["notes"][0]
