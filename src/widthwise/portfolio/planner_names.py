"""The names of the planners for tasks. Commands read them without loading the planners; `registry` makes them."""

from __future__ import annotations

NAMES = ("auto", "bfs", "iw", "hiw", "ihiw", "siw", "bfws", "gbfs", "backward")
