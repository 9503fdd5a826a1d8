"""Golden trees: the searches of the corridor, node by node as they were read and found right."""

import json

import pytest

from make_golden import FOLDER, planners, text, tree


@pytest.mark.parametrize("name", planners())
def test_golden_tree(name):
    golden = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    expected, result = json.loads(golden), tree(planners()[name])
    for wanted, node in zip(expected["nodes"], result["nodes"], strict=False):
        assert node == wanted
    assert result == expected
    assert text(result) == golden


def test_the_golden_trees_tell_the_papers_story():
    goldens = {name: json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")) for name in planners()}
    assert {name: first["status"] for name, first in goldens.items()} == {
        "corridor-iw-1": "exhausted",
        "corridor-iw-2": "solved",
        "corridor-hiw-1-1": "solved",
        "corridor-ihiw-1-1": "solved",
    }
    walk = [f"(walk p{place} p{place + 1})" for place in range(4)]
    back = [f"(walk p{place + 1} p{place})" for place in reversed(range(4))]
    for golden in goldens.values():
        assert golden["plan"] in (None, [*walk, "(take-key p4)", *back])
    assert goldens["corridor-ihiw-1-1"]["features"] == ["(have-key)"]
    assert goldens["corridor-ihiw-1-1"]["high_level_nodes"] == goldens["corridor-hiw-1-1"]["high_level_nodes"] == 2
