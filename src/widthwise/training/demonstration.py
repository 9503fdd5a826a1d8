"""A demonstration: before the first episode, the best trajectory to learn from is searched for, without a network.

Where rewards are rare, episodes of a network that has learned nothing find none of them, and there is nothing to learn
from. The archive search (`ArchiveSearch`) needs no network. The beginning of a run is then:

    search with an archive for `archive` interactions                          (searching)
    with `replanning`: plan without a network for a part of these interactions
    replay the best trajectory from a reset, without loops: the demonstration
    train the network on the demonstration alone until it repeats it           (rehearsing)
    plan, act and learn as always; a share of every batch is from the demonstration
    with `self_imitation`: learn from nothing else, until an episode scores more and becomes the demonstration

With `interim=N` the search pauses N times, and the network learns the best trajectory so far if it is a better one: a
run that is stopped early has learned something.

With `replanning`, planning (`Replanning`) has the first quarter of the interactions and the search the next fifth. The
one with the higher score continues: where rewards are frequent that is planning, where they are rare the search. After
the search, planning begins at states of its best trajectory in the last fifth.

Only the search is large. A checkpoint has all of it while it runs, and afterwards the actions of its best
trajectory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from widthwise.core.contract import guarded, innermost
from widthwise.core.errors import InputError
from widthwise.core.simulator import Simulator
from widthwise.learning.input_format import InputFormat
from widthwise.learning.losses import monte_carlo_returns
from widthwise.learning.replay_memory import EpisodeData
from widthwise.simulator_search.archive_search import ArchiveSearch, SearchAtWork
from widthwise.training.loops import cut_loops
from widthwise.training.replanning import Replanning, Trajectory
from widthwise.training.rewards import steps_to_last_reward, total
from widthwise.training.search_features import STEPS as SAMPLE
from widthwise.training.search_features import choose_features, suitable
from widthwise.training.search_state import capture, restore
from widthwise.training.starts import Starts

#: Simulator steps of the search in one round of training, so that a run can be stopped soon.
STEPS = 500
#: Updates of the rehearsal in one round.
UPDATES = 20
#: The rehearsal is judged after every such share of its updates, and ends at the latest after this many times as many.
JUDGED, LONGEST = 0.125, 3
#: Megabytes of the archive, all of which is written to every checkpoint while the search runs.
ARCHIVE_MB = 500.0
#: The share of the interactions that may be taken to cut loops out of the trajectory at the end of the search.
LOOPS = 0.05
#: The share that may be taken to replay trajectories at all pauses together, and to cut loops out of them.
REPLAYED = 0.05
#: With replanning: until which share of the interactions it plans, then searches, and the search goes on if it leads.
PLANNED, SEARCHED, CONTINUED = 0.25, 0.45, 0.8


def archive_bytes(interactions: int) -> int:
    """The most bytes of the search in a checkpoint: its archive, and parent and action of every step."""
    return int(ARCHIVE_MB * 1e6) + 10 * interactions


class Demonstration:
    """The search at the beginning of a run, and the trajectory that it has found.

    Args:
        simulator: The environment; nothing else uses it while the search runs.
        interactions: How many the search takes, the choice of its features included.
        rehearsal: How many updates are made on the trajectory alone: fewer if the network repeats it before, up to
            three times as many if it does not repeat it by then.
        seed: The seed of the search and of the reset.
        searched: Another simulator of the same environment: the search uses it. None: the search uses `simulator`.
        replanning: Planning in that environment; None: the search has all interactions.
        interim: How many times the search pauses, at equal intervals, so that its best trajectory so far is learned.
            It needs `searched`, because the trajectory is replayed while the search is in progress.
    """

    def __init__(
        self,
        simulator: Simulator,
        interactions: int,
        rehearsal: int,
        seed: int,
        *,
        searched: Simulator | None = None,
        replanning: Replanning | None = None,
        interim: int = 0,
    ) -> None:
        self.simulator = guarded(simulator)
        self.searched = self.simulator if searched is None else guarded(searched)
        self.limit, self.rehearsal, self.seed, self.interim = interactions, rehearsal, seed, interim
        self._first_seed = seed  # of the search; episodes of a run have other seeds
        self.interactions = 0
        self.rehearsed = 0
        self.mastered = rehearsal == 0  # whether the rehearsal is over
        self.score: float | None = None
        self.actions: list[int] | None = None  # None while the search runs and nothing was shown yet
        self.over = False  # whether the search has ended
        self.pauses = 0  # of the search, so far
        self.candidate: Trajectory | None = None  # what the last call of `advance` has found, see `accept`
        self.tried: list[float] | None = None  # the score and the steps of the last candidate, before it was replayed
        self.replayed = 0  # simulator steps at pauses
        self.source = "search"  # or a training "episode"
        self.frontier: int | None = None  # see `Starts`; None: the end of the trajectory
        self._search: SearchAtWork | None = None
        self._replanning = replanning

    def searching(self) -> bool:
        """Whether the search is running."""
        return not self.over and not self.rehearsing()

    def rehearsing(self) -> bool:
        """Whether the network is still to be trained on the trajectory alone."""
        return bool(self.actions) and not self.mastered

    def under_way(self) -> bool:
        """Whether the first episode has to wait."""
        return self.searching() or self.rehearsing()

    def best_score(self) -> float:
        """The best score so far; 0 without one."""
        best = self._best()
        return max(0.0, best.score) if best is not None else self.score or 0.0

    def updates(self) -> int:
        """The updates of the rehearsal that are next; they count as made."""
        count = min(UPDATES, LONGEST * self.rehearsal - self.rehearsed)
        self.rehearsed += count
        return count

    def judge(self, repeats: Callable[[], bool]) -> None:
        """End the rehearsal if it is time for that; `repeats` says whether the network would repeat the trajectory."""
        every = max(UPDATES, int(JUDGED * self.rehearsal) // UPDATES * UPDATES)
        ends = self.rehearsed >= LONGEST * self.rehearsal
        self.mastered = ends or (self.rehearsed % every == 0 and repeats())

    def surpassed(self, score: float, gain: float) -> bool:
        """Whether an episode with this score and sum of positive rewards is better than the demonstration."""
        return self.over and gain > 0 and (self.score is None or score > self.score)

    def replace(self, seed: int, rewards: Sequence[float], actions: Sequence[int]) -> None:
        """Make an episode the demonstration, up to its last positive reward; the network has to learn it."""
        end = steps_to_last_reward(rewards)
        self.seed, self.actions, self.score = seed, list(actions[:end]), total(rewards[:end])
        self.rehearsed, self.mastered, self.source = 0, self.rehearsal == 0, "episode"
        self.frontier = None

    def starts(self) -> Starts | None:
        """The states of the trajectory, to begin at one of them; None while there is none."""
        if not self.actions:
            return None
        return Starts(self.seed, tuple(self.actions), len(self.actions) if self.frontier is None else self.frontier)

    def judge_start(self, start: int, seed: int, rewards: Sequence[float], actions: Sequence[int]) -> None:
        """Note whether an episode has reached the score of the trajectory; it began after `start` actions of it.

        An episode that began on an earlier trajectory does not count.
        """
        starts = self.starts()
        if starts is None or self.score is None:
            return
        if start and (seed, tuple(actions[:start])) != (self.seed, starts.actions[:start]):
            return
        self.frontier = starts.moved(start, max(accumulate(rewards), default=0.0) >= self.score)

    def summary(self) -> dict[str, Any]:
        """What the search has found, for `result.json`."""
        return {
            "demonstration_score": self.score,
            "demonstration_steps": len(self.actions or ()),
            "demonstration_source": None if self.score is None else self.source,
            "demonstration_interactions": self.interactions,
        }

    def advance(self) -> int:
        """Continue the search; returns the simulator steps that it took.

        They may exceed the limit by the steps of one action and by those that repeat a trajectory.
        """
        before = self.interactions
        plans, end = self._phase()
        most = min(end, before + STEPS)
        if plans is not None:
            if self._search is not None:  # it does not continue after this
                if (found := self._found()) is not None:
                    plans.offer(found)
                self._search = None
            self.interactions += plans.advance(most - before, end - before)
        else:
            search = self._opened()
            while self.interactions < most:
                count = search.interactions
                search.visit(most - self.interactions)
                self.interactions += search.interactions - count
        if self.interactions >= self.limit:
            self.over, self.candidate = True, self._rewarded()
            self.actions = self.actions or []
            self._search = self._replanning = None
        elif (passed := self.interactions * (self.interim + 1) // self.limit) > self.pauses:
            self.pauses = passed
            self.candidate = self._learnable()
        return self.interactions - before

    def _rewarded(self) -> Trajectory | None:
        """The best trajectory, if it shows a reward."""
        best = self._best()
        return best if best is not None and best.gain > 0 else None

    def _learnable(self) -> Trajectory | None:
        """The best trajectory at a pause, if it is better than what the network has learned and short enough."""
        best = self._rewarded()
        if best is None or (self.score is not None and best.score <= self.score):
            return None
        if [best.score, len(best.actions)] == self.tried:  # its replay did not show this score
            return None
        room = self.replayed + 2 * len(best.actions) <= REPLAYED * self.limit
        return best if room else None

    def accept(self, input_format: InputFormat) -> tuple[bool, int]:
        """Make the candidate the demonstration if it is better: of a higher score, or at the end shorter.

        Steps that no policy can repeat are left out, where they are not needed.

        Args:
            input_format: Tells observations apart as the network does.

        Returns:
            Whether there is another demonstration now, and how many simulator steps that took, the replay by `episode`
            included.
        """
        best, self.candidate = self.candidate, None
        if best is None:
            return False, 0
        self.tried = [best.score, len(best.actions)]
        most = (LOOPS if self.over else REPLAYED / self.interim) * self.limit
        actions, score, steps = cut_loops(self.simulator, self.seed, best.actions, input_format.mark, most)
        # Where states are not restored exactly, a replay may lead elsewhere; the demonstration is what it shows.
        if score < best.score and self._exact():
            actions, score = list(best.actions), best.score  # `episode` reports the difference
        better = not self.actions or self.score is None or score > self.score
        shorter = self.over and score == self.score and len(actions) < len(self.actions or ())
        accepted = (better or shorter) and (score > 0 or self._exact())
        if accepted:
            self.score, self.actions = score, actions
            self.rehearsed, self.mastered = 0, self.rehearsal == 0
            steps += len(actions)
        if not self.over:
            self.replayed += steps
        return accepted, steps

    def _exact(self) -> bool:
        return getattr(innermost(self.simulator), "deterministic", True)

    def _phase(self) -> tuple[Replanning | None, int]:
        """The planning that is in progress, None if it is the search; and the interactions at which that ends."""
        plans, limit, done = self._replanning, self.limit, self.interactions
        if plans is None:
            return None, limit
        planned, searched, continued = (int(share * limit) for share in (PLANNED, SEARCHED, CONTINUED))
        if done < planned:
            return plans, planned
        if done < searched:
            return None, searched
        if done < continued and self._search_leads(plans):
            return None, continued
        return plans, limit

    def _search_leads(self, plans: Replanning) -> bool:
        """Whether the search continues: it was not given up, and planning has found no more, or no reward."""
        found = self._found()
        if self._search is None or plans.best is None or plans.best.gain <= 0:
            return self._search is not None
        return found is not None and found.rank >= plans.best.rank

    def _found(self) -> Trajectory | None:
        """The best trajectory of the search, if it shows a reward."""
        best = None if self._search is None else self._search.best
        if self._search is None or best is None or best.score <= 0:
            return None
        return Trajectory(best.score, best.score, self._search.trajectories.actions(best.node), best.ended)

    def _best(self) -> Trajectory | None:
        """The best trajectory of search and planning."""
        found, planned = self._found(), None if self._replanning is None else self._replanning.best
        return max((best for best in (planned, found) if best is not None), key=lambda best: best.rank, default=None)

    def _opened(self) -> SearchAtWork:
        if self._search is None:
            share = 1.0 if self._replanning is None else SEARCHED - PLANNED
            choice = choose_features(self.searched, self.seed, min(SAMPLE, int(share * self.limit) // 4))
            self.interactions += choice.interactions
            planner = suitable(ArchiveSearch(memory_mb=ARCHIVE_MB), choice)
            self._search = planner.begin(self.searched, choice.features, self.seed)
        return self._search

    def episode(self, input_format: InputFormat, discount: float) -> EpisodeData | None:
        """The trajectory as an episode to learn from, by replaying it; None if the search has found none.

        Raises:
            InputError: The trajectory does not lead where it has led before.
        """
        if not self.actions:
            return None
        step = self.simulator.reset(self.seed)
        observations, rewards = [], []
        for action in self.actions:
            if step.done:
                break
            observations.append(input_format.parts(step.observation))
            step = self.simulator.step(action)
            rewards.append(step.reward)
        score = total(rewards)
        if score != self.score:
            raise InputError(
                f"{self.simulator.name}: the demonstration of the run has a score of {self.score:g}, and of "
                f"{score:g} when it is replayed; the environment has changed, so the run cannot continue"
            )
        targets = np.zeros((len(rewards), self.simulator.actions), np.float32)
        targets[np.arange(len(rewards)), self.actions[: len(rewards)]] = 1.0
        return EpisodeData(observations, targets, np.array(monte_carlo_returns(rewards, discount), np.float32))

    def state(self) -> dict[str, Any]:
        """All that the future depends on, as plain data."""
        return {
            "interactions": self.interactions,
            "rehearsed": self.rehearsed,
            "mastered": self.mastered,
            "over": self.over,
            "pauses": self.pauses,
            "tried": self.tried,
            "replayed": self.replayed,
            "seed": self.seed,
            "source": self.source,
            "frontier": self.frontier,
            "score": self.score,
            "actions": self.actions,
            "search": None if self._search is None else capture(self._search),
            **({} if self._replanning is None else {"planned": self._replanning.state()}),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Return to a state."""
        self.rehearsed, self.score, self.actions = state["rehearsed"], state["score"], state["actions"]
        self.mastered = state.get("mastered", self.rehearsed >= self.rehearsal)  # older runs did not rehearse longer
        self.over = state.get("over", self.actions is not None)  # older runs did not pause
        self.pauses, self.tried = state.get("pauses", 0), state.get("tried")
        self.replayed = state.get("replayed", 0)
        self.seed = state.get("seed", self.seed)
        self.source = state.get("source", "search" if self.seed == self._first_seed else "episode")
        self.frontier = state.get("frontier")
        self._search = None
        if state["search"] is not None:
            restore(self._opened(), state["search"])
        if self._replanning is not None:  # after the search, which uses the same simulator
            if "planned" in state:
                self._replanning.restore(state["planned"])
            elif self.over:
                self._replanning = None
        self.interactions = state["interactions"]
