"""Forged checkpoints, whose checksums fit: one error, bounded memory, and nothing in the folder is changed."""

from __future__ import annotations

import hashlib
import json
import random
import tarfile
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import pytest

from places import FIXTURES, SUPPORT
from widthwise.core.errors import InputError
from widthwise.training import packing
from widthwise.training.checkpoint import read_checkpoint
from widthwise.training.unpacking import PackedLimits

WORLD = "tiny_world:TinyWorld"
CASES = 120


def framed(description: bytes, contents: bytes) -> bytes:
    whole = packing.MAGIC + contents + description + len(description).to_bytes(8, "little")
    return whole + hashlib.sha256(whole).digest()


@pytest.mark.torch
def test_a_small_file_cannot_take_much_memory(tmp_path: Path) -> None:
    size = 256 << 20
    packed = zlib.compress(bytes(size), 9)
    path = tmp_path / "bomb.ckpt"
    place = [len(packing.MAGIC), len(packed), 1]
    for item in ({"array": ["uint8", [size], *place]}, {"array": ["uint8", [100], *place]}, {"bytes": place}):
        path.write_bytes(framed(json.dumps(item).encode(), packed))
        tracemalloc.start()
        with pytest.raises(InputError, match="not a valid checkpoint"):
            read_checkpoint(path, PackedLimits(1 << 20, 1 << 20))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 16 << 20, item


@pytest.mark.parametrize(
    "description",
    [
        b"[" * 100_000 + b"]" * 100_000,
        b'{"tuple":[' * 200 + b"]}" * 200,
        b'{"dict":[[{"a":1},2]]}',
        b'{"array":["float32",[-1],0,0,0]}',
        b'{"array":["float32",[1e3],0,0,0]}',
        b'{"array":["uint8",[99999999999999],0,0,0]}',
        b'{"bytes":[-5,3,0]}',
        b'{"bytes":[0,99999999999,0]}',
        b'{"a":1,"b":2}',
        b"{}",
        b"\xff\xfe",
        b'{"dict":[["format",1],["about",5],["data",6]]}',
        b'{"dict":[["format",true],["about",{"dict":[]}],["data",null]]}',
    ],
    ids=lambda text: str(text[:24]),
)
@pytest.mark.torch
def test_descriptions_that_make_no_sense_are_one_error(description: bytes, tmp_path: Path) -> None:
    path = tmp_path / "forged.ckpt"
    path.write_bytes(framed(description, b""))
    with pytest.raises(InputError, match=r"forged\.ckpt"):
        read_checkpoint(path)


def mutate(value: Any, rng: random.Random) -> Any:
    """A description with one value, anywhere in it, replaced."""
    places: list[tuple[Any, Any]] = []
    pending = [value]
    while pending:
        inner = pending.pop()
        keys = range(len(inner)) if isinstance(inner, list) else list(inner)
        for key in keys:
            places.append((inner, key))
            if isinstance(inner[key], list | dict):
                pending.append(inner[key])
    inner, key = rng.choice(places)
    old = inner[key]
    fresh: list[Any] = [None, True, -1, 0, 10**6, 2**70, 1.5, float("nan"), "text", [], {}, [[]], {"tuple": []}]
    if type(old) is int:
        fresh += [old + 1, old - 1] * 4
    inner[key] = rng.choice(fresh)
    return value


@pytest.mark.torch
def test_forged_checkpoints_end_as_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Resumed for real: a forged file is refused, or a change that does no harm lets the run go on."""
    from widthwise.core.errors import WidthwiseError
    from widthwise.training import launch
    from widthwise.training.run import TrainingListener

    monkeypatch.syspath_prepend(str(SUPPORT))
    with tarfile.open(FIXTURES / "0.1.0" / "training.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / "training"
    path = folder / "checkpoint" / "current.ckpt"
    raw = path.read_bytes()
    files = {name: (folder / name).read_bytes() for name in ("config.json", "episodes.jsonl", "evaluations.jsonl")}
    end = len(raw) - 40
    length = int.from_bytes(raw[end : end + 8], "little")
    description, contents = raw[end - length : end], raw[len(packing.MAGIC) : end - length]
    refused = 0
    for number in range(CASES):
        forged = mutate(json.loads(description), random.Random(number))
        for name, data in files.items():
            (folder / name).write_bytes(data)
        (folder / "checkpoint" / "previous.ckpt").unlink(missing_ok=True)
        path.write_bytes(framed(json.dumps(forged).encode(), contents))
        try:
            training = launch.resume(folder, TrainingListener(), 90, given={"environment": WORLD})
        except WidthwiseError as error:
            assert isinstance(error, InputError), (number, error)
            assert str(folder) in str(error), (number, error)
            assert all((folder / name).read_bytes() == data for name, data in files.items()), number
            refused += 1
            continue
        try:
            training.run()
        except WidthwiseError as error:  # weights that do not learn any more have an error of their own
            assert str(error), number
        finally:
            training.folder.close()
    assert refused > CASES // 3
