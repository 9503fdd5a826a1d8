"""The page of promises: every promise names a test, and every test that it names exists."""

from __future__ import annotations

import re

from places import ROOT

PAGE = (ROOT / "docs" / "design" / "promises.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_every_named_test_exists() -> None:
    named = NAMED.findall(PAGE)
    assert len(named) > 20
    for file, test in named:
        assert re.search(rf"^def {test}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), f"{file}::{test}"


def test_every_promise_names_a_test() -> None:
    for promise in re.split(r"^- ", PAGE, flags=re.MULTILINE)[1:]:
        assert NAMED.search(promise.split("\n## ")[0]), promise
