"""The policy that a search follows in a part of its visits: the network of a training run, or a function."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from widthwise.core import shape
from widthwise.core.errors import InputError, UsageError
from widthwise.core.simulator import Step
from widthwise.training.environment import named_environment
from widthwise.training.policy import Policy

#: Gives a probability for each action.
PolicyFunction = Callable[[Step], Sequence[float]]
#: What a policy can be given as: a training run, or a function.
GivenPolicy = str | Path | Policy | PolicyFunction
#: How `config.json` names a policy that was given as a function.
FUNCTION = "function"


def check_record(value: Any, place: str) -> None:
    """The shape of a policy in `config.json`."""
    shape.fields({"kind": shape.choice(FUNCTION, "run")})(value, place)
    if value["kind"] == "run":
        shape.fields({"folder": shape.text, "sha256": shape.text})(value, place)


def policy_record(policy: GivenPolicy | None) -> dict[str, str] | None:
    """What `config.json` says about a policy.

    Args:
        policy: A training run, or a function.

    Returns:
        The folder and the checksum of its policy, or that it is a function; None without a policy.

    Raises:
        InputError: The folder has no policy.
    """
    if policy is None:
        return None
    folder = _folder(policy)
    if folder is None:
        return {"kind": FUNCTION}
    return {"kind": "run", "folder": str(folder.absolute()), "sha256": _checksum(folder)}


def options_with(
    policy: GivenPolicy | None, environment: Any, options: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    """The options of the environment of a new search: those that are given, and otherwise those of the run.

    Args:
        policy: The policy to follow.
        environment: The environment; only one that is given by its name has options.
        options: The options that are given.

    Returns:
        The options; None: nothing is known about them.

    Raises:
        UsageError: The options of the run name code that was not repeated.
        InputError: The folder of the run cannot be read.
    """
    folder = None if policy is None else _folder(policy)
    if folder is None or not isinstance(environment, str):
        return None if options is None else dict(options)
    from widthwise.training.launch import named_code, read_settings
    from widthwise.training.trust import require_trust

    config, settings = read_settings(folder)
    given = {"environment": environment, "options": dict(options or {})}
    require_trust(folder, named_code(config), given, trust=False, remedy="--option NAME=VALUE")
    return {**settings.options, **(options or {})}


def policy_function(
    record: Mapping[str, str] | None,
    given: GivenPolicy | None,
    environment: Any,
    options: Mapping[str, Any],
) -> PolicyFunction | None:
    """The policy of a search.

    Args:
        record: What its settings say about the policy.
        given: The policy that was given in this call; None: that of the settings.
        environment: The environment of the search, in which the network was trained.
        options: Options of that environment. Code that they name was repeated by the caller.

    Returns:
        The probabilities that the policy gives to actions; None without a policy.

    Raises:
        UsageError: The search began with a function, which was not given again, or the network was trained in another
            environment.
        InputError: The folder of the run cannot be read, or its policy has changed since the search began.
    """
    if record is None:
        return None
    folder = None if given is None else _folder(given)
    if record["kind"] == FUNCTION:
        if given is None or folder is not None:
            raise UsageError("the search began with a function as its policy: give policy= again")
        return cast(PolicyFunction, given)
    folder = folder or Path(record["folder"])
    if _checksum(folder) != record["sha256"]:
        raise InputError(
            f"{folder}: its policy has changed since the search began, so the search cannot continue; give a copy of "
            "the run from that time, or begin a new search"
        )
    from widthwise.training.learned_agent import learned_agent

    name, make = named_environment(environment)
    evaluate = learned_agent(folder, name, dict(options), network_only=True, make=make).evaluate
    assert evaluate is not None

    def probabilities(step: Step) -> list[float]:
        prior = evaluate([step])[0].prior
        assert prior is not None  # every network has a policy
        return [float(probability) for probability in prior]

    return probabilities


def _folder(policy: GivenPolicy) -> Path | None:
    """The folder of a training run; None for a function."""
    if isinstance(policy, Policy):
        return policy.folder
    return Path(policy) if isinstance(policy, str | Path) else None


def _checksum(folder: Path) -> str:
    from widthwise.training.checkpoint import BEST, FOLDER

    path = folder / FOLDER / BEST
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        why = error.strerror or error
        raise InputError(f"{path}: there is no policy ({why}); name the folder of a training run") from None
