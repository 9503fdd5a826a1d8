"""Snapshots of environments without their own save and load, by copying their attributes.

An environment is a chain of layers, wrappers around a core. A snapshot holds the attributes of all of
them, so that a wrapper's step counter is not forgotten. What never changes, the spaces for instance, is
not copied but referred to by the layer and name it has there; a snapshot that was pickled therefore fits
any environment made in the same way, in another process too.
"""

from __future__ import annotations

import copy
import functools
import inspect
import io
import pickle
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from widthwise.core.errors import UsageError

#: Attributes that are shared and not copied: descriptions, and windows to draw in.
SHARED = (
    "spec", "_cached_spec", "metadata", "_metadata", "action_space", "_action_space",
    "observation_space", "_observation_space", "window", "clock", "screen", "surf", "viewer", "render_size",
)  # fmt: skip

#: Attributes of known families of environments that never change once they are made, by the start of the module name.
CONSTANTS = {
    "gymnasium.envs.toy_text.": ("P", "initial_state_distrib", "desc", "_cliff", "locs", "max_row", "max_col"),
    "minigrid.": ("actions", "mission_space", "mission", "observation_space"),
}

#: Classes whose objects never change, by module: a snapshot has their colour only, and all loads share one object.
#: Most cells of a MiniGrid are walls, each of which is a separate object.
INTERNED = {"minigrid.core.world_object": ("Wall", "Floor", "Goal", "Lava")}

_Key = tuple[int, str]
_State = dict[str, Any]


class LayeredState(Protocol):
    """What saves and loads the attributes of an environment and its wrappers."""

    def save(self) -> Any:
        """A snapshot."""

    def load(self, snapshot: Any) -> None:
        """Return to a snapshot."""


class Layers:
    """The attributes of a chain of objects, to be saved and loaded."""

    def __init__(
        self, layers: Sequence[Any], shared: Sequence[str] = (), strategy: str = "auto", below: Any = None
    ) -> None:
        self.layers = list(layers)
        self._below = below  # the layer under the last one, which saves itself
        self._constants = [_constants(layer) for layer in self.layers]
        self._names = [tuple(dict.fromkeys((*SHARED, *shared, *constants))) for constants in self._constants]
        self._strategy = strategy

    def save(self) -> Any:
        """A snapshot: bytes where the attributes can be pickled, otherwise copies."""
        if self._strategy == "deepcopy":
            return self._copy()
        try:
            return self._pickle()
        except Exception as error:
            if self._strategy == "pickle":
                raise UsageError(f"the attributes of the environment cannot be pickled: {error}") from error
        copied = self._copy()
        self._strategy = "deepcopy"  # no need to try again every time
        return copied

    def load(self, snapshot: Any) -> None:
        """Return to a snapshot."""
        references = dict(self._references())
        if isinstance(snapshot, bytes):
            states = _Unpickler(io.BytesIO(snapshot), references).load()
        else:
            states = copy.deepcopy(snapshot.states, {id(value): value for value in references.values()})
        for layer, (names, state) in zip(self.layers, states, strict=True):
            attributes = vars(layer)
            for name in [name for name in attributes if name not in state and name not in names]:
                del attributes[name]
            attributes.update(state)

    def _references(self) -> Iterator[tuple[_Key, Any]]:
        for index, layer in enumerate(self.layers):
            yield (index, ""), layer
            attributes = vars(layer)
            for name in self._names[index]:
                value = attributes.get(name)
                if value is None or isinstance(value, bool | int | float | str):
                    continue
                if name in self._constants[index] or _quiet(value):
                    yield (index, name), value
        if self._below is not None:
            yield (len(self.layers), ""), self._below

    def _states(
        self, references: dict[_Key, Any], layers: Sequence[_State] | None = None
    ) -> list[tuple[list[str], _State]]:
        """For each layer the names of the attributes that are shared, and the others with their values."""
        states = []
        for index, attributes in enumerate([vars(layer) for layer in self.layers] if layers is None else layers):
            names = [name for name in self._names[index] if name in attributes and (index, name) in references]
            states.append((names, {name: value for name, value in attributes.items() if name not in names}))
        return states

    def _pickle(self) -> bytes:
        references = dict(self._references())
        return _dumps(self._states(references), references)

    def dump(self, attributes: Sequence[_State], held: dict[int, tuple[Any, ...]]) -> bytes:
        """A snapshot with other attributes than the present ones.

        `held` says by `id` how objects are made whose own attributes were others, as `__reduce__` does.
        """
        references = dict(self._references())
        return _dumps(self._states(references, attributes), references, held)

    def _copy(self) -> Copied:
        references = dict(self._references())
        try:
            states = copy.deepcopy(self._states(references), {id(value): value for value in references.values()})
            return Copied(states, references)
        except Exception as error:
            raise UncopyableError(
                f"the environment can be neither pickled nor copied ({error}); add methods save() and load(snapshot), "
                "or name the attribute that cannot be copied in shared=[...]"
            ) from error


class Copied:
    """A snapshot made by `deepcopy`, in which what is shared is there itself and not copied.

    Pickled it becomes the bytes of a snapshot made by `pickle`, so that what is shared is not copied there either.
    """

    __slots__ = ("references", "states")

    def __init__(self, states: list[tuple[list[str], _State]], references: dict[_Key, Any]) -> None:
        self.states, self.references = states, references

    def __reduce__(self) -> tuple[Any, ...]:
        return bytes, (_dumps(self.states, self.references),)


class UncopyableError(UsageError):
    """The attributes of an environment can be neither pickled nor copied."""


def _constants(layer: Any) -> tuple[str, ...]:
    """The attributes of a layer that are known never to change."""
    names: tuple[str, ...] = ()
    for kind in type(layer).__mro__:
        for prefix, constants in CONSTANTS.items():
            if str(getattr(kind, "__module__", "")).startswith(prefix):
                names += tuple(name for name in constants if name not in names)
    return names


def _quiet(value: Any) -> bool:
    """Whether something is not a space that has drawn random samples: its generator would be state."""
    parts = getattr(value, "spaces", None)
    if parts is not None:
        children = parts.values() if isinstance(parts, dict) else parts
        return all(_quiet(child) for child in children) and getattr(value, "_np_random", None) is None
    return getattr(value, "_np_random", None) is None


def _shared(key: _Key) -> Any:
    """Stands in a snapshot for something that is not copied; `_Unpickler` puts what has the key there."""
    raise pickle.UnpicklingError(f"{key} can be restored by its environment only")


def _dumps(
    states: list[tuple[list[str], _State]], references: dict[_Key, Any], held: dict[int, tuple[Any, ...]] | None = None
) -> bytes:
    file = io.BytesIO()
    _Pickler(file, {id(value): key for key, value in references.items()}, held or {}).dump(states)
    return file.getvalue()


@functools.cache
def _interned(kind: Any, colour: str) -> Any:
    """The shared object of a class and colour, as it is when it is made."""
    return kind(colour) if inspect.signature(kind).parameters else kind()


def is_interned(obj: Any) -> bool:
    """Whether an object never changes and is as it was made, so that all loads can share one object."""
    kind: Any = type(obj)
    return kind.__name__ in INTERNED.get(kind.__module__, ()) and vars(obj) == vars(_interned(kind, obj.color))


class _Pickler(pickle.Pickler):
    """Pickles attributes with references to what is shared; asked for objects only, not for every number and text."""

    def __init__(self, file: io.BytesIO, keys: dict[int, _Key], held: dict[int, tuple[Any, ...]]) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self._keys, self._held = keys, held

    def reducer_override(self, obj: Any) -> Any:
        key = self._keys.get(id(obj))
        if key is not None:
            return _shared, (key,)
        if is_interned(obj):
            return _interned, (type(obj), obj.color)
        return self._held.get(id(obj), NotImplemented)


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, values: dict[_Key, Any]) -> None:
        super().__init__(file)
        self._values = values

    def find_class(self, module_name: str, global_name: str) -> Any:
        if global_name == "_shared" and module_name == __name__:
            return self._lookup
        return super().find_class(module_name, global_name)

    def _lookup(self, key: _Key) -> Any:
        try:
            return self._values[key]
        except KeyError:
            raise pickle.UnpicklingError(f"the environment has no {key[1] or 'layer'} in layer {key[0]}") from None
