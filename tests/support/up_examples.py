"""The example problems of unified-planning, and those of them that the engine supports."""

from __future__ import annotations

from unified_planning.test.examples import get_example_problems

from widthwise.up import WidthwiseEngine

EXAMPLES = get_example_problems()
SUPPORTED = sorted(name for name, case in EXAMPLES.items() if WidthwiseEngine.supports(case.problem.kind))
