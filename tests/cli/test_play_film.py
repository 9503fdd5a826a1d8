"""The pictures of `widthwise play`: the live view on a terminal, GIF and MP4, the numbers of high-level states."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import widthwise as ww
from cli_tools import on_terminal
from places import SUPPORT
from widthwise.cli.main import main
from widthwise.reports.colours import colour, terminal
from widthwise.reports.film import Film, drawable
from widthwise.reports.scenes import ALPHA, ScreenScene, futures
from widthwise.reports.tree_view import TreeView, TreeViewer
from widthwise.simulator_search.tree import Tree
from widthwise.simulators.maze import Maze

MAZE = ["play", "maze-small", "--tiles", "4x4", "--budget", "60", "--quiet"]


def drawn(*arguments: str, **more: str) -> str:
    """What a call draws on a terminal."""
    ended = on_terminal(*arguments, TERM="xterm", LINES="50", **more)
    assert ended.code == 0
    assert ended.out.startswith("stopped: ")
    return ended.err


def test_a_maze_is_drawn_on_a_terminal() -> None:
    text = drawn("play", "maze-small", "--tiles", "4x4", "--max-steps", "3", NO_COLOR="1")
    last = text.split("\x1b[22A")[-1].replace("\r\x1b[K", "").splitlines()
    assert "step 3: " in last[1]
    drawing = last[2:22]
    assert drawing[0] == "#" * 20
    assert sum(row.count("A") for row in drawing) == 1
    assert any("K" in row for row in drawing)
    assert sum(letter.islower() for row in drawing for letter in row) > 10  # cells with their high-level state
    assert text.startswith("\x1b[?25l")
    assert text.rstrip().endswith("\x1b[?25h")


def test_colours_unless_they_are_unwanted() -> None:
    assert "\x1b[30;48;5;" in drawn("play", "maze-small", "--max-steps", "2")


def test_figures_where_there_is_no_maze() -> None:
    text = drawn("play", "sim_play_count:Count", "--planner", "riw", "--max-steps", "2", PYTHONPATH=str(SUPPORT))
    assert "action    return     nodes  probability" in text


def test_a_gif_has_a_picture_per_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = pytest.importorskip("PIL.Image")
    path = tmp_path / "film.gif"
    assert main([*MAZE, "--max-steps", "6", "--gif", str(path)]) == 0
    with image.open(path) as film:
        assert film.n_frames == 7  # and the end
        film.seek(3)
        picture = np.asarray(film.convert("RGB"))
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 8
    assert (picture[5, 5] == (84, 90, 102)).all()  # a wall
    assert main([*MAZE, "--max-steps", "6", "--every", "3", "--gif", str(path)]) == 0
    with image.open(path) as film:
        assert film.n_frames == 3
    assert [child.name for child in tmp_path.iterdir()] == ["film.gif"]


@pytest.mark.atari
def test_a_game_is_filmed_in_colour(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = pytest.importorskip("PIL.Image")
    path = tmp_path / "film.gif"
    assert main(["play", "atari:pong", "--budget", "20", "--max-steps", "2", "--quiet", "--gif", str(path)]) == 0
    with image.open(path) as film:
        picture = np.asarray(film.convert("RGB"))[:, :240].astype(int)
    assert (picture[:, :, 0] - picture[:, :, 2] > 60).any()


class Shown:
    """A tree of which the film sees observations only."""

    def __init__(self, *pictures: Any) -> None:
        self.root, self.observation, self.regions = 0, pictures, ()
        self.nodes = SimpleNamespace(live=range(len(pictures)))

    def __len__(self) -> int:
        return len(self.observation)


def test_a_tint_leaves_the_picture_visible() -> None:
    pytest.importorskip("PIL.Image")
    random = np.random.default_rng(0)
    screen = random.integers(0, 256, (32, 32, 3), dtype=np.uint8)
    futures_of = [screen, *(np.where(random.random((32, 32, 1)) < 0.9, 255 - screen, screen) for _ in range(20))]
    tree: Any = Shown(*(item.astype(np.uint8) for item in futures_of))
    share = futures(tree)
    assert share is not None
    assert 0 < share.max() <= ALPHA <= 0.4  # at least three fifths of each pixel are the picture's own
    scene = ScreenScene(lambda: screen)
    plain, tinted = (np.asarray(scene.draw(item, None)).astype(float) for item in (None, tree))
    assert (plain != tinted).any()
    # What differs in the picture differs in the film, by the part that is not covered.
    for channel in range(3):
        below, above = plain[:, :, channel], tinted[:, :, channel]
        assert np.corrcoef(below.ravel(), above.ravel())[0, 1] > 0.95
        assert above.std() >= 0.95 * (1 - ALPHA) * below.std()


def test_every_letter_of_a_caption_is_drawn() -> None:
    font_module = pytest.importorskip("PIL.ImageFont")
    font = font_module.load_default(12)
    box = bytes(font.getmask("\U000fffff"))
    assert bytes(font.getmask("π")) == box  # the font lacks it
    assert drawable("π-HIW(n,1), step 3: 上", font) == "pi-HIW(n,1), step 3: ?"
    assert drawable("Größe: 50 %", font) == "Grosse: 50 %"
    for letter in drawable("π-HIW(1,1), score 1,000: ▲ é ≤ ∞", font):
        assert bytes(font.getmask(letter)) != box


def test_the_title_of_a_policy_is_drawn_in_a_film() -> None:
    pytest.importorskip("PIL.Image")
    screen = np.zeros((32, 32, 3), np.uint8)
    drawn_pi, drawn_greek = (Film(ScreenScene(lambda: screen), TreeViewer()) for _ in range(2))
    drawn_pi.end(["pi-HIW(1,1)"])
    drawn_greek.end(["π-HIW(1,1)"])
    assert (np.asarray(drawn_pi.pictures[0]) == np.asarray(drawn_greek.pictures[0])).all()


def test_an_mp4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("imageio_ffmpeg")
    path = tmp_path / "film.mp4"
    assert main([*MAZE, "--max-steps", "3", "--mp4", str(path)]) == 0
    assert path.read_bytes()[4:8] == b"ftyp"
    assert [child.name for child in tmp_path.iterdir()] == ["film.mp4"]


@pytest.mark.parametrize(("option", "package"), [("--gif", "PIL"), ("--mp4", "imageio")])
def test_a_missing_package_is_named_before_anything_is_played(
    option: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    imported: Callable[..., Any] = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return imported(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    assert main([*MAZE, option, str(tmp_path / f"film.{option[2:]}")]) == 34
    messages = capsys.readouterr()
    assert "pip install 'widthwise[video]'" in messages.err
    assert messages.out == ""


def test_high_level_states_keep_their_numbers() -> None:
    maze = ww.simulator("maze-small")
    assert isinstance(maze, Maze)
    viewer = TreeViewer(maze.place)
    looked: list[tuple[TreeView, int]] = []
    vectors: dict[int, set[bytes]] = {}

    def hear(tree: Tree, record: object) -> None:
        seen = viewer.view(tree)
        top = tree.regions[0]
        for node, number in seen.state.items():
            vectors.setdefault(number, set()).add(top.features[top.of[node]])
        looked.append((seen, len(tree)))

    planner = ww.HIW(ww.Tiles(4, 4), high=ww.CountRolloutIW(1), low=ww.RolloutIW(1))
    agent = ww.OnlinePlanner(maze, planner, budget=ww.Budget(steps=60), max_steps=12, recorder=hear)
    episode = agent.run(0)
    assert len(looked) == 12
    assert all(len(vector) == 1 for vector in vectors.values())
    assert sorted(vectors) == list(range(len(viewer.numbers)))
    place = maze.reset().info["position"]
    for (seen, nodes), action in zip(looked, episode.actions, strict=True):
        assert seen.here == place
        assert len(seen.state) == nodes
        assert set(seen.cells) <= {
            (row, column)
            for row, line in enumerate(maze.layout.cells)
            for column, letter in enumerate(line)
            if letter != "#"
        }
        assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 for a, b in seen.edges)
        place = maze.step(action).info["position"]


def test_colours_differ() -> None:
    assert len({colour(number) for number in range(24)}) == 24
    assert all(16 <= terminal(number) < 232 for number in range(200))
