"""A trajectory as a video: its actions are executed from a reset, and every state is drawn."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from widthwise.cli.play_watch import Follower
from widthwise.core.contract import innermost
from widthwise.core.showing import counted

if TYPE_CHECKING:
    from widthwise.core.simulator import Simulator
    from widthwise.reports.film import Film

#: Pictures per second; an Atari game executes four steps per second.
PER_SECOND = 8.0


def add_video_options(parser: Any) -> None:
    """Add --gif and --mp4 to a parser or a group."""
    from pathlib import Path

    parser.add_argument("--gif", type=Path, metavar="FILE", help="write a video of the trajectory as an animated GIF")
    parser.add_argument("--mp4", type=Path, metavar="FILE", help="write a video of the trajectory as MP4")


def film_trajectory(simulator: Simulator, seed: int, actions: Sequence[int], name: str) -> Film:
    """A video of a trajectory.

    Args:
        simulator: The environment; it is reset.
        seed: The seed of the reset.
        actions: The actions from the reset on.
        name: What to write next to the pictures.

    Returns:
        The video, with a picture of every state.
    """
    from widthwise.reports.film import Film
    from widthwise.reports.tree_view import TreeViewer

    follower = Follower(innermost(simulator), seed, filmed=True)
    film = Film(follower.scene(), TreeViewer(None), PER_SECOND)
    simulator.reset(seed)
    score = 0.0
    for number, action in enumerate(actions):
        film.end([name, f"step {number} of {len(actions)}, score {score:g}"])
        follower.step(action)
        score += simulator.step(action).reward
    film.end([name, f"score {score:g} after {counted(len(actions), 'step')}"])
    return film


def save_videos(args: argparse.Namespace, film: Film) -> None:
    """Write the video to the files that the options name."""
    if args.gif is not None:
        film.save_gif(args.gif)
    if args.mp4 is not None:
        film.save_mp4(args.mp4)
