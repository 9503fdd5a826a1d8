"""How the network is trained."""

from __future__ import annotations

from dataclasses import dataclass

from widthwise.core.errors import UsageError
from widthwise.learning.support import SUPPORTS

#: The memory holds this many times more samples from nodes of trees than transitions.
TREE_CAPACITY = 4
_MOST, _MOST_SHIFT = 10_000, 16


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
    smooth: bool = True  # the initial weights are similar at neighbouring pixels
    patient: bool = True  # no update before the first reward: it would only change the features
    calibration: int = 128  # random steps before all else, to which the normalisation is set; 0: none
    encoded: bool = True  # observations that are no images: choices as a one among zeros, numbers scaled
    tree_targets: int = 0  # samples per executed action from nodes that leave the tree; 0: from roots alone
    tree_share: float = 0.5  # of a batch, from nodes of the tree
    tree_values: bool = True  # nodes of the tree also teach the value, not only the policy
    segment: int = 0  # actions after which a part of an episode can be learned from; 0: at its end
    bootstrap: int = 0  # steps after which the network's value replaces the rest of a return; 0: never
    shift: int = 0  # pixels by which images are shifted at random in updates
    value_support: str = "auto"  # one of `SUPPORTS`
    zero_heads: bool = True  # both heads begin at zero
    raw_input: bool = False  # bytes of images are input as numbers from 0 to 255, not from 0 to 1
    archive: int = 0  # interactions of a search with an archive before the first episode; 0: none
    replanning: bool = False  # a part of these interactions plans without the network, from the best trajectory so far
    rehearsal: int = 5_000  # updates on its best trajectory alone: fewer if the network repeats it, at most 3 times
    interim: int = 0  # times at which the search pauses, and its best trajectory so far is learned
    demonstration_share: float = 0.25  # of a batch, from that trajectory
    self_imitation: bool = False  # only the best trajectory is learned from; a better episode takes its place
    start_share: float = 0.0  # of the episodes, begin at a state of that trajectory
    rare_bonus: float = 0.0  # added to returns where a path enters a high-level state that no action has entered before

    def __post_init__(self) -> None:
        """Check the settings."""
        for name in ("replay", "learning_rate", "epsilon", "clip"):
            if not getattr(self, name) > 0:
                raise UsageError(f"{name} must be above 0, not {getattr(self, name)!r}")
        for name in ("updates", "l2", "value_factor", "calibration", "rare_bonus"):
            if not getattr(self, name) >= 0:
                raise UsageError(f"{name} must be at least 0, not {getattr(self, name)!r}")
        for name in ("archive", "rehearsal"):
            if not getattr(self, name) >= 0:
                raise UsageError(f"{name} must be at least 0, not {getattr(self, name)!r}")
        for name in ("tree_share", "demonstration_share", "start_share"):
            if not 0 <= getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 0 and below 1, not {getattr(self, name)!r}")
        if self.start_share and not self.archive:
            raise UsageError("start_share needs a demonstration: set archive too, or leave it out")
        for name in ("tree_targets", "segment", "bootstrap", "interim"):
            if not 0 <= getattr(self, name) <= _MOST:
                raise UsageError(f"{name} must be from 0 to {_MOST:,}, not {getattr(self, name)!r}")
        if self.self_imitation and (self.segment or self.tree_targets):
            raise UsageError(
                "self_imitation learns from whole episodes: set self_imitation=off, or segment=0 and tree_targets=0"
            )
        if self.rare_bonus and (self.segment or self.tree_targets):
            raise UsageError(
                "rare_bonus must not be learned as a return: leave it out, or set segment=0 and tree_targets=0"
            )
        if not 0 <= self.shift <= _MOST_SHIFT:
            raise UsageError(f"shift must be from 0 to {_MOST_SHIFT} pixels, not {self.shift!r}")
        if self.value_support not in SUPPORTS:
            raise UsageError(
                f"value_support must be {', '.join(SUPPORTS[:-1])} or {SUPPORTS[-1]}, not {self.value_support!r}"
            )
        if not self.batch >= 2:
            raise UsageError(f"batch must be at least 2, not {self.batch!r}: a single observation has no variance")
        if self.calibration == 1:
            raise UsageError("calibration must be 0 (none) or at least 2, not 1: a single observation has no variance")
