"""Reports: tables, plots and pages made from the records of runs, never from a live planner."""
