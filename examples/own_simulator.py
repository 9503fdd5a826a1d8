"""A simulator written by hand: anything with reset, step, save and load can be planned in.

A robot on a ring of 24 places charges at one of them and can deliver a parcel at another, but only when it is charged.
"""

from __future__ import annotations

import widthwise as ww


class Ring:
    """Actions: 0 left, 1 right, 2 use what is here."""

    actions = 3
    deterministic = True

    def reset(self, seed: int | None = None) -> ww.Step:
        """Begin; nothing here is random."""
        self.place, self.charged, self.steps = 0, 0, 0
        return self.look()

    def step(self, action: int) -> ww.Step:
        """Do the action."""
        self.steps += 1
        delivered = False
        if action == 2:
            self.charged |= self.place == 8
            delivered = self.place == 16 and bool(self.charged)
        else:
            self.place = (self.place + (1, -1)[action == 0]) % 24
        return self.look(1.0 if delivered else 0.0, delivered)

    def look(self, reward: float = 0.0, done: bool = False) -> ww.Step:
        """What there is to see."""
        return ww.Step(bytes([self.place, self.charged]), reward, terminated=done, truncated=self.steps >= 100)

    def save(self) -> tuple[int, int, int]:
        """A snapshot: everything the next step depends on, the counter too."""
        return self.place, self.charged, self.steps

    def load(self, snapshot: tuple[int, int, int]) -> None:
        """Return to a snapshot."""
        self.place, self.charged, self.steps = snapshot


def charged(step: ww.Step) -> bytes:
    """What matters on the high level: only whether the robot is charged."""
    seen: bytes = step.observation
    return seen[1:]


def place(step: ww.Step) -> bytes:
    """And on the low level: only where it is."""
    seen: bytes = step.observation
    return seen[:1]


def main() -> None:
    ring = Ring()
    print("check-env says:", "fine" if ww.check_simulator(ring, seconds=0.2).ok else "not to be trusted")
    flat = ww.OnlinePlanner(ring, ww.RolloutIW(1), features=place, budget=ww.Budget(steps=100))
    hiw = ww.OnlinePlanner(
        ring, ww.HIW(charged, high=ww.RolloutIW(1), low=ww.RolloutIW(1)), features=place, budget=ww.Budget(steps=100)
    )
    for name, agent in (("RIW(1)", flat), ("HIW(1,1)", hiw)):
        episode = agent.run(seed=0)
        print(f"{name}: score {episode.score:g} after {episode.steps} steps, {episode.interactions} interactions")
    assert episode.score == 1


if __name__ == "__main__":
    main()
