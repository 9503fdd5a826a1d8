"""`widthwise train ENV` without further options: environments of any kind, and what the network sees of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import widthwise as ww
from places import SUPPORT
from widthwise.cli.main import main
from widthwise.core.simulator import Step

pytest.importorskip("gymnasium")

import gymnasium.spaces as spaces

from learning_tools import Walk
from widthwise.learning.encoding import FARTHEST, Encoding
from widthwise.learning.input_format import InputFormat
from widthwise.learning.learning_settings import LearningSettings
from widthwise.training.algorithms import planning_settings
from widthwise.training.configuration import Configuration
from widthwise.training.configure import configure, note_on_choice
from widthwise.training.old_keys import upgrade_configuration
from widthwise.training.run_settings import RunSettings
from widthwise.training.trainer import Trainer

TINY = ["--interactions", "300", "--budget", "6", "--nodes", "40", "--set", "batch=4", "--set", "calibration=8"]
TINY += ["--evaluation-steps", "10", "--network-episodes", "1", "--planner-episodes", "0"]


class Grid(Walk):
    """The corridor with observations of every kind, and nothing but what a simulator needs."""

    def seen(self) -> Step:
        step = super().seen()
        observation = {"place": self.place, "speeds": (self.time / 3.0, np.array([1e6 * self.place])), "text": "x"}
        return Step(observation, step.reward, step.terminated, step.truncated)


class Rooms(Grid):
    """The same with features for two levels."""

    default_features = (lambda step: [step.observation["place"]], lambda step: [step.observation["place"] // 3])


def train(*arguments: str) -> int:
    return main(["train", *arguments])


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SUPPORT))


@pytest.mark.parametrize(
    ("environment", "name", "says"),
    [
        (["FrozenLake-v1", "--option", "is_slippery=false"], "pi-iw+", "pi-iw+ (flat, as there is neither an image"),
        (["Taxi-v4"], "pi-iw+", "pi-iw+ (flat"),
        (["CartPole-v1"], "pi-iw+", "pi-iw+ (flat"),
        (["MiniGrid-DoorKey-5x5-v0"], "pi-hiw", "pi-hiw over the high-level features of the environment"),
        (["test_train_environments:Grid"], "pi-iw+", "pi-iw+ (flat"),
        (["test_train_environments:Rooms"], "pi-hiw", "pi-hiw over the high-level features of the environment"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_environments_without_an_image_train_and_continue_byte_for_byte(
    environment: list[str], name: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if "MiniGrid" in environment[0]:
        pytest.importorskip("minigrid")
    if environment[0].startswith("Taxi"):
        gymnasium = pytest.importorskip("gymnasium")
        environment = [next(item for item in ("Taxi-v4", "Taxi-v3") if item in gymnasium.registry)]
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert train(*environment, *TINY, "--out", str(whole)) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if says in line]
    assert lines == [line for line in lines if line.startswith(f"{environment[0]}: ")] and len(lines) == 1
    config = json.loads((whole / "config.json").read_text())
    assert config["settings"]["algorithm"] == config["configuration"]["planning"]["algorithm"] == name
    assert config["configuration"]["planning"]["high_features"] == ("own" if name == "pi-hiw" else "tiles")

    every = ["--evaluate-every", str(config["settings"]["evaluate_every"]), "--evaluation-share", "0.25"]
    assert train(*environment, *TINY, *every, "--interactions", "150", "--out", str(parts), "--quiet") == 0
    assert says not in capsys.readouterr().err
    known = environment[:1] if ":" in environment[0] else []
    assert train(*known, "--resume", str(parts), "--interactions", "300", "--quiet") == 0
    assert episodes(parts) == episodes(whole)
    if ":" not in environment[0]:
        assert main(["play", *environment, "--policy", str(parts), "--max-steps", "3", "--quiet"]) == 0


def test_tiles_that_were_chosen_are_reported() -> None:
    def note(**more: Any) -> str | None:
        settings = RunSettings("maze-small", 1_000, **more)
        return note_on_choice(settings, configure(settings))

    assert note() == "maze-small: pi-hiw over 4x4 tiles of the image"
    assert note(algorithm="pi-hiw") is note(overrides={"tiles": (2, 2)}) is None


def episodes(folder: Path) -> list[dict[str, Any]]:
    records = [json.loads(line) for line in (folder / "episodes.jsonl").read_text().splitlines()]
    return [{name: value for name, value in record.items() if "seconds" not in name} for record in records]


def test_pi_hiw_where_there_is_nothing_for_its_upper_level_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "run")
    assert train("CartPole-v1", "--algorithm", "pi-hiw", *TINY, "--out", out) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "CartPole-v1 has neither an image" in said and "--algorithm pi-iw+" in said
    with pytest.raises(ww.UsageError, match="use the algorithm pi-iw\\+"):
        planning_settings("pi-hiw", ww.simulator("CartPole-v1"))
    assert not (tmp_path / "run").exists()


def test_the_upper_level_is_what_the_environment_has() -> None:
    maze = ww.simulator("maze-small")
    assert planning_settings("auto", maze) == planning_settings("pi-hiw", maze)
    rooms = planning_settings("auto", Rooms())
    assert (rooms.algorithm, rooms.tiles, rooms.high_features, rooms.title) == ("pi-hiw", None, "own", "π-HIW(1,1)")
    assert planning_settings("auto", Grid()).title == "π-IW+"
    assert planning_settings("auto", Grid(), tiles=(2, 2)).tiles == (
        2,
        2,
    )  # asked for; refused when it meets an observation
    assert planning_settings("pi-hiw", Rooms(), high_features="own").tiles is None
    with pytest.raises(ww.UsageError, match="tiles or own, not 'rooms'"):
        planning_settings("pi-hiw", high_features="rooms")


def test_where_observations_are_discrete_search_looks_at_them() -> None:
    for name in ("Taxi-v4", "FrozenLake-v1"):
        chosen = planning_settings("auto", ww.simulator(name))
        assert (chosen.dynamic, chosen.width, chosen.steps_per_action, chosen.nodes) == (False, 2, 100, 5_000)
    taxi = ww.simulator("Taxi-v4")
    assert planning_settings("auto", taxi, steps_per_action=7).steps_per_action == 7
    assert planning_settings("auto", taxi, dynamic=True).dynamic
    for flat in (
        planning_settings("pi-iw+", taxi),
        planning_settings("auto", taxi, preset="paper"),
        planning_settings("auto", ww.simulator("CartPole-v1")),
    ):
        assert (flat.dynamic, flat.width) == (True, 1)


def test_an_environment_declares_settings_for_training() -> None:
    class Declared(Grid):
        def training_defaults(self) -> dict[str, Any]:
            return {"steps_per_action": 12}

    class Wrong(Grid):
        def training_defaults(self) -> dict[str, Any]:
            return {"steps": 12}

    assert planning_settings("auto", ww.simulator(Declared())).steps_per_action == 12
    with pytest.raises(ww.UsageError, match=r"training_defaults.*'steps'"):
        planning_settings("auto", ww.simulator(Wrong()))


def test_choices_become_a_one_among_zeros() -> None:
    assert Encoding(5, spaces.Discrete(4, start=3))(5).tolist() == [0, 0, 1, 0]
    pair = Encoding(np.array([1, 4]), spaces.MultiDiscrete([2, 3], start=[0, 2]))
    assert pair(np.array([1, 4])).tolist() == [0, 1, 0, 0, 1]
    assert not pair.numeric
    with pytest.raises(ww.InputError, match="the observation is 7; its space has 3 to 6"):
        Encoding(5, spaces.Discrete(4, start=3))(7)
    assert Encoding(5, spaces.Discrete(10**9)).width == 1  # too many: a number


def test_dicts_and_tuples_are_flattened_in_order_and_texts_left_out() -> None:
    space = spaces.Dict({"b": spaces.Discrete(2), "a": spaces.Tuple((spaces.Box(-1, 1, (2,)), spaces.MultiBinary(2)))})
    seen = {"b": 1, "a": (np.array([0.5, -0.5], np.float32), np.array([0, 1], np.int8)), "text": "go"}
    assert Encoding(seen, space)(seen).tolist() == [0.5, -0.5, 0, 1, 0, 1]
    with pytest.raises(ww.UsageError, match=r"observation\['a'\] is object"):
        Encoding({"a": object()})
    with pytest.raises(ww.UsageError, match="needs numbers"):
        Encoding({"mission": "go"})


def test_numbers_are_scaled_by_what_was_seen_and_else_by_their_bounds() -> None:
    encoding = Encoding(np.zeros(3), spaces.Box(np.array([-1e6, -8.0, -np.inf]), np.array([1e6, 8.0, np.inf])))
    encoding.fit([np.array([value, 2.0, 7.0]) for value in (-300.0, 300.0)])
    assert encoding(np.array([300.0, 2.0, 7.0])).tolist() == [1.0, 0.0, 0.0]
    assert encoding(np.array([0.0, 10.0, 14.0])).tolist() == [0.0, 1.0, 1.0]
    assert encoding(np.array([1e30, 2.0, 7.0]))[0] == FARTHEST


def test_images_stay_images() -> None:
    image = np.zeros((30, 40, 3), np.uint8)
    assert InputFormat.encoded(image, spaces.Box(0, 255, image.shape, np.uint8)) == InputFormat((30, 40, 3), True)
    assert InputFormat.encoded({"image": image, "mission": "go"}).image
    small = {"image": np.zeros((7, 7, 3), np.uint8), "direction": 2, "mission": "go"}
    space = spaces.Dict({"image": spaces.Box(0, 255, (7, 7, 3), np.uint8), "direction": spaces.Discrete(4)})
    assert InputFormat.encoded(small, space).shape == (4 + 147,)


def test_a_network_is_restored_with_the_scale_of_its_input() -> None:
    config = Configuration(planning_settings("pi-iw+", steps_per_action=4), LearningSettings(batch=4, calibration=8))
    trained, other = Trainer(Grid, config), Trainer(Grid, config)
    assert trained.input_format.encoding is not None and other.input_format.encoding is not None
    assert trained.input_format.encoding.scale.max() > 1e5
    other.input_format.encoding.scale[:] = 1
    other.updater.restore(trained.updater.state())
    assert other.input_format.encoding.scale.tolist() == trained.input_format.encoding.scale.tolist()


def test_without_calibration_numbers_are_scaled_all_the_same() -> None:
    config = Configuration(planning_settings("pi-iw+", steps_per_action=4), LearningSettings(batch=4, calibration=0))
    trainer = Trainer(Grid, config)
    assert trainer.input_format.encoding is not None and trainer.input_format.encoding.scale.max() > 1e5
    assert trainer.interactions > 0


def test_runs_from_before_there_were_encodings_see_what_they_saw() -> None:
    plain = Configuration(planning_settings("pi-iw+"), LearningSettings()).describe()
    del plain["learning"]["encoded"], plain["planning"]["high_features"]
    plain["algorithm"] = plain.pop("planning")
    config = Configuration.read(upgrade_configuration(plain))
    assert not config.learning.encoded and config.planning.high_features == "tiles"
    trainer = Trainer(Walk, config)
    assert trainer.input_format.encoding is None and "scale" not in trainer.updater.network.state_dict()


def test_a_run_that_is_shorter_than_an_episode_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    calls = ["--interactions", "40", "--budget", "6", "--set", "calibration=2", "--evaluation-steps", "5", "--quiet"]
    assert train("CartPole-v1", *calls, "--out", str(tmp_path / "run")) == 0
    assert "No training episode has ended" in capsys.readouterr().out


def test_messages_about_settings_print_no_dict_and_no_list() -> None:
    plain = Configuration(planning_settings("pi-iw+"), LearningSettings()).describe()
    for name, value in (("tiles", [1, 2, 3]), ("nodes", {"a": 1}), ("discount", [0.5]), ("behaviour", [1])):
        broken = {**plain, "planning": {**plain["planning"], name: value}}
        with pytest.raises(ww.UsageError) as raised:
            Configuration.read(broken)
        assert not set("{}[]") & set(str(raised.value)), raised.value
    with pytest.raises(ww.UsageError) as raised:
        Encoding({"mission": "go"})
    assert str(raised.value) == "a network needs numbers, and the observation is an object with 1 entry (mission)"
