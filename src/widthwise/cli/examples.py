"""`widthwise examples`: list the bundled families of tasks, or write a task of one of them."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from widthwise.core.errors import OutputError, UsageError

if TYPE_CHECKING:
    from widthwise.classical.examples import Example

_DESCRIPTION = """\
Without arguments, list the bundled families of tasks and their sizes. With a NAME and --out,
write DIR/domain.pddl and DIR/problem.pddl, a task of that family."""

_EPILOG = """\
example:
  widthwise examples ferry --size cars=5 --seed 7 --out ferry-5
  widthwise solve ferry-5/domain.pddl ferry-5/problem.pddl"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command with the main program."""
    parser = subparsers.add_parser(
        "examples",
        help="list the bundled tasks or write one",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="a family of tasks, as listed without arguments")
    parser.add_argument(
        "--size",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set a size; may be repeated",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the random choices (default: 0)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="the folder to write to; created if it does not exist")
    parser.add_argument("--force", action="store_true", help="replace the files if they exist")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command; results go to stdout, messages to stderr."""
    from widthwise.classical.examples import EXAMPLES, find

    if args.name is None:
        if args.out is not None or args.size or args.seed is not None or args.force:
            raise UsageError(f"give the name of an example: one of {', '.join(EXAMPLES)}")
        print("\n\n".join(_description(example) for example in EXAMPLES.values()))
        print("\nWrite one with: widthwise examples NAME --size SIZE=VALUE --seed N --out DIR", file=sys.stderr)
        return 0

    example = find(args.name)
    if args.out is None:
        if args.size or args.seed is not None or args.force:
            raise UsageError("give the folder to write to with --out DIR")
        print(_description(example))
        return 0

    sizes = example.sizes(**_sizes(args.size))
    problem = example.problem(seed=args.seed or 0, **sizes)
    _write(args.out, {"domain.pddl": example.domain(), "problem.pddl": problem}, force=args.force)
    for name in ("domain.pddl", "problem.pddl"):
        print(args.out / name)
    if args.seed is not None and not example.seeded:
        print(f"note: '{example.name}' has no random choices, so --seed has no effect", file=sys.stderr)
    return 0


def _description(example: Example) -> str:
    lines = [f"{example.name}: {example.summary}"]
    for parameter in example.parameters:
        bounds = f"{parameter.minimum} to {parameter.maximum}, default {parameter.default}"
        lines.append(f"  {parameter.name:<10} {parameter.meaning} ({bounds})")
    if not example.seeded:
        lines.append("  (no random choices: --seed has no effect)")
    return "\n".join(lines)


def _sizes(texts: list[str]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name:
            raise UsageError(f"--size takes NAME=VALUE, as in --size cars=3, not '{text}'")
        if name in sizes:
            raise UsageError(f"the size '{name}' is given twice")
        try:
            sizes[name] = int(value)
        except ValueError:
            raise UsageError(f"the size '{name}' must be a whole number, not '{value}'") from None
    return sizes


def _write(folder: Path, texts: Mapping[str, str], *, force: bool) -> None:
    """Write all files or none: each is written under a temporary name before the first is renamed."""
    targets = {folder / name: text for name, text in texts.items()}
    waiting: dict[Path, Path] = {}
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, not a folder: name another folder with --out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for target in targets:
            if target.is_dir():
                raise UsageError(f"{target} is a folder and cannot be replaced by a file")
            if target.exists() and not force:
                raise UsageError(f"{target} already exists; --force replaces it")
        for target, text in targets.items():
            draft = target.with_name(f".{target.name}.{os.getpid()}.part")
            waiting[draft] = target
            draft.write_bytes(text.encode())
        for draft, target in list(waiting.items()):
            draft.replace(target)
            del waiting[draft]
    except OSError as error:
        place = error.filename or folder
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise OutputError.of(waiting.get(Path(place), place), error) from None
        raise UsageError(f"cannot write to {folder}: {place}: {error.strerror}") from None
    finally:
        for draft in waiting:
            with contextlib.suppress(OSError):
                draft.unlink()
