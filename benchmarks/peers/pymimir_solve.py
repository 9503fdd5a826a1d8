"""Solve a task with pymimir's IW(2): the shortest script a user would write."""

import importlib
import sys

mm = importlib.import_module("pymimir")
problem = mm.Problem(mm.Domain(sys.argv[1]), sys.argv[2], mode="grounded")
print(mm.iw(problem, problem.get_initial_state(), 2).status)
