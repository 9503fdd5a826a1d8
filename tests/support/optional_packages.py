"""Markers for tests that need an optional package: which package each needs, and which modules need them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

#: The marker, with the package it needs and the extra that installs it.
PACKAGES = {
    "torch": ("torch", "learn"),
    "atari": ("ale_py", "atari"),
    "up": ("unified_planning", "up"),
    "serve": ("starlette", "serve"),
    "mcp": ("mcp", "mcp"),
    "client": ("httpx", "dev"),
    "openapi": ("schemathesis", "dev"),
}
#: Imports that need a package of these, by the beginning of the module's name.
IMPORTS = {
    "torch": "torch",
    "widthwise.learning": "torch",
    "learning_tools": "torch",
    "ale_py": "atari",
    "unified_planning": "up",
    "starlette": "serve",
    "service_tools": "client",
    "fuzzing": "serve",
    "mcp": "mcp",
    "schemathesis": "openapi",
}
#: Modules of Widthwise that do without the package, although their folder needs it.
EXEMPT = ("widthwise.learning.learning_settings",)


def needed_by(path: Path) -> list[str]:
    """The markers of a test module, by what it imports at its top level."""
    names: list[str] = []
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Import):
            names += [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom) and statement.module is not None:
            names.append(statement.module)
    result = [
        marker
        for prefix, marker in IMPORTS.items()
        if any((name == prefix or name.startswith(f"{prefix}.")) and name not in EXEMPT for name in names)
    ]
    return list(dict.fromkeys(result))


def missing(markers: Iterable[str]) -> str | None:
    """Why tests with these markers are skipped; None if their packages are installed."""
    for marker in markers:
        package, extra = PACKAGES.get(marker, ("", ""))
        if package and find_spec(package) is None:
            return f"{package} is not installed: pip install 'widthwise[{extra}]'"
    return None
