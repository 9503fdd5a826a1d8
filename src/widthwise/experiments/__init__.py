"""Suites of runs: what they run, how it is spread over processes or a cluster, and where it is kept."""
