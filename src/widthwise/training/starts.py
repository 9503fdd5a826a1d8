"""Where training episodes begin: some at a state of the demonstration, the others at a reset.

An episode from a reset repeats a long demonstration before it can find more. One that begins at a late state of it
plans there at once: it may find what follows, and what it learns, it learns near the rewards.
"""

from __future__ import annotations

import random

from widthwise.online.start import Start


def draw_start(shown: Start | None, share: float, seed: int) -> Start | None:
    """Where an episode begins.

    Args:
        shown: The demonstration; None: there is none.
        share: The share of episodes that begin at one of its states, each of them equally likely.
        seed: The seed of the episode.

    Returns:
        The start; None: the reset.
    """
    rng = random.Random(f"start {seed}")
    if shown is None or rng.random() >= share:
        return None
    return Start(shown.seed, shown.actions[: rng.randint(1, len(shown.actions))])
