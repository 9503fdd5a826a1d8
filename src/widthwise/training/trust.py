"""Which code a run folder names, and whether the user has agreed to run it.

A run folder may come from another person. Its settings can name an environment as `module:attribute`, and creating
that environment imports the module and calls the attribute. To resume a run or to play its policy, the user has to
repeat every such name on the command line, or declare that the folder is trusted. `require_trust` is the only place
that decides this.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from widthwise.core.errors import UsageError, in_terms

#: Environments whose names have a colon and that are made by our own code alone.
_OURS = ("maze", "atari")
#: A text that names something to import, wherever it stands among the settings.
_IMPORTED = re.compile(r"[^\W\d][\w.]*:[^\W\d][\w.]*")
#: Gymnasium environments that import whatever module their options name.
_SHIMS = re.compile(r"GymV\d+Environment-v\d+")


def names_code(environment: str) -> bool:
    """Whether making an environment of this name imports a module that the name chooses.

    Args:
        environment: a name as `simulator` takes it.

    Returns:
        True for `module:attribute` and for Gymnasium ids of the form `module:Env-v0`; False for bundled mazes,
        `maze:FILE`, `atari:GAME` and the ids of registered Gymnasium environments.

    Example:
        >>> names_code("os:system"), names_code("maze:walls.txt")
        (True, False)
    """
    kind, colon, _ = environment.partition(":")
    if "\n" in environment or kind in _OURS:
        return False
    return bool(colon) or _SHIMS.fullmatch(environment) is not None


def code_named(settings: Mapping[str, Any]) -> list[str]:
    """The code that settings name: the environment, and every text of the form `module:attribute` in the others."""
    names: dict[str, None] = {}
    for name, value in settings.items():
        if name == "environment":
            if isinstance(value, str) and names_code(value):
                names[value] = None
        else:
            names |= dict.fromkeys(text for text in _texts(value) if _IMPORTED.fullmatch(text))
    return list(names)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def require_trust(
    folder: Path, settings: Mapping[str, Any], given: Mapping[str, Any], *, trust: bool, remedy: str
) -> None:
    """Refuse to continue with a folder whose settings name code that the caller has not named as well.

    Args:
        folder: the run folder.
        settings: the settings in the folder from which anything is created.
        given: the settings that the caller has given explicitly.
        trust: whether the caller trusts the folder as a whole.
        remedy: the call that repeats the names, for the message.

    Raises:
        UsageError: the settings name code that was not repeated; nothing was imported.
    """
    if trust:
        return
    repeated = code_named(given)
    unknown = [name for name in code_named(settings) if name not in repeated]
    if unknown:
        names = ", ".join(unknown)
        own = in_terms(python="trust=True", command="--trust")
        raise UsageError(
            f"{folder}: its config.json names code to import and run: {names}. Nothing was run. If you know this code, "
            f"repeat the name ({remedy}); or give {own} if the whole folder is yours"
        )


def resume_call(folder: Path, environment: str) -> str:
    """The command that continues a training run."""
    named = f"{environment} " if names_code(environment) else ""
    return f"widthwise train {named}--resume {shlex.quote(str(folder))}"
