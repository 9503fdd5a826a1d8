"""How the network is trained."""

from __future__ import annotations

from dataclasses import dataclass

from widthwise.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class LearningSettings:
    """How the network is trained. docs/results/learning-diary.md explains each difference from the authors' program."""

    updates: int = 1  # per executed action
    batch: int = 32
    replay: int = 2_000  # transitions
    learning_rate: float = 7e-4
    decay: float = 0.99
    epsilon: float = 0.01
    clip: float = 50.0  # largest norm of the gradient
    l2: float = 1e-4
    value_factor: float = 1.0
    momentum: float = 0.1  # how fast the normalisation's averages follow
    smooth: bool = True  # the first weights are alike at neighbouring pixels
    patient: bool = True  # no update before the first reward: it would only change the features
    calibration: int = 128  # random steps before all else, to which the normalisation is set; 0: none
    encoded: bool = True  # observations that are no images: choices as a one among zeros, numbers scaled

    def __post_init__(self) -> None:
        """Check the settings."""
        for name in ("replay", "learning_rate", "epsilon", "clip"):
            if not getattr(self, name) > 0:
                raise UsageError(f"{name} is above 0, not {getattr(self, name)!r}")
        for name in ("updates", "l2", "value_factor", "calibration"):
            if not getattr(self, name) >= 0:
                raise UsageError(f"{name} is at least 0, not {getattr(self, name)!r}")
        if not self.batch >= 2:
            raise UsageError(f"batch is at least 2, not {self.batch!r}: one observation has no spread")
        if self.calibration == 1:
            raise UsageError("calibration is 0 (none) or at least 2, not 1: one observation has no spread")
