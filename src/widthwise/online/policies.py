"""Policies at the root of a search: the behaviour that acts, and the target that a network learns.

The behaviour multiplies two distributions over the explored actions, one of returns and one of subtree sizes (counts).
The paper's text uses the counts to break ties towards large subtrees. The formulas:

`ties` (the default)  the actions with the best return, by softmax(c / temperature); a better return always wins.
`counts`              softmax(R / reward temperature) times softmax(c / temperature), as in the authors' program. In
                      large trees the counts outweigh the returns.
`prior`               the actions with the best return, by the network's policy; a better return always wins. Where the
                      search sees no reward, the network acts; without a network the same as `ties`.
`paper`               exp(1 / (temperature c + 1)) as printed in the paper, which prefers *small* subtrees.
`none`                the returns alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from widthwise.core.errors import UsageError
from widthwise.online.values import TOLERANCE, LookAhead

Formula = Literal["ties", "counts", "prior", "paper", "none"]
#: The least probability of an action in the logarithm of a policy.
LEAST = 1e-12
#: The lowest temperature; what is divided by a lower one may be infinite.
_COLDEST = 1e-100


@dataclass(frozen=True, slots=True)
class Behaviour:
    """The behaviour policy: the probability of each explored action.

    The formula combines the returns R of the actions with the sizes c of their subtrees:

    - `ties`: the actions with the best return, by softmax(c / count temperature);
    - `counts`: softmax(R / reward temperature) times softmax(c / count temperature);
    - `prior`: the actions with the best return, by the network's policy p: proportional to
      p ^ (1 / reward temperature);
    - `paper`: exp(1 / (count temperature * c + 1)) as printed in the paper;
    - `none`: the returns alone.

    Args:
        formula: `ties`, `counts`, `prior`, `paper` or `none`.
        reward_temperature: The temperature of the returns, or of the network's policy.
        count_temperature: The temperature of the subtree sizes.
        tie_tolerance: With `ties`, and with `prior` where there is a network's policy, the share of the best return by
            which another return may be lower and still count as equal to it. Above 0 the agent does not leave a path it
            knows for a reward that it would get only slightly sooner elsewhere. At 1 it leaves the path for no reward,
            only where the return is below 0.

    Raises:
        UsageError: There is no such formula, a temperature is below 1e-100, or the tolerance is not between 0 and 1.

    Example:
        >>> ww.Behaviour("counts", reward_temperature=0.1).formula
        'counts'
    """

    formula: Formula = "ties"
    reward_temperature: float = 0.01
    count_temperature: float = 1.0
    tie_tolerance: float = 0.0

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        if self.formula not in get_args(Formula):
            raise UsageError(f"there is no formula {self.formula!r}; the formulas are {', '.join(get_args(Formula))}")
        if not min(self.reward_temperature, self.count_temperature) >= _COLDEST:
            raise UsageError(f"a temperature must be above 0, at least {_COLDEST:g}")
        if not 0 <= self.tie_tolerance <= 1:
            raise UsageError(f"tie_tolerance must be between 0 and 1, not {self.tie_tolerance!r}")

    def tolerance(self, prior: Sequence[float] | None) -> float:
        """The tolerance in a state with this policy of the network: with `prior` it is 0 where there is none."""
        return 0.0 if self.formula == "prior" and prior is None else self.tie_tolerance

    def __call__(self, seen: LookAhead) -> list[float]:
        """The probability of each action; an action that was not explored has none."""
        explored = [action for action, value in enumerate(seen.returns) if value is not None]
        if not explored:
            return [1 / len(seen.returns)] * len(seen.returns)
        returns = [value for value in seen.returns if value is not None]
        prior = None if seen.prior is None else [seen.prior[action] for action in explored]
        logits = self._logits(returns, [seen.counts[action] for action in explored], prior)
        policy = [0.0] * len(seen.returns)
        for action, probability in zip(explored, softmax(logits), strict=True):
            policy[action] = probability
        return policy

    def _logits(self, returns: Sequence[float], counts: Sequence[int], prior: Sequence[float] | None) -> list[float]:
        temperature = self.count_temperature
        if self.formula in ("ties", "prior"):
            least = least_equal(max(returns), self.tolerance(prior))
            preferences = [count / temperature for count in counts]
            if self.formula == "prior" and prior is not None:
                preferences = [math.log(max(chance, LEAST)) / self.reward_temperature for chance in prior]
            pairs = zip(returns, preferences, strict=True)
            return [preference if value >= least else -math.inf for value, preference in pairs]
        weights: list[float]
        if self.formula == "counts":
            weights = [count / temperature for count in counts]
        elif self.formula == "paper":
            weights = [1 / (temperature * count + 1) for count in counts]
        else:
            weights = [0.0] * len(counts)
        return [value / self.reward_temperature + weight for value, weight in zip(returns, weights, strict=True)]


def least_equal(best: float, tie_tolerance: float) -> float:
    """The least return that counts as equal to the best one."""
    return best - TOLERANCE * max(1.0, abs(best)) - tie_tolerance * abs(best)


def target(
    seen: LookAhead, temperature: float = 0.01, *, prior: bool = False, tie_tolerance: float = 0.0
) -> list[float]:
    """The policy that a network learns: a softmax of the returns; an unexplored action has the value of the root.

    With `prior` it is proportional to the network's policy as well, so that actions of equal return keep the
    probabilities that the network gives them. Otherwise they become equally likely. With a `tie_tolerance`, returns
    that count as equal to the best one for the behaviour do so here.
    """
    returns = [seen.value if value is None else value for value in seen.returns]
    if tie_tolerance:
        best = max(returns)
        least = least_equal(best, tie_tolerance)
        returns = [best if value >= least else value for value in returns]
    logits = [value / temperature for value in returns]
    if prior and seen.prior is not None:
        logits = [logit + math.log(max(chance, LEAST)) for logit, chance in zip(logits, seen.prior, strict=True)]
    return softmax(logits)


def softmax(logits: Sequence[float]) -> list[float]:
    """The distribution proportional to exp of the logits."""
    most = max(logits)
    weights = [math.exp(logit - most) for logit in logits]
    total = sum(weights)
    return [weight / total for weight in weights]
