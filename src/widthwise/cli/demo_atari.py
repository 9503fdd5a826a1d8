"""The Atari part of the demo: a long search finds keys and treasures in Montezuma's Revenge."""

from __future__ import annotations

import argparse

from widthwise.cli.common import check_video_names
from widthwise.cli.demo_text import say, title
from widthwise.cli.trajectory_film import film_trajectory, save_videos
from widthwise.core.showing import counted

GAME = "atari:montezuma_revenge"


def search_game(args: argparse.Namespace) -> int:
    """Search the game, print every better trajectory, and return the exit code."""
    from widthwise.cli.demo import STEPS
    from widthwise.cli.signals import stopping
    from widthwise.exploration.search import begin_search
    from widthwise.exploration.search_run import ExplorationRun, SearchListener

    check_video_names(args)
    title("Montezuma's Revenge: a long search without learning")
    say(
        "The first reward of this game, a key, is more than a hundred precise frames away from the start, and most "
        "mistakes lose a life. The search keeps an archive of high-level states: the rewards gained, the scene, "
        "and the screen in coarse tiles. From states that were rarely chosen it explores further."
    )
    last, waiting = 0.0, ""  # the score of the last line, and a line that is shown if it stays the best

    def improved(run: ExplorationRun) -> None:
        nonlocal last, waiting
        best = run.search.best
        if best is None:
            return
        line = (
            f"  {run.interactions:>9,} interactions  score {best.score:>5,.0f} in {best.steps:>5,} steps  "
            f"{run.search.archive.regions[-1]:>7,} high-level states"
        )
        if best.score == last:  # a shorter way to the same score; there may be many
            waiting = line
            return
        last, waiting = best.score, ""
        print(line, flush=True)

    run = begin_search(GAME, args.interactions or STEPS, listener=SearchListener(improved=improved))

    def stop() -> None:
        run.stopping = True

    with stopping(stop):
        result = run.run()
    if waiting:
        print(waiting)
    print()
    if run.stopping:
        say(f"The search was stopped after {counted(result.interactions, 'interaction')}.")
    if result.score is None:
        say(f"Nothing was rewarded in {counted(result.interactions, 'interaction')}. Give more with --interactions N.")
        if args.gif is not None or args.mp4 is not None:
            say("No video was written, because there is no trajectory.")
        return 130 if run.stopping else 12
    say(
        f"The best trajectory has a score of {result.score:,.0f}. It has {counted(result.steps, 'action')} and was "
        f"replayed from the start of the game. The search took {result.seconds:.0f} seconds. The paper's agent, "
        "π-HIW, has a mean score of 5,276 after 20 million interactions with the game."
    )
    if args.gif is not None or args.mp4 is not None:
        save_videos(args, film_trajectory(run.search.simulator, 0, result.actions, "Montezuma's Revenge"))
    else:
        say("widthwise demo atari --gif FILE.gif writes a video of it.")
    say(f"To search further: widthwise search {GAME} --interactions 1_000_000 --out runs/montezuma")
    return 130 if run.stopping else 0
