"""Which package of Widthwise may import which."""

from __future__ import annotations

import ast
from pathlib import Path

import widthwise

SOURCE = Path(widthwise.__file__).parent
# A package may import itself and these. `_native`, `version` and `core` are the base of all others.
MAY_IMPORT = {
    "core": {"_native", "version"},
    "task_search": {"_native", "core"},
    "simulator_search": {"_native", "core", "task_search"},
    "portfolio": {"_native", "core", "task_search"},
    "theory": {"_native", "core", "task_search"},
    "classical": {"_native", "core", "task_search", "portfolio"},
    "simulators": {"_native", "core", "simulator_search"},
    "online": {"core", "task_search", "simulator_search", "simulators"},
    "gym": {"core", "classical", "simulators"},
    "learning": {"_native", "core", "simulator_search"},
    "training": {"core", "task_search", "simulator_search", "simulators", "online", "learning", "version"},
    "exploration": {"core", "simulator_search", "simulators", "online", "training"},
    "experiments": {
        "_native",
        "core",
        "task_search",
        "simulator_search",
        "portfolio",
        "classical",
        "simulators",
        "online",
        "learning",
        "training",
    },
    "reports": {"core", "simulator_search"},
    "service": {"_native", "core", "task_search", "portfolio", "classical", "experiments", "version"},
    "explorer": {
        "_native",
        "core",
        "classical",
        "simulator_search",
        "simulators",
        "online",
        "reports",
        "version",
    },
    "up": {"_native", "core", "portfolio", "classical", "version"},
    "cli": {
        "_native",
        "core",
        "task_search",
        "simulator_search",
        "portfolio",
        "theory",
        "classical",
        "simulators",
        "online",
        "experiments",
        "reports",
        "learning",
        "training",
        "exploration",
        "service",
        "explorer",
        "version",
    },
    "__init__.py": {
        "core",
        "task_search",
        "simulator_search",
        "portfolio",
        "theory",
        "classical",
        "simulators",
        "online",
        "exploration",
        "explorer",
        "training",
        "up",
        "version",
    },
    "__main__.py": {"cli"},
    "version.py": set(),
}
# Who uses these imports them where they are used; numpy may stand at the top only where nobody comes without it.
HEAVY = {"torch", "matplotlib", "ray", "gymnasium", "ale_py"}
NUMPY_PACKAGES = {"experiments", "exploration", "explorer", "gym", "learning", "reports", "simulators", "training"}
# The package of the network uses torch, except for the settings, which commands read before they need it.
TORCH_PACKAGE, SETTINGS = "learning", {"learning_settings.py", "support.py"}
# The loop of planning and learning seeds torch and counts its threads.
TORCH_FILES = {"trainer.py"}
# An environment of Gymnasium is made of it.
GYMNASIUM_FILES = {"gym_mazes.py", "pddl_env.py", "stepped_env.py"}


def package(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0]


def imported(tree: ast.AST, name: str = "widthwise") -> set[str]:
    """The packages that a module imports."""
    packages = set()
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            module = node.module or ""
            names = [f"{module}.{alias.name}" for alias in node.names] if module == name else [module]
        packages |= {part.split(".")[1] for part in names if part.startswith(f"{name}.")}
    return packages


def test_packages_import_only_what_they_may() -> None:
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        here = package(path)
        assert here in MAY_IMPORT, f"{here} is a package without a rule; add it here and to docs/architecture.md"
        for other in sorted(imported(ast.parse(path.read_text(encoding="utf-8")))):
            if other != here and other not in MAY_IMPORT[here]:
                wrong.append(f"{path.relative_to(SOURCE)} imports {other}")
    assert wrong == []


def test_the_check_sees_every_kind_of_import() -> None:
    text = "import widthwise.cli.main\nfrom widthwise import core, _native\n"
    text += "from widthwise.task_search.iw import IW\n"
    assert imported(ast.parse(text)) == {"cli", "core", "_native", "task_search"}


def test_heavy_packages_are_imported_where_they_are_used() -> None:
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:  # the top of the module only
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            for name in names:
                heavy = HEAVY if package(path) in NUMPY_PACKAGES else HEAVY | {"numpy"}
                if package(path) == TORCH_PACKAGE and path.name not in SETTINGS:
                    heavy = heavy - {"torch"}
                if path.name in TORCH_FILES:
                    heavy = heavy - {"torch"}
                if path.name in GYMNASIUM_FILES:
                    heavy = heavy - {"gymnasium"}
                assert name.split(".")[0] not in heavy, f"{path} imports {name} at its top"
