"""`widthwise search` and `widthwise demo atari` as commands: options, limits, how to continue, and what is said."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import dice_simulators as dice
import widthwise as ww
from widthwise.cli import demo_atari, search_view
from widthwise.cli.main import main
from widthwise.core.errors import UsageError
from widthwise.exploration import search as exploration_search
from widthwise.exploration.search_run import ExplorationRun
from widthwise.training.search_features import choose_features
from widthwise.training.trust import resume_call

FOLDER = str(Path(dice.__file__).parent)
SMALL = ["search", "corridor", "--interactions", "300", "--quiet"]


def result_of(folder: Path) -> dict[str, Any]:
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    return {name: value for name, value in result.items() if name != "seconds"}


def settings_of(folder: Path) -> dict[str, Any]:
    settings: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))["settings"]
    return settings


@pytest.mark.parametrize(("options", "setting", "value"), [
    (["--restart", "0"], "restart", 0),
    (["--restart", "5_000"], "restart", 5_000),
    (["--survive", "7"], "survive", 7),
    (["--no-survive"], "survive", 0),
    (["--no-gains"], "gains", False),
    (["--no-scenes"], "scenes", False),
    (["--no-lowest"], "lowest", False),
    (["--no-shared-counts"], "shared_counts", False),
    (["--no-count-steps"], "count_steps", False),
    (["--no-improve"], "improve", False),
    (["--no-through"], "through", False),
    (["--through"], "through", True),
    (["--no-lives"], "lives", False),
    (["--widths", "1,n,all"], "widths", [1, "n", "all"]),
    (["--rollout", "12"], "rollout", 12),
    (["--hold", "2.5"], "hold", 2.5),
    (["--archive-memory", "20"], "memory_mb", 20.0),
])  # fmt: skip
def test_every_documented_switch_is_taken(options: list[str], setting: str, value: object, tmp_path: Path) -> None:
    assert main([*SMALL, *options, "--out", str(tmp_path / "run")]) in (0, 12)
    settings = settings_of(tmp_path / "run")["planner"]
    assert settings.get(setting, False) == value  # a search of before has no `lowest`


def test_a_search_of_before_continues_without_the_lowest_level(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "run"
    call = ["search", "maze-small", "--quiet", "--out", str(folder), "--interactions"]
    assert main([*call, "6_000", "--no-lowest"]) in (0, 12)
    assert "lowest" not in settings_of(folder)["planner"]
    assert main([*call, "7_000", "--resume"]) in (0, 12)
    result = result_of(folder)
    assert result["interactions"] == 7_000 and len(result["high_level_states"]) == 4  # gain, scenes, two of tiles
    assert main([*call, "8_000", "--resume", "--no-lowest"]) in (0, 12)


@pytest.mark.parametrize(("options", "message"), [
    (["--survive", "3", "--no-survive"], "not allowed with"),
    (["--restart", "-1"], "--restart"),
    (["--archive-memory", "-1"], "--archive-memory must be at least 1, not -1"),
    (["--widths", "3"], "--widths must be chosen from 1, 2, n and all, not 3"),
])  # fmt: skip
def test_wrong_options_are_refused_by_their_names(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code: object = main([*SMALL, *options])
    except SystemExit as ended:  # argparse
        code = ended.code
    assert code == 2 and message in capsys.readouterr().err


SETTINGS = ["--seed", "3", "--tiles", "4x4", "--hold", "2", "--no-gains", "--option", "limit=90"]


@pytest.mark.parametrize("way", ["ctrl-c", "max-time"])
def test_the_command_that_is_printed_continues_the_search(
    way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "a folder"
    call = ["search", "maze-small", "--interactions", "1500", *SETTINGS]
    main([*call, "--out", str(whole)])
    capsys.readouterr()
    if way == "ctrl-c":
        visits = []

        def moved(view: object, run: object) -> None:
            visits.append(run)
            if len(visits) == 5:
                os.kill(os.getpid(), signal.SIGINT)

        monkeypatch.setattr(search_view.SearchView, "moved", moved)
        assert main([*call, "--out", str(parts)]) == 130
    else:
        assert main([*call, "--max-time", "0.000001", "--out", str(parts)]) == 23
    (line,) = (line for line in capsys.readouterr().err.splitlines() if line.startswith("stopped"))
    words = shlex.split(line.partition("continue with widthwise ")[2])
    assert words[:2] == ["search", "maze-small"] and str(parts) in words
    assert main(words) in (0, 12)
    assert result_of(parts) == result_of(whole)
    assert settings_of(parts) == settings_of(whole)


@pytest.mark.parametrize(("given", "name"), [
    (["--seed", "4"], "seed 3"),
    (["--tiles", "5x4"], "tiles"),
    (["--hold", "3"], "hold 2"),
    (["--chance", "foresee"], "chance refuse"),
    (["--option", "limit=80"], "options limit=90"),
    (["--archive-memory", "20"], "archive-memory 1000"),
])  # fmt: skip
def test_a_setting_that_differs_is_refused_and_one_that_is_repeated_is_not(
    given: list[str], name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["search", "maze-small", "--interactions", "400", "--quiet", "--out", str(tmp_path / "run")]
    assert main([*call, *SETTINGS]) in (0, 12)
    assert main([*call, *SETTINGS, "--resume"]) in (0, 12)
    capsys.readouterr()
    assert main([*call, *given, "--resume"]) == 2
    assert f"was started with {name}" in capsys.readouterr().err


def test_a_longer_search_keeps_the_sample_that_it_began_with(tmp_path: Path) -> None:
    ww.search("maze-small", 800, out=tmp_path / "run")
    assert settings_of(tmp_path / "run")["sample"] == 200
    assert ww.search("maze-small", 8_000, out=tmp_path / "run", resume=True).interactions == 8_000
    ww.search("maze-small", 6_000, out=tmp_path / "usual")
    assert "sample" not in settings_of(tmp_path / "usual")


def test_settings_that_are_not_those_of_a_search_and_code_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    call = ["search", "maze-small", "--interactions", "400", "--quiet", "--out", str(folder)]
    main(call)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    for name, value, code, message in (
        ("planner", {"rollout": "many"}, 31, "not the settings of a search"),
        ("seed", "one", 31, "settings.seed is 'one'"),
        ("options", {"world": "os:system"}, 2, "names code to import and run: os:system"),
    ):
        changed = {**config, "settings": {**config["settings"], name: value}}
        (folder / "config.json").write_text(json.dumps(changed), encoding="utf-8")
        assert main([*call, "--resume"]) == code
        assert message in capsys.readouterr().err


@pytest.mark.parametrize("part", ["--no-scenes", "--no-lowest"])
def test_a_level_that_tiles_replace_cannot_be_left_out(part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "maze-small", "--interactions", "300", "--tiles", "4x4", part]) == 2
    assert f"{part} has no effect beside --tiles" in capsys.readouterr().err


def test_a_search_recommends_only_its_own_modes_of_chance(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    assert main(["search", "dice_simulators:Dice", "--interactions", "300"]) == 34
    said = capsys.readouterr().err
    assert "--chance foresee" in said and "reseed" not in said
    with pytest.raises(UsageError, match="executes no actions"):
        ww.search("corridor", 300, chance="reseed")
    with pytest.raises(UsageError, match="unknown mode chance='other'"):
        ww.search("corridor", 300, chance="other")  # type: ignore[arg-type]


def test_foreseen_chance_is_reported_and_continues(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    call = ["search", "dice_simulators:Dice", "--interactions", "300", "--out", str(tmp_path / "run")]
    assert main([*call, "--chance", "foresee"]) in (0, 12)
    shown = capsys.readouterr()
    assert shown.err.startswith("chance: Dice: steps depend on chance (dice)")
    assert "chance: the planner knows the random outcomes" in shown.out
    assert main([*call, "--json", "--resume"]) in (0, 12)
    chance = json.loads(capsys.readouterr().out)["chance"]
    assert (chance["mode"], chance["kind"], chance["stochastic"]) == ("foresee", "random", True)
    assert result_of(tmp_path / "run")["chance"]["mode"] == "foresee"


@pytest.mark.parametrize("interactions", [1, 10, 3_000])
def test_the_sample_takes_a_quarter_of_the_interactions_at_most(interactions: int) -> None:
    run = exploration_search.begin_search("maze-small", interactions)
    assert run.sampled == min(1_500, interactions // 4)
    assert run.run().interactions == interactions


def test_the_clock_includes_the_choice_of_features(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = choose_features

    def slow(*given: Any, **named: Any) -> Any:
        time.sleep(0.3)
        return chosen(*given, **named)

    monkeypatch.setattr(exploration_search, "choose_features", slow)
    result = ww.search("maze-small", 40)
    assert result.seconds >= 0.3
    assert ww.search("maze-small", 100_000_000, max_seconds=0.6).seconds < 10


def test_a_time_limit_holds_while_features_are_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "maze-small", "--interactions", "3000", "--max-time", "0.00001", "--json"]) == 23
    shown = capsys.readouterr()
    assert "while the features of the search were chosen" in shown.err
    assert json.loads(shown.out)["status"] == "out-of-time"


HANGS = """
import time
from widthwise.core.simulator import Step

class Hangs:
    actions, deterministic, steps = 2, True, 0

    def reset(self, seed=None):
        self.place = 0
        return Step(bytes([0]))

    def step(self, action):
        Hangs.steps += 1
        if Hangs.steps > 500:
            time.sleep(1000)
        self.place = min(200, self.place + action)
        return Step(bytes([self.place]), float(action))

    def save(self):
        return self.place

    def load(self, snapshot):
        self.place = snapshot
"""


def test_a_time_limit_ends_a_call_that_hangs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hanging_world.py").write_text(HANGS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    begun = time.monotonic()
    call = ["search", "hanging_world:Hangs", "--interactions", "10_000", "--out", str(tmp_path / "run")]
    assert main([*call, "--max-time", "0.5", "--quiet"]) == 23
    assert time.monotonic() - begun < 30
    shown = capsys.readouterr()
    assert re.search(r"step \d+ \(action \d\) did not return in time \(60 s for a call, 0.5 s in total\)", shown.err)
    assert "--resume" in shown.err
    assert "hanging_world:Hangs: score" in shown.out and "replayed from a reset" in shown.out


LONG = """
import sys, time
from widthwise.core.simulator import Step

class Long:
    # Every step forward is rewarded, so that the best trajectory was just found when the time is over.
    actions, deterministic, slow_steps = 2, True, 0

    def reset(self, seed=None):
        self.place = 0
        return Step(bytes([0, 0]))

    def step(self, action):
        if Long.slow_steps:
            Long.slow_steps -= 1
            time.sleep(1.0)
        time.sleep(0.0005)
        self.place = min(5000, self.place + action)
        return Step(self.place.to_bytes(2, "big"), float(action))

    def save(self):
        return self.place

    def load(self, snapshot):
        self.place = snapshot

if __name__ == "__main__":
    import long_world
    from widthwise.cli.main import main
    from widthwise.exploration.search_run import ExplorationRun

    class SlowAtTheEnd(ExplorationRun):
        def finish(self):
            long_world.Long.slow_steps = 3  # longer than the second after which the time limit interrupts a search
            return super().finish()

    import widthwise.exploration.search
    widthwise.exploration.search.ExplorationRun = SlowAtTheEnd
    sys.exit(main(["search", "long_world:Long", "--interactions", "100_000", "--max-time", "2", *sys.argv[1:]]))
"""


def test_the_time_limit_is_not_for_the_last_replay(tmp_path: Path) -> None:
    (tmp_path / "long_world.py").write_text(LONG, encoding="utf-8")
    folder = tmp_path / "run"
    done = subprocess.run(
        [sys.executable, "long_world.py", "--quiet", "--json", "--out", str(folder)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 23 and "did not return" not in done.stderr and "continue with" in done.stderr
    result = json.loads(done.stdout)
    stored = json.loads((folder / "result.json").read_text())
    assert result["score"] == stored["score"] > 10
    assert stored["replay_steps"] <= 0.25 * stored["interactions"] + 27  # the last replay is not counted


def test_what_was_not_found_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    video = tmp_path / "way.gif"
    call = ["search", "maze-large", "--interactions", "300", "--gif", str(video)]
    assert main(call) == 12
    shown = capsys.readouterr()
    assert "no video was written" in shown.err and not video.exists()
    assert "hint: try more --interactions" in shown.err
    assert "no trajectory was found" in shown.out
    levels = re.search(r"high-level states: ([\d, ]+) \((.*)\)", shown.out)
    assert levels is not None and levels[2].startswith("gain, scenes, tiles ")
    assert len(levels[1].split(", ")) == len(levels[2].split(", "))


def test_tiles_that_are_given_are_named_as_those_that_are_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    main(["search", "maze-small", "--interactions", "100", "--tiles", "9x7"])
    shown = capsys.readouterr()
    assert "features: gain, tiles 9x7 of 8 values\n" in shown.err
    assert "(gain, tiles 9x7 of 8 values)" in shown.out


def test_a_limited_search_can_still_be_filmed(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    video = tmp_path / "way.gif"
    call = ["search", "corridor", "--interactions", "100_000_000", "--quiet", "--max-time", "1.5"]
    assert main([*call, "--gif", str(video)]) == 23
    assert video.stat().st_size > 1_000


def test_the_demo_is_consistent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_atari, "GAME", "corridor")
    assert main(["demo", "atari", "--interactions", "3000"]) == 0
    out = capsys.readouterr().out
    steps = re.findall(r"in +(\d+) steps", out)
    assert f"It has {steps[-1]} actions" in " ".join(out.split())
    assert "stopped" not in out
    monkeypatch.setattr(demo_atari, "GAME", "maze-large")
    assert main(["demo", "atari", "--interactions", "40", "--gif", str(tmp_path / "a.gif")]) == 12
    out = " ".join(capsys.readouterr().out.split())
    assert "--interactions N" in out and "No video was written" in out
    assert main(["demo", "atari", "--no-training"]) == 2


def test_a_demo_that_was_stopped_says_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_atari, "GAME", "corridor")
    begin = exploration_search.begin_search

    def interrupted(*given: Any, **named: Any) -> Any:
        run = begin(*given, **named)
        run.listener.moved = moved
        return run

    def moved(run: ExplorationRun) -> None:
        if run.interactions > 1_000:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(exploration_search, "begin_search", interrupted)
    assert main(["demo", "atari", "--interactions", "3000"]) == 130
    assert "The search was stopped after 1,0" in capsys.readouterr().out


def test_folders_with_spaces_are_quoted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shlex.split(resume_call(tmp_path / "a run", "maze-small"))[-1] == str(tmp_path / "a run")
    folder = tmp_path / "a search"
    main([*SMALL, "--out", str(folder)])
    assert main([*SMALL, "--out", str(folder)]) == 2
    assert f"--out {shlex.quote(str(folder))} --resume" in capsys.readouterr().err
