"""Guided by coverage: `python -m fuzzing.guided TARGET [libFuzzer options]`, or `make fuzz-guided FUZZ_TARGET=task`.

atheris chooses the bytes from which a target draws its input, and keeps those that reach code not seen before. A byte
is a choice: the mutations are those of the other drivers. It needs the extra `fuzz`, which has no files for every
Python.
"""

from __future__ import annotations

import gc
import hashlib
import random
import sys
from pathlib import Path
from types import FunctionType

import atheris

from fuzzing.cases import write_case
from fuzzing.guard import run
from fuzzing.targets import TARGETS, draw

FINDINGS = Path("build/fuzz")


class Choices(random.Random):
    """A random generator whose numbers are the bytes of libFuzzer, and zeros when they are used up."""

    def __init__(self, data: bytes) -> None:
        super().__init__(0)
        self.data, self.at = data, 0

    def getrandbits(self, k: int) -> int:
        """The next bits."""
        size = (k + 7) // 8
        piece = self.data[self.at : self.at + size]
        self.at += size
        return int.from_bytes(piece, "little") & ((1 << k) - 1)

    def random(self) -> float:
        """The next number from 0 to 1, in steps of 1/65536."""
        return self.getrandbits(16) / 65536


def instrument(name: str) -> int:
    """Let atheris follow every function of the package that is loaded; returns how many there are."""
    for number in range(20):  # loads what is imported late
        run(TARGETS[name].check, draw(0, number, [name])[1])
    functions = [item for item in gc.get_objects() if isinstance(item, FunctionType)]
    ours = [function for function in functions if str(function.__module__).startswith("widthwise.")]
    for function in ours:
        atheris.instrument_func(function)
    return len(ours)


def main() -> None:
    """Hand over to libFuzzer, which ends the process."""
    name = sys.argv.pop(1)
    target = TARGETS[name]
    print(f"{instrument(name)} functions are followed", file=sys.stderr)

    def one_input(data: bytes) -> None:
        case = target.generate(Choices(data))
        verdict = run(target.check, case)
        if verdict.finding is not None:
            folder = write_case(FINDINGS / name / f"guided-{hashlib.sha256(data).hexdigest()[:10]}", case)
            raise RuntimeError(f"{verdict.outcome}; kept in {folder}\n{verdict.finding}")

    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
