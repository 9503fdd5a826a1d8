"""Searches on simulators: Rollout IW, Count-based Rollout IW, IW, HIW and IHIW over one tree of saved states."""
