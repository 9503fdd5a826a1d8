"""Learning from the demonstration alone, until an episode scores more and takes its place."""

from __future__ import annotations

import pytest

from demonstration_tools import trainer_of, until_acting
from learning_tools import rounds, same
from widthwise.core.errors import UsageError
from widthwise.learning.learning_settings import LearningSettings
from widthwise.training.checkpoint_shape import check_trainer

pytestmark = pytest.mark.torch


def test_with_self_imitation_other_episodes_are_not_learned_from() -> None:
    for self_imitation in (True, False):
        trainer = trainer_of(rehearsal=20, self_imitation=self_imitation)
        assert trainer.demonstration is not None
        assert not trainer.rehearses_only()  # there is nothing yet
        until_acting(trainer)
        assert trainer.demonstration.score == 1.0
        trainer.demonstration.score = 2.0
        before = trainer.updater.updates
        while not trainer.round():
            pass
        assert trainer.rehearses_only() is self_imitation
        assert len(trainer.replay.state()["episodes"]) == (0 if self_imitation else 1)
        assert (trainer.updater.updates == before) is self_imitation


@pytest.mark.parametrize("found", [True, False])
def test_a_better_episode_becomes_the_demonstration(found: bool) -> None:
    """Also the first one with a reward, where the search has found none."""
    trainer, again = (trainer_of(rehearsal=20, self_imitation=True) for _ in range(2))
    first = trainer.demonstration
    assert first is not None
    until_acting(trainer)
    known = first.actions
    assert known is not None and first.summary()["demonstration_source"] == "search"
    first.score, first.actions = (0.5, known[:1]) if found else (None, [])
    before = trainer.interactions
    trainer.surpass(0, 5, [0.0] * (len(known) - 1) + [1.0, -0.25], [*known, 0])
    assert (first.score, first.actions, first.seed) == (1.0, known, 5)
    assert trainer.preparing() and trainer.interactions == before + len(known)
    assert first.summary()["demonstration_source"] == "episode"
    shown = trainer.replay.demonstration
    assert shown is not None and shown.targets.argmax(axis=1).tolist() == known
    rounds(trainer, 1)
    state = trainer.state()
    check_trainer(state, again)
    again.restore(state)
    rounds(trainer, 6)
    rounds(again, 6)
    assert not trainer.preparing() and same(trainer.state(), again.state())


def test_an_episode_that_is_not_better_does_not_become_the_demonstration() -> None:
    trainer = trainer_of(rehearsal=0, self_imitation=True)
    first = trainer.demonstration
    assert first is not None
    until_acting(trainer)
    known = first.actions
    trainer.surpass(0, 5, [1.0], [0])  # as good
    trainer.surpass(0, 5, [3.0, -3.0], [0, 0])  # worse, though with a larger reward
    assert (first.actions, first.score, first.seed) == (known, 1.0, 0)
    first.score = None
    trainer.surpass(0, 5, [0.0, -1.0], [0, 0])  # without a positive reward
    assert first.actions == known and first.score is None


def test_actions_after_the_last_reward_are_not_imitated() -> None:
    trainer = trainer_of(rehearsal=0, self_imitation=True)
    until_acting(trainer)
    player = trainer.players[0]
    for _ in range(4):
        trainer.round()
    player.agent.episode.rewards[:] = [0.0, 1.0, -1.0] + [0.0] * (len(player.targets) - 3)
    assert len(player.played()) == 2
    player.agent.episode.rewards[1] = 0.0
    assert len(player.played()) == len(player.targets)


def test_self_imitation_needs_whole_episodes() -> None:
    for segment, targets in ((5, 0), (0, 3)):
        with pytest.raises(UsageError, match="self_imitation learns from whole episodes"):
            LearningSettings(self_imitation=True, segment=segment, tree_targets=targets)


def test_a_state_without_a_demonstration_has_none() -> None:
    trainer = trainer_of(rehearsal=0, self_imitation=True)
    before = trainer.state()
    until_acting(trainer)
    assert trainer.replay.demonstration is not None
    trainer.restore(before)
    assert trainer.replay.demonstration is None
