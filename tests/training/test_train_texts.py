"""What `widthwise train` says: the demonstration, the end of a run, errors that resuming does not cure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import widthwise as ww
from widthwise.cli.main import main
from widthwise.cli.train import NO_EPISODE, text
from widthwise.cli.train_view import demonstration, evaluation
from widthwise.core.simulator import Step
from widthwise.training.launch import begin
from widthwise.training.run_settings import RunSettings

pytestmark = pytest.mark.torch

SHOWN = ["train", "corridor", "--preset", "demonstration", "--algorithm", "pi-iw", "--set", "rehearsal=20"]
RESULT: dict[str, Any] = {
    "interactions": 900,
    "episodes": 0,
    "seconds": 1.0,
    "interactions_per_second": 900.0,
    "recent_score": None,
    "recent_steps": None,
    "evaluations": 1,
    "evaluation_interactions": 3,
    "reward_seen": False,
    "best": {"network_score": 1.0, "network_steps": 3.0, "interactions": 900},
}


def shown(score: float | None, source: str | None) -> dict[str, Any]:
    names = {"score": score, "steps": 38 if score else 0, "interactions": 80_000, "source": source}
    return {f"demonstration_{name}": value for name, value in names.items()}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (shown(1.0, "search"), "a demonstration: score 1 in 38 steps, after a search of 80,000 interactions"),
        (shown(None, None), "before the first episode: a search of 80,000 interactions, no trajectory with a reward"),
        (
            shown(2.0, "episode"),
            "a demonstration: score 2 in 38 steps, a training episode, after a search of 80,000 interactions",
        ),
        ({}, None),
    ],
)
def test_a_demonstration_in_one_line(found: dict[str, Any], expected: str | None) -> None:
    assert demonstration(found) == expected
    end = text(Path("run"), {**RESULT, **found})
    assert expected is None or expected in end.splitlines()
    assert (NO_EPISODE in end) is (found.get("demonstration_score") is None)


def test_a_run_says_what_its_search_has_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SHOWN, "--interactions", "2_000", "--out", str(tmp_path / "run")]) == 0
    said = capsys.readouterr()
    line = demonstration(json.loads((tmp_path / "run" / "result.json").read_text()))
    assert line is not None and line.startswith("a demonstration: score 1 in ")
    assert line in said.err.splitlines() and line in said.out.splitlines()
    assert "nothing was learned" not in said.out


def test_a_wrong_call_gets_no_advice_to_resume(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from widthwise.core.errors import UsageError
    from widthwise.training.trainer import Trainer

    def refuse(trainer: Trainer) -> None:
        raise UsageError("these features do not fit")

    monkeypatch.setattr(Trainer, "round", refuse)
    code = main(["train", "corridor", "--interactions", "1_000", "--out", str(tmp_path / "run"), "--quiet"])
    said = capsys.readouterr().err
    assert code == 2 and "these features do not fit" in said and "to continue from" not in said


@pytest.mark.parametrize(
    ("rehearsing", "expected"),
    [(True, "learning the demonstration, score 3"), (False, "search for a demonstration, score 3")],
)
def test_the_progress_line_says_whether_the_demonstration_is_learned(
    tmp_path: Path, rehearsing: bool, expected: str
) -> None:
    """Also in the middle of a run, where a better episode is the demonstration."""
    from widthwise.cli.train_view import line

    settings = RunSettings("corridor", 1_000, "pi-iw", overrides={"archive": 500})
    run = begin(tmp_path / "run", settings)
    first = run.trainer.trainer.demonstration  # type: ignore[attr-defined]
    first.score, run.episodes = 3.0, 7
    first.actions = [0] if rehearsing else None
    assert expected in line(run)
    assert "before the first episode" not in line(run)
    run.folder.close()


class Endless:
    """Places in a circle, without an end."""

    actions, deterministic = 2, True
    place = 0

    def reset(self, seed: int | None = None) -> Step:
        self.place = 0
        return Step(np.array([self.place]))

    def step(self, action: int) -> Step:
        self.place = (self.place + action) % 5
        return Step(np.array([self.place]), float(self.place == 4))

    def save(self) -> int:
        return self.place

    def load(self, snapshot: int) -> None:
        self.place = snapshot


def test_an_evaluation_episode_that_never_ends_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from widthwise.training import evaluation_record

    monkeypatch.setattr(evaluation_record, "MOST_STEPS", 40)
    for steps, cut in ((None, 3), (30, None)):
        folder = tmp_path / str(steps)
        ww.train(Endless, 150, out=folder, steps_per_action=5, evaluation_steps=steps)
        record = json.loads((folder / "evaluations.jsonl").read_text().splitlines()[-1])
        assert record.get("cut_episodes") == cut and record["network_steps"] == (steps or 40)
        said = "; 3 episodes cut off after 40 steps (--evaluation-steps)"
        assert evaluation(record).endswith(said) is (cut is not None)
