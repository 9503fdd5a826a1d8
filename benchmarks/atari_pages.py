"""A page from the lines of run folders of `atari_levers.py`, with the lines beside it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from atari_runs import Lines
from widthwise.core.files import write_whole

#: Makes the text of a page of the lines, the configurations of the run folders, and the folder for figures.
MakePage = Callable[[Lines, list[dict[str, Any]], Path], str]


def write_page(runs: Sequence[Path], out: Path, make: MakePage) -> None:
    """Write a page; its lines and figures go to a folder of its name.

    Args:
        runs: The run folders.
        out: The page.
        make: Makes its text.
    """
    texts = [text for run in runs for text in (run / "results.jsonl").read_text().splitlines()]
    configs = [json.loads((run / "config.json").read_text()) for run in runs]
    folder = out.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(out, make([json.loads(text) for text in texts], configs, folder))
    with gzip.GzipFile(folder / "results.jsonl.gz", "wb", mtime=0) as packed:
        packed.write("".join(f"{text}\n" for text in texts).encode())
    print(f"written: {out}")
