"""A tree of 50,000 nodes is drawn in frames that each draw few nodes, and panned without long tasks.

No test here depends on the clock: frames count their work, and tasks are measured by processor time.
"""

from __future__ import annotations

import pytest

import widthwise as ww
from browser_tools import processor_milliseconds, wait_until
from widthwise.explorer.sampling import MOST_NODES

pytestmark = [pytest.mark.browser, pytest.mark.slow]
#: Milliseconds of processor time of the longest task that is allowed after loading.
LONGEST = 200
#: A collection of garbage may fall into any task: the best of these many tries counts.
TRIES = 4

#: Pans and zooms as a reader does, one movement a frame, until the last picture is complete.
MOVE = """async () => {
  const { canvas } = explorer, next = () => new Promise(requestAnimationFrame);
  canvas.stats.mostPerFrame = canvas.stats.mostVisits = 0;
  for (let turn = 0; turn < 25; turn += 1) {
    canvas.pan(turn % 2 ? 30 : -24, 7);
    await next();
  }
  for (let turn = 0; turn < 10; turn += 1) {
    canvas.zoom(turn % 2 ? 1.5 : 0.8);
    await next();
  }
  const before = canvas.stats.pictures;
  canvas.fit();
  while (canvas.job || canvas.stats.pictures === before) await next();
  return canvas.stats;
}"""


def test_a_tree_of_50_000_nodes_is_drawn_and_panned(tmp_path, open_page):
    path = tmp_path / "large.html"
    budget = ww.Budget(nodes=MOST_NODES)
    ww.explore(ww.solve(ww.example("gripper", balls=10), "bfs", budget=budget)).save(path)
    assert path.stat().st_size < 3_000_000
    page = open_page(path)
    wait_until(page, "explorer.canvas.stats.pictures > 0")
    assert page.evaluate("[explorer.layout.count, explorer.tree.data.complete]") == [MOST_NODES, MOST_NODES]
    longest = []
    for _ in range(TRIES):
        longest.append(processor_milliseconds(page, lambda: page.evaluate(MOVE))[0])
        seen = page.evaluate("explorer.canvas.stats")
        # A frame has a fixed share of the work, whatever the machine does: that is what bounds a task.
        assert seen["mostPerFrame"] == seen["limit"] and seen["mostVisits"] <= seen["visitLimit"]
        assert seen["nodes"] > seen["mostPerFrame"]  # one picture took several frames
        if longest[-1] <= LONGEST:
            break
    assert min(longest) <= LONGEST, f"tasks of {[round(task) for task in longest]} ms of processor time"
    # Reasons are found in the whole tree: every one of the last nodes that was pruned names an earlier equal state.
    pruned = page.evaluate(
        """() => {
          const view = explorer.tree.view(0), rows = [];
          for (let node = explorer.tree.count - 1; rows.length < 20; node -= 1)
            if (view.flags[node] & 1) rows.push([node, [...explorer.reasons.tuples(0, node)][0].first]);
          return rows;
        }"""
    )
    assert all(0 <= first < node for node, first in pruned)


def test_zooming_in_shows_every_node_of_the_part_in_view(tmp_path, open_page):
    path = tmp_path / "large.html"
    ww.explore(ww.solve(ww.example("gripper", balls=6), "bfs")).save(path)
    page = open_page(path)
    page.evaluate("explorer.select(explorer.tree.data.goal)")
    page.evaluate(
        """async () => {
          const { canvas } = explorer;
          for (let turn = 0; turn < 18; turn += 1) canvas.zoom(1.6, ...canvas.spot(canvas.selected));
          const before = canvas.stats.pictures;
          while (canvas.job || canvas.stats.pictures === before) await new Promise(requestAnimationFrame);
        }"""
    )
    x, y = page.evaluate("explorer.canvas.spot(explorer.selected)")
    assert page.evaluate("([x, y]) => explorer.canvas.find(x, y)", [x, y]) == page.evaluate("explorer.selected")


def test_a_frame_far_inside_a_tree_visits_few_nodes(tmp_path, open_page):
    path = tmp_path / "large.html"
    ww.explore(ww.solve(ww.example("gripper", balls=10), "bfs", budget=ww.Budget(nodes=MOST_NODES))).save(path)
    page = open_page(path)
    wait_until(page, "explorer.canvas.stats.pictures > 0")
    seen = page.evaluate(
        """async () => {
          const { canvas } = explorer, { stats } = canvas;
          stats.mostVisits = 0;
          for (let turn = 0; turn < 30; turn += 1) canvas.zoom(1.6, 10, canvas.size[1] - 10);
          const before = stats.pictures;
          while (canvas.job || stats.pictures === before) await new Promise(requestAnimationFrame);
          return stats;
        }"""
    )
    assert 0 < seen["mostVisits"] <= seen["visitLimit"] < MOST_NODES


def test_the_measure_sees_a_long_task(tmp_path, open_page):
    path = tmp_path / "page.html"
    ww.explore(ww.solve(ww.example("corridor"), "ihiw")).save(path)
    page = open_page(path)
    # As much work as 400 ms of processor time take, by the processor's own clock.
    busy = """() => {
      let sum = 0;
      for (const end = performance.now() + 400; performance.now() < end; ) for (let n = 0; n < 1e5; n += 1) sum += n;
      for (let n = 0; n < 6e8; n += 1) sum += n;
      return sum;
    }"""
    assert processor_milliseconds(page, lambda: page.evaluate(busy))[0] > LONGEST
    assert processor_milliseconds(page, lambda: page.evaluate("explorer.select(3)"))[0] < LONGEST
