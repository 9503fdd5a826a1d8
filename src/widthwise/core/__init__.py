"""What all planners share: budgets, results, errors, models, simulators, novelty, files of run folders."""
