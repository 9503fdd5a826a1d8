"""The target `folder`: run folders of every kind with damaged files, read by `widthwise report` and by live pages."""

from __future__ import annotations

import contextlib
import io
import json
import random
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from fuzzing.cases import Case, read_case, write_case
from fuzzing.damage import damage_bytes, damage_json, deep_json

SEEDS = Path(__file__).resolve().parent / "seeds"


@lru_cache
def bases() -> tuple[Case, ...]:
    """Good run folders: single goals, whole problems, training, a search."""
    return tuple(read_case(folder) for folder in sorted(SEEDS.iterdir()))


def generate(rng: random.Random) -> Case:
    """A run folder with one or two damaged files, or with a file missing."""
    case = dict(rng.choice(bases()))
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(sorted(case))
        kind = rng.random()
        if kind < 0.05 and len(case) > 1:
            del case[name]
        elif kind < 0.2:
            case[name] = damage_bytes(case[name], rng)
        else:
            case[name] = damaged_lines(case[name], rng, one=name.endswith(".json"))
    return case


def damaged_lines(data: bytes, rng: random.Random, *, one: bool) -> bytes:
    """JSON, or lines of it, with one value damaged."""
    try:
        values: list[Any] = [json.loads(data)] if one else [json.loads(line) for line in data.splitlines()]
    except (ValueError, RecursionError):
        return damage_bytes(data, rng)
    if not values:
        return data
    at = rng.randrange(len(values))
    if not one and rng.random() < 0.1:
        values.insert(at, values[at])
    values[at] = damage_json(values[at], rng)
    return b"".join(deep_json(value) + b"\n" for value in values)


def check_case(case: Case) -> str:
    """Report a run folder and make its live page, which shows a message where the report ends with one."""
    from widthwise.cli.main import main
    from widthwise.reports.live import LiveDocument

    with tempfile.TemporaryDirectory() as name:
        folder = write_case(Path(name) / "run", case)
        folder.mkdir(exist_ok=True)
        said = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            code = main(["report", str(folder), "--markdown", str(Path(name) / "report.md")])
        document = LiveDocument([folder]).document()
        document.html(live=True)
        json.dumps(document.state(), allow_nan=False)
        if (document.sections[0].key == "waiting") is not (code != 0):
            raise AssertionError(f"the page does not agree with exit code {code}: {said.getvalue()}")
    if code not in (0, 2, 31, 34):
        raise AssertionError(f"exit code {code}: {said.getvalue()}")
    if code and not said.getvalue().startswith("widthwise: "):
        raise AssertionError(f"no message for exit code {code}")
    return f"exit {code}"
