"""Snapshots of environments that have no save and load of their own, by copying their attributes.

An environment is a chain of layers, wrappers around a core. A snapshot holds the attributes of all of
them, so that a wrapper's step counter is not forgotten. What never changes, the spaces for instance, is
not copied but referred to by the layer and name it has there; a snapshot that was pickled therefore fits
any environment made in the same way, in another process too.
"""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Iterator, Sequence
from typing import Any

from widthwise.core.errors import UsageError

#: Attributes that are shared and not copied: descriptions, and windows to draw in.
SHARED = (
    "spec", "_cached_spec", "metadata", "_metadata", "action_space", "_action_space",
    "observation_space", "_observation_space", "window", "clock", "screen", "surf", "viewer", "render_size",
)  # fmt: skip

_Key = tuple[int, str]


class Layers:
    """The attributes of a chain of objects, to be saved and loaded."""

    def __init__(
        self, layers: Sequence[Any], shared: Sequence[str] = (), strategy: str = "auto", below: Any = None
    ) -> None:
        self._layers = list(layers)
        self._below = below  # the layer under the last one, which saves itself
        self._names = (*SHARED, *shared)
        self._strategy = strategy

    def save(self) -> Any:
        """A snapshot: bytes where the attributes can be pickled, otherwise copies."""
        if self._strategy == "deepcopy":
            return self._copy()
        try:
            return self._pickle()
        except Exception as error:
            if self._strategy == "pickle":
                raise UsageError(f"the environment's attributes cannot be pickled: {error}") from error
        found = self._copy()
        self._strategy = "deepcopy"  # no need to try again every time
        return found

    def load(self, snapshot: Any) -> None:
        """Return to a snapshot."""
        if isinstance(snapshot, bytes):
            states = _Unpickler(io.BytesIO(snapshot), dict(self._references())).load()
        else:
            states = copy.deepcopy(snapshot, self._memo())
        for layer, state in zip(self._layers, states, strict=True):
            attributes = vars(layer)
            attributes.clear()
            attributes.update(state)

    def _references(self) -> Iterator[tuple[_Key, Any]]:
        for index, layer in enumerate(self._layers):
            yield (index, ""), layer
            attributes = vars(layer)
            for name in self._names:
                value = attributes.get(name)
                if value is not None and not isinstance(value, bool | int | float | str) and _quiet(value):
                    yield (index, name), value
        if self._below is not None:
            yield (len(self._layers), ""), self._below

    def _memo(self) -> dict[int, Any]:
        return {id(value): value for _, value in self._references()}

    def _states(self) -> list[dict[str, Any]]:
        return [vars(layer) for layer in self._layers]

    def _pickle(self) -> bytes:
        file = io.BytesIO()
        _Pickler(file, {id(value): key for key, value in self._references()}).dump(self._states())
        return file.getvalue()

    def _copy(self) -> list[dict[str, Any]]:
        try:
            return copy.deepcopy(self._states(), self._memo())
        except Exception as error:
            raise UsageError(
                f"the environment can be neither pickled nor copied ({error}); give it methods save() and "
                "load(snapshot), or name the attribute that stands in the way in shared=[...]"
            ) from error


def _quiet(value: Any) -> bool:
    """Whether something is not a space that has drawn random samples: its generator would be state."""
    parts = getattr(value, "spaces", None)
    if parts is not None:
        children = parts.values() if isinstance(parts, dict) else parts
        return all(_quiet(child) for child in children) and getattr(value, "_np_random", None) is None
    return getattr(value, "_np_random", None) is None


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, keys: dict[int, _Key]) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self._keys = keys

    def persistent_id(self, obj: Any) -> _Key | None:
        return self._keys.get(id(obj))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, values: dict[_Key, Any]) -> None:
        super().__init__(file)
        self._values = values

    def persistent_load(self, pid: _Key) -> Any:
        try:
            return self._values[pid]
        except KeyError:
            raise pickle.UnpicklingError(f"this environment has no {pid[1] or 'layer'} in layer {pid[0]}") from None
