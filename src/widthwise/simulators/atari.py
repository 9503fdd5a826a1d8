"""Atari games with ale-py for planning: exact snapshots, no sticky actions, 15 frames per step."""

from __future__ import annotations

import difflib
import math
import struct
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from widthwise import _native
from widthwise.core.errors import MissingExtraError, UsageError
from widthwise.core.simulator import Step
from widthwise.simulators.atari_games import ale_name
from widthwise.simulators.features import Ram, Tiles

if TYPE_CHECKING:
    from ale_py import ALEInterface, ALEState

Frame = npt.NDArray[np.uint8]

#: Frames have this many pixels in height and width.
PIXELS = 84
#: The maximum number of frames of a step (a minute of play) and of an observation.
MOST_SKIP, MOST_STACK = 3600, 64
#: The maximum number of frames where they are spread: ten of them reach back 129 steps.
MOST_SPREAD = 10
#: How many generators `reseed` draws from.
GENERATORS = 64
#: Games whose restored states are not exact: about 1 of 100 replays differs (ale-py 0.12.1).
INEXACT = frozenset({"qbert", "yars_revenge"})
#: The emulator of ale-py 0.12.1 ends the process if one of these games is loaded.
FOR_TWO = frozenset({"combat", "joust", "maze_craze", "warlords"})
#: The beginning of a packed snapshot: the length of the emulator's state, steps, the last action, whether it is over,
#: and the length of the patches.
_HEAD = struct.Struct("<IIB?I")
#: What frames that are spread show of the time before a game: its first steps look different although its screen may
#: not change.
_BLACK = np.zeros((PIXELS, PIXELS), np.uint8)
_BLACK.flags.writeable = False


class Frames:
    """The last frames, oldest first, as one observation.

    Successive observations share frames, so that a search node stores one frame instead of four.
    `numpy.asarray(frames)` returns an array of shape (frames, 84, 84).
    """

    __slots__ = ("frames",)

    def __init__(self, frames: tuple[Frame, ...]) -> None:
        self.frames = frames

    @property
    def newest(self) -> Frame:
        """The frame that was seen last."""
        return self.frames[-1]

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of the array."""
        return (len(self.frames), PIXELS, PIXELS)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """All frames in one array."""
        stacked = np.stack(self.frames)
        return stacked if dtype is None else stacked.astype(dtype, copy=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frames):
            return NotImplemented
        return len(self.frames) == len(other.frames) and all(
            a is b or np.array_equal(a, b) for a, b in zip(self.frames, other.frames, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]


def distances(stack: int, spread: bool) -> tuple[int, ...]:
    """How many steps ago the frames of an observation were seen, oldest first.

    Frames that are spread reach further back with the same number: after the four newest, the distance to the second
    newest doubles (0, 1, 2, 3, 5, 9, 17, 33).

    Example:
        >>> distances(6, spread=True)
        (9, 5, 3, 2, 1, 0)
    """
    return tuple(1 + 2 ** (age - 2) if spread and age > 3 else age for age in reversed(range(stack)))


class Snapshot(NamedTuple):
    """The emulator, frames and counters; with sticky actions also the random generator."""

    emulator: ALEState
    frames: tuple[Frame, ...]
    steps: int
    over: bool
    last: int = 0  # the action before, which sticky actions repeat
    patches: bytes = b""  # of the screen, for pairs in time with the next one


class Atari:
    """An Atari game as a simulator.

    An observation is the last four frames (`Frames`), gray, 84x84; `stack` is their number, and with `spread` they
    reach further back (`distances`) and are black before the game. `info` has the `lives`, the 128 bytes of
    memory as `ram`, the `frame` number within the episode, and the colours of the screen and of the one before as
    `patches` (for `BProst`). An episode ends with the game, or after
    `limit` steps (by default 18,000 frames, five minutes of play).
    """

    preset_kind = "atari"

    def __init__(
        self,
        game: str,
        *,
        frame_skip: int = 15,
        stack: int = 4,
        spread: bool = False,
        limit: int | None = None,
        sticky: float = 0.0,
        all_actions: bool = False,
        mode: int | None = None,
        difficulty: int | None = None,
    ) -> None:
        try:
            from ale_py import ALEInterface, LoggerMode
        except ImportError:
            raise MissingExtraError("an Atari game", "atari") from None
        for name, value, most in (("frame_skip", frame_skip, MOST_SKIP), ("stack", stack, MOST_STACK)):
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
                raise UsageError(
                    f"the option {name} of an Atari game must be a whole number from 1 to {most}, not {value!r}"
                )
        if spread and stack > MOST_SPREAD:
            raise UsageError(f"an Atari game with the option spread has a stack of at most {MOST_SPREAD}, not {stack}")
        if not 0 <= sticky < 1:
            raise UsageError(f"the option sticky of an Atari game must be a probability below 1, not {sticky!r}")
        self.game = ale_name(game)
        self.deterministic = sticky == 0 and self.game not in INEXACT
        inexact = "the emulator does not restore every state of this game exactly (about 1 of 100 replays differs)"
        self.why_random = inexact if self.game in INEXACT else ""
        self.frame_skip, self.stack, self.sticky = frame_skip, stack, sticky
        self.limit = max(1, 18_000 // frame_skip) if limit is None else limit
        self._options = (frame_skip, stack, self.limit, sticky, all_actions, mode, difficulty, spread)
        self._ages = tuple(-1 - steps for steps in distances(stack, spread))  # of the frames that are shown, as indices
        ALEInterface.setLoggerMode(LoggerMode.Error)
        self._ale: ALEInterface = ALEInterface()
        self._ale.setFloat("repeat_action_probability", sticky)
        self._ale.setInt("frame_skip", frame_skip)
        self._mode, self._difficulty = mode, difficulty
        self._insert(0)
        self._inserted: ALEState = self._ale.cloneState(include_rng=True)
        self._legal = self._ale.getLegalActionSet() if all_actions else self._ale.getMinimalActionSet()
        self.actions = len(self._legal)
        self.action_names = tuple(action.name.lower() for action in self._legal)
        height, width = self._ale.getScreenDims()
        self._colours = np.empty((height, width), np.uint8)
        self._screen = _native.Screen(height, width, PIXELS, PIXELS)
        self._tiles = _native.Patches(height, width)
        self._patches = self._before = b""
        self._frames: tuple[Frame, ...] = ()
        self._steps, self._over, self._last = 0, True, 0
        self._first = b""  # what packed snapshots are compared with; made when it is first needed
        self._luck: dict[int, ALEState] = {}  # emulators with other generators, by number

    def _insert(self, seed: int) -> None:
        """The emulator takes a seed only together with the cartridge, and forgets how the game was set."""
        self._seed = seed
        self._ale.setInt("random_seed", seed % 2**31)
        self._ale.loadROM(_rom(self.game))
        if self._mode is not None:
            self._ale.setMode(self._mode)
        if self._difficulty is not None:
            self._ale.setDifficulty(self._difficulty)

    def without_history(self) -> Atari:
        """Another simulator of the game whose observations are single frames, for searches that keep many snapshots."""
        skip, _, limit, sticky, every, mode, difficulty, _ = self._options
        return Atari(
            self.game, frame_skip=skip, stack=1, limit=limit, sticky=sticky, all_actions=every, mode=mode,
            difficulty=difficulty,
        )  # fmt: skip

    def level_features(self, tiles: tuple[int, int], colours: int) -> tuple[Ram, Tiles]:
        """The features of the levels, lowest first: the bytes of the memory, and tiles of the screen."""
        return Ram(), Tiles(*tiles, colours)

    def reset(self, seed: int | None = None) -> Step:
        """Begin a game; a seed decides all that is random in it, which is nothing without sticky actions."""
        if self.deterministic:
            # As if the cartridge were inserted again, which would take 20 times as long.
            self._ale.restoreState(self._inserted)
        elif seed is not None:
            self._insert(seed)
        self._ale.reset_game()
        self._steps, self._over, self._last = 0, False, 0
        self._patches = b""
        first = self._look()
        before = first if len(self._ages) == -self._ages[0] else _BLACK
        self._frames = (before,) * (-self._ages[0] - 1) + (first,)
        return self._show(0.0)

    def step(self, action: int) -> Step:
        """Hold the action for `frame_skip` frames."""
        if self._over:
            raise UsageError("the game has ended or has not begun: call reset or load first")
        reward = float(self._ale.act(self._legal[action]))
        self._steps += 1
        self._last = action
        self._frames = (*self._frames[1:], self._look())
        return self._show(reward)

    def _look(self) -> Frame:
        frame = np.empty((PIXELS, PIXELS), np.uint8)
        self._ale.getScreen(self._colours)
        self._before, self._patches = self._patches, self._tiles.of(self._colours >> 1)  # colours are even numbers
        if not self._screen.look(self._colours, frame):
            # The emulator would turn every screen gray, and slowly; so it is asked only about new colours.
            self._screen.learn(self._colours, self._ale.getScreenGrayscale())
            self._screen.look(self._colours, frame)
        frame.flags.writeable = False
        return frame

    def _show(self, reward: float) -> Step:
        ale = self._ale
        ended = ale.game_over(with_truncation=False)
        late = not ended and self._steps >= self.limit
        self._over = ended or late
        info = {"lives": ale.lives(), "ram": ale.getRAM(), "frame": ale.getEpisodeFrameNumber()}
        info["patches"] = (self._before, self._patches)
        shown = self._frames if len(self._frames) == self.stack else tuple(self._frames[age] for age in self._ages)
        return Step(Frames(shown), reward, ended, late, info)

    def save(self) -> Snapshot:
        """A snapshot."""
        # Only sticky actions use the random generator during a game, and it is half of the emulator's bytes.
        emulator = self._ale.cloneState(include_rng=self.sticky > 0)
        return Snapshot(emulator, self._frames, self._steps, self._over, self._last, self._patches)

    def load(self, snapshot: Snapshot) -> None:
        """Return to a snapshot; the emulator's own screen is not right again before the next step."""
        emulator, self._frames, self._steps, self._over, self._last, self._patches = snapshot
        self._ale.restoreState(emulator)
        if self.sticky:
            self._stick()
            self._ale.restoreState(emulator)

    def pack_snapshot(self, snapshot: Snapshot) -> bytes:
        """A snapshot as bytes, about a kilobyte: only what differs from the beginning of the game takes room."""
        emulator = snapshot.emulator.serialize()
        head = _HEAD.pack(len(emulator), snapshot.steps, snapshot.last, snapshot.over, len(snapshot.patches))
        packer = zlib.compressobj(1, zdict=self._beginning())
        return (
            head + packer.compress(emulator + snapshot.patches + b"".join(map(bytes, snapshot.frames))) + packer.flush()
        )

    def unpack_snapshot(self, packed: bytes) -> Snapshot:
        """The snapshot of `pack_snapshot`, made by a simulator with the same options."""
        from ale_py import ALEState

        length, steps, last, over, size = _HEAD.unpack_from(packed)
        raw = zlib.decompressobj(zdict=self._beginning()).decompress(packed[_HEAD.size :])
        pixels = np.frombuffer(raw, np.uint8, offset=length + size).reshape(-1, PIXELS, PIXELS)
        return Snapshot(ALEState(raw[:length]), tuple(pixels), steps, over, last, raw[length : length + size])

    def _beginning(self) -> bytes:
        """The emulator and the screen at the beginning of a game: what snapshots are compared with."""
        if not self._first:
            now = self._ale.cloneState(include_rng=True)
            self._ale.restoreState(self._inserted)
            self._ale.reset_game()
            shown = self._before, self._patches
            self._first = self._ale.cloneState(include_rng=self.sticky > 0).serialize() + self._look().tobytes()
            self._before, self._patches = shown
            self._ale.restoreState(now)
        return self._first

    def _stick(self) -> None:
        """Make the emulator's last action ours: it is not part of its state, and sticky actions repeat it.

        The emulator may repeat another action instead, so that it is done until that is out of the question.
        """
        frames = math.ceil(math.log(1e-9) / math.log(self.sticky))
        for _ in range(math.ceil(frames / self.frame_skip)):
            self._ale.act(self._legal[self._last])

    def reseed(self, seed: int) -> None:
        """Let sticky actions continue with another generator; the game stays as it is.

        The emulator takes a seed only with the cartridge, which is slow, so that generators are made once and kept.
        """
        if not self.sticky:
            return
        emulator, before = self._ale.cloneState(include_rng=False), self._seed
        number = seed % GENERATORS
        if number not in self._luck:
            self._insert(number)
            self._luck[number] = self._ale.cloneState(include_rng=True)
            self._seed = before
            self._ale.restoreState(emulator)
        self._stick()
        self._ale.restoreState(self._luck[number])
        self._ale.restoreState(emulator)

    def screen(self) -> npt.NDArray[np.uint8]:
        """The emulator's screen in colour, for people; stale after `load`."""
        picture: npt.NDArray[np.uint8] = self._ale.getScreenRGB()
        return picture

    def __getstate__(self) -> dict[str, Any]:
        began = bool(self._frames)
        return {
            "game": self.game,
            "options": self._options,
            "seed": self._seed,
            "now": self.save() if began else None,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        names = ("frame_skip", "stack", "limit", "sticky", "all_actions", "mode", "difficulty", "spread")
        self.__init__(state["game"], **dict(zip(names, state["options"], strict=True)))  # type: ignore[misc]
        self.reset(state["seed"])
        if state["now"] is not None:
            self.load(state["now"])


def _rom(game: str) -> Any:
    from ale_py import roms

    if game in FOR_TWO:
        raise UsageError(f"{game!r} is a game for two players, which ale-py does not support")
    known = roms.get_all_rom_ids()
    if game not in known:
        close = difflib.get_close_matches(game, known, 1)
        hint = f"; did you mean atari:{close[0]}?" if close else ""
        raise UsageError(f"{game!r} is not an Atari game of ale-py{hint}")
    return roms.get_rom_path(game)
