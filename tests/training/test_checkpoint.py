"""Checkpoints: plain data comes back exactly, damage is noticed, nothing in a file is executed, writes are whole."""

from __future__ import annotations

import io
import json
import os
import pickle
import random
import resource
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from widthwise.core.continuing import CONTINUED
from widthwise.core.errors import InputError
from widthwise.training import checkpoint, packing
from widthwise.training.checkpoint import BEST, CURRENT, PREVIOUS, About, Checkpoints, RunStopped, read_checkpoint
from widthwise.training.old_keys import BEFORE

ABOUT = About("maze-small", 5, (84, 84, 3), {"name": "pi-hiw", "tiles": [2, 2]})


def packed(data: Any) -> bytes:
    stream = io.BytesIO()
    packing.write(stream, data)
    return stream.getvalue()


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(max_size=200),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=60)
@given(plain)
def test_plain_data_comes_back_as_it_was(data: Any) -> None:
    back = packing.read(packed(data))
    assert back == data
    assert repr(back) == repr(data)  # tuples stay tuples, -0.0 stays -0.0


def test_arrays_tensors_and_random_generators_come_back_exactly() -> None:
    generator = random.Random(3)
    generator.gauss(0, 1)
    arrays = [
        np.arange(12, dtype=np.float32).reshape(3, 4).T,
        np.zeros((0, 5), np.int64),
        np.random.default_rng(0).integers(0, 256, (9, 20, 20), np.uint8),
        np.array(3.5),
        np.array([np.nan, np.inf, -0.0]),
    ]
    data: dict[str, Any] = {
        "arrays": arrays,
        "tensors": {0: torch.rand(3, 2), 1: torch.tensor([True, False]), 2: torch.tensor(7)},
        "random": generator.getstate(),
    }
    back = packing.read(packed(data))
    for ours, theirs in zip(arrays, back["arrays"], strict=True):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape  # type: ignore[attr-defined]
        assert ours.tobytes() == theirs.tobytes()  # type: ignore[attr-defined]
        assert theirs.flags.writeable
    assert all(torch.equal(value, back["tensors"][key]) for key, value in data["tensors"].items())
    fresh = random.Random()
    fresh.setstate(back["random"])
    assert [fresh.random() for _ in range(3)] == [generator.random() for _ in range(3)]


def test_pictures_are_compressed() -> None:
    assert len(packed(np.zeros((100, 84, 84, 3), np.uint8))) < 20_000


@pytest.mark.parametrize("data", [object(), {1.5: 0}, {"a": {1, 2}}, np.array([object()]), np.array(["text"]), 1j])
def test_what_is_no_plain_data_is_refused_when_it_is_written(data: Any) -> None:
    with pytest.raises(TypeError, match="data"):
        packed(data)


@settings(max_examples=60)
@given(st.data())
def test_any_changed_or_missing_byte_is_noticed(data: st.DataObject) -> None:
    whole = packed({"a": [1, 2.5, b"x" * 100], "b": np.arange(40, dtype=np.uint8)})
    index = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        broken = whole[:index]
    else:
        broken = whole[:index] + bytes([whole[index] ^ data.draw(st.integers(1, 255))]) + whole[index + 1 :]
    with pytest.raises(packing.Damaged):
        packing.read(broken)


class Evil:
    """What a pickle would run when it is loaded."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("touch evil",)


def test_a_file_that_holds_code_is_refused_and_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "evil.ckpt"
    path.write_bytes(pickle.dumps(Evil()))
    with pytest.raises(InputError, match="not a valid checkpoint"):
        read_checkpoint(path)
    torch.save({"x": Evil()}, path)
    with pytest.raises(InputError, match="not a valid checkpoint"):
        read_checkpoint(path)
    # The same with a frame of ours around it: a mark nobody knows, an array of objects.
    for item in ({"pickle": [21, 10, 0]}, {"array": ["object", [1], 21, 8, 0]}, {"array": ["float32", [9], 21, 4, 0]}):
        path.write_bytes(framed(item, pickle.dumps(Evil())))
        with pytest.raises(InputError, match="is not valid"):
            read_checkpoint(path)
    assert not (tmp_path / "evil").exists()


def framed(message: Any, contents: bytes) -> bytes:
    import hashlib

    described = json.dumps(message).encode()
    whole = packing.MAGIC + contents + described + len(described).to_bytes(8, "little")
    return whole + hashlib.sha256(whole).digest()


def opened(folder: Path) -> Checkpoints:
    kept = Checkpoints(folder, ABOUT)
    kept.prepare()
    return kept


def test_the_current_and_the_previous_checkpoint_are_kept(tmp_path: Path) -> None:
    kept = opened(tmp_path)
    for number in range(3):
        kept.save({"number": number})
    kept.save_best("policy")
    said: list[str] = []
    assert kept.load(said.append).data == {"number": 2}
    assert read_checkpoint(kept.folder / PREVIOUS).data == {"number": 1}
    assert read_checkpoint(kept.folder / BEST).data == "policy"
    assert said == []
    assert sorted(path.name for path in kept.folder.iterdir()) == sorted([BEST, CURRENT, PREVIOUS])


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "gone"])
def test_a_damaged_checkpoint_falls_back_to_the_previous_one(tmp_path: Path, damage: str) -> None:
    kept = opened(tmp_path)
    kept.save({"number": 1})
    kept.save({"number": 2})
    path = kept.folder / CURRENT
    raw = path.read_bytes()
    if damage == "gone":
        path.unlink()  # as between two renames
    else:
        path.write_bytes({"cut": raw[:-9], "changed": raw[:40] + b"!" + raw[41:], "empty": b""}[damage])
    said: list[str] = []
    assert kept.load(said.append).data == {"number": 1}
    assert len(said) == (damage != "gone")
    assert damage == "gone" or ("current.ckpt" in said[0] and "previous.ckpt" in said[0])
    kept.save({"number": 3})
    assert kept.load(said.append).data == {"number": 3}


def test_where_no_checkpoint_is_good_it_says_so(tmp_path: Path) -> None:
    kept = opened(tmp_path)
    with pytest.raises(InputError, match="no checkpoint to continue from"):
        kept.load(print)
    (kept.folder / CURRENT).write_bytes(b"nonsense")
    with pytest.raises(InputError, match="not a valid checkpoint"):
        kept.load(print)


def test_a_crash_between_writing_and_renaming_loses_nothing(tmp_path: Path) -> None:
    kept = opened(tmp_path)
    kept.save({"number": 1})
    checkpoint.write_checkpoint(kept.folder / "fresh.ckpt", ABOUT, {"number": 2})
    assert kept.load(print).data == {"number": 2}
    kept.save({"number": 3})
    assert kept.load(print).data == {"number": 3}


def test_other_environments_settings_and_versions_are_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = opened(tmp_path)
    kept.save(1)
    result = kept.load(print)
    result.refuse_other(ABOUT, to_continue=True)
    for other, words in (
        (About("maze-large", 5, (84, 84, 3), ABOUT.configuration), "environment maze-small, not maze-large"),
        (About("maze-small", 6, (84, 84, 3), ABOUT.configuration), "made with 5 actions, not 6"),
        (About("maze-small", 5, (84, 84, 4), ABOUT.configuration), "shape 84 x 84 x 3, not 84 x 84 x 4"),
        (About("maze-small", 5, (84, 84, 3), {"name": "pi-iw", "tiles": [2, 2]}), "name was pi-hiw, now pi-iw"),
    ):
        with pytest.raises(InputError, match=words):
            result.refuse_other(other, to_continue=True)
    newer = About("maze-small", 5, (84, 84, 3), {**ABOUT.configuration, "learning": {"fresh": 1}})
    result.refuse_other(newer, to_continue=False)
    with pytest.raises(InputError, match=r"learning\.fresh was none, now 1"):
        result.refuse_other(newer, to_continue=True)
    monkeypatch.setattr(checkpoint, "READABLE", (3, 4))
    with pytest.raises(InputError, match=r"format 2, written by Widthwise .* reads the formats 3 and 4"):
        kept.load(print)


def test_a_run_continues_under_the_versions_of_the_table_and_no_other(tmp_path: Path) -> None:
    for version in (*CONTINUED, "9.9"):
        path = tmp_path / f"{version}.ckpt"
        checkpoint.write_checkpoint(path, replace(ABOUT, widthwise=version), 1)
        result = checkpoint.read_checkpoint(path)
        result.refuse_other(ABOUT, to_continue=False)  # to act, the network is enough
        if version in CONTINUED:
            result.refuse_other(ABOUT, to_continue=True)
            continue
        with pytest.raises(InputError, match=r"was made by Widthwise 9\.9, but this is .* continues runs of"):
            result.refuse_other(ABOUT, to_continue=True)


def test_the_keys_of_the_first_format_are_still_read(tmp_path: Path) -> None:
    old = {"algorithm": {"name": "pi-hiw", "interactions": 30, "tiles": [2, 2]}, "learning": {"batch": 8}}
    about = {**ABOUT.describe(), "algorithm": old}
    del about["configuration"]
    path = tmp_path / "old.ckpt"
    with path.open("wb") as file:
        packing.write(file, {"format": 1, "about": about, "data": 7})
    result = checkpoint.read_checkpoint(path)
    planning = {**BEFORE["planning"], "algorithm": "pi-hiw", "steps_per_action": 30, "tiles": [2, 2]}
    learning = {**BEFORE["learning"], "batch": 8}
    # A run from before there was this setting did not doubt values.
    now = {"planning": {**planning, "doubt": False}, "learning": learning}
    result.refuse_other(About("maze-small", 5, (84, 84, 3), now), to_continue=True)
    now = {"planning": {**planning, "doubt": True}, "learning": learning}
    with pytest.raises(InputError, match=r"planning\.doubt was off, now on"):
        result.refuse_other(About("maze-small", 5, (84, 84, 3), now), to_continue=True)


def test_a_folder_that_cannot_be_written_is_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written there"):
        opened(tmp_path / "file")


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    kept = opened(tmp_path)
    kept.save({"number": 1})
    before = {path.name: path.read_bytes() for path in kept.folder.iterdir()}
    noise = np.random.default_rng(0).integers(0, 256, 100_000, np.uint8)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))  # a write beyond fails as on a full disk
    try:
        with pytest.raises(RunStopped, match="cannot be written"):
            kept.save({"noise": noise})
        with pytest.raises(InputError, match="cannot be written there"):
            kept.prepare()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert {path.name: path.read_bytes() for path in kept.folder.iterdir()} == before
    assert kept.load(print).data == {"number": 1}


def test_a_checkpoint_that_cannot_be_renamed_stops_the_run_and_is_found_again(tmp_path: Path) -> None:
    kept = opened(tmp_path)
    kept.save({"number": 1})
    (kept.folder / PREVIOUS).mkdir()  # no file can take its place
    with pytest.raises(RunStopped, match="cannot be renamed"):
        kept.save({"number": 2})
    assert kept.load(print).data == {"number": 2}
