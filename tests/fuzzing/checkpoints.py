"""The target `checkpoint`: damaged files, and forged ones whose checksum fits."""

from __future__ import annotations

import hashlib
import io
import json
import random
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fuzzing.cases import Case
from fuzzing.damage import damage_bytes, damage_json, deep_json
from widthwise.training import packing
from widthwise.training.checkpoint import About, read_checkpoint, write_checkpoint

ABOUT = About("maze-small", 5, (84, 84, 3), {"name": "pi-hiw", "tiles": [2, 2], "learning": {"batch": 8}})
_LENGTH, _DIGEST = 8, 32


def state() -> dict[str, Any]:
    """Data like those of a run: counters, arrays, compressed pictures, a random generator."""
    return {
        "lines": {"episodes.jsonl": 120, "evaluations.jsonl": 40},
        "learner": {
            "weights": [np.arange(12, dtype=np.float32).reshape(3, 4), np.zeros((2, 2), np.float64)],
            "replay": np.zeros((4, 10, 10), np.uint8),
            "random": random.Random(3).getstate(),
            "text": b"x" * 100,
        },
        "run": {"episodes": 3, "evaluations": 1, "best": None, "seconds": 1.5, "recent": [[1.0, 4]]},
    }


@lru_cache
def whole() -> bytes:
    """A good checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "good.ckpt"
        write_checkpoint(path, ABOUT, state())
        return path.read_bytes()


def forge(raw: bytes, rng: random.Random) -> bytes:
    """Change what a file says of itself, or its contents, and give it the checksum that fits."""
    end = len(raw) - _DIGEST - _LENGTH
    length = int.from_bytes(raw[end : end + _LENGTH], "little")
    contents, description = raw[: end - length], raw[end - length : end]
    kind = rng.random()
    if kind < 0.8:
        description = deep_json(damage_json(json.loads(description), rng))
    elif kind < 0.9:
        description = damage_bytes(description, rng)
    else:
        contents = contents[: len(packing.MAGIC)] + damage_bytes(contents[len(packing.MAGIC) :], rng)
    declared = len(description) if rng.random() < 0.95 else rng.choice((0, 1, 2**63, 2**64 - 1, len(raw)))
    body = contents + description + declared.to_bytes(_LENGTH, "little")
    return body + hashlib.sha256(body).digest()


def generate(rng: random.Random) -> Case:
    """A damaged or forged checkpoint."""
    raw = whole()
    if rng.random() < 0.75:
        return {"current.ckpt": forge(raw, rng)}
    if rng.random() < 0.2:
        stream = io.BytesIO()
        packing.write(stream, rng.choice([None, [], {}, {"format": 1}, {"format": 99, "about": 5}, "text", 7]))
        return {"current.ckpt": stream.getvalue()}
    return {"current.ckpt": damage_bytes(raw, rng)}


def check_case(case: Case) -> str:
    """Read a checkpoint and compare it with the run that it should belong to."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "current.ckpt"
        path.write_bytes(case["current.ckpt"])
        read_checkpoint(path).refuse_other(ABOUT, to_continue=False)
    return "read"
