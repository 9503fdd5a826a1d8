"""Which searches take turns on a task, improvement of plans, and planners by name."""
