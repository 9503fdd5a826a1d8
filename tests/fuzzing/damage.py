"""Mutations that keep no structure (tokens, bytes), and mutations of JSON that keep it JSON."""

from __future__ import annotations

import json
import random
from typing import Any

from widthwise.classical.pddl.lexer import tokenize

TOKENS = [
    "(",
    ")",
    "-",
    "?",
    "?x",
    "=",
    "not",
    "and",
    "or",
    ":goal",
    ":init",
    "(:action",
    "99",
    "-1e9",
    "at",
    "(" * 300,
]
#: Values that a reader of JSON may not expect in some place.
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 2**70, -(2**63), 1.5, 1e308, -0.0, "", "0", "x" * 500, "nan", [], {}, [[]], [None]),
    *({"": 0}, {"dict": []}, {"array": ["float32", [2], 0, 8, 0]}, float("nan"), float("inf"), "../..", "/dev/zero"),
]


def damage_tokens(text: str, rng: random.Random) -> str:
    """A text whose tokens are dropped, doubled, replaced or shuffled in a few places."""
    tokens = tokenize(text)[:-1]
    words = [*TOKENS, *tokens]
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.randrange(len(tokens)) if tokens else 0
        end = at + rng.randint(1, 6)
        match rng.randrange(5):
            case 0:
                del tokens[at:end]
            case 1:
                tokens[at:at] = tokens[at:end]
            case 2:
                tokens[at : at + 1] = [rng.choice(words)]
            case 3:
                tokens.insert(at, rng.choice(words))
            case _:
                piece = tokens[at:end]
                rng.shuffle(piece)
                tokens[at:end] = piece
    return " ".join(tokens)


def damage_bytes(data: bytes, rng: random.Random) -> bytes:
    """Bytes that are cut, changed or inserted in a few places."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(changed)) if changed else 0
        match rng.randrange(4):
            case 0:
                changed[at : at + rng.randint(1, 40)] = b""
            case 1:
                changed[at:at] = bytes([rng.choice(b'()?-;:= \n\r\tx\xe9\xff\x00{}[],"0')])
            case 2:
                if rng.random() < 0.3:
                    del changed[rng.randrange(at + 1) :]
            case _:
                changed[at : at + 1] = bytes([rng.randrange(256)])
    return bytes(changed)


def damage_json(value: Any, rng: random.Random) -> Any:
    """The same data with one or a few parts replaced, dropped, doubled, moved or put under another name."""
    root = [json.loads(json.dumps(value))]
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        result: list[tuple[Any, Any]] = []
        waiting: list[Any] = [root]
        while waiting:
            holder = waiting.pop()
            keys = list(range(len(holder))) if isinstance(holder, list) else list(holder)
            for key in keys:
                result.append((holder, key))
                if isinstance(holder[key], list | dict):
                    waiting.append(holder[key])
        holder, key = rng.choice(result)
        match rng.randrange(6):
            case 0 if holder is not root:
                del holder[key]
            case 1:
                source, at = rng.choice(result)
                holder[key] = json.loads(json.dumps(source[at]))
            case 2 if isinstance(holder, dict):
                holder[rng.choice(["", "settings", "kind", "other", key + "x"])] = holder.pop(key)
            case 3 if isinstance(holder, list) and holder is not root:
                holder.insert(key, holder[key])
            case 4:
                for _ in range(rng.choice((1, 3, 3000))):
                    holder[key] = [holder[key]]
            case _:
                holder[key] = rng.choice(VALUES)
        try:
            root = [json.loads(json.dumps(root[0]))]  # no part is shared by two places
        except RecursionError:
            break
    return root[0]


def deep_json(value: Any) -> bytes:
    """JSON of any depth, which the standard writer refuses to write."""
    try:
        return json.dumps(value).encode()
    except RecursionError:
        depth = 0
        while isinstance(value, list) and len(value) == 1:
            value, depth = value[0], depth + 1
        return b"[" * max(depth, 100_000) + b"]" * max(depth, 100_000)
