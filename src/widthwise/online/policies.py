"""Policies at the root of a search: the behaviour that acts, and the target that a network learns.

The behaviour multiplies two distributions over the explored actions, rewards and counts, as the paper has it. What the
counts do is meant as a tie-break towards large subtrees, and the formula decides whether it is one:

`ties` (the default)  the actions whose return equals the best share the probability by softmax(c / temperature); a
                      better return always wins.
`share`               softmax(R / reward temperature) times softmax(s / temperature), s = c / (sum of c): all actions
                      keep some probability, and counts never weigh more than a factor exp(1 / temperature).
`counts`              the same with the bare counts: softmax(c / temperature). Large trees drown the rewards.
`paper`               exp(1 / (temperature c + 1)) as printed, which prefers *small* subtrees.
`none`                the rewards alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from widthwise.core.errors import UsageError
from widthwise.online.values import TOLERANCE, LookAhead

Formula = Literal["ties", "share", "counts", "paper", "none"]


@dataclass(frozen=True, slots=True)
class Behaviour:
    """The behaviour policy: the probability of each explored action.

    The formula combines the returns R of the actions with the sizes c of their subtrees:

    - `ties`: the actions with the best return, by softmax(c / count temperature);
    - `share`: softmax(R / reward temperature) times softmax(s / count temperature), where s is c divided by the sum of
      c;
    - `counts`: the same with c instead of s;
    - `paper`: exp(1 / (count temperature * c + 1)) as printed in the paper;
    - `none`: the returns alone.

    Args:
        formula: `ties`, `share`, `counts`, `paper` or `none`.
        reward_temperature: The temperature of the returns.
        count_temperature: The temperature of the subtree sizes.

    Raises:
        UsageError: There is no such formula, or a temperature is not above 0.

    Example:
        >>> ww.Behaviour("share", reward_temperature=0.1).formula
        'share'
    """

    formula: Formula = "ties"
    reward_temperature: float = 0.01
    count_temperature: float = 1.0

    def __post_init__(self) -> None:
        """Refuse settings that mean nothing."""
        if self.formula not in get_args(Formula):
            raise UsageError(f"there is no formula {self.formula!r}; the formulas are {', '.join(get_args(Formula))}")
        if not (self.reward_temperature > 0 and self.count_temperature > 0):
            raise UsageError("temperatures are above 0")

    def __call__(self, seen: LookAhead) -> list[float]:
        """The probability of each action; an action that was not explored has none."""
        explored = [action for action, one in enumerate(seen.returns) if one is not None]
        if not explored:
            return [1 / len(seen.returns)] * len(seen.returns)
        returns = [one for one in seen.returns if one is not None]
        logits = self._logits(returns, [seen.counts[action] for action in explored])
        policy = [0.0] * len(seen.returns)
        for action, probability in zip(explored, softmax(logits), strict=True):
            policy[action] = probability
        return policy

    def _logits(self, returns: Sequence[float], counts: Sequence[int]) -> list[float]:
        warmth = self.count_temperature
        if self.formula == "ties":
            best = max(returns)
            least = best - TOLERANCE * max(1.0, abs(best))
            return [count / warmth if one >= least else -math.inf for one, count in zip(returns, counts, strict=True)]
        weights: list[float]
        if self.formula == "share":
            total = sum(counts)
            weights = [count / total / warmth for count in counts]
        elif self.formula == "counts":
            weights = [count / warmth for count in counts]
        elif self.formula == "paper":
            weights = [1 / (warmth * count + 1) for count in counts]
        else:
            weights = [0.0] * len(counts)
        return [one / self.reward_temperature + weight for one, weight in zip(returns, weights, strict=True)]


def target(seen: LookAhead, temperature: float = 0.01) -> list[float]:
    """What a network should learn: a softmax of the returns; an unexplored action is worth the root's value."""
    return softmax([(seen.value if one is None else one) / temperature for one in seen.returns])


def softmax(logits: Sequence[float]) -> list[float]:
    """The distribution proportional to exp of the logits."""
    most = max(logits)
    weights = [math.exp(one - most) for one in logits]
    total = sum(weights)
    return [weight / total for weight in weights]
