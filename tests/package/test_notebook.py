"""Results, plans, tasks and episodes as HTML for notebooks: well-formed, with every name escaped."""

from __future__ import annotations

from html.parser import HTMLParser

import widthwise as ww

EVIL = '<script>alert("1")</script>&amp;'


class Reader(HTMLParser):
    """Collects tags and text, and fails on tags that do not match."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.tags: set[str] = set()
        self.words = ""
        self.feed(html)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.stack.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def test_names_are_escaped_everywhere() -> None:
    plan = ww.Plan([f"({EVIL} a)"])
    result = ww.Result(
        status=ww.Status.SOLVED, planner=EVIL, width="1", seed=0, plan=plan, cost=1, goal=EVIL, features=[EVIL]
    )
    failed = ww.Result(status=ww.Status.FAILED, planner="x", width="1", seed=0, reason=EVIL)
    for shown, times in ((plan, 1), (result, 4), (failed, 1)):
        reader = Reader(shown._repr_html_())
        assert "script" not in reader.tags
        assert reader.words.count(EVIL) == times


def test_a_task_shows_its_sizes_and_goals() -> None:
    task = ww.example("corridor", length=3)
    words = Reader(task._repr_html_()).words
    assert task.name in words and "(have-key)" in words and str(len(task.operators)) in words
    domain = "(define (domain d) (:predicates (a<b>)) (:action go&run :parameters () :effect (a<b>)))"
    strange = ww.parse(domain, "(define (problem p<i>) (:domain d) (:init) (:goal (a<b>)))")
    reader = Reader(strange._repr_html_())
    assert "Task p<i>" in reader.words and "(a<b>)" in reader.words and "i" not in reader.tags
    assert "(go&run)" in Reader(ww.solve(strange)._repr_html_()).words


def test_a_result_shows_plan_features_and_counts() -> None:
    result = ww.solve(ww.example("corridor", length=3), "ihiw")
    words = Reader(result._repr_html_()).words
    assert result.plan is not None
    assert all(step in words for step in (*result.plan, "solved", "IHIW(1,1)", "(have-key)"))
    text = str(result)
    assert text.startswith("solved by IHIW(1,1)\n") and text.endswith(str(result.plan)) and "(have-key)" in text
    failed = str(ww.solve(ww.example("corridor", length=3), ww.IW(1)))
    assert failed.startswith("exhausted by IW(1)\n") and "try a larger width" in failed


def test_an_episode_shows_its_score_and_actions() -> None:
    episode = ww.Episode(actions=[0, 2], rewards=[0.0, 1.0], interactions=12, terminated=True)
    words = Reader(episode._repr_html_()).words
    assert "ended" in words and "action 2, reward 1" in words and "12" in words


def test_long_plans_are_folded_and_cut() -> None:
    assert "<details open>" in ww.Plan(["(a)"] * 30)._repr_html_()
    html = ww.Plan(["(a)"] * 5_000)._repr_html_()
    assert "<details>" in html and html.count("<li>") == 1_000 and "4,000 more" in html
