"""Atari games: snapshots hold everything, and all games of the paper are there."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest

import widthwise as ww
from widthwise import _native
from widthwise.simulators.atari_games import PAPER_GAMES
from widthwise.simulators.chance import ChanceError

pytestmark = pytest.mark.atari

MONTEZUMA = "atari:montezuma_revenge"


def test_what_a_step_shows():
    env: Any = ww.simulator(MONTEZUMA)
    first = env.reset(seed=0)
    frames = np.asarray(first.observation)
    assert frames.shape == first.observation.shape == (4, 84, 84)
    assert frames.dtype == np.uint8
    assert frames.std() > 1
    assert (frames[0] == frames[3]).all()
    assert first.info["lives"] == 6
    assert env.actions == len(env.action_names) == 18
    assert ww.simulator("atari:pong").actions == 6
    assert ww.simulator("atari:pong", all_actions=True).actions == 18
    step = env.step(env.action_names.index("right"))
    assert step.info["frame"] - first.info["frame"] == 15
    # The older frames are those of the observation before, not copies of them.
    assert step.observation.frames[2] is first.observation.frames[3]
    assert step.observation == step.observation
    assert step.observation != first.observation
    assert np.asarray(step.observation, np.float32).dtype == np.float32
    assert ww.Ram()(step).shape == (128,)
    assert ww.Ram([3, 42])(step).tolist() == step.info["ram"][[3, 42]].tolist()
    tiles = ww.Tiles(8, 11, 32)
    assert len(tiles(step)) == tiles.count == 88
    assert tiles(step).max() < 32


def test_spread_frames_reach_further_back():
    env: Any = ww.simulator(MONTEZUMA, stack=8, spread=True)
    first = env.reset(seed=0).observation
    assert not any(frame.any() for frame in first.frames[:-1]) and first.newest.any()  # nothing was before the game
    seen = [first.frames[0]] * 33 + [first.newest]
    rng = random.Random(0)
    for _ in range(45):
        snapshot = env.save()
        action = rng.randrange(env.actions)
        step = env.step(action)
        seen.append(step.observation.newest)
        shown = [seen[-1 - steps] for steps in (33, 17, 9, 5, 3, 2, 1, 0)]
        assert all(frame is expected for frame, expected in zip(step.observation.frames, shown, strict=True))
    env.load(env.unpack_snapshot(env.pack_snapshot(snapshot)))
    assert env.step(action).observation == step.observation
    assert pickle.loads(pickle.dumps(env)).step(0).observation == env.step(0).observation
    assert ww.simulator(MONTEZUMA, spread=True).reset(seed=0).observation.shape == (4, 84, 84)


def test_frames_are_area_averages():
    env: Any = ww.simulator("atari:breakout")
    frame = env.reset(seed=0).observation.newest
    screen = np.zeros((210, 160), np.uint8)
    env._ale.getScreenGrayscale(screen)
    down = np.repeat(screen.astype(float), 84, axis=0).reshape(84, 210, 160).mean(axis=1)
    expected = np.repeat(down, 84, axis=1).reshape(84, 84, 160).mean(axis=2)
    assert np.abs(frame - expected).max() <= 0.5 + 1e-9


def test_frames_are_right_after_any_jump():
    env: Any = ww.simulator("atari:private_eye")
    env.reset(seed=0)
    rng, snapshots, small = random.Random(0), [env.save()], np.empty((84, 84), np.uint8)
    shrink = _native.Shrink(210, 160, 1, 84, 84, nearest=True)
    for _ in range(60):
        if rng.random() < 0.2:
            env.load(rng.choice(snapshots))
        frame = env.step(rng.randrange(env.actions)).observation.newest
        shrink(env._ale.getScreenGrayscale(), small)
        assert np.array_equal(frame, small)
        snapshots.append(env.save())


def test_a_snapshot_holds_frames_and_counters():
    env: Any = ww.simulator(MONTEZUMA, limit=12)
    env.reset(seed=0)
    for action in (3, 3, 1, 4, 2):
        env.step(action)
    snapshot = pickle.loads(pickle.dumps(env.save()))

    def rest():
        seen = [env.step(action) for action in (2, 5, 1, 0, 3, 4, 1)]
        return [(s.observation, s.reward, s.truncated, s.info["ram"].tobytes()) for s in seen]

    first = rest()
    assert [step[2] for step in first] == [False] * 6 + [True]
    with pytest.raises(ww.UsageError, match="has ended"):
        env.step(0)
    env.reset(seed=5)
    for action in (1, 4, 4, 4):
        env.step(action)
    env.load(snapshot)
    assert rest() == first


@pytest.mark.parametrize("game", [MONTEZUMA, "atari:beam_rider", "atari:solaris"])
def test_every_game_without_chance_begins_alike_whatever_was_played_and_whatever_the_seed(game):
    def play(env, seed):
        first = env.reset(seed=seed)
        screen = env.screen().tobytes()
        steps = [first, *(env.step(action) for action in (1, 2, 0, 3))]
        return [(s.observation, s.info["ram"].tobytes(), s.info["frame"]) for s in steps], screen

    env: Any = ww.simulator(game)
    first = play(env, 0)
    assert play(env, 7) == first
    late = ww.simulator(game)
    late.load(env.save())  # before any reset: Beam Rider remembers what was played
    assert play(late, 0) == first


@pytest.mark.parametrize("sticky", [0.0, 0.25])
def test_the_mode_outlasts_a_reset(sticky):
    rams = set()
    for mode in (0, 7):  # of Space Invaders, whose memory shows it
        env: Any = ww.simulator("atari:space_invaders", mode=mode, sticky=sticky)
        env.reset(seed=3)
        env.reset(seed=3)
        rams.add(env.step(0).info["ram"].tobytes())
    assert len(rams) == 2


def test_the_checker_agrees():
    report = ww.check_simulator("atari:freeway", seconds=0.7)
    assert report.ok, str(report)
    assert report.bytes["node"] < 40_000


def test_sticky_actions_are_declared():
    assert ww.simulator(MONTEZUMA).deterministic
    assert not ww.simulator(MONTEZUMA, sticky=0.25).deterministic
    assert not ww.simulator("atari:Q*bert").deterministic


def test_a_game_whose_states_are_not_restored_exactly_is_refused_with_its_reason():
    with pytest.raises(ChanceError, match=r"qbert: the emulator does not restore every state") as refused:
        ww.search("atari:qbert", 100)
    assert "make the environment deterministic" not in str(refused.value)
    assert "random outcomes" not in str(refused.value)
    with pytest.raises(ChanceError, match=r"qbert: the emulator does not restore every state"):
        ww.search("atari:qbert", 100, options={"sticky": 0.25})
    with pytest.raises(ChanceError, match="make the environment deterministic with sticky=0"):
        ww.search("atari:pong", 100, options={"sticky": 0.25})


def test_a_simulator_can_be_pickled():
    env: Any = ww.simulator("atari:pong", frame_skip=4)
    env.reset(seed=3)
    env.step(2)
    other = pickle.loads(pickle.dumps(env))
    assert other.frame_skip == 4
    first, second = env.step(3), other.step(3)
    assert first.observation == second.observation
    assert first.info["ram"].tobytes() == second.info["ram"].tobytes()


def test_mistakes():
    with pytest.raises(ww.UsageError, match="did you mean atari:montezuma_revenge"):
        ww.simulator("atari:montezuma_revnge")
    with pytest.raises(ww.UsageError, match="'combat' is a game for two players"):
        ww.simulator("atari:combat")
    for name, values in {"frame_skip": (0, 10**9, "x"), "stack": (0, 65, 10**9, 2.5, True)}.items():
        for value in values:
            with pytest.raises(
                ww.UsageError, match=rf"{name} of an Atari game must be a whole number from 1 to \d+, not"
            ):
                ww.simulator("atari:pong", **{name: value})
    with pytest.raises(ww.UsageError, match="with the option spread has a stack of at most 10, not 11"):
        ww.simulator("atari:pong", stack=11, spread=True)
    with pytest.raises(ww.UsageError, match="has no option 'speed'"):
        ww.simulator("atari:pong", speed=2)
    with pytest.raises(ww.UsageError, match="call reset or load first"):
        ww.simulator("atari:pong").step(0)


@pytest.mark.parametrize("game", PAPER_GAMES)
def test_all_games_of_the_paper(game):
    env: Any = ww.simulator(f"atari:{game}")
    first = env.reset(seed=0)
    assert not first.done
    snapshot = env.save()
    item = env.step(env.actions - 1)
    env.load(snapshot)
    second = env.step(env.actions - 1)
    assert item.reward == second.reward
    if env.deterministic:
        assert item.observation == second.observation
