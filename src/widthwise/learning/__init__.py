"""Learning from search: a network that guides rollouts and shows features, trained on what the search found."""
