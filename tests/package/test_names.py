"""One name, one meaning: class names and file names that occur twice in the package, each with the reason."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import widthwise

SOURCE = Path(widthwise.__file__).parent

# A command and the module that does its work have the same name, and so has an algorithm on tasks and on simulators.
SAME_FILE = {
    "bounds.py": "the command and the theorem it evaluates",
    "chance.py": "the option --chance and the check behind it",
    "defaults.py": "what an environment declares, and what is used where it declares nothing",
    "errors.py": "the errors of the package, and those that show a place in a PDDL file",
    "explore.py": "the command and the function it calls",
    "ground.py": "the command and the grounding it shows",
    "hiw.py": "HIW on tasks and on simulators",
    "ihiw.py": "IHIW on tasks and on simulators",
    "iw.py": "IW on tasks and on simulators",
    "parser.py": "the parser of PDDL and the parser of command lines",
    "profile.py": "the command and the profile it shows",
    "result.py": "what a search returns, and the result that users see of it",
    "search.py": "the command and the function it calls",
    "simulator.py": "the protocol of simulators, and a PDDL task as one",
    "solve.py": "the command and the function it calls",
    "validate.py": "the command and the function it calls",
}
# To be renamed.
SAME_FILE_FOR_NOW: set[str] = set()

SAME_CLASS: dict[str, str] = {}
# To be renamed.
SAME_CLASS_FOR_NOW: set[str] = set()


def modules() -> list[Path]:
    """Every module of the package."""
    return [path for path in sorted(SOURCE.rglob("*.py")) if path.name not in ("__init__.py", "__main__.py")]


def repeated(places: dict[str, list[str]], allowed: set[str]) -> dict[str, list[str]]:
    """The names that stand in several places and are not allowed to."""
    return {name: where for name, where in places.items() if len(where) > 1 and name not in allowed}


def test_no_file_name_stands_twice_with_two_meanings() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in modules():
        places[path.name].append(str(path.relative_to(SOURCE)))
    assert repeated(places, SAME_FILE.keys() | SAME_FILE_FOR_NOW) == {}
    assert [name for name in SAME_FILE if len(places[name]) < 2] == [], "no longer repeated: take them off the list"


def test_no_class_name_stands_twice_with_two_meanings() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in modules():
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.ClassDef) and not statement.name.startswith("_"):
                places[statement.name].append(str(path.relative_to(SOURCE)))
    assert repeated(places, SAME_CLASS.keys() | SAME_CLASS_FOR_NOW) == {}
    assert [name for name in SAME_CLASS if len(places[name]) < 2] == [], "no longer repeated: take them off the list"
