"""Films of Gymnasium environments show what the environment renders, and change nothing of what is played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from widthwise.cli.main import main

image: Any = pytest.importorskip("PIL.Image")
gymnasium: Any = pytest.importorskip("gymnasium")
pytest.importorskip("rendered_worlds")  # registers its environments

LAKE = ["play", "FrozenLake-v1", "--option", "is_slippery=false"]


def pictures(path: Path) -> list[Any]:
    """The frames of a film."""
    with image.open(path) as film:
        frames = []
        for number in range(film.n_frames):
            film.seek(number)
            frames.append(np.asarray(film.convert("RGB")).astype(int))
        return frames


@pytest.fixture
def filmed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Plays with a film: the result, the pictures, what was said."""

    def play(*arguments: str) -> tuple[dict[str, Any], list[Any], str]:
        path = tmp_path / "film.gif"
        assert main([*arguments, "--json", "--gif", str(path)]) == 0
        said = capsys.readouterr()
        return json.loads(said.out), pictures(path), said.err

    return play


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("FrozenLake-v1", {"is_slippery": False}),
        ("CartPole-v1", {}),
        ("Taxi-v4", {}),
        ("MiniGrid-DoorKey-5x5-v0", {}),
    ],
)
def test_each_picture_is_what_the_environment_renders(name: str, options: dict[str, Any], filmed: Any) -> None:
    pytest.importorskip("pygame")
    if name.startswith("MiniGrid"):
        pytest.importorskip("minigrid")
    if name not in gymnasium.registry:
        pytest.skip(f"{name} is not in this version of Gymnasium")
    given = [text for key, value in options.items() for text in ("--option", f"{key}={json.dumps(value)}")]
    result, frames, said = filmed("play", name, *given, "--budget", "100", "--max-steps", "5")
    assert "not rendered" not in said
    assert len(frames) == result["steps"] + 1
    env = gymnasium.make(name, render_mode="rgb_array", **options)
    env.reset(seed=0)
    for frame, action in zip(frames, [*result["actions"], None], strict=True):
        shown = image.fromarray(env.render())
        scale = 330 / max(shown.size)
        size = (round(shown.width * scale), round(shown.height * scale))
        wanted = np.asarray(shown.resize(size, image.Resampling.BOX if scale < 1 else image.Resampling.NEAREST))
        left = frame[: size[1], : size[0]]
        assert np.abs(left - wanted.astype(int)).mean() < 4  # a GIF has few colours
        if action is not None:
            env.step(action)


def test_a_film_changes_neither_actions_nor_counts(filmed: Any, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pygame")
    for arguments in (LAKE, ["play", "FrozenLake-v1", "--chance", "reseed", "--budget", "200", "--max-steps", "20"]):
        with_film, frames, said = filmed(*arguments)
        assert "not rendered" not in said
        assert len({frame[:330, :330].tobytes() for frame in frames}) > 2
        assert main([*arguments, "--json"]) == 0
        without = json.loads(capsys.readouterr().out)
        assert [with_film[key] for key in ("actions", "rewards", "interactions", "restores")] == [
            without[key] for key in ("actions", "rewards", "interactions", "restores")
        ]


def brightness(frames: list[Any]) -> list[int]:
    return [round(frame[100, 100].mean()) for frame in frames]


@pytest.mark.parametrize("env", ["RenderedLine-v0", "rendered_worlds:by_hand"])
def test_the_pictures_follow_the_executed_steps_only(env: str, filmed: Any) -> None:
    result, frames, _ = filmed("play", env)
    assert result["actions"] == [1, 1, 1, 1]
    assert brightness(frames) == [0, 50, 100, 150, 200]


@pytest.mark.parametrize(
    ("env", "reason"),
    [
        ("RenderedUnrendered-v0", "it has no render mode rgb_array"),
        ("RenderedBroken-v0", "RuntimeError: no surface"),
        ("RenderedAstray-v0", "behaved differently"),
        ("rendered_worlds:unknown", "neither by gymnasium.make nor with the render mode rgb_array"),
    ],
)
def test_what_cannot_be_rendered_is_said_in_one_line(env: str, reason: str, filmed: Any) -> None:
    result, frames, said = filmed("play", env)
    assert result["score"] == 1
    assert len(frames) == 5
    notes = [line for line in said.splitlines() if "not rendered" in line]
    assert len(notes) == 1
    assert reason in notes[0]


def test_actions_have_their_names_in_a_record(tmp_path: Path) -> None:
    path = tmp_path / "episode.jsonl"
    assert main([*LAKE, "--quiet", "--record", str(path)]) == 0
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    named = [line["action"] for line in lines if line["kind"] == "step"]
    assert set(named) <= {"left", "down", "right", "up"}
    assert len(named) == 6
