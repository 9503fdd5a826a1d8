"""The outputs of an episode while it is played: the live view, the record, the video."""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from widthwise.cli.play_view import high_level, make_view
from widthwise.core.errors import OutputError
from widthwise.core.showing import counted
from widthwise.core.simulator import Simulator, Step
from widthwise.reports.tree_view import TreeViewer

if TYPE_CHECKING:
    from widthwise.explorer.episode_trace import EpisodeTrace
    from widthwise.online.acting import OnlinePlanner
    from widthwise.online.episode import Episode, StepRecord
    from widthwise.reports.film import Film, Scene
    from widthwise.simulator_search.tree import Tree
    from widthwise.simulators.rendering import RenderedCopy


class Follower:
    """A second copy of a maze or a game that takes the executed steps only, for the view and the video.

    The simulator itself jumps from node to node, and after a restore its screen is stale. With `filmed` a Gymnasium
    environment has a copy as well, which is rendered.
    """

    def __init__(self, world: Simulator, seed: int, filmed: bool = False) -> None:
        import pickle

        from widthwise.simulators.atari import Atari
        from widthwise.simulators.maze import Maze

        self.world: Any = pickle.loads(pickle.dumps(world)) if isinstance(world, Maze | Atari) else None
        self.maze = self.world if isinstance(world, Maze) else None
        self.path: list[tuple[int, int]] = []
        self.now: Step | None = None
        self.rendered: RenderedCopy | None = None
        if self.world is not None:
            self._see(self.world.reset(seed))
        elif filmed:
            from widthwise.simulators.rendering import RenderedCopy, is_renderable

            self.rendered = RenderedCopy(world, seed) if is_renderable(world) else None

    def step(self, action: int, luck: int | None = None) -> None:
        """Take an executed step, with the random numbers of its execution."""
        if self.world is not None:
            if luck is not None:
                from widthwise.simulators.generators import find, reseed

                reseed(self.world, luck, find(self.world))
            self._see(self.world.step(action))
        elif self.rendered is not None:
            self.rendered.step(action, luck)

    def check(self, tree: Tree) -> None:
        """Stop showing a rendered copy whose state differs from the root of the tree."""
        if self.rendered is not None:
            root = tree.root
            self.rendered.agrees(tree.observation[root], tree.reward[root], tree.nodes.terminal[root])

    def _see(self, step: Step) -> None:
        self.now = step
        if self.maze is not None:
            self.path.append(step.info["position"])

    def has_key(self) -> bool:
        """Whether the key of a maze is taken."""
        return self.now is not None and bool(self.now.info.get("key"))

    def info(self) -> dict[str, Any]:
        """The position, the key and the lives, for the record."""
        if self.now is None:
            return {}
        known = self.now.info
        return {name: known[name] for name in ("position", "key", "lives") if name in known}

    def screen(self) -> Any:
        """The screen of a game in colour, or what an environment renders; None if there is neither."""
        if self.rendered is not None:
            return self.rendered.picture
        return self.world.screen() if self.world is not None and self.maze is None else None

    def scene(self) -> Scene:
        """What a video shows of the world."""
        from widthwise.reports.scenes import MazeScene, ScreenScene

        if self.maze is not None:
            return MazeScene(self.maze.layout.cells, lambda: (self.path, self.has_key()))
        rendered = self.rendered is not None and self.rendered.reason is None
        return ScreenScene(self.screen, tinted=not rendered)


class EpisodeWatch:
    """Shows and records every step, also as a video; output files are complete or absent, also after an error."""

    def __init__(self, args: argparse.Namespace, agent: OnlinePlanner, header: dict[str, Any]) -> None:
        self.args = args
        world: Any = agent.simulator
        filmed = args.gif is not None or args.mp4 is not None
        self.follower = Follower(world, args.seed, filmed)
        maze = self.follower.maze
        self.names = tuple(getattr(world, "action_names", ())) or tuple(map(str, range(world.actions)))
        self.said = False  # why the environment is not rendered
        self.viewer = TreeViewer(maze.place if maze is not None else None)
        self.film = self._film() if filmed else None
        self.view = None if args.quiet else make_view(sys.stderr, self.follower, self.viewer, header, args.delay)
        self.record = None if args.record is None else Record(args.record, header)
        self.trace = None if args.explore is None else _trace(agent, args.seed)
        self.waiting: tuple[dict[str, Any], StepRecord] | None = None
        self.steps, self.score, self.interactions = 0, 0.0, 0
        self.failures: list[OutputError] = []
        self.planner = header["planner"]

    def _film(self) -> Film:
        from widthwise.reports.film import Film, video

        if self.args.mp4 is not None:
            video()
        self._say_what_is_filmed()
        return Film(self.follower.scene(), self.viewer)

    def _say_what_is_filmed(self) -> None:
        """Print in one line why a video does not show what an environment renders."""
        copy = self.follower.rendered
        if copy is not None and copy.reason is not None and not self.said and not self.args.quiet:
            self.said = True
            print(
                f"note: {self.args.env} is not rendered ({copy.reason}); the video shows the search tree, and the "
                "observation if it is an image",
                file=sys.stderr,
            )

    def step(self, tree: Tree, record: StepRecord) -> None:
        """Handle a step; the root of the tree is still the state before the action."""
        self.follower.check(tree)
        if self.trace is not None:
            self.trace(tree, record)
        if self.film is not None and self.steps % self.args.every == 0:
            self.film.add(tree, self._caption(record))
        line = {"kind": "step", "step": self.steps, **self.follower.info()}
        self.steps += 1
        self.score += record.reward
        self.interactions += record.interactions
        if self.view is not None:
            self.view.step(tree, record, self.names[record.action], self.steps, self.score)
        self.follower.step(record.action, record.luck)
        self._flush()
        self.waiting = ({**line, "action": self.names[record.action], "score": self.score}, record)

    def _flush(self) -> None:
        """Write the last step to the record, now that the size of the kept subtree is known."""
        if self.record is None or self.waiting is None:
            return
        (line, record), self.waiting = self.waiting, None  # an interrupt must not write it twice
        whole = {
            **line,
            "reward": record.reward,
            "returns": record.look_ahead.returns,
            "counts": record.look_ahead.counts,
            "behaviour": record.behaviour,
            "nodes": record.nodes,
            "kept": record.kept,
            "high_level_states": record.high_level_states,
            "interactions": record.interactions,
            "restores": record.restores,
        }
        with self._saving():
            self.record.add(whole)
        if self.failures:
            self.record = None

    @contextlib.contextmanager
    def _saving(self) -> Iterator[None]:
        """Collect errors of writing: the episode continues, and its result is shown."""
        try:
            yield
        except OutputError as error:
            self.failures.append(error)

    def _caption(self, record: StepRecord) -> list[str]:
        lines = [
            f"{self.planner}, step {self.steps}: {self.names[record.action]}",
            f"score {self.score:g}, {counted(self.interactions, 'interaction')}",
            f"tree of {counted(record.nodes, 'node')}",
        ]
        if record.high_level_states:
            lines[2] += f", {high_level(record)}"
        return lines

    def end(self, episode: Episode, result: dict[str, Any]) -> None:
        """Finish the files at the end of the episode; `failures` has the errors of those that could not be written."""
        if self.view is not None:
            self.view.end()
        self._say_what_is_filmed()
        if self.waiting is not None and self.waiting[0]["step"] < episode.steps:
            self._flush()  # an interrupt may come after a decision and before the step
        if self.record is not None:
            with self._saving():
                self.record.finish({"kind": "result", **result, "final": self.follower.info()})
        if self.trace is not None:
            from widthwise.explorer.episode_data import episode_data
            from widthwise.explorer.explorer_page import Explorer

            about = {"environment": self.args.env, "planner": self.planner, "seed": self.args.seed}
            with self._saving():
                Explorer(episode_data(self.trace, episode, **about)).save(self.args.explore)
        if self.film is not None:
            self.film.end(
                [
                    f"{self.planner}: {result['status']} after {counted(result['steps'], 'step')}",
                    f"score {result['score']:g}, {counted(result['interactions'], 'interaction')}",
                ]
            )
            if self.args.gif is not None:
                with self._saving():
                    self.film.save_gif(self.args.gif)
            if self.args.mp4 is not None:
                with self._saving():
                    self.film.save_mp4(self.args.mp4)

    def __enter__(self) -> EpisodeWatch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Restore the terminal, and remove a record that was not finished."""
        if self.view is not None:
            self.view.end()
        if self.record is not None:
            self.record.drop()


def _trace(agent: OnlinePlanner, seed: int) -> EpisodeTrace:
    from widthwise.explorer.episode_trace import EpisodeTrace

    return EpisodeTrace(agent, seed)


class Record:
    """An episode as JSON lines: a header, a line per step, the result; the file appears when it is complete."""

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self.path = path
        # A pipe or a device such as /dev/stdout is written to as it is; it must not be replaced.
        self.stream = path.exists() and not path.is_file()
        self.draft = path if self.stream else path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            self.file: TextIO = (
                gzip.open(self.draft, "wt", encoding="utf-8")  # noqa: SIM115
                if path.suffix == ".gz"
                else self.draft.open("w", encoding="utf-8")
            )
        except OSError as error:
            raise OutputError.of(path, error) from None
        self.add(header)

    def add(self, line: dict[str, Any]) -> None:
        """Add one line to the draft. Raises `OutputError` if it cannot be written."""
        try:
            self.file.write(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n")
            self.file.flush()
        except OSError as error:
            self.drop()
            raise OutputError.of(self.path, error) from None

    def finish(self, line: dict[str, Any]) -> None:
        """Add the last line and rename the draft."""
        self.add(line)
        try:
            self.file.close()
            if not self.stream:
                self.draft.replace(self.path)
        except OSError as error:
            raise OutputError.of(self.path, error) from None

    def drop(self) -> None:
        """Remove the draft, if it is still there."""
        with contextlib.suppress(OSError):
            self.file.close()
        with contextlib.suppress(OSError):
            if not self.stream:
                self.draft.unlink(missing_ok=True)
