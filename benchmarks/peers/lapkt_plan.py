"""Solve a whole problem with lapkt and write the plan: lapkt_plan.py SEARCH DOMAIN PROBLEM PLAN.

SEARCH is SIW (widths up to 2), BFWS-f5, DUAL-BFWS, or another search of its BFWS planner.
"""

import importlib
import os
import sys
from pathlib import Path

search, domain, problem, plan = sys.argv[1:]
module = importlib.import_module("lapkt.planner")
planner = module.SIW_Planner() if search == "SIW" else module.BFWS()
if search == "SIW":
    planner.iw_bound = 2
else:
    # The defaults of lapkt's own command line.
    planner.search = search
    planner.max_novelty = 2
    planner.m_value = 32
    planner.anytime = False
    planner.verbose = False
planner.log_filename = os.devnull
planner.plan_filename = plan
importlib.import_module("lapkt.pddl.tarski").ground_generate_task(domain, problem, planner)
planner.setup(True)
planner.solve()
# It says success whether or not there is a plan, and it makes the file before it searches.
if not Path(plan).exists() or not Path(plan).read_text().strip():
    Path(plan).unlink(missing_ok=True)
    sys.exit(12)
