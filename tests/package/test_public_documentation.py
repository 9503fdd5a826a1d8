"""Every public name documents its arguments, what it returns and raises, and has an example that runs."""

from __future__ import annotations

import doctest
import inspect
import os
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import widthwise as ww
import widthwise.up
from cli_tools import files

# Values without a docstring of their own: the version, a module, type aliases, and enums and sets of the kernels.
PLAIN = {"__version__", "theory", "FeatureFunction", "Requests", "State", "Stop"}
SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Example|Yields):$", re.MULTILINE)


def public() -> Iterator[tuple[str, Any]]:
    for name in ww.__all__:
        if name not in PLAIN:
            yield f"ww.{name}", getattr(ww, name)
    for name in ww.theory.__all__:
        yield f"ww.theory.{name}", getattr(ww.theory, name)
    if find_spec("unified_planning"):
        for name in ("WidthwiseEngine", "register", "sequential_plan"):
            yield f"widthwise.up.{name}", getattr(widthwise.up, name)


NAMES = [pytest.param(value, id=name) for name, value in public()]


def documentation(value: Any) -> str:
    return inspect.cleandoc(value.__doc__ or "")


def section(text: str, name: str) -> str:
    """The lines below a heading."""
    parts = SECTION.split(text)
    return "".join(body for head, body in zip(parts[1::2], parts[2::2], strict=True) if head == name)


def parameters(value: Any) -> list[str]:
    """The names that a call may use."""
    if inspect.isclass(value) and issubclass(value, BaseException):  # a derived error has the arguments of its base
        return [name for name in inspect.signature(value).parameters if "__init__" in vars(value)]
    if inspect.isclass(value) and (getattr(value, "_is_protocol", False) or hasattr(value, "__members__")):
        return []
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return []
    return [name for name in signature.parameters if name != "self" and not name.startswith("_")]


@pytest.mark.parametrize("value", NAMES)
def test_a_public_name_documents_every_parameter(value: Any) -> None:
    listed = re.findall(r"^    \*{0,2}(\w+)(?: \(.*\))?:", section(documentation(value), "Args"), re.MULTILINE)
    assert sorted(set(parameters(value)) - set(listed)) == []
    assert sorted(set(listed) - set(parameters(value))) == []


@pytest.mark.parametrize("value", [param for param in NAMES if inspect.isfunction(param.values[0])])
def test_a_public_function_says_what_it_returns(value: Any) -> None:
    text = documentation(value)
    assert (
        section(text, "Returns").strip() or section(text, "Yields").strip() or value.__annotations__["return"] == "None"
    )


@pytest.mark.parametrize("value", NAMES)
def test_a_public_name_has_an_example(value: Any) -> None:
    examples = doctest.DocTestParser().get_examples(section(documentation(value), "Example"))
    assert examples


def methods(kind: type) -> Iterator[tuple[str, Any]]:
    """The public methods that a class of ours defines."""
    for base in kind.__mro__:
        if base.__module__.startswith("widthwise.") and base.__module__ != "widthwise._native":
            for name, value in vars(base).items():
                value = value.__func__ if isinstance(value, staticmethod | classmethod) else value
                ours = getattr(value, "__module__", "widthwise").startswith("widthwise")  # not added by a metaclass
                if ours and not name.startswith("_"):
                    yield name, value


CLASSES = [param for param in NAMES if inspect.isclass(param.values[0])]


@pytest.mark.parametrize("kind", CLASSES)
def test_public_methods_document_every_parameter_or_none(kind: type) -> None:
    for name, value in methods(kind):
        if inspect.isfunction(value):
            text = documentation(value)
            assert text, f"{kind.__name__}.{name} has no documentation"
            listed = re.findall(r"^    \*{0,2}(\w+):", section(text, "Args"), re.MULTILINE)
            known = [parameter for parameter in inspect.signature(value).parameters if parameter not in ("self", "cls")]
            assert sorted(listed) in ([], sorted(known)), f"{kind.__name__}.{name}"


class Runner(doctest.DocTestRunner):
    """Collects failures as text."""

    def __init__(self) -> None:
        super().__init__(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        self.failed: list[str] = []

    def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
        self.failed.append(f"{example.source}expected {example.want!r}, got {got!r}")

    def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
        self.failed.append(f"{example.source}raised {exc_info[1]!r}")


def texts(value: Any) -> Iterator[str]:
    yield documentation(value)
    if inspect.isclass(value):
        for _, method in methods(value):
            yield documentation(method) if inspect.isfunction(method) else ""


@pytest.mark.parametrize("value", NAMES)
def test_the_examples_of_a_public_name_run(value: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files(tmp_path / "corridor", "corridor")  # what examples read from files
    monkeypatch.chdir(tmp_path)
    runner = Runner()
    for text in texts(value):
        test = doctest.DocTestParser().get_doctest(text, {"ww": ww}, getattr(value, "__name__", "name"), None, None)
        needs = {
            module
            for module in ("torch", "gymnasium", "ale_py", "minigrid", "unified_planning")
            if f"needs {module}" in text
        }
        if not all(find_spec(module) for module in needs):
            continue
        runner.run(test, out=lambda _: None, clear_globs=True)
    assert runner.failed == []
    assert os.getcwd() == str(tmp_path)
