"""What all tests share.

Without torch, an optional extra, the tests of learning are left out, not failed. And Ctrl-C works, even if whoever
started the tests did so in the background, where it is ignored by all children: some tests press it.
Random tests have the same examples every time and are not judged by the clock: a test fails for a reason or not at all.
"""

from __future__ import annotations

import signal
from importlib.util import find_spec
from pathlib import Path

from hypothesis import settings

settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile("same")

# Their modules import torch. A name that is out of date is an error here, and not only where torch is missing.
NEED_TORCH = [
    "learning/test_formulas.py",
    "learning/test_inference.py",
    "training/test_loop.py",
    "training/test_trainer.py",
]
assert all((Path(__file__).parent / name).is_file() for name in NEED_TORCH), NEED_TORCH
collect_ignore = NEED_TORCH if find_spec("torch") is None else []

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup, too, a test may send it
