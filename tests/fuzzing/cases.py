"""An input of the fuzzer: a few files by name. On disk it is a folder, in `tests/corpus/TARGET/NAME`."""

from __future__ import annotations

from pathlib import Path

#: File name (it may contain slashes) -> contents.
Case = dict[str, bytes]

CORPUS = Path(__file__).resolve().parent.parent / "corpus"


class Disagreement(AssertionError):
    """Two parts of the program, or the program and an oracle, judge the same thing differently."""


def write_case(folder: Path, case: Case) -> Path:
    """Write an input into a folder, which is made."""
    for name, data in case.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def read_case(folder: Path) -> Case:
    """Read an input back."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def corpus() -> list[tuple[str, Path]]:
    """Every kept input: its target and its folder."""
    return [
        (target.name, folder)
        for target in sorted(CORPUS.iterdir())
        if target.is_dir()
        for folder in sorted(target.iterdir())
        if folder.is_dir()
    ]
