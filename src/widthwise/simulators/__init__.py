"""Simulators: mazes, Atari games and Gymnasium environments whose state can be saved and loaded."""

from widthwise.simulators.checker import Check, Report, check_simulator
from widthwise.simulators.features import Atoms, Cells, CustomFeatures, Features, Info, Ram, Tiles
from widthwise.simulators.maze import Maze
from widthwise.simulators.names import simulator

__all__ = [
    "Atoms",
    "Cells",
    "Check",
    "CustomFeatures",
    "Features",
    "Info",
    "Maze",
    "Ram",
    "Report",
    "Tiles",
    "check_simulator",
    "simulator",
]
