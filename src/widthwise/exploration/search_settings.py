"""The settings of a search: those that are given, those of the folder in which a search continues, and defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from widthwise.core import shape
from widthwise.core.errors import InputError, UsageError
from widthwise.core.run_folder import CONFIG
from widthwise.core.showing import setting
from widthwise.exploration.followed_policy import check_record
from widthwise.exploration.search_folder import read_search_config
from widthwise.simulator_search.archive_search import ArchiveSearch, setting_name
from widthwise.simulators.chance import Mode
from widthwise.simulators.features import Tiles
from widthwise.training.search_features import STEPS as SAMPLE
from widthwise.training.trust import code_named

#: The modes of chance that a search has. It executes no actions, so that there is nothing to reseed.
SEARCH_MODES: tuple[Mode, ...] = ("refuse", "foresee")

_RECORDED = shape.fields(
    {"seed": shape.whole(), "options": shape.table(shape.anything), "planner": shape.table(shape.anything)},
    {
        "chance": shape.choice(*SEARCH_MODES),
        "tiles": shape.items(shape.text),
        "sample": shape.whole(),
        "policy": check_record,
    },
)


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """All settings of a search but its environment, its interactions and feature functions."""

    seed: int
    planner: ArchiveSearch
    options: Mapping[str, Any]  # of the environment
    chance: Mode
    tiles: tuple[str, ...]  # of each level, as WxH:V; empty if they are chosen for the environment
    sample: int  # the most steps of the sample by which features are chosen
    policy: Mapping[str, str] | None = None  # see `policy_record`

    def describe(self) -> dict[str, Any]:
        """The settings as `config.json` has them."""
        planner = asdict(self.planner)
        settings = {"options": plain(self.options), "seed": self.seed, "planner": plain(planner)}
        # Usual values are left out, so that searches continue that began before these settings existed.
        if self.chance != "refuse":
            settings["chance"] = self.chance
        if self.tiles:
            settings["tiles"] = list(self.tiles)
        if self.sample != SAMPLE:
            settings["sample"] = self.sample
        if not self.planner.lowest:
            del settings["planner"]["lowest"]
        if self.policy is None:
            del settings["planner"]["follow"]
        else:
            settings["policy"] = dict(self.policy)
        return settings


def new_settings(
    interactions: int,
    *,
    seed: int | None = None,
    planner: ArchiveSearch | Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    chance: str | None = None,
    tiles: Sequence[str] | None = None,
    policy: Mapping[str, str] | None = None,
) -> SearchSettings:
    """The settings of a new search; what is not given has its default.

    Args:
        interactions: The interactions of the search. A quarter of them at most is used for the sample.
        seed: The seed.
        planner: The settings of the planner, or those that are given.
        options: Options of the environment.
        chance: What to do if steps depend on chance.
        tiles: Tiles of each level, as WxH or WxH:V.
        policy: What `policy_record` says about the policy to follow.

    Returns:
        The settings.

    Raises:
        UsageError: A setting is out of its range.
    """
    _refuse_follow(planner, policy)
    _refuse_levels(planner, tiles)
    return SearchSettings(
        seed=seed or 0,
        planner=planner if isinstance(planner, ArchiveSearch) else ArchiveSearch(**(planner or {})),
        options=dict(options or {}),
        chance=_mode(chance or "refuse"),
        tiles=tuple(_shown(level) for level in levels_of_tiles(tiles or ())),
        sample=min(SAMPLE, interactions // 4),
        policy=policy,
    )


def continued_settings(
    folder: Path,
    *,
    seed: int | None = None,
    planner: ArchiveSearch | Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    chance: str | None = None,
    tiles: Sequence[str] | None = None,
    policy: Mapping[str, str] | None = None,
) -> SearchSettings:
    """The settings of a search that continues: those of its folder. The other arguments are those of `new_settings`.

    Args:
        folder: The run folder.
        seed: The seed.
        planner: The settings of the planner, or those that are given.
        options: Options of the environment.
        chance: What to do if steps depend on chance.
        tiles: Tiles of each level.
        policy: What `policy_record` says about the policy to follow.

    Returns:
        The settings.

    Raises:
        UsageError: A given setting differs from that of the folder, or the folder names code that was not given.
        InputError: The folder is not that of a search.
    """
    recorded = read_search_config(folder)["settings"]
    try:
        _RECORDED(recorded, "settings")
        before = recorded["planner"]
        began = ArchiveSearch(**{"lowest": False, **before, "widths": tuple(before["widths"])})
        before = asdict(began)
        levels = tuple(_shown(level) for level in levels_of_tiles(recorded.get("tiles", ())))
    except (shape.Mismatch, UsageError, TypeError, KeyError) as error:
        raise InputError(f"{folder / CONFIG}: these are not the settings of a search ({error})") from None
    mode: Mode = recorded.get("chance", "refuse")
    parts = asdict(planner) if isinstance(planner, ArchiveSearch) else dict(planner or {})
    given = {
        "seed": (recorded["seed"], seed),
        "options": (recorded["options"], options),
        "chance": (mode, None if chance is None else _mode(chance)),
        "tiles": (levels, None if tiles is None else [_shown(level) for level in levels_of_tiles(tiles)]),
        **{setting_name(name).lstrip("-"): (before.get(name), value) for name, value in parts.items()},
    }
    led = recorded.get("policy")
    _refuse_follow(planner, led)
    if policy is not None and {**policy, "folder": None} != {**(led or {}), "folder": None}:
        how = "another policy" if led else "no policy"
        raise UsageError(f"{folder} was started with {how}; it cannot continue with this one")
    for name, (then, now) in given.items():
        if now is not None and plain(now) != plain(then):
            changed = f"{name} {setting(then)}; it cannot continue with {setting(now)}"
            raise UsageError(f"{folder} was started with {changed}")
    if options is None and (unknown := code_named({"options": recorded["options"]})):
        raise UsageError(
            f"{folder}: its {CONFIG} names code to import and run: {', '.join(unknown)}. Nothing was run. If you know "
            "this code, repeat the options of the environment",
            python="options={...}",
            command="--option NAME=VALUE",
        )
    return SearchSettings(
        seed=recorded["seed"],
        planner=began,
        options=recorded["options"] if options is None else options,
        chance=mode,
        tiles=levels,
        sample=recorded.get("sample", SAMPLE),
        policy=led,
    )


def _refuse_follow(planner: ArchiveSearch | Mapping[str, Any] | None, policy: Mapping[str, str] | None) -> None:
    """Refuse a share of visits that follow a policy, where there is none."""
    given = (
        "follow" in planner if isinstance(planner, Mapping) else planner and planner.follow != ArchiveSearch().follow
    )
    if given and policy is None:
        raise UsageError(f"{setting_name('follow')} has no effect without a policy", command="give --policy RUN too")


def _refuse_levels(planner: ArchiveSearch | Mapping[str, Any] | None, tiles: Sequence[str] | None) -> None:
    """Refuse to leave out levels that tiles given by hand leave out anyway."""
    for name in ("scenes", "lowest"):
        if tiles and isinstance(planner, Mapping) and planner.get(name) is False:
            raise UsageError(f"--no-{name} has no effect beside --tiles, which give all levels: leave one of them out")


def levels_of_tiles(texts: Sequence[str]) -> list[Tiles]:
    """The tiles that texts of the form WxH or WxH:V name.

    Raises:
        UsageError: A text has another form, or a number is out of range.
    """
    levels = []
    for level in texts:
        grid, _, values = level.partition(":")
        try:
            width, height = (int(part) for part in grid.split("x"))
            levels.append(Tiles(width, height, int(values or 8)))
        except ValueError:
            raise UsageError(f"--tiles {level}: write WxH or WxH:V, such as 11x8 or 16x12:8") from None
    return levels


def plain(value: Any) -> Any:
    """A setting as JSON gives it back: lists instead of tuples."""
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def _shown(tiles: Tiles) -> str:
    return f"{tiles.width}x{tiles.height}:{tiles.values}"


def _mode(chance: str) -> Mode:
    for mode in SEARCH_MODES:
        if chance == mode:
            return mode
    if chance == "reseed":
        raise UsageError("a search executes no actions, so that it has no chance='reseed': use chance='foresee'")
    raise UsageError(f"unknown mode chance={chance!r}: choose 'refuse' or 'foresee'")
