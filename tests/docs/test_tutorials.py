"""The tutorials are notebooks without stored outputs; every cell runs, and what they claim is asserted in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "tutorials").glob("*.ipynb"))
#: Notebooks that need an optional package.
NEEDS = {"learn-a-maze": "torch", "unified-planning": "unified_planning"}


def cells(path: Path) -> list[dict[str, object]]:
    """The cells of code of a notebook."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_there_are_five_tutorials() -> None:
    names = {path.stem for path in NOTEBOOKS}
    assert names == {"width", "features", "own-environment", "unified-planning", "learn-a-maze"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_outputs(path: Path) -> None:
    for cell in cells(path):
        assert cell["outputs"] == [] and cell["execution_count"] is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_checks_what_it_claims(path: Path, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    if path.stem in NEEDS:
        pytest.importorskip(NEEDS[path.stem])
    text = path.read_text(encoding="utf-8")
    assert "assert " in text, "a tutorial asserts what it claims"
    notebook = nbformat.reads(text, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    assert any(cell.get("outputs") for cell in notebook.cells if cell.cell_type == "code")
