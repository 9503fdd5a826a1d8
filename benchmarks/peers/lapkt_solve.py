"""Solve a task with lapkt's IW(2): the shortest script a user would write."""

import importlib
import sys

planner = importlib.import_module("lapkt.planner").IW_Planner()
planner.iw_bound = 2
importlib.import_module("lapkt.pddl.tarski").ground_generate_task(sys.argv[1], sys.argv[2], planner)
planner.setup(True)
planner.solve()
