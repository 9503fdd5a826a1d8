"""Measure pymimir: parsing, grounding, and IW(k) over the grounded task.

IW(k) alone is its breadth-first search with the arity-k novelty test: `find_solution_iw` would run every
smaller width first and has no time limit.
"""

from __future__ import annotations

import importlib
import re
from typing import Any

from peer_measure import Quiet, Search, arguments, cpu_seconds, filled, limit_seconds, peak_mb


def main() -> None:
    args = arguments()
    quiet = Quiet()
    formalism = importlib.import_module("pymimir.advanced.formalism")
    search = importlib.import_module("pymimir.advanced.search")
    base = peak_mb()
    start = cpu_seconds()
    options = formalism.ParserOptions()
    problem = formalism.Parser(args.domain, options).parse_problem(args.problem, options)
    parsed = cpu_seconds()
    contexts = [_context(search, problem)]
    grounded = cpu_seconds()
    printed = quiet.printed()
    atoms = _number(r"reachable in delete-free problem: (\d+)", printed)
    fields: dict[str, object] = {
        "parse": parsed - start,
        "ground": grounded - parsed,
        "atoms": atoms,
        "operators": _number(r"Num actions: (\d+)", printed),
        "base_mb": base,
    }
    if args.what == "search":
        limit_seconds(args.seconds + 5)
        limit_ms = int(args.seconds * 1000)

        def run() -> Search:
            # A context remembers the states of earlier searches, so every repetition gets its own.
            context = contexts.pop() if contexts else _context(search, problem)
            return _iw(search, problem, context, args.width, atoms=atoms, limit_ms=limit_ms)

        fields |= filled(run)
    else:
        fields["peak_mb"] = peak_mb()
    quiet.report(**fields)


def _context(search: Any, problem: Any) -> Any:
    return search.SearchContext.create(problem, search.SearchContextOptions(search.GroundedOptions()))


def _iw(search: Any, problem: Any, context: Any, width: int, *, atoms: int, limit_ms: int) -> Search:
    handler = search.DefaultBrFSEventHandler(problem, True)
    start = cpu_seconds()
    options = search.BrFSOptions()
    options.event_handler = handler
    options.pruning_strategy = search.ArityKNoveltyPruningStrategy.create(width, max(atoms, 1))
    options.max_time_in_ms = limit_ms
    status = search.find_solution_brfs(context, options).status
    seconds = cpu_seconds() - start
    counts = handler.get_statistics()
    return Search(counts.get_num_generated(), counts.get_num_expanded(), seconds, status.name.lower())


def _number(pattern: str, text: str) -> int:
    result = re.search(pattern, text)
    return int(result.group(1)) if result else 0


if __name__ == "__main__":
    main()
