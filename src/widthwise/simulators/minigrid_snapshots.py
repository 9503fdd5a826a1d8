"""Snapshots of MiniGrid environments that refer to the objects of an episode instead of copying them.

MiniGrid replaces attributes of objects and cells of the grid, and changes nothing else in place. A snapshot therefore
notes their values, and shares with the snapshot before it what is still the same. Most steps only move the agent: such
a snapshot takes a few hundred bytes and some microseconds, where pickling the grid takes a large part of a
millisecond. Environments with other classes or with attributes of unknown kinds are copied like all others.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Sequence
from operator import is_
from typing import Any

import numpy as np

from widthwise.simulators.copying import SHARED, Layers, is_interned

#: Attributes that stay as they are within an episode: arguments of wrappers, their last observation, and the rooms that
#: the grid was made of.
_FIXED = frozenset(
    (*SHARED, "env", "actions", "mission_space", "room_grid", "rooms", "_saved_kwargs", "_previous_data")
)
#: Values that are replaced, never changed in place; arrays are positions.
_PLAIN = (type(None), bool, int, float, str, type, np.generic, np.ndarray)
#: What `pickle` calls to make an object without its constructor.
_NEW: Callable[..., Any] = vars(copyreg)["__newobj__"]

_Reduced = tuple[Any, ...]


class _Parts:
    """The objects of one episode that can change, in the order in which they were met."""

    def __init__(self, grid: Any) -> None:
        self.grid = grid
        self.things: list[Any] = []  # objects of the world
        self.lists: list[list[Any]] = []
        self.generators: list[np.random.Generator] = []
        self._known: set[int] = set()

    def add(self, value: Any) -> bool:
        """Add the value of an attribute, or what lies in a cell; returns whether its kind is known."""
        if isinstance(value, _PLAIN) or value is self.grid or id(value) in self._known:
            return True
        if isinstance(value, tuple):
            return all(map(self.add, value))
        if isinstance(value, np.random.Generator):
            self.generators.append(value)
        elif isinstance(value, list):
            self.lists.append(value)
            if not all(map(self.add, value)):
                return False
        elif type(value).__module__ == "minigrid.core.world_object":
            if is_interned(value):
                return True
            self.things.append(value)
            if not self.add(value.contains):
                return False
        else:
            return False
        self._known.add(id(value))
        return True


class GridSnapshot:
    """The attributes, cells and objects of a MiniGrid environment at one moment, by reference."""

    __slots__ = ("cells", "contents", "generators", "names", "owner", "parts", "states", "values")

    def __init__(self, owner: GridLayers, parts: _Parts, names: tuple[Any, ...], values: tuple[Any, ...]) -> None:
        self.owner, self.parts = owner, parts
        self.names, self.values = names, values  # of the attributes of each layer
        self.cells: tuple[Any, ...] = ()
        # The states of the first parts of each kind.
        self.states: tuple[tuple[Any, ...], ...] = ()
        self.contents: tuple[tuple[Any, ...], ...] = ()
        self.generators: tuple[Any, ...] = ()

    def packed(self) -> bytes:
        """The same snapshot as bytes, for another process or another environment made in the same way."""
        parts = self.parts
        held: dict[int, _Reduced] = {
            id(parts.grid): (_NEW, (type(parts.grid),), {**vars(parts.grid), "grid": list(self.cells)})
        }
        for thing, state in zip(parts.things, self.states, strict=False):
            held[id(thing)] = (_NEW, (type(thing),), dict(zip(vars(thing), state, strict=True)))
        for generator, numbers in zip(parts.generators, self.generators, strict=False):
            held[id(generator)] = (_generator, (type(generator.bit_generator), numbers))
        contents = {id(part): list(content) for part, content in zip(parts.lists, self.contents, strict=False)}
        attributes = [
            {name: contents.get(id(value), value) for name, value in zip(names, values, strict=True)}
            for names, values in zip(self.names, self.values, strict=True)
        ]
        return self.owner.rest.dump(attributes, held)

    def __reduce__(self) -> _Reduced:
        return bytes, (self.packed(),)


class GridLayers:
    """Saves and loads a MiniGrid environment and its wrappers; what it does not know is left to `rest`."""

    def __init__(self, rest: Layers) -> None:
        self.rest = rest
        self.usable = all(_replaces_attributes(type(layer)) for layer in rest.layers)
        self._last: GridSnapshot | None = None  # the snapshot made or restored last

    def save(self) -> Any:
        """A snapshot, by reference where all parts are known."""
        self._last = self._noted() if self.usable else None
        if self._last is None:
            self.usable = False
            return self.rest.save()
        return self._last

    def load(self, snapshot: Any) -> None:
        """Return to a snapshot of either kind."""
        if isinstance(snapshot, GridSnapshot) and snapshot.owner is self:
            self._restore(snapshot)
            return
        # The objects of another environment are its own, so that they are copied.
        self.rest.load(snapshot.packed() if isinstance(snapshot, GridSnapshot) else snapshot)
        self._last = None

    def _noted(self) -> GridSnapshot | None:
        """A snapshot of the present state; None if something is of an unknown kind."""
        attributes = [vars(layer) for layer in self.rest.layers]
        grid, last = attributes[-1].get("grid"), self._last
        if type(grid).__module__ != "minigrid.core.grid":
            return None
        if last is not None and last.parts.grid is not grid:
            last = None  # another episode, with other objects
        names, values = _columns(attributes, last)
        snapshot = GridSnapshot(self, _Parts(grid) if last is None else last.parts, names, values)
        cells: list[Any] = grid.grid
        snapshot.cells = last.cells if last is not None and _same(cells, last.cells) else tuple(cells)
        if not _met(snapshot, last):
            return None
        parts = snapshot.parts
        states = tuple([tuple(vars(thing).values()) for thing in parts.things])
        if last is not None and len(states) == len(last.states) and all(map(_same, states, last.states)):
            states = last.states
        snapshot.states = states
        snapshot.contents = tuple([tuple(part) for part in parts.lists])
        generators = tuple([generator.bit_generator.state for generator in parts.generators])
        snapshot.generators = last.generators if last is not None and last.generators == generators else generators
        return snapshot

    def _restore(self, snapshot: GridSnapshot) -> None:
        for layer, names, values in zip(self.rest.layers, snapshot.names, snapshot.values, strict=True):
            attributes = vars(layer)
            if len(attributes) != len(names):
                attributes.clear()
            attributes.update(zip(names, values, strict=True))
        parts = snapshot.parts
        parts.grid.grid[:] = snapshot.cells
        for thing, state in zip(parts.things, snapshot.states, strict=False):
            held = vars(thing)
            held.update(zip(held, state, strict=True))
        for part, content in zip(parts.lists, snapshot.contents, strict=False):
            part[:] = content
        for generator, numbers in zip(parts.generators, snapshot.generators, strict=False):
            generator.bit_generator.state = numbers
        self._last = snapshot


def _columns(
    attributes: Sequence[dict[str, Any]], last: GridSnapshot | None
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """For each layer the names of its attributes and their values; those of `last` where they are the same."""
    names, values = tuple([tuple(layer) for layer in attributes]), [tuple(layer.values()) for layer in attributes]
    if last is None or names != last.names:
        return names, tuple(values)
    return last.names, tuple([old if _same(new, old) else new for new, old in zip(values, last.values, strict=True)])


def _met(snapshot: GridSnapshot, last: GridSnapshot | None) -> bool:
    """Add what is new since the last snapshot to the parts; returns whether all kinds are known."""
    parts = snapshot.parts
    if last is None or snapshot.cells is not last.cells:
        old = (None,) * len(snapshot.cells) if last is None else last.cells
        if not all(parts.add(cell) for cell, before in zip(snapshot.cells, old, strict=True) if cell is not before):
            return False
    comparable = last is not None and snapshot.names is last.names
    for index, values in enumerate(snapshot.values):
        known = last.values[index] if comparable and last is not None else (_Parts,) * len(values)
        if known is values:
            continue
        for name, value, before in zip(snapshot.names[index], values, known, strict=True):
            if value is not before and name not in _FIXED and not parts.add(value):
                return False
    return True


def _same(values: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether two sequences hold the same objects."""
    return len(values) == len(others) and all(map(is_, values, others))


def _replaces_attributes(kind: type) -> bool:
    """Whether the attributes of a layer are known to be replaced, and never changed in place."""
    if kind.__module__.startswith("minigrid.envs.babyai"):
        return False  # their instructions have a separate state
    return kind.__module__.startswith(("minigrid.envs.", "gymnasium.wrappers.common"))


def _generator(kind: type[np.random.BitGenerator], state: Any) -> np.random.Generator:
    """A generator in a state."""
    bits = kind()
    bits.state = state
    return np.random.Generator(bits)
