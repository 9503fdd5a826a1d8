"""A hierarchy of three levels: HIW inside HIW.

Two keys lie at the two ends of a corridor; fetch both and come back to the middle. Position and both keys
have to be seen together, so the task has width 3. With a level for each key, width 1 is enough on all three.
"""

# %% The task.
from __future__ import annotations

import widthwise as ww

DOMAIN = """
(define (domain two-keys) (:requirements :strips :typing) (:types position key)
  (:predicates (at ?p - position) (next ?p ?q - position) (key-at ?k - key ?p - position) (have ?k - key))
  (:action walk :parameters (?p ?q - position)
    :precondition (and (at ?p) (next ?p ?q)) :effect (and (at ?q) (not (at ?p))))
  (:action take :parameters (?k - key ?p - position)
    :precondition (and (at ?p) (key-at ?k ?p)) :effect (and (have ?k) (not (key-at ?k ?p)))))
"""
LAST = 10
STEPS = " ".join(f"(next p{p} p{p + 1}) (next p{p + 1} p{p})" for p in range(LAST))
PROBLEM = f"""
(define (problem both-ends) (:domain two-keys)
  (:objects {" ".join(f"p{p}" for p in range(LAST + 1))} - position red blue - key)
  (:init (at p5) (key-at red p0) (key-at blue p{LAST}) {STEPS})
  (:goal (and (have red) (have blue) (at p5))))
"""
task = ww.parse(DOMAIN, PROBLEM)

# %% From flat searches to three levels, highest first.
planners: list[tuple[str, ww.IW | ww.HIW]] = [
    ("flat", ww.IW(1)),
    ("flat", ww.IW(2)),
    ("flat", ww.IW(3)),
    ("both keys above", ww.HIW(["(have *)"], high=ww.IW(1), low=ww.IW(1))),
    ("both keys above", ww.HIW(["(have *)"], high=ww.IW(2), low=ww.IW(1))),
    ("red, blue, position", ww.HIW(["(have red)"], low=ww.HIW(["(have blue)"]))),
]
statuses = []
for what, planner in planners:
    result = ww.solve(task, planner)
    statuses.append(str(result.status))
    print(f"{planner.name:<11} {what:<20} {result.status!s:<9} {result.generated:>4} nodes")

# IW(2) fails: each key has been carried everywhere before, only never both. HIW(1,1) fails for the same
# reason one level up: (have red) and (have blue) are both old when they come together.
assert statuses == ["exhausted", "exhausted", "solved", "exhausted", "solved", "solved"]
