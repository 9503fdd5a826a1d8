"""Measure parsing and grounding of tarski with clingo, the front end that lapkt uses too."""

from __future__ import annotations

import importlib

from peer_measure import Quiet, arguments, cpu_seconds, peak_mb


def main() -> None:
    args = arguments()
    quiet = Quiet()
    reader_class = importlib.import_module("tarski.io").FstripsReader
    strategy = importlib.import_module("tarski.grounding").LPGroundingStrategy
    base = peak_mb()
    start = cpu_seconds()
    problem = reader_class(raise_on_error=True, theories=None).read_problem(args.domain, args.problem)
    parsed = cpu_seconds()
    grounding = strategy(problem)
    actions = grounding.ground_actions()
    atoms = grounding.ground_state_variables()
    grounded = cpu_seconds()
    quiet.report(
        parse=parsed - start,
        ground=grounded - parsed,
        atoms=len(list(atoms)),
        operators=sum(len(bindings) for bindings in actions.values()),
        base_mb=base,
        peak_mb=peak_mb(),
    )


if __name__ == "__main__":
    main()
