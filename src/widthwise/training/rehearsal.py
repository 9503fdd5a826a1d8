"""The end of a rehearsal: whether the network repeats the demonstration."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from widthwise.learning.replay_memory import EpisodeData

#: The network repeats a trajectory if it gives each of its actions this probability. A network that merely prefers them
#: while it is still changing may prefer others after the next update.
CLEARLY = 0.8


def repeats(policies: npt.NDArray[np.float32], episode: EpisodeData) -> bool:
    """Whether policies repeat an episode: they give each of its actions a high probability.

    Steps with equal observations and different actions do not count. No policy tells them apart.

    Args:
        policies: The network's policy in each state of the episode.
        episode: A demonstration.

    Returns:
        Whether they do.
    """
    actions = episode.targets.argmax(axis=1)
    contents: dict[int, bytes] = {}  # by the identity of an array; observations share arrays
    taken: dict[tuple[bytes, ...], set[int]] = {}
    seen = []
    for parts, action in zip(episode.observations, actions.tolist(), strict=True):
        key = tuple(contents.setdefault(id(part), part.tobytes()) for part in parts)
        taken.setdefault(key, set()).add(action)
        seen.append(key)
    rows = [row for row, key in enumerate(seen) if len(taken[key]) == 1]
    return bool((policies[rows, actions[rows]] >= CLEARLY).all())
