"""The folders under native/: which may include which."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

NATIVE = Path(__file__).resolve().parents[2] / "native"
SEARCHES = {"core", "state", "novelty", "relaxed"}
# A folder may include itself and these.
MAY_INCLUDE = {
    "core": set(),
    "state": {"core"},
    "novelty": {"core", "state"},
    "width": {"core", "state", "novelty"},
    "relaxed": {"core", "state"},
    "best_first": SEARCHES,
    "improve": SEARCHES,
    "invert": {"core", "state"},
    "ground": {"core"},
    "image": set(),
    "learning": set(),
}
KERNELS = set(MAY_INCLUDE)
ALLOWED = MAY_INCLUDE | {"bindings": KERNELS, "tests": KERNELS}


def includes(text: str) -> set[str]:
    """The folders of the project's own headers that a file includes."""
    return {path.split("/")[0] for path in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.MULTILINE)}


def sources() -> list[Path]:
    return sorted(path for path in NATIVE.rglob("*") if path.suffix in {".cpp", ".hpp"})


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(NATIVE)))
def test_a_folder_includes_only_folders_below_it(path: Path) -> None:
    here = path.relative_to(NATIVE).parts[0]
    assert here in ALLOWED, f"{here} is not listed; add it here, to CMakeLists.txt and to docs/architecture.md"
    wrong = includes(path.read_text(encoding="utf-8")) - {here} - ALLOWED[here]
    assert not wrong, f"{here} may include {sorted(ALLOWED[here])}"


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(NATIVE)))
def test_only_the_bindings_include_python(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    python = re.search(r"#\s*include\s+<(nanobind/|Python\.h)", text)
    assert python is None or path.relative_to(NATIVE).parts[0] == "bindings"


def test_the_arrows_have_no_cycle() -> None:
    open_folders = dict(MAY_INCLUDE)
    while open_folders:
        done = [folder for folder, below in open_folders.items() if not below & set(open_folders)]
        assert done, f"a cycle among {sorted(open_folders)}"
        for folder in done:
            del open_folders[folder]
