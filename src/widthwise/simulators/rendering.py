"""Pictures of a Gymnasium environment: a second copy of it, made to be rendered, that takes the executed steps only.

Rendering may change an environment (it opens surfaces and fonts, which can be neither copied nor pickled), and the
environment of the planner jumps from node to node. The copy is made from the specification of the planner's
environment, starts with the same seed and takes the same actions with the same random numbers, so planning is the same
with and without pictures.
"""

from __future__ import annotations

import copy
import os
from typing import Any

import numpy as np

from widthwise.core.contract import describe_exception, guarded, innermost
from widthwise.core.simulator import Simulator, Step
from widthwise.simulators.gymnasium_env import GymnasiumSimulator
from widthwise.simulators.names import wrap

MODE = "rgb_array"


class RenderedCopy:
    """A copy of a Gymnasium environment at the state that the agent is really in.

    Args:
        world: The simulator that is planned in.
        seed: The seed of the episode.

    `reason` says why there is no picture; it is None as long as there are pictures.
    """

    def __init__(self, world: Simulator, seed: int) -> None:
        self.reason: str | None = None
        self.picture: Any = None
        self.now: Step | None = None
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # pictures are made in memory, without a display
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "hide")  # stdout is for results
        try:
            self.env = make_renderable(innermost(world))
            self.world = guarded(wrap(self.env))
            self.now = self.world.reset(seed)
            self.picture = self._render()
        except Exception as error:
            self._give_up(error)

    def step(self, action: int, luck: int | None = None) -> None:
        """Take an executed step, with the random numbers that it was executed with."""
        if self.reason is not None:
            return
        try:
            if luck is not None:
                from widthwise.simulators.generators import find, reseed

                reseed(self.world, luck, find(self.world))
            self.now = self.world.step(action)
            self.picture = self._render()
        except Exception as error:
            self._give_up(error)

    def agrees(self, observation: Any, reward: float, terminal: bool) -> bool:
        """Whether the copy shows what the agent saw; if not, there are no pictures from here on."""
        from widthwise.simulators.chance import same_outcome

        if self.reason is None and observation is not None and self.now is not None:
            if same_outcome((observation, reward, terminal), self.now):
                return True
            self.reason, self.picture = "a second environment with the same seed and actions behaved differently", None
        return self.reason is None

    def _render(self) -> Any:
        picture = np.asarray(self.env.render())
        if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] not in (3, 4):
            raise UnrenderableError(f"render() returned {picture.dtype} of shape {picture.shape}, not an RGB picture")
        return picture.copy()

    def _give_up(self, error: Exception) -> None:
        self.picture = None
        self.reason = str(error) if isinstance(error, UnrenderableError) else describe_exception(error)


class UnrenderableError(Exception):
    """An environment has no pictures."""


def is_renderable(world: Simulator) -> bool:
    """Whether a simulator is a Gymnasium environment, which may have pictures."""
    return isinstance(innermost(world), GymnasiumSimulator)


def make_renderable(simulator: Any) -> Any:
    """A second environment like that of a simulator, made with `render_mode="rgb_array"`.

    Raises:
        UnrenderableError: If the environment has no such mode, or cannot be made a second time.
    """
    import gymnasium

    env = simulator.env
    modes = (getattr(env, "metadata", None) or {}).get("render_modes") or ()
    if MODE not in modes:
        raise UnrenderableError(f"it has no render mode {MODE}")
    spec = env.spec
    if spec is None and getattr(env, "render_mode", None) == MODE:
        return copy.deepcopy(env)  # nothing was rendered yet
    if spec is None:
        raise UnrenderableError(f"it was made neither by gymnasium.make nor with the render mode {MODE}")
    return gymnasium.make(spec, render_mode=MODE, disable_env_checker=True)
