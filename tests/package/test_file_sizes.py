"""Files stay short: no source or test file of the project has more than 400 lines."""

from __future__ import annotations

from pathlib import Path

from places import ROOT

MOST_LINES = 400
FOLDERS = ("src", "native", "tests", "benchmarks", "scripts", "examples")
KINDS = {".py", ".js", ".cpp", ".hpp"}  # generated stubs are .pyi
OTHERS = {"third_party", "uplot", "__pycache__"}  # folders with code of others


def own_files(root: Path) -> list[Path]:
    """The source and test files of the project below a folder, without the code of others."""
    return [
        path
        for folder in FOLDERS
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in KINDS and not OTHERS & set(path.relative_to(root).parts)
    ]


def too_long(root: Path) -> list[str]:
    """The files with more lines than allowed, as `path: lines`."""
    lines = {path: len(path.read_bytes().splitlines()) for path in own_files(root)}
    return [
        f"{path.relative_to(root).as_posix()}: {count} lines" for path, count in lines.items() if count > MOST_LINES
    ]


def test_no_file_has_more_than_400_lines() -> None:
    names = too_long(ROOT)
    assert names == [], "split by purpose: " + ", ".join(names)


def test_files_of_all_kinds_and_folders_are_counted() -> None:
    files = own_files(ROOT)
    assert {path.suffix for path in files} == KINDS
    assert {path.relative_to(ROOT).parts[0] for path in files} == set(FOLDERS)


def test_a_long_file_is_named_and_code_of_others_is_not_counted(tmp_path: Path) -> None:
    for name, count in (
        ("src/short.py", MOST_LINES),
        ("src/long.py", MOST_LINES + 1),
        ("native/tests/long.cpp", 500),
        ("src/_native.pyi", 500),
        ("native/tests/third_party/other.hpp", 500),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n" * count)
    assert too_long(tmp_path) == ["src/long.py: 401 lines", "native/tests/long.cpp: 500 lines"]
