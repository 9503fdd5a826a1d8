"""Solve a whole problem with pymimir's SIW(2) over the grounded task and write the plan: DOMAIN PROBLEM PLAN."""

import importlib
import re
import sys
from pathlib import Path

domain, problem_file, plan = sys.argv[1:]
formalism = importlib.import_module("pymimir.advanced.formalism")
search = importlib.import_module("pymimir.advanced.search")
options = formalism.ParserOptions()
problem = formalism.Parser(domain, options).parse_problem(problem_file, options)
context = search.SearchContext.create(problem, search.SearchContextOptions(search.GroundedOptions()))
siw = search.SIWOptions()
siw.max_arity = 2
result = search.find_solution_siw(context, siw)
if result.plan is None:
    sys.exit(12)
steps = [line for line in str(result.plan).splitlines() if re.match(r"\s*\(", line)]
Path(plan).write_text("\n".join(steps) + "\n")
