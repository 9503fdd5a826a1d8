"""The steps of a search, from which trajectories are read, and the order of trajectories."""

from __future__ import annotations

from array import array

#: The node of the initial state.
START = -1
#: The digits after the point to which scores are compared.
DIGITS = 9


def rank(score: float, steps: int) -> tuple[float, int]:
    """The order of trajectories: a higher score is better, then fewer steps.

    Scores are rounded: the same rewards in another order have a sum that differs in the last digits.
    """
    return round(score, DIGITS), -steps


class Trajectories:
    """Every step of a search as a node: its parent and its action. A way from the start is read backwards."""

    def __init__(self) -> None:
        self.parent = array("q")
        self.action = array("H")

    def __len__(self) -> int:
        return len(self.parent)

    def add(self, parent: int, action: int) -> int:
        """A step from a node (`START` for the initial state); returns the new node."""
        self.parent.append(parent)
        self.action.append(action)
        return len(self.parent) - 1

    def actions(self, node: int) -> list[int]:
        """The actions from the start to a node."""
        actions = []
        while node != START:
            actions.append(self.action[node])
            node = self.parent[node]
        return actions[::-1]
