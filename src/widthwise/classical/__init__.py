"""Classical planning: PDDL files, grounded tasks, plans and their validation."""
