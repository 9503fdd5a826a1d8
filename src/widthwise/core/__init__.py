"""What every planner speaks: budgets, results, errors, features, novelty, the search tree."""
