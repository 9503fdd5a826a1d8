"""B-PROST: which colours a screen shows where, and pairs of them with their offsets in space and in time.

The features of Liang, Machado, Talvitie and Bowling (2016), with which Bandres, Bonet and Geffner (2018) plan from
pixels. A screen is cut into 14x16 tiles. A *patch* is a colour in a tile. The features are the patches (basic), pairs
of patches by their colours and the offset between their tiles (B-PROS), and the same pairs between the screen before
and this one (B-PROT). There are some 20 million features, of which a screen shows hundreds: they are a `FeatureSet`.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np

from widthwise import _native
from widthwise.core.contract import guarded
from widthwise.core.errors import UsageError
from widthwise.core.simulator import Simulator, Step
from widthwise.simulator_search.driver import FeatureSet

#: Steps of the random walk that finds the background, and how long it holds an action.
WALK = 200
HOLD = 4
#: The share of the screens of the walk that show a patch of the background.
CONSTANT = 0.95
#: The numbers after those of the pairs: how many lives are left.
_LIVES = 1 << 31


class BProst:
    """Features of a screen: patches, and pairs of patches in space and in time (B-PROST).

    In Atari games the colours are those of the console. In other environments with images, colours are rounded to 128,
    and there are pairs in time only if the observation has several frames.

    Args:
        space: Whether pairs within the screen are features.
        time: Whether pairs with the previous screen are features.
        background: Patches that are left out, as `fit` finds them.
        lives: Whether the number of lives is a feature, where `info` has it.

    Raises:
        UsageError: When called: the observation is not an image.

    Example:
        >>> step = ww.simulator("maze-small").reset(seed=0)
        >>> isinstance(ww.BProst()(step), ww.FeatureSet)
        True
    """

    count = None
    values = 2

    def __init__(self, *, space: bool = True, time: bool = True, background: bytes = b"", lives: bool = True) -> None:
        self.space, self.time, self.background, self.lives = space, time, background, lives
        self._shape: tuple[int, ...] = ()
        self._patches: _native.Patches | None = None

    @classmethod
    def fit(
        cls, simulator: Simulator, *, steps: int = WALK, seed: int = 0, space: bool = True, time: bool = True
    ) -> BProst:
        """Features without the background: patches that nearly all screens of a random walk show.

        Args:
            simulator: The environment; it is reset.
            steps: The length of the random walk. It is not counted as interactions of a search.
            seed: The seed of the random walk and of the reset.
            space: Whether pairs within the screen are features.
            time: Whether pairs with the previous screen are features.

        Returns:
            The features.

        Example:
            >>> len(ww.BProst.fit(ww.simulator("maze-small"), steps=50).background) > 0
            True
        """
        environment, rng = guarded(simulator), random.Random(seed)
        features = cls(space=space, time=time)
        screens: Counter[int] = Counter()
        step = environment.reset(seed)
        action = 0
        for _ in range(steps):
            screens.update(_numbers(features.patches(step)[1]))
            if rng.random() * HOLD < 1:
                action = rng.randrange(environment.actions)
            step = environment.reset(seed) if step.done else environment.step(action)
        constant = sorted(patch for patch, count in screens.items() if count >= CONSTANT * steps)
        features.background = np.array(constant, "<u2").tobytes()
        return features

    def __call__(self, step: Step) -> FeatureSet:
        """The true features of a step."""
        before, now = self.patches(step)
        numbers = _native.screen_features(now, before, self.background, self.space, self.time)
        lives = step.info.get("lives") if self.lives else None
        if lives is not None:
            numbers += (_LIVES + int(lives)).to_bytes(4, "little")
        return FeatureSet(numbers)

    def patches(self, step: Step) -> tuple[bytes, bytes]:
        """The patches of the previous screen, if it is known, and of this one."""
        known: tuple[bytes, bytes] | None = step.info.get("patches")
        if known is not None:
            return known
        observation: Any = step.observation
        if isinstance(observation, dict):
            observation = observation.get("image")
        frames: Any = getattr(observation, "frames", (observation,))
        return self._of(frames[-2]) if len(frames) > 1 else b"", self._of(frames[-1])

    def _of(self, image: Any) -> bytes:
        shape: tuple[int, ...] = tuple(getattr(image, "shape", ()))
        if shape != self._shape:
            if len(shape) not in (2, 3) or image.dtype != np.uint8 or (len(shape) == 3 and shape[2] not in (1, 3)):
                raise UsageError(
                    "screen features need images: arrays of bytes with rows, columns and possibly three colours"
                )
            if shape[0] < 14 or shape[1] < 16:
                raise UsageError(f"an image of {shape[1]}x{shape[0]} pixels is too small for 16x14 tiles")
            self._patches, self._shape = _native.Patches(shape[0], shape[1]), shape
        assert self._patches is not None
        if len(shape) == 2 or shape[2] == 1:
            colours = image.reshape(shape[:2]) >> 1
        else:  # 2, 3 and 2 bits of red, green and blue
            colours = (image[..., 0] >> 6 << 5) | (image[..., 1] >> 5 << 2) | (image[..., 2] >> 6)
        return self._patches.of(np.ascontiguousarray(colours))

    def __repr__(self) -> str:
        return f"BProst(space={self.space}, time={self.time})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _bprost, (self.space, self.time, self.background, self.lives)


def _bprost(space: bool, time: bool, background: bytes, lives: bool) -> BProst:
    return BProst(space=space, time=time, background=background, lives=lives)


def _numbers(patches: bytes) -> list[int]:
    numbers: list[int] = np.frombuffer(patches, "<u2").tolist()
    return numbers
