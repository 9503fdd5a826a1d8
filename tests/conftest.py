"""What all tests share: without torch, an optional extra, the tests of learning are left out, not failed."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = (
    ["test_learning_formulas.py", "test_learning_trainer.py", "test_training_loop.py"]
    if find_spec("torch") is None
    else []
)
