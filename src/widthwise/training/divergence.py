"""Detection of training that has diverged."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from widthwise.learning.updater import TrainingDivergedError

if TYPE_CHECKING:
    from widthwise.training.trainer import Trainer

DIVERGED = "training diverged: the outputs of the network are no longer finite; use a smaller learning rate"


@contextlib.contextmanager
def diagnosed(trainer: Trainer) -> Iterator[None]:
    """Raise `TrainingDivergedError` where an error comes from probabilities that are not finite."""
    try:
        yield
    except ValueError as error:
        if "finite" not in str(error):
            raise
        rewards = (reward for player in trainer.players for reward in player.agent.driver.tree.reward)
        if not all(map(math.isfinite, rewards)):
            raise TrainingDivergedError(
                "training diverged: the simulator returned a reward that is not finite"
            ) from None
        raise TrainingDivergedError(DIVERGED) from None
