"""The last part of the demo: a network learns a small maze from search, until it needs no search any more."""

from __future__ import annotations

import sys

from widthwise.cli.demo_text import draw_way, say, title
from widthwise.core.errors import install_line
from widthwise.core.showing import counted
from widthwise.training.run import Listener, Record, Training

ENVIRONMENT, TILES = "maze-small", "8x8"
SHORTEST = 36  # steps over the key to the door
INTERACTIONS = 36_000
ROWS = 18
_BAR = 20


class Rows(Listener):
    """A line of the table per evaluation, as it comes."""

    def __init__(self) -> None:
        self.before = 0  # episodes in the lines above

    def evaluated(self, run: Training, record: Record) -> None:
        """Print the episodes since the last line, and how the network does without search."""
        new = list(run.recent)[-max(0, run.episodes - self.before) :] if run.episodes > self.before else []
        self.before = run.episodes
        score = sum(one for one, _ in new) / len(new) if new else None
        steps = sum(one for _, one in new) / len(new) if new else None
        direct = 0.0 if score is None or steps is None else max(0.0, score) * SHORTEST / steps
        alone = "solved in {:.0f} steps".format(record["network_steps"]) if record["network_score"] >= 1 else "lost"
        bar = "#" * round(direct * _BAR)
        cells = ("-", "-") if score is None or steps is None else (f"{score:.2f}", f"{steps:.0f}")
        print(f"  {record['interactions']:>12,}  {cells[0]:>5}  {cells[1]:>5}  {bar:<{_BAR}}  {alone}", flush=True)


def learn() -> None:
    """Train for about two minutes, show how it goes, and walk the maze with the network alone."""
    from widthwise.experiments.scratch import scratch_folder
    from widthwise.training.launch import begin
    from widthwise.training.learned_agent import learned_agent
    from widthwise.training.run_settings import RunSettings

    title("6. Learning from search: a maze until no search is needed")
    say(
        "π-HIW lets a network watch the search. It learns which actions the search ends up preferring and what a state "
        "is worth, and its last hidden layer becomes the features of the low level; in turn it guides the search. A "
        "maze of rooms with a key (K) and a door (D), seen as an image; the reward, 1, comes only at the door with the "
        f"key. The shortest way takes {SHORTEST} steps; a full bar means that the search walks it. This takes a minute "
        "or two:"
    )
    print(f"  {'interactions':>12}  {'score':>5}  {'steps':>5}  {'':<{_BAR}}  network alone")
    with scratch_folder() as folder:
        run = folder / "run"
        settings = RunSettings(
            environment=ENVIRONMENT, algorithm="pi-hiw", parts={"tiles": TILES}, interactions=INTERACTIONS,
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
        f"Above, the way that the trained network takes when it looks at one image after the other and tries nothing "
        f"out. {ended}. The search found the way first; the network has learned it from there."
    )


def how_to_get_it() -> None:
    """What to say where PyTorch is missing."""
    title("6. Learning from search")
    say(
        "The last part of this demo trains a network in a small maze until it needs no search any more. It needs "
        f"PyTorch: {install_line('learn')}, or `make demo` in a copy of the repository; then call it again."
    )
    sys.stdout.flush()
