"""Run folders of `atari_levers.py` for the tests of the pages that are made of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def run_folder(folder: Path, lines: list[dict[str, Any]], interactions: int) -> Path:
    """A run folder with these lines."""
    folder.mkdir()
    folder.joinpath("results.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in lines))
    settings = {"interactions": interactions, "actions": 200}
    folder.joinpath("config.json").write_text(json.dumps({"command": "python x.py", "settings": settings}))
    return folder
