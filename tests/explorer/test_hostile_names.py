"""Names that look like markup, scripts or ends of strings stay text on the pages."""

from __future__ import annotations

import pytest

import widthwise as ww
from tiny_world import TinyWorld
from widthwise.explorer.episode_data import episode_data
from widthwise.explorer.episode_trace import EpisodeTrace

pytestmark = pytest.mark.browser

DOMAIN = """(define (domain <script>window.owned=1</script>)
  (:predicates (at ?x) (<img/src=x/onerror=window.owned=2> ?x))
  (:action "quoted"'"
    :parameters (?x ?y)
    :precondition (at ?x)
    :effect (and (at ?y) (not (at ?x)) (<img/src=x/onerror=window.owned=2> ?y))))
"""
PROBLEM = """(define (problem </script><script>window.owned=3</script>)
  (:domain <script>window.owned=1</script>)
  (:objects a <b>bold</b> &amp \\u003cscript\\u003e ${window.owned=4} <!--)
  (:init (at a))
  (:goal (and (at <b>bold</b>) (<img/src=x/onerror=window.owned=2> <!--))))
"""


def assert_harmless(page, *texts):
    shown = page.locator("main").inner_text()
    for text in texts:
        assert text in shown
    assert page.evaluate("window.owned") is None
    assert page.locator("main :is(script, img, b, u, iframe)").count() == 0


def test_names_of_a_task_stay_text(tmp_path, open_page):
    domain, problem, path = tmp_path / "domain.pddl", tmp_path / "problem.pddl", tmp_path / "page.html"
    domain.write_text(DOMAIN, encoding="utf-8")
    problem.write_text(PROBLEM, encoding="utf-8")
    result = ww.solve(ww.load(domain, problem), "bfs")
    assert result.plan
    ww.explore(result).save(path)
    page = open_page(path)
    for node in range(page.evaluate("explorer.tree.count")):
        page.evaluate("node => { explorer.select(node); explorer.hover(node); }", node)
    page.locator("#search").fill("<b>")
    assert_harmless(
        page,
        "</script><script>window.owned=3</script>",
        "<script>window.owned=1</script>",
        "(at <b>bold</b>)",
        "<img/src=x/onerror=window.owned=2>",
        '"quoted"\'"',
        "&amp",
        "${window.owned=4}",
    )
    assert page.title().startswith("</script><script>window.owned=3</script>")


def test_line_breaks_and_quotes_in_names_stay_text(tmp_path, open_page):
    page_of_run = ww.explore(ww.solve(ww.example("corridor"), "ihiw"))
    strange = '"line\nbreak"\u2028\'</script>\r<img src=x onerror=window.owned=5>\ud800'
    page_of_run.data["problem"] = page_of_run.data["title"] = strange
    page_of_run.data["features"][0] = page_of_run.data["trees"]["0"]["operators"][0] = strange
    path = tmp_path / "page.html"
    page_of_run.save(path)
    page = open_page(path)
    page.evaluate("explorer.select(1)")
    assert_harmless(page, "<img src=x onerror=window.owned=5>")


def test_names_of_an_environment_stay_text(tmp_path, open_page):
    class Hostile(TinyWorld):
        action_names = ("<script>window.owned=1</script>", '"quoted"\n\'', "</script>")

    agent = ww.OnlinePlanner(Hostile(), ww.RolloutIW(1), features=lambda step: [0], max_steps=3)
    agent.recorder = trace = EpisodeTrace(agent, 0)
    data = episode_data(trace, agent.run(0), environment="</script><b>world</b>", planner="<i>planner</i>", seed=0)
    path = tmp_path / "page.html"
    ww.Explorer(data).save(path)
    page = open_page(path)
    assert_harmless(page, "</script><b>world</b>", "<i>planner</i>", "<script>window.owned=1</script>")
