"""The training part of the demo: a network learns a small maze from search until it solves it without search."""

from __future__ import annotations

import sys

from widthwise.cli.demo_text import draw_way, say, title
from widthwise.core.errors import install_line
from widthwise.core.showing import counted
from widthwise.training.run import TrainingListener, TrainingRun
from widthwise.training.run_trainer import Record

ENVIRONMENT, TILES = "maze-small", (8, 8)
SHORTEST = 36  # steps over the key to the door
INTERACTIONS = 36_000
ROWS = 18
_BAR = 20


class Rows(TrainingListener):
    """A line of the table per evaluation."""

    def __init__(self) -> None:
        self.before = 0  # episodes in the lines above

    def evaluated(self, run: TrainingRun, record: Record) -> None:
        """Print the mean of the episodes since the last line, and the result of the network without search."""
        new = list(run.recent)[-max(0, run.from_reset - self.before) :] if run.from_reset > self.before else []
        self.before = run.from_reset
        score = sum(score for score, _ in new) / len(new) if new else None
        steps = sum(steps for _, steps in new) / len(new) if new else None
        direct = 0.0 if score is None or steps is None else max(0.0, score) * SHORTEST / steps
        alone = "solved in {:.0f} steps".format(record["network_steps"]) if record["network_score"] >= 1 else "lost"
        bar = "#" * round(direct * _BAR)
        cells = ("-", "-") if score is None or steps is None else (f"{score:.2f}", f"{steps:.0f}")
        print(f"  {record['interactions']:>12,}  {cells[0]:>5}  {cells[1]:>5}  {bar:<{_BAR}}  {alone}", flush=True)


def learn() -> None:
    """Train for about two minutes, print the progress, and play an episode with the network alone."""
    from widthwise.experiments.scratch import scratch_folder
    from widthwise.training.launch import begin
    from widthwise.training.learned_agent import learned_agent
    from widthwise.training.run_settings import RunSettings

    title("6. Learning from search: a network learns a maze")
    say(
        "π-HIW trains a network on the results of the search. The network learns which actions the search prefers and "
        "the value of states. In turn it guides the search, and its last hidden layer provides the features of the low "
        "level. The observation is an image; the only reward, 1, is given at the door if the agent has the key. The "
        f"shortest path has {SHORTEST} steps; a full bar means that the search follows it. Training takes a minute or "
        "two:"
    )
    print(f"  {'interactions':>12}  {'score':>5}  {'steps':>5}  {'':<{_BAR}}  network alone")
    with scratch_folder() as folder:
        run = folder / "run"
        settings = RunSettings(
            environment=ENVIRONMENT, algorithm="pi-hiw", overrides={"tiles": TILES}, interactions=INTERACTIONS,
            evaluate_every=INTERACTIONS // ROWS, network_episodes=1, planner_episodes=0,
            evaluation_share=0, seed=1,
        )  # fmt: skip
        training = begin(run, settings, Rows())
        try:
            training.run()
        finally:
            training.folder.close()
        agent = learned_agent(run, ENVIRONMENT, {}, network_only=True)
        episode = agent.run(0)
    print()
    draw_way(agent.simulator, episode.actions)
    taken = counted(episode.steps, "step")
    ended = f"It reaches the door in {taken}" if episode.score >= 1 else "It does not reach the door yet"
    say(
        f"The dots are the path of the trained network without search. {ended}. The network has learned the path from "
        "the search."
    )


def how_to_get_it() -> None:
    """Explain how to install PyTorch."""
    title("6. Learning from search")
    say(
        "This part of the demo trains a network in a small maze. It needs PyTorch: "
        f"{install_line('learn')}, or `make demo` in a copy of the repository; then run the demo again."
    )
    sys.stdout.flush()
