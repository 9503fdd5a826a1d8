"""`widthwise demo`: an introduction to width with a few small tasks that are solved while it runs."""

from __future__ import annotations

import argparse
import textwrap
import time
from typing import TYPE_CHECKING

from widthwise.cli.common import whole_number
from widthwise.cli.demo_text import draw_way, say, table, title
from widthwise.cli.trajectory_film import add_video_options
from widthwise.core.errors import UsageError
from widthwise.core.showing import counted

if TYPE_CHECKING:
    from widthwise.classical.result import Result
    from widthwise.classical.task import Task
    from widthwise.portfolio.registry import Planner
    from widthwise.simulator_search.levels import OnSimulator

_EACH = 10_000
_TRIES = 100
_SEEDS = 5
#: Simulator steps of `demo atari`.
STEPS = 150_000


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "demo",
        help="show in a few minutes how width-based planning and learning work",
        description="Solve a few bundled tasks with several planners and explain what happens. With `atari`: search "
        "Montezuma's Revenge, a game with rare rewards, for a few minutes.",
    )
    parser.add_argument("part", nargs="?", choices=("atari",), help="another demo: an Atari game")
    parser.add_argument("--no-training", action="store_true", help="skip the training part, which takes two minutes")
    group = parser.add_argument_group("demo atari")
    group.add_argument(
        "--interactions", type=whole_number, metavar="N", help=f"simulator steps of the search (default {STEPS:,})"
    )
    add_video_options(group)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run all parts; every figure comes from a search made while the demo runs."""
    from widthwise.experiments.scratch import remove_stale

    if args.part == "atari":
        from widthwise.cli.demo_atari import search_game

        if args.no_training:
            raise UsageError("--no-training is for widthwise demo without atari, which trains nothing")
        return search_game(args)
    if args.interactions is not None or args.gif is not None or args.mp4 is not None:
        raise UsageError("--interactions, --gif and --mp4 are for widthwise demo atari")
    start = time.monotonic()
    remove_stale()  # folders of a demo or a suite that was killed
    _corridor()
    _bounds()
    _many_goals()
    _whole_problem()
    _maze()
    if not args.no_training:
        _learning()
    _more()
    say(f"(All results above were computed in {time.monotonic() - start:.1f} seconds.)")
    return 0


def _corridor() -> None:
    from widthwise.task_search.bfs import BFS
    from widthwise.task_search.hiw import HIW
    from widthwise.task_search.ihiw import IHIW
    from widthwise.task_search.iw import IW

    task = _task("corridor", length=10)
    title("1. A corridor, a key, and the width of a problem")
    print("   p0   p1   p2   p3   p4   p5   p6   p7   p8   p9   p10")
    print("   you                                               key\n")
    say("Fetch the key and come back: the goal is (at p0) and (have-key) together.")
    say(
        "IW(w) is breadth-first search with one change: it keeps a state only if it contains w atoms that no state "
        "before it contained together. All other states are pruned. The smallest w that solves the problem is its "
        "width."
    )
    planners: list[tuple[str, Planner]] = [
        ("IW(1)", IW(1)),
        ("IW(2)", IW(2)),
        ("HIW(1,1) with (have-key)", HIW(["(have-key)"])),
        ("IHIW(1,1)", IHIW()),
        ("breadth-first search", BFS()),
    ]
    results = {name: _solve(task, planner) for name, planner in planners}
    table(
        ["planner", "result", "generated", "pruned", "plan"],
        [
            [name, str(result.status), f"{result.generated:,}", f"{result.pruned:,}", _steps(result)]
            for name, result in results.items()
        ],
    )
    say(
        "IW(1) ends without a plan (exhausted): on the way back every position has been seen before, so every state "
        "is pruned. This does not prove that the task is unsolvable. IW(2) considers pairs of atoms: (at p9) together "
        "with (have-key) is new. The problem has width 2."
    )
    say(
        "HIW(1,1) solves it with width 1 on two levels: the high level considers only (have-key), and whenever that "
        "changes, a new search of width 1 begins. There are two cheap searches, one before and one after the key is "
        "taken. But the user has to give (have-key) as a feature."
    )
    chapter = results["IHIW(1,1)"].story[0]
    say(
        f"IHIW(1,1) discovers the feature. Its first search was exhausted after {counted(chapter.generated, 'node')}. "
        f"On the branch that was pruned last, {chapter.branch[-2]} {chapter.branch[-1]}, the atom {chapter.feature} "
        f"became true. With this atom as a high-level feature the search continued, and found a plan after "
        f"{counted(chapter.search, 'more node')}."
    )


def _bounds() -> None:
    from widthwise.theory.bounds import hierarchical_states, novel_states

    title("2. How many states can be novel?")
    say(
        "With n features of d values each, IW(w) finds at most N(n,d,w) states novel. This is at most (n*d)^w, while "
        "the state space has d^n states. A larger width is expensive, so it pays to split it over two levels. "
        "For the memory of an Atari console, 128 bytes:"
    )
    levels = [(1, 256, 1), (127, 256, 1)]
    table(
        ["search", "bound", "novel states (at most)"],
        [
            ["all states", "256^128", "about 1.8e308"],
            ["IW(2)", "N(128,256,2)", f"{novel_states(128, 256, 2):,}"],
            ["HIW(1,1), 1 byte high", "N(1,256,1) * N(127,256,1)", f"{hierarchical_states(levels):,}"],
            ["IW(1)", "N(128,256,1)", f"{novel_states(128, 256, 1):,}"],
        ],
    )


def _many_goals() -> None:
    from widthwise.task_search.bfs import BFS
    from widthwise.task_search.ihiw import IHIW
    from widthwise.task_search.iw import IW

    title("3. The same planners on more tasks, one goal at a time")
    say(
        "Single goals often have a small width, also in large tasks. Each goal is solved on its own with at most "
        f"{_EACH:,} nodes. The table shows the goals solved and the nodes per goal."
    )
    planners: list[Planner] = [IW(1), IHIW(), IW(2), BFS()]
    rows = []
    for name, sizes in (
        ("gripper", {"balls": 8}),
        ("blocks", {"blocks": 8}),
        ("8puzzle", {}),
        ("elevator", {}),
        ("visit-all", {}),
    ):
        task = _task(name, **sizes)
        cells = [_goals(task, planner) for planner in planners]
        rows.append([name, f"{len(task.atoms)}", *cells])
    table(["task", "atoms", "IW(1)", "IHIW(1,1)", "IW(2)", "breadth-first"], rows)
    say(
        "IW(1) is fast but does not solve all goals. IW(2) and IHIW(1,1) solve them, and in blocks and the 8-puzzle "
        "IHIW needs fewer nodes: it uses width 1 and adds a feature only where a pruned branch proposes one."
    )
    blocks = _task("blocks", blocks=8)
    for goal in blocks.goals:
        result = _solve(blocks, IHIW(), goal=goal, nodes=_EACH)
        if result.story and result.plan:
            chapter = result.story[-1]
            say(
                f"For {goal.name} in blocks, for example, IHIW added {', then '.join(result.features)}, "
                f"proposed by the pruned branch {' '.join(chapter.branch[:6])}, and found a plan of "
                f"{counted(len(result.plan), 'step')}."
            )
            break


def _whole_problem() -> None:
    from widthwise.classical.solve import solve
    from widthwise.task_search.iw import IW

    task = _task("blocks", blocks=20)
    title("4. All goals together")
    flat = _solve(task, IW(1)).status
    say(
        f"A whole problem has many goals: {len(task.goals)} with 20 blocks. Its width is too large for a flat width "
        f"search: IW(1) is {flat}. In the default planner, auto, several searches take turns, the cheap ones first. "
        "Then the plan is improved:"
    )
    result = solve(task, improve=True)
    table(
        ["search", "result", "generated"],
        [[stage.planner, _ended(stage.status), f"{stage.generated:,}"] for stage in result.stages],
    )
    costs = ", ".join(f"{plan.cost:g}" for plan in result.plans)
    say(f"Lengths of the plans in the order they were found: {costs}.")


def _ended(status: str) -> str:
    return "turn ended" if status in ("out-of-time", "out-of-nodes") else str(status)


def _maze() -> None:
    from widthwise.core.budget import Budget
    from widthwise.online.acting import OnlinePlanner
    from widthwise.simulator_search.count_rollout_iw import CountRolloutIW
    from widthwise.simulator_search.rollout_iw import RolloutIW
    from widthwise.simulators.features import Cells, Tiles
    from widthwise.simulators.maze import Maze, MazeLayout
    from widthwise.simulators.mazes import MAZES
    from widthwise.task_search.hiw import HIW

    title("5. A simulator instead of a model: a maze in pixels")
    say(
        "The agent sees an image. It can execute an action, save the state and load it again. The task is to fetch "
        f"the key (K) and go to the door (D) without touching a wall. Before every action the agent uses {_TRIES} "
        "simulator steps to build a search tree; novelty decides which nodes are kept."
    )
    maze = Maze(MazeLayout.parse(MAZES["maze-small"]))
    planners: list[tuple[str, OnSimulator]] = [
        ("RIW(1) on cells", RolloutIW(1)),
        ("HIW(1,1): 4x4 tiles, cells", HIW(Tiles(4, 4), high=CountRolloutIW(1), low=RolloutIW(1))),
    ]
    rows, way = [], []
    for name, planner in planners:
        episodes = [
            OnlinePlanner(maze, planner, features=Cells(), budget=Budget(steps=_TRIES)).run(seed=seed)
            for seed in range(_SEEDS)
        ]
        solved = [episode for episode in episodes if episode.score > 0]
        shortest = min(solved, key=lambda episode: episode.steps, default=None)
        interactions = sum(episode.interactions for episode in episodes) // len(episodes)
        steps = "-" if shortest is None else f"{shortest.steps}"
        rows.append([name, f"{len(solved)} of {_SEEDS}", steps, f"{interactions:,}"])
        if shortest is not None:
            way = shortest.actions
    table(["planner", "solved", "fewest steps", "simulator steps"], rows)
    draw_way(maze, way)
    say(
        "The dots are the path of the best episode of the last planner (the shortest path has 36 steps). In a flat "
        "search of width 1 the cells behind the key have been seen before, so no path over the key to the door is "
        "kept, and the agent finds the key only by chance. In the hierarchy the high-level features are 4x4 tiles of "
        "the image. They change when the key is taken, and a new search begins at the low level."
    )


def _learning() -> None:
    from importlib.util import find_spec

    from widthwise.cli.demo_learning import how_to_get_it, learn

    if find_spec("torch") is None:
        how_to_get_it()
    else:
        learn()


def _more() -> None:
    title("7. Next steps")
    print(
        textwrap.dedent("""\
        widthwise examples                                  the bundled tasks
        widthwise examples corridor --out corridor          write one
        widthwise solve corridor/domain.pddl corridor/problem.pddl
        widthwise solve ... --planner ihiw                  another planner
        widthwise solve --help                              all planners and options
        widthwise play maze-small --tiles 4x4 --budget 100 --delay 0.1
                                                            watch an agent in a maze
        widthwise play --help                               other environments, videos
        widthwise train maze-small --algorithm pi-hiw --interactions 300_000 --out run
                                                            learn a policy

        (In the repository, `make setup` installs it as .venv/bin/widthwise.)
        """)
    )


def _task(name: str, **sizes: int) -> Task:
    from widthwise.classical.examples import EXAMPLES
    from widthwise.classical.load import load
    from widthwise.experiments.scratch import scratch_folder

    with scratch_folder() as folder:
        domain, problem = folder / "domain.pddl", folder / "problem.pddl"
        domain.write_text(EXAMPLES[name].domain(), encoding="utf-8")
        problem.write_text(EXAMPLES[name].problem(**sizes), encoding="utf-8")
        return load(domain, problem)


def _solve(task: Task, planner: Planner, goal: object = None, nodes: int | None = None) -> Result:
    from widthwise.classical.goal import Goal
    from widthwise.classical.solve import solve
    from widthwise.core.budget import Budget

    single = goal if isinstance(goal, Goal) else None
    return solve(task, planner, goal=single, budget=Budget(nodes=nodes))


def _goals(task: Task, planner: Planner) -> str:
    results = [_solve(task, planner, goal, _EACH) for goal in task.goals]
    solved = sum(result.plan is not None for result in results)
    nodes = sum(result.generated for result in results) / len(results)
    return f"{solved}/{len(results)} {nodes:>6,.0f}"


def _steps(result: Result) -> str:
    return "-" if result.plan is None else counted(len(result.plan), "step")
