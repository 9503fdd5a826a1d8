"""What the state of a trainer has to look like before it is restored from a checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from widthwise.core.shape import (
    Mismatch,
    Shape,
    anything,
    choice,
    fields,
    items,
    number,
    optional,
    switch,
    table,
    whole,
)
from widthwise.online.captured import PLAYERS, check_captured
from widthwise.training.replanning import MOST_TRIALS, PART

if TYPE_CHECKING:
    from widthwise.online.acting import OnlinePlanner
    from widthwise.training.trainer import Trainer


def tensor(kind: str, dimensions: int | None = None) -> Shape:
    """A tensor of numbers of one type."""

    def check(value: Any, place: str) -> None:
        import torch

        if not isinstance(value, torch.Tensor) or str(value.dtype) != f"torch.{kind}":
            raise Mismatch(f"{place} is not a tensor of {kind}")
        if dimensions is not None and value.dim() != dimensions:
            raise Mismatch(f"{place} has {value.dim()} dimensions, not {dimensions}")
        if value.dtype.is_floating_point and not bool(torch.isfinite(value).all()):
            raise Mismatch(f"{place} has entries that are not finite numbers")

    return check


#: The network, the optimiser and a counter.
LEARNER = fields(
    {
        "network": table(tensor("float32")),
        "optimiser": fields({"squares": items(tensor("float32"))}),
        "updates": whole(0),
    }
)
_EPISODES = items(
    fields({"observations": tensor("int64", 2), "targets": tensor("float32", 2), "returns": tensor("float32", 1)})
)
_REPLAY = fields(
    {
        "arrays": anything,  # of bytes or of floats: `check_trainer` compares it with the observations of the run
        "episodes": _EPISODES,
        "random": fields(
            {
                "bit_generator": choice("PCG64"),
                "state": fields({"state": whole(0, 2**128 - 1), "inc": whole(0, 2**128 - 1)}),
                "has_uint32": whole(0, 1),
                "uinteger": whole(0, 2**32 - 1),
            }
        ),
    },
    {"nodes": _EPISODES},
)
_LOSSES = fields(dict.fromkeys(("policy", "value", "l2", "gradient"), number))
_TRAINER = fields(
    {
        "learner": LEARNER,
        "replay": _REPLAY,
        "players": PLAYERS,
        "episodes": whole(0),
        "interactions": whole(0),
        "actions": whole(0),
        "losses": optional(_LOSSES),
        "seconds": fields(dict.fromkeys(("simulator", "network", "training", "total"), number)),
    }
)
_TRAJECTORY = fields({"score": number, "gain": number, "actions": items(whole(0)), "ended": switch})
_PLANNED = fields(
    {
        "passes": whole(0),
        "trials": whole(0),
        "best": optional(_TRAJECTORY),
        "pass": optional(
            fields(
                {
                    "trials": whole(1),
                    "trajectory": _TRAJECTORY,
                    "actions": items(items(whole(0))),
                    "worth": items(number),
                }
            )
        ),
        "executed": optional(whole(0)),
    }
)
#: What a run that begins with a search for a demonstration has besides.
_DEMONSTRATION = fields(
    {
        "interactions": whole(0),
        "rehearsed": whole(0),
        "score": optional(number),
        "actions": optional(items(whole(0))),
        "search": optional(table(anything)),  # restoring it checks it
    },
    {
        "mastered": switch,
        "over": switch,
        "pauses": whole(0),
        "tried": optional(items(number, 2)),
        "replayed": whole(0),
        "seed": whole(0),
        "source": choice("search", "episode"),
        "frontier": optional(whole(0)),
        "planned": _PLANNED,
    },
)
#: What a run with several actors has besides.
_ACTORS = fields(
    {
        "states": items(
            fields({"begun": whole(0), "draw": optional(whole(0, 2**63 - 1)), "oldest": items(whole(0), 4096)}), 4096
        ),
        "owed": whole(0, 2**31),
        "traffic": fields(dict.fromkeys(("episodes", "episode_bytes", "weight_updates", "weight_bytes"), whole(0))),
        "lost": fields(dict.fromkeys(("actors", "episodes"), whole(0))),
        "seconds": table(number),
    },
    {"lags": items(whole(0))},
)


def check_learner(state: Any, trainer: Trainer, place: str) -> None:
    """Refuse a network that is not of the size of the trainer's own; raises `Mismatch`."""
    LEARNER(state, place)
    own = trainer.updater.network.state_dict()
    if "demonstrated" in own:  # earlier versions did not limit where the policy is used
        state["network"].setdefault("demonstrated", own["demonstrated"] * 0)
    shapes = {name: weights.shape for name, weights in own.items()}
    if shapes != {name: weights.shape for name, weights in state["network"].items()}:
        raise Mismatch(f"{place}.network is not of the shape that the settings give a network")
    if "scale" in own and not bool((state["network"]["scale"] > 0).all()):
        raise Mismatch(f"{place}.network.scale has entries that are not above 0")
    if "value_scale" in own and not float(state["network"]["value_scale"]) >= 0:
        raise Mismatch(f"{place}.network.value_scale is below 0")
    squares = [square.shape for square in trainer.updater.optimiser.squares]
    if squares != [square.shape for square in state["optimiser"]["squares"]]:
        raise Mismatch(f"{place}.optimiser.squares do not fit the network")


def check_trainer(state: Any, trainer: Trainer, place: str = "learner") -> None:
    """Refuse what cannot be the state of a trainer like this one.

    Args:
        state: what `Trainer.state` returned, from a file.
        trainer: the trainer that is to continue from it.
        place: what to call it in messages.

    Raises:
        Mismatch: something has the wrong shape or size; the message names the place.
    """
    _TRAINER(state, place)
    check_learner(state["learner"], trainer, f"{place}.learner")
    agents = trainer.slots()
    if trainer.demonstration is not None:
        fields({"demonstration": _DEMONSTRATION})(state, place)
        _check_demonstration(state["demonstration"], trainer.demonstration.limit, agents[0], f"{place}.demonstration")
    actors = getattr(trainer, "actors", 0)
    if actors:
        fields({"actors": _ACTORS})(state, place)
        states = state["actors"]["states"]
        if len(states) != actors or any(len(saved["oldest"]) * actors != len(agents) for saved in states):
            raise Mismatch(f"{place}.actors.states do not fit the {actors} actors of the run")
    actions = agents[0].simulator.actions
    _check_replay(state["replay"], trainer, actions, f"{place}.replay")
    if len(state["players"]) != len(agents):
        raise Mismatch(f"{place}.players are {len(state['players'])}, and the run has {len(agents)} trees")
    for index, (player, agent) in enumerate(zip(state["players"], agents, strict=True)):
        where = f"{place}.players[{index}]"
        if "agent" not in player:
            continue
        fields({"targets": items(items(number))})(player, where)
        table(anything)(player["agent"], f"{where}.agent")
        levels = agent.guidance.levels(agent, player["agent"].get("guided") is not False)
        check_captured(player["agent"], actions, levels, f"{where}.agent")
        targets, done = player["targets"], player["agent"]["episode"]["actions"]
        if player.get("start", 0) + len(targets) != len(done) or any(len(target) != actions for target in targets):
            raise Mismatch(f"{where}.targets do not fit the actions of the episode")
        if player.get("delivered", 0) > len(targets):
            raise Mismatch(f"{where}.delivered does not fit the actions of the episode")


def _check_demonstration(state: dict[str, Any], limit: int, agent: OnlinePlanner, place: str) -> None:
    actions = agent.simulator.actions
    if state["interactions"] > 3 * limit + 100_000:  # a trajectory that is repeated at the end may exceed the limit
        raise Mismatch(f"{place}.interactions are more than the {limit} of the run")
    items(whole(0, actions - 1))(state["actions"] or [], f"{place}.actions")
    planned = state.get("planned")
    if planned is None:
        return
    place = f"{place}.planned"
    best, trying, executed = planned["best"], planned["pass"], planned["executed"]
    if best is not None:
        items(whole(0, actions - 1))(best["actions"], f"{place}.best.actions")
        if best["ended"] and not best["actions"]:
            raise Mismatch(f"{place}.best ends without an action")
    if trying is not None:
        items(whole(0, actions - 1))(trying["trajectory"]["actions"], f"{place}.pass.trajectory.actions")
        items(items(whole(0, actions - 1)))(trying["actions"], f"{place}.pass.actions")
        if not len(trying["actions"]) == len(trying["worth"]) <= trying["trials"] <= MOST_TRIALS:
            raise Mismatch(f"{place}.pass has trials that do not fit")
    if executed is not None and (
        trying is None or planned["trials"] < 1 or executed > (PART if trying["trials"] > 1 else state["interactions"])
    ):
        raise Mismatch(f"{place}.executed does not fit the pass")


def _check_replay(replay: dict[str, Any], trainer: Trainer, actions: int, place: str) -> None:
    import torch

    input_format = trainer.input_format
    parts = input_format.shape[-1] if input_format.stacked else 1
    shape = input_format.shape[:-1] if input_format.stacked else input_format.shape
    arrays = replay["arrays"]
    tensor("uint8" if input_format.image else "float32")(arrays, f"{place}.arrays")
    assert isinstance(arrays, torch.Tensor)
    if len(arrays) and tuple(arrays.shape[1:]) != tuple(shape):
        raise Mismatch(f"{place}.arrays are not observations of this environment")
    named = [
        (f"{place}.{name}[{index}]", data)
        for name in ("episodes", "nodes")
        for index, data in enumerate(replay.get(name, []))
    ]
    for where, episode in named:
        seen = episode["observations"]
        if not len(seen) or seen.shape[1] != parts:
            raise Mismatch(f"{where}.observations are not observations of this environment")
        if int(seen.min()) < 0 or int(seen.max()) >= len(arrays):
            raise Mismatch(f"{where}.observations names an array that is not there")
        if tuple(episode["targets"].shape) != (len(seen), actions) or len(episode["returns"]) != len(seen):
            raise Mismatch(f"{where} has other numbers of observations, targets and returns")
