"""A training run: settings, folder, checkpoints, the loop of planning and learning, evaluation and progress."""
