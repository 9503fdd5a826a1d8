"""Calls of the native kernels: `python kernel_calls.py NAME REPEATS NODES` prints the time and the result of one.

`wheel_speed.py` runs this file with the Pythons of two environments. It imports nothing but Widthwise and NumPy.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import widthwise as ww


def search(planner: Any, family: str, seed: int = 0, **sizes: int) -> Callable[[], Any]:
    """A search in a bundled task, of at most NODES nodes; returns what it generated."""
    task, budget = ww.example(family, seed=seed, **sizes), ww.Budget(nodes=int(sys.argv[3]))

    def call() -> Any:
        result = ww.solve(task, planner, budget=budget)
        return [result.status, result.generated]

    return call


def grounding() -> Callable[[], Any]:
    """Reading and grounding a larger task; returns the number of its atoms."""

    def call() -> Any:
        return len(ww.example("logistics", cities=30, places=5, planes=6, parcels=150).atoms)

    return call


def forward_pass() -> Callable[[], Any]:
    """Sixteen states through the network of the learning algorithms; returns a sum that all compilers agree on."""
    import numpy as np

    from widthwise import _native

    rng = np.random.default_rng(0)
    forward = _native.Forward(84, 84, 4, 16, "best")
    for side, stride, outputs in ((8, 4, 32), (4, 2, 64), (3, 1, 64)):
        forward.convolution(side, stride, outputs)
    forward.dense(512)
    forward.heads(6, [0.0])
    for number, (outputs, inputs) in enumerate([(32, 256), (64, 512), (64, 576), (512, 3136), (7, 512)]):
        weights = (rng.normal(size=(outputs, inputs)) / inputs**0.5).astype(np.float32)
        forward.set(number, weights.ravel(), np.ones(outputs, np.float32), np.zeros(outputs, np.float32))
    states = rng.integers(0, 256, (16, 84, 84, 4)).astype(np.uint8)
    active = np.zeros((16, 512), np.uint8)
    policy, value = np.zeros((16, 6), np.float32), np.zeros(16)

    def call() -> Any:
        forward(states, 16, active, policy, value)
        return round(float(policy.sum()), 3)

    return call


CALLS: dict[str, Callable[[], Callable[[], Any]]] = {
    "IW(1), blocks": lambda: search(ww.IW(1), "blocks", blocks=200),
    "IW(2), logistics": lambda: search(ww.IW(2), "logistics", cities=10, parcels=25),
    "IHIW(1,1), gripper": lambda: search("ihiw", "gripper", balls=10),
    "breadth-first search, 8-puzzle": lambda: search("bfs", "8puzzle", seed=1, side=4),
    "BFWS(f5), visit-all": lambda: search("bfws", "visit-all", width=40, height=40),
    "reading and grounding, logistics": grounding,
    "forward pass of the network": forward_pass,
}


def main() -> int:
    call, repeats = CALLS[sys.argv[1]](), int(sys.argv[2])
    shown = call()
    least = float("inf")
    for _ in range(repeats):
        begun = time.process_time()
        if call() != shown:
            raise SystemExit("the result changed")
        least = min(least, time.process_time() - begun)
    print(json.dumps([least, shown]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
