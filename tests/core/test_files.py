"""Reading of files that may come from another person."""

from __future__ import annotations

from pathlib import Path

import pytest

from widthwise.core.errors import InputError
from widthwise.core.files import read_regular


def test_a_high_limit_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "small"
    path.write_bytes(b"abc")
    assert read_regular(path, 1 << 60) == b"abc"
    with pytest.raises(InputError, match="at most 2 are read"):
        read_regular(path, 2)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_a_file_is_read_to_its_end_although_its_size_is_unknown() -> None:
    path = Path("/proc/self/status")
    assert path.stat().st_size == 0
    for most in (None, 1 << 20):
        assert read_regular(path, most).count(b"\n") > 10
    with pytest.raises(InputError, match="at most 100 bytes are read"):
        read_regular(path, 100)
