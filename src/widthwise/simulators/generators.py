"""The random generators of a simulator: find, compare and reseed them.

A simulator is searched through its attributes, containers, closures and wrappers; the classes it is made of and the
modules that define them are searched for generators as well. The global generators of `random` and numpy always count.
A generator in native code cannot be seen; a simulator that has one offers `reseed(seed)`.
"""

from __future__ import annotations

import contextlib
import random
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from widthwise.core.contract import innermost

#: How many objects are looked at at most; the search goes breadth first, so that near generators are found.
MOST_OBJECTS = 50_000

#: What holds no generator, or is too large to be looked through.
_PLAIN: tuple[type, ...] = (
    *(str, bytes, bytearray, memoryview, int, float, complex, bool, type(None), range, slice),
    *(np.ndarray, np.generic, np.dtype, ModuleType, BuiltinFunctionType, type),
)
_KINDS = (random.Random, np.random.Generator, np.random.RandomState, np.random.BitGenerator)
#: Modules whose own generators are the global ones, or none.
_SKIPPED_MODULES = frozenset({"builtins", "random", "numpy", "collections", "abc", "typing", "types"})


@dataclass(frozen=True)
class GeneratorPlace:
    """Where a generator is, so that it is found again after a `load` has replaced the objects."""

    root: Any
    steps: tuple[tuple[str, Any], ...]
    name: str
    shared: bool = False  # global: other code draws from it too

    def get(self) -> Any:
        """The generator that is there now; None if there is none any more."""
        value = self.root
        try:
            for how, key in self.steps:
                if how == "cell":
                    value = value.__closure__[key].cell_contents
                elif how == "item":
                    value = value[key]
                elif how == "dict":
                    value = vars(value)[key]
                else:
                    value = getattr(value, key)
        except (LookupError, AttributeError, TypeError, ValueError):
            return None
        return value if _is_generator(value) else None


def global_places() -> list[GeneratorPlace]:
    """The generators that all code shares: those of the modules `random` and `numpy.random`."""
    return [
        GeneratorPlace(random, (("attr", "_inst"),), "the global generator of random", shared=True),
        GeneratorPlace(
            np.random, (("attr", "mtrand"), ("attr", "_rand")), "the global generator of numpy", shared=True
        ),
    ]


def find(simulator: Any) -> list[GeneratorPlace]:
    """All generators that a simulator can reach, global ones first."""
    simulator = innermost(simulator)
    shared = global_places()
    known = {id(place.get()) for place in shared}
    places = list(shared)
    seen: set[int] = {id(simulator)}
    classes: set[type] = set()
    queue: deque[tuple[Any, tuple[tuple[str, Any], ...], str]] = deque([(simulator, (), "")])
    while queue and len(seen) < MOST_OBJECTS:
        value, steps, name = queue.popleft()
        for place in _of_class(type(value), classes):
            if id(place.get()) not in known:
                known.add(id(place.get()))
                places.append(place)
        for how, key, part in _parts(value):
            if isinstance(part, _PLAIN) or id(part) in seen:
                continue
            seen.add(id(part))
            path = (*steps, (how, key))
            text = f"{name}[{key!r}]" if how == "item" else f"{name}.{key}" if name else str(key)
            if _is_generator(part):
                if id(part) not in known:
                    known.add(id(part))
                    places.append(GeneratorPlace(simulator, path, text))
            else:
                queue.append((part, path, text))
    return places


def _is_generator(value: Any) -> bool:
    return isinstance(value, _KINDS) or _is_emulator(value)


def _is_emulator(value: Any) -> bool:
    """Whether this is an environment of ale-py with sticky actions: its generator is in the emulator."""
    if not all(hasattr(type(value), name) for name in ("seed_game", "load_game")) or not hasattr(value, "ale"):
        return False
    return bool(value.ale.getFloat("repeat_action_probability") > 0)


def _parts(value: Any) -> Iterator[tuple[str, Any, Any]]:
    """What an object holds: how to get there, under which key, and what is there."""
    if isinstance(value, dict):
        yield from (("item", key, part) for key, part in list(value.items()))
        return
    if isinstance(value, list | tuple | deque):
        yield from (("item", index, part) for index, part in enumerate(value))
        return
    if isinstance(value, MethodType):
        yield "attr", "__self__", value.__self__
        return
    if isinstance(value, FunctionType):
        for index, cell in enumerate(value.__closure__ or ()):
            with contextlib.suppress(ValueError):  # an empty cell
                yield "cell", index, cell.cell_contents
        return
    attributes = getattr(value, "__dict__", None)
    if isinstance(attributes, dict):
        yield from (("dict", key, part) for key, part in list(attributes.items()))
    for kind in type(value).__mro__:
        slots = vars(kind).get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if slot not in ("__dict__", "__weakref__") and hasattr(value, slot):
                yield "attr", slot, getattr(value, slot)


def _of_class(kind: type, classes: set[type]) -> Iterator[GeneratorPlace]:
    """Generators that belong to a class, its bases and the modules that define them."""
    for base in kind.__mro__:
        module = getattr(base, "__module__", None)  # classes of extension modules may have none
        module = module if isinstance(module, str) else ""
        if base in classes or module.partition(".")[0] in _SKIPPED_MODULES:
            continue
        classes.add(base)
        for owner, label in ((base, base.__name__), (sys.modules.get(module), module)):
            for name, value in list(vars(owner).items()) if owner is not None else ():
                if isinstance(value, _KINDS):
                    yield GeneratorPlace(owner, (("attr", name),), f"{label}.{name}")


def state_of(generator: Any) -> Any:
    """The state of a generator, to be compared; None where it cannot be read."""
    if isinstance(generator, random.Random):
        with contextlib.suppress(NotImplementedError):  # a generator that reads the random source of the system
            return generator.getstate()
        return None
    if isinstance(generator, np.random.RandomState):
        return _plain(generator.get_state(legacy=False))
    if isinstance(generator, np.random.Generator):
        return _plain(generator.bit_generator.state)
    return _plain(generator.state) if isinstance(generator, np.random.BitGenerator) else None


def _plain(state: Any) -> Any:
    if isinstance(state, dict):
        return {name: _plain(value) for name, value in state.items()}
    return state.tobytes() if isinstance(state, np.ndarray) else state


def states(places: list[GeneratorPlace]) -> list[Any]:
    """The states of all generators that are there now."""
    return [state_of(place.get()) for place in places]


def seed_generator(generator: Any, seed: int) -> None:
    """Reseed a generator."""
    if isinstance(generator, random.Random):
        generator.seed(seed)
    elif isinstance(generator, np.random.RandomState):
        generator.seed(seed % 2**32)
    elif isinstance(generator, np.random.Generator | np.random.BitGenerator):
        bits: Any = generator.bit_generator if isinstance(generator, np.random.Generator) else generator
        bits.state = type(bits)(seed).state
    elif _is_emulator(generator):
        state = generator.ale.cloneState()
        generator.seed_game(seed % 2**31)
        generator.load_game()
        generator.ale.restoreState(state)


@contextlib.contextmanager
def shared_kept() -> Iterator[None]:
    """Restore the global generators afterwards: other code uses them too."""
    before = random.getstate(), np.random.get_state()
    try:
        yield
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])


def reseed(simulator: Any, seed: int, places: list[GeneratorPlace]) -> None:
    """Reseed all generators of a simulator, those in native code by its method `reseed`."""
    draw = random.Random(seed)
    for place in places:
        generator = place.get()
        if generator is not None:
            seed_generator(generator, draw.getrandbits(63))
    own = own_reseed(simulator)
    if own is not None:
        own(draw.getrandbits(31))


def own_reseed(simulator: Any) -> Any:
    """The method `reseed` of the simulator, if it has one; wrappers store what they wrap as `inner`."""
    while simulator is not None:
        own = getattr(simulator, "reseed", None)
        if callable(own):
            return own
        simulator = getattr(simulator, "inner", None)
    return None
