"""Measure parsing and grounding of Fast Downward's translator (fast-downward.translate)."""

from __future__ import annotations

import importlib

from peer_measure import Quiet, arguments, cpu_seconds, peak_mb


def main() -> None:
    args = arguments()
    quiet = Quiet()
    parser = importlib.import_module("fast_downward.translate.pddl_parser")
    normalize = importlib.import_module("fast_downward.translate.normalize")
    instantiate = importlib.import_module("fast_downward.translate.instantiate")
    # The normal form asks the command line's options for its strategy: these are the defaults.
    importlib.import_module("fast_downward.translate.options").set_options([args.domain, args.problem])
    base = peak_mb()
    start = cpu_seconds()
    task = parser.open(domain_filename=args.domain, problem_filename=args.problem)
    parsed = cpu_seconds()
    normalize.normalize(task)
    _, atoms, actions, *_ = instantiate.explore(task)
    grounded = cpu_seconds()
    quiet.report(
        parse=parsed - start,
        ground=grounded - parsed,
        atoms=len(atoms),
        operators=len(actions),
        base_mb=base,
        peak_mb=peak_mb(),
    )


if __name__ == "__main__":
    main()
