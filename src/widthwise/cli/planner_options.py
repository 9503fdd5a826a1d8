"""The options of commands that search a task: the planner with its widths and features, the goal, the order."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from widthwise.cli.common import add_novelty, seed
from widthwise.core.errors import UsageError
from widthwise.portfolio.planner_names import NAMES

if TYPE_CHECKING:
    from widthwise.portfolio.registry import Planner


def add_planner(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the planner and the goal."""
    parser.add_argument(
        "--planner",
        default="auto",
        choices=NAMES,
        help="the planner (default: auto); `widthwise solve --help` describes the planners",
    )
    parser.add_argument(
        "--width",
        metavar="W",
        help="the width, such as 2; or one width per level, such as 1,1, high level first; n stands for all features",
    )
    parser.add_argument(
        "--high",
        action="append",
        default=[],
        metavar="PATTERNS",
        help="high-level features for hiw: atoms in which * stands for any object, as in '(holding *) (at robot *)'. "
        "Give it once per upper level; with two widths all patterns belong to the one upper level",
    )
    parser.add_argument(
        "--ihiw",
        metavar="CHOICES",
        help="options of ihiw, as in pick=random,negated=yes. pick=last|random: which pruned branch proposes "
        "features next. rebuild=changed|new: which novelty tables are rebuilt after a new feature. "
        "entry-in-table=yes|no: whether an entry also counts as seen in the region it was generated from. "
        "negated=no|yes: whether false atoms are features too. stuck=wake|stop: what to do when no branch proposes a "
        "feature. high-order and low-order=breadth-first|depth-first. The first value of each is the default",
    )
    parser.add_argument(
        "--goal",
        action="append",
        default=[],
        metavar="GOAL",
        help="replace the goal with '(on a b)' or another PDDL condition, which may use not, or, imply, forall and "
        "exists; may be repeated",
    )


def add_search_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that every planner has: the order of operators, relevance, novelty."""
    parser.add_argument(
        "--seed",
        type=seed,
        metavar="N",
        help="permute the order of operators and seed random walks (default: the order of the files)",
    )
    parser.add_argument(
        "--relevance",
        choices=("none", "task", "goal"),
        help="drop what is irrelevant to the whole goal (task) or to the goal being solved (goal), or drop nothing "
        "(none); default: goal for auto, none for the others",
    )
    add_novelty(parser)


def planner_of(args: argparse.Namespace) -> Planner:
    """The planner that the options describe."""
    from widthwise.portfolio.registry import make_planner, parse_choices, parse_widths

    widths = None if args.width is None else parse_widths(args.width)
    levels = [patterns(text) for text in args.high]
    if widths is not None and len(widths) == 2 and len(levels) > 1:
        levels = [[pattern for level in levels for pattern in level]]
    return make_planner(args.planner, widths, levels, None if args.ihiw is None else parse_choices(args.ihiw))


def patterns(text: str) -> list[str]:
    """The patterns of one level: `(holding *) (clear a)`, or one without its parentheses."""
    if "(" not in text and ")" not in text:
        return [text]
    atoms = re.findall(r"\([^()]*\)", text)
    if not atoms or re.sub(r"\([^()]*\)", "", text).strip():
        raise UsageError(f"--high takes atoms or patterns such as '(holding *) (clear a)', not {text!r}")
    return atoms
