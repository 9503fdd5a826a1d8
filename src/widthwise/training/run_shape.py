"""What the state of a run has to look like before it is restored from a checkpoint."""

from __future__ import annotations

from widthwise.core import shape
from widthwise.training.folder import EPISODES, EVALUATIONS

RECENT = 20  # episodes in the means that the progress shows

HELD = shape.fields(
    {
        "lines": shape.fields({EPISODES: shape.whole(), EVALUATIONS: shape.whole()}),
        "learner": shape.anything,
        "run": shape.fields(
            {
                "episodes": shape.whole(),
                "evaluations": shape.whole(),
                "best": shape.optional(shape.fields({"network_score": shape.number, "network_steps": shape.number})),
                "seconds": shape.number,
                "recent": shape.items(shape.items(shape.number, 2), RECENT),
            },
            {
                "episode_interactions": shape.whole(),
                "from_reset": shape.whole(),
                "outstanding": shape.switch,
                "pending": shape.fields(
                    {
                        "number": shape.whole(0),
                        "interactions": shape.whole(0),
                        "planner": shape.switch,
                        "policy": shape.anything,  # `Beside.start` checks it
                    }
                ),
            },
        ),
    }
)
