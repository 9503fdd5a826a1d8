"""Pages that show a search in the browser: the tree, the reasons of pruning, the plan, episodes in simulators."""
