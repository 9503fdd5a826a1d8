"""The policy that a search follows in a part of its visits: the network of a training run, or a function."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from widthwise.core.errors import InputError, UsageError
from widthwise.core.simulator import Step

#: Gives a probability for each action.
PolicyFunction = Callable[[Step], Sequence[float]]
#: How `config.json` names a policy that was given as a function.
FUNCTION = "function"


def policy_record(policy: str | Path | PolicyFunction | None) -> dict[str, str] | None:
    """What `config.json` says about a policy.

    Args:
        policy: The folder of a training run, or a function.

    Returns:
        The folder and the checksum of its policy, or that it is a function; None without a policy.

    Raises:
        InputError: The folder has no policy.
    """
    if policy is None:
        return None
    if not isinstance(policy, str | Path):
        return {"kind": FUNCTION}
    return {"kind": "run", "folder": str(policy), "sha256": _checksum(Path(policy))}


def options_with(policy: str | Path | PolicyFunction | None, options: Mapping[str, Any] | None) -> dict[str, Any]:
    """The options of an environment: those that are given, and otherwise those that the policy was trained with."""
    if not isinstance(policy, str | Path):
        return dict(options or {})
    from widthwise.training.launch import read_settings

    return {**read_settings(Path(policy))[1].options, **(options or {})}


def policy_function(
    record: Mapping[str, str] | None,
    given: str | Path | PolicyFunction | None,
    environment: Any,
    options: Mapping[str, Any],
) -> PolicyFunction | None:
    """The policy of a search.

    Args:
        record: What its settings say about the policy.
        given: The policy that was given in this call; None: that of the settings.
        environment: The environment of the search. Its name has to be the one that the network was trained in.
        options: Options of that environment.

    Returns:
        The probabilities that the policy gives to actions; None without a policy.

    Raises:
        UsageError: The search began with a function, which was not given again, or the network was trained in another
            environment.
        InputError: The folder of the run cannot be read, or its policy has changed since the search began.
    """
    if record is None:
        return None
    if record["kind"] == FUNCTION:
        if given is None or isinstance(given, str | Path):
            raise UsageError("the search began with a function as its policy: give policy= again")
        return given
    folder = Path(record["folder"] if given is None else str(given))
    if _checksum(folder) != record["sha256"]:
        raise InputError(f"{folder}: its policy has changed since the search began, so the search cannot continue")
    from widthwise.training.learned_agent import learned_agent

    name = environment if isinstance(environment, str) else None
    evaluate = learned_agent(folder, name, dict(options), network_only=True).evaluate
    assert evaluate is not None

    def probabilities(step: Step) -> list[float]:
        prior = evaluate([step])[0].prior
        assert prior is not None  # every network has a policy
        return [float(probability) for probability in prior]

    return probabilities


def _checksum(folder: Path) -> str:
    from widthwise.training.checkpoint import BEST, FOLDER

    path = folder / FOLDER / BEST
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        why = error.strerror or error
        raise InputError(f"{path}: there is no policy ({why}); name the folder of a training run") from None
