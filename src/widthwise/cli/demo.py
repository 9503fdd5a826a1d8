"""`widthwise demo`: what width is, told with a few small tasks that are solved on the spot."""

from __future__ import annotations

import argparse
import textwrap
import time
from typing import TYPE_CHECKING

from widthwise.cli.demo_text import draw_way, say, table, title
from widthwise.core.showing import counted

if TYPE_CHECKING:
    from widthwise.classical.result import Result
    from widthwise.classical.task import Task
    from widthwise.portfolio.registry import Planner
    from widthwise.simulator_search.levels import OnSimulator

_EACH = 10_000
_TRIES = 100
_SEEDS = 5


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "demo",
        help="see in a few minutes what width-based planning and learning do",
        description="Solve a few bundled tasks with several planners and explain what happens.",
    )
    parser.add_argument("--no-training", action="store_true", help="leave out the last part, which takes two minutes")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Tell the story; every figure in it comes from a search made now."""
    from widthwise.experiments.scratch import remove_stale

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
    say(f"(All of the above was searched just now, in {time.monotonic() - start:.1f} seconds.)")
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
        "IW(w) is breadth-first search with one change: it keeps a state only if some w atoms hold in it "
        "that have "
        "never held together before. Everything else is pruned. The smallest w that works is the width "
        "of the problem."
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
            [name, str(one.status), f"{one.generated:,}", f"{one.pruned:,}", _steps(one)]
            for name, one in results.items()
        ],
    )
    say(
        "IW(1) gives up (exhausted): on the way back every position has been seen before, so each step "
        "looks old. "
        "That proves nothing about the task, and Widthwise says so. IW(2) looks at pairs: (at p9) *with* "
        "(have-key) "
        "is new. The problem has width 2."
    )
    say(
        "HIW(1,1) gets there with width 1 on two levels: the high level watches only (have-key), and "
        "whenever that "
        "changes a fresh width-1 search begins. Two cheap searches, one for each side of the key. But "
        "somebody had "
        "to name (have-key)."
    )
    chapter = results["IHIW(1,1)"].story[0]
    say(
        f"IHIW(1,1) finds it alone. Its first search ran dry after {counted(chapter.generated, 'node')}. It looked "
        "at the branch "
        f"that was pruned last, {chapter.branch[-2]} {chapter.branch[-1]}, and at what had newly come "
        "true along it: "
        f"{chapter.feature}. With that as a high-level feature it went on, and {counted(chapter.search, 'node')} "
        "later it was done."
    )


def _bounds() -> None:
    from widthwise.theory.bounds import hierarchical_states, novel_states

    title("2. Why it matters: how many states can be novel?")
    say(
        "With n features of d values each, IW(w) finds at most N(n,d,w) states novel, never more than "
        "(n*d)^w, however "
        "large the state space d^n is. Each step up in width is dear, so splitting it over two levels "
        "pays. The memory of "
        "an Atari console, 128 bytes:"
    )
    levels = [(1, 256, 1), (127, 256, 1)]
    table(
        ["search", "bound", "novel states at most"],
        [
            ["all states", "256^128", "about 1.8e308"],
            ["IW(2)", "N(128,256,2)", f"{novel_states(128, 256, 2):,}"],
            ["HIW(1,1), 1 byte above", "N(1,256,1) * N(127,256,1)", f"{hierarchical_states(levels):,}"],
            ["IW(1)", "N(128,256,1)", f"{novel_states(128, 256, 1):,}"],
        ],
    )


def _many_goals() -> None:
    from widthwise.task_search.bfs import BFS
    from widthwise.task_search.ihiw import IHIW
    from widthwise.task_search.iw import IW

    title("3. The same planners on more tasks, one goal at a time")
    say(
        "Single goals tend to have small width, whatever the size of the task. Each goal on its own, at most "
        f"{_EACH:,} nodes for each; in the table: goals solved, and nodes per goal."
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
        "IW(1) is fast and misses goals. IW(2) and IHIW(1,1) find them, and in blocks and the 8-puzzle IHIW "
        "needs fewer nodes: it works with width 1 and splits only where a pruned branch shows why."
    )
    blocks = _task("blocks", blocks=8)
    for goal in blocks.goals:
        result = _solve(blocks, IHIW(), goal=goal, nodes=_EACH)
        if result.story and result.plan:
            one = result.story[-1]
            say(
                f"For {goal.name} in blocks, for instance, IHIW split on {' then '.join(result.features)}, "
                f"seen on the pruned branch {' '.join(one.branch[:6])}, and found a plan of "
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
        f"A whole problem has many goals at once: {len(task.goals)} in a world of 20 blocks. Its width is far beyond "
        f"what a flat search can afford: IW(1) is {flat}. The default planner, auto, lets several searches take turns, "
        "the cheap ones first, and then makes the plan cheaper:"
    )
    result = solve(task, improve=True)
    table(
        ["search", "result", "generated"],
        [[stage.planner, _ended(stage.status), f"{stage.generated:,}"] for stage in result.stages],
    )
    costs = ", ".join(f"{one.cost:g}" for one in result.plans)
    say(f"Steps of the plans, as they were found: {costs}.")


def _ended(status: str) -> str:
    return "its time was up" if status in ("out-of-time", "out-of-nodes") else str(status)


def _maze() -> None:
    from widthwise.core.budget import Budget
    from widthwise.online.acting import OnlinePlanner
    from widthwise.simulator_search.count_rollout_iw import CountRolloutIW
    from widthwise.simulator_search.rollout_iw import RolloutIW
    from widthwise.simulators.features import Cells, Tiles
    from widthwise.simulators.maze import Maze, MazeLayout
    from widthwise.simulators.mazes import MAZES
    from widthwise.task_search.hiw import HIW

    title("5. No model, only a simulator: a maze in pixels")
    say(
        "The agent sees an image. It can try an action, save where it is and load that again, and nothing "
        "else. Fetch the key (K), go to the door (D), touch no wall. Before every step it tries "
        f"{_TRIES} actions in a tree of what could happen; novelty decides which of it is worth keeping."
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
        good = [one for one in episodes if one.score > 0]
        shortest = min(good, key=lambda one: one.steps, default=None)
        tried = sum(one.interactions for one in episodes) // len(episodes)
        steps = "-" if shortest is None else f"{shortest.steps}"
        rows.append([name, f"{len(good)} of {_SEEDS}", steps, f"{tried:,}"])
        if shortest is not None:
            way = shortest.actions
    table(["planner", "reached the door", "least steps", "tries"], rows)
    draw_way(maze, way)
    say(
        "The dots are the way of the best episode of the last planner (36 steps are the least possible). In one "
        "flat search of width 1 the cells behind the key are old news, so no plan leads over the key to the door; the "
        "agent has to stumble upon the key first. In the hierarchy the high level looks at the image in 4x4 tiles. "
        "Where the key is gone it looks different, and the search below begins anew."
    )


def _learning() -> None:
    from importlib.util import find_spec

    from widthwise.cli.demo_learning import how_to_get_it, learn

    if find_spec("torch") is None:
        how_to_get_it()
    else:
        learn()


def _more() -> None:
    title("7. Now you")
    print(
        textwrap.dedent("""\
        widthwise examples                                  the bundled tasks
        widthwise examples corridor --out corridor          write one
        widthwise solve corridor/domain.pddl corridor/problem.pddl
        widthwise solve ... --planner ihiw                  or bfs, iw, hiw
        widthwise solve --help                              everything else
        widthwise play maze-small --tiles 4x4 --budget 100 --delay 0.1
                                                            watch an agent in a maze
        widthwise play --help                               other worlds, films
        widthwise train maze-small --algorithm pi-hiw --interactions 300_000 --out run
                                                            learn, then play it

        (`make` puts the program at .venv/bin/widthwise.)
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
    from widthwise.classical.solve import solve
    from widthwise.classical.task import Goal
    from widthwise.core.budget import Budget

    wanted = goal if isinstance(goal, Goal) else None
    return solve(task, planner, goal=wanted, budget=Budget(nodes=nodes))


def _goals(task: Task, planner: Planner) -> str:
    results = [_solve(task, planner, goal, _EACH) for goal in task.goals]
    solved = sum(result.plan is not None for result in results)
    nodes = sum(result.generated for result in results) / len(results)
    return f"{solved}/{len(results)} {nodes:>6,.0f}"


def _steps(result: Result) -> str:
    return "-" if result.plan is None else counted(len(result.plan), "step")
