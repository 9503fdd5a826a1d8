"""Checks whether a simulator restores its state exactly, and measures the cost of its calls."""

from __future__ import annotations

import contextlib
import pickle
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from widthwise.core.contract import Guarded, environment_name, guarded
from widthwise.core.errors import OutOfTime, SimulatorError, WidthwiseError, in_terms
from widthwise.core.showing import counted
from widthwise.core.simulator import Simulator, Step
from widthwise.simulators.names import simulator
from widthwise.simulators.replay_process import ReplayJob, run_in_new_process
from widthwise.simulators.traces import Difference, compare, differ, frozen, play, record

Verdict = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True)
class Check:
    """One check: its name, its verdict, and details."""

    name: str
    verdict: Verdict
    detail: str


@dataclass
class Report:
    """The verdicts, and the costs: microseconds per call, bytes per snapshot and node."""

    name: str
    actions: int
    deterministic: bool
    checks: list[Check] = field(default_factory=list)
    microseconds: dict[str, float] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether no check failed."""
        return all(check.verdict != "failed" for check in self.checks)

    def to_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "environment": self.name,
            "ok": self.ok,
            "actions": self.actions,
            "deterministic": self.deterministic,
            "checks": [vars(check) for check in self.checks],
            "microseconds": self.microseconds,
            "bytes": self.bytes,
        }

    def __str__(self) -> str:
        mark = {"passed": "ok  ", "failed": "FAIL", "skipped": "skip"}
        lines = [f"{self.name}: {counted(self.actions, 'action')}"]
        lines += [f"  {mark[check.verdict]}  {check.name}: {check.detail}" for check in self.checks]
        if self.microseconds:
            costs = ", ".join(f"{name} {value:,.1f} µs" for name, value in self.microseconds.items())
            lines.append(f"  cost  {costs}")
        if self.bytes:
            sizes = ", ".join(f"{name} {value:,} bytes" for name, value in self.bytes.items())
            lines.append(f"  size  {sizes}")
        lines.append("  all checks passed" if self.ok else "  not suitable for planning")
        return "\n".join(lines)


def check_simulator(env: Any, *, seed: int = 0, seconds: float = 2.0, **options: Any) -> Report:
    """Check whether a simulator fulfils its contract, by playing it at random. The simulator is reset.

    Args:
        env: The simulator, in any form that `simulator` takes.
        seed: The seed of the random play.
        seconds: The maximum time for each check.
        options: Options of the environment.

    Returns:
        The report. `ok` is true if all checks passed, `checks` lists the results of each.

    Raises:
        UsageError: There is no such environment or option.

    Example:
        >>> ww.check_simulator("corridor", seconds=0.1).ok
        True
    """
    name = env if isinstance(env, str) else None
    environment = simulator(env, **options)
    shown = (name or environment_name(environment)).strip().splitlines()[0]
    try:
        checked = guarded(environment)
    except SimulatorError as error:  # without a valid number of actions
        return Report(
            shown, 0, bool(getattr(environment, "deterministic", True)), [Check("interface", "failed", str(error))]
        )
    work = _Work(checked, environment, name, options, seed, seconds)
    report = Report(shown, checked.actions, checked.deterministic)
    for title, question in work.questions():
        try:
            verdict, detail = question()
        except OutOfTime as error:
            report.checks.append(Check(title, "failed", str(error)))
            return report  # the next check would take as long
        except WidthwiseError as error:
            verdict, detail = "failed", str(error)
        except Exception as error:
            verdict, detail = "failed", f"{type(error).__name__}: {error}"
        report.checks.append(Check(title, verdict, detail))
        if title == "interface" and verdict == "failed":
            return report  # the other checks need it
    with contextlib.suppress(Exception):  # a simulator that fails here has failed a check before
        report.microseconds, report.bytes = work.costs()
    return report


@dataclass
class _Work:
    env: Guarded  # every call is checked against the contract
    world: Simulator
    name: str | None
    options: dict[str, Any]
    seed: int
    seconds: float

    def questions(self) -> list[tuple[str, Callable[[], tuple[Verdict, str]]]]:
        return [
            ("interface", self.interface),
            ("contract", self.contract),
            ("same seed, same episode", self.same_seed),
            ("load restores", self.restores),
            ("load restores after other actions", self.restores_after_history),
            ("save changes nothing", self.saving_is_silent),
            ("observations do not change later", self.observations_stay),
            ("same state and action, same step", self.repeats),
            ("no step depends on chance", self.chance),
            ("a snapshot survives pickling", self.pickles),
            ("a snapshot works in another process", self.travels),
        ]

    def actions(self, count: int, salt: int) -> list[int]:
        choose = random.Random(self.seed * 1000 + salt)
        return [choose.randrange(self.env.actions) for _ in range(count)]

    def wander(self, salt: int, steps: int) -> Any:
        """A snapshot after a random walk, the longest of a few attempts."""
        longest: Any = None
        for attempt in range(20):
            self.env.reset(seed=self.seed)
            snapshot, done = self.env.save(), 0
            for action in self.actions(steps, 100 * salt + attempt):
                step = self.env.step(action)
                if step.terminated or step.truncated:
                    break
                snapshot, done = self.env.save(), done + 1
            if longest is None or done > longest[0]:
                longest = (done, snapshot)
            if done == steps:
                break
        return longest[1]

    def rounds(self, most: int) -> Any:
        """Count up to `most`, within the time limit."""
        end = time.perf_counter() + self.seconds
        for number in range(most):
            yield number
            if time.perf_counter() > end and number >= 1:
                return

    def interface(self) -> tuple[Verdict, str]:
        env = self.env
        if env.reset(seed=self.seed).done:
            return "failed", f"the episode ended at reset({self.seed}), before the first action"
        env.load(env.save())
        env.step(0)
        declared = "not declared random" if env.deterministic else "declared random"
        return "passed", f"{counted(env.actions, 'action')}, {declared}"

    def contract(self) -> tuple[Verdict, str]:
        """Play random episodes; a step that breaks the contract raises an error."""
        count = episodes = 0
        for number in self.rounds(20):
            step = self.env.reset(seed=self.seed + number)
            for action in self.actions(200, 700 + number):
                if step.done:
                    break
                step = self.env.step(action)
                count += 1
            episodes += 1
        return (
            "passed",
            f"{count} steps in {episodes} episodes: finite rewards, observations of one form",
        )

    def chance(self) -> tuple[Verdict, str]:
        """Whether outcomes depend on random generators, which a snapshot holds as well."""
        from widthwise.simulators.chance import check_chance

        finding = check_chance(self.env, self.seed, walks=300, seconds=self.seconds)
        if not finding.stochastic:
            return "passed", str(finding)
        if finding.broken:
            return "failed", str(finding)
        ways = in_terms(python="chance='reseed' or chance='foresee'", command="--chance reseed or --chance foresee")
        return "failed", f"{finding}; planning needs {ways}"

    def same_seed(self) -> tuple[Verdict, str]:
        rounds = 0
        for number in self.rounds(10):
            actions = self.actions(30, number)
            first = [record(self.env.reset(seed=self.seed + number)), *play(self.env, actions)]
            second = [record(self.env.reset(seed=self.seed + number)), *play(self.env, actions)]
            if difference := compare(first, second):
                shifted = Difference(difference.step - 1, difference.part, difference.detail)
                return "failed", f"{shifted}; reset(seed) does not seed all generators"
            rounds += 1
        return "passed", f"{counted(rounds, 'episode')} played twice"

    def saving_is_silent(self) -> tuple[Verdict, str]:
        rounds = 0
        for number in self.rounds(10):
            actions = self.actions(30, number)
            start = self.wander(number, 5)
            self.env.load(start)
            without = play(self.env, actions)
            self.env.load(start)
            if compare(without, play(self.env, actions)):
                return "skipped", "load() does not restore the state, so that steps cannot be compared"
            self.env.load(start)
            during: list[Step] = []
            for action in actions[: len(without)]:
                self.env.save()
                during += play(self.env, [action])
            if difference := compare(without, during):
                return "failed", f"{difference}; save() changed the state"
            rounds += 1
        return "passed", f"{rounds} walks with and without saves"

    def observations_stay(self) -> tuple[Verdict, str]:
        observations: list[tuple[Any, Any]] = []
        first = self.env.reset(seed=self.seed)
        observations.append((first.observation, frozen(first.observation)))
        snapshot = self.env.save()
        for number in self.rounds(10):
            self.env.load(snapshot)
            for action in self.actions(10, number):
                step = self.env.step(action)
                observations.append((step.observation, frozen(step.observation)))
                if step.terminated or step.truncated:
                    break
        for number, (given, copy) in enumerate(observations):
            if difference := differ(copy, frozen(given)):
                return "failed", f"observation {number} {difference}: a later step wrote into it"
        return "passed", f"{len(observations)} observations kept"

    def restores(self) -> tuple[Verdict, str]:
        return self._replay("walks", lambda snapshot, number: self.env.load(snapshot))

    def restores_after_history(self) -> tuple[Verdict, str]:
        def elsewhere_first(snapshot: Any, number: int) -> None:
            self.env.reset(seed=self.seed + 77 + number)
            play(self.env, self.actions(12 + number, 500 + number))
            self.env.load(snapshot)

        return self._replay("walks, another episode in between", elsewhere_first)

    def pickles(self) -> tuple[Verdict, str]:
        try:
            pickle.dumps(self.wander(0, 3))
        except Exception as error:
            return "failed", f"a snapshot cannot be pickled: {error}"
        return self._replay(
            "walks from a pickled copy",
            lambda snapshot, number: self.env.load(pickle.loads(pickle.dumps(snapshot))),
        )

    def _replay(self, what: str, come_back: Callable[[Any, int], None]) -> tuple[Verdict, str]:
        rounds = 0
        for number in self.rounds(30):
            snapshot = self.wander(number, number % 15)
            actions = self.actions(20, 300 + number)
            self.env.load(snapshot)
            if number % 2:  # every other time the snapshot is taken again after the load
                snapshot = self.env.save()
            first = play(self.env, actions)
            come_back(snapshot, number)
            if difference := compare(first, play(self.env, actions)):
                return "failed", f"{difference}; {_guess(difference)}"
            rounds += 1
        return "passed", f"{rounds} {what}, all equal"

    def repeats(self) -> tuple[Verdict, str]:
        """Repeat the same step: an incomplete restore shows after many repetitions."""
        limit = getattr(self.world, "limit", None) or 200
        snapshot = self.wander(1, 4)
        steps: dict[int, list[Step]] = {}
        count = 0
        for number in self.rounds(max(400, limit + 10)):
            action = number % self.env.actions
            self.env.load(snapshot)
            seen = play(self.env, [action])
            if difference := compare(steps.setdefault(action, seen), seen):
                detail = Difference(number + 1, difference.part, difference.detail)
                return "failed", f"action {action}, repetition {detail}; {_guess(difference)}"
            count += 1
        return "passed", f"{count} times from one snapshot"

    def travels(self) -> tuple[Verdict, str]:
        try:
            snapshot = pickle.loads(pickle.dumps(self.wander(2, 8)))
        except Exception as error:
            return "failed", f"a snapshot cannot be pickled: {error}"
        if self.name is None:
            try:
                pickle.dumps(self.world)
            except Exception as error:
                return (
                    "skipped",
                    f"the simulator cannot be pickled ({error}); check it by its name instead",
                )
            if type(getattr(self.world, "env", self.world)).__module__ == "__main__":
                return "skipped", "it is defined in the main program, which another process cannot import"
        actions = self.actions(20, 900)
        self.env.load(snapshot)
        here = play(self.env, actions)
        job = ReplayJob(self.name, self.options, self.world if self.name is None else None, snapshot, actions)
        try:
            there = run_in_new_process(job)
        except RuntimeError as error:
            return "failed", f"the other process failed: {error}"
        if difference := compare(here, there):
            return "failed", f"{difference}; {_guess(difference)}"
        return "passed", f"{counted(len(here), 'step')} equal in both processes"

    def costs(self) -> tuple[dict[str, float], dict[str, int]]:
        env = self.env
        times: dict[str, list[float]] = {"step": [], "save": [], "load": [], "observation": []}
        nodes: list[Any] = []
        snapshot = self.wander(3, 10)
        for number in self.rounds(300):
            if number % 10 == 0:  # a walk of ten steps at a time, so that successive nodes can share
                env.load(snapshot)
            action = self.actions(1, 2000 + number)[0]
            begin = time.perf_counter()
            step = env.step(action)
            stepped = time.perf_counter()
            state = env.save()
            saved = time.perf_counter()
            env.load(state)
            loaded = time.perf_counter()
            np.asarray(step.observation)
            read = time.perf_counter()
            for name, value in zip(
                times, (stepped - begin, saved - stepped, loaded - saved, read - loaded), strict=True
            ):
                times[name].append(value * 1e6)
            if number < 50:
                nodes.append((state, step.observation))
            if step.terminated or step.truncated:
                env.load(snapshot)
        medians = {name: round(float(np.median(values)), 2) for name, values in times.items()}
        return medians, self._sizes(nodes)

    def _sizes(self, nodes: list[Any]) -> dict[str, int]:
        try:
            return {
                "snapshot": len(pickle.dumps(nodes[-1][0])),
                "node": len(pickle.dumps(nodes)) // len(nodes),
            }
        except Exception:
            return {}


def _guess(difference: Difference) -> str:
    """The usual cause of such a difference."""
    if difference.part in ("truncated", "length") or (difference.part == "info" and "step" in difference.detail):
        return "probable cause: a step counter, perhaps of a wrapper, is not part of the snapshot"
    if difference.part == "observation" and difference.step == 1:
        return "probable cause: the screen, a stack of frames or a random generator is not restored"
    return "probable cause: a random generator, sticky actions or a hidden variable is not part of the snapshot"
