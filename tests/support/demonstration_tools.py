"""Trainers whose runs begin with a search for a demonstration."""

from __future__ import annotations

from typing import Any

import widthwise as ww
from learning_tools import ROOMS
from widthwise.learning.learning_settings import LearningSettings
from widthwise.simulators.maze import Maze
from widthwise.training.algorithms import planning_settings
from widthwise.training.configuration import Configuration
from widthwise.training.trainer import Trainer


def trainer_of(
    *,
    archive: int = 3_000,
    rehearsal: int = 60,
    patient: bool = True,
    self_imitation: bool = False,
    replanning: bool = False,
    start_share: float = 0.0,
    interim: int = 0,
    trees: int = 1,
    **planning: Any,
) -> Trainer:
    behaviour = ww.Behaviour("prior")
    chosen = planning_settings("pi-iw", Maze(ROOMS), steps_per_action=10, ties=True, behaviour=behaviour, **planning)
    learning = LearningSettings(
        batch=8,
        archive=archive,
        replanning=replanning,
        rehearsal=rehearsal,
        patient=patient,
        calibration=8,
        self_imitation=self_imitation,
        start_share=start_share,
        interim=interim,
    )
    return Trainer(lambda: Maze(ROOMS), Configuration(chosen, learning, trees=trees))


def until_acting(trainer: Trainer) -> int:
    """The rounds before the first action."""
    count = 0
    while not trainer.actions:
        trainer.round()
        count += 1
    return count - 1
