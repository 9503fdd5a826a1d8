"""The documentation is built without a warning, requests nothing from the network, and documents every public name."""

from __future__ import annotations

import re
import subprocess
import sys
from inspect import ismodule
from pathlib import Path

import pytest

import widthwise

ROOT = Path(__file__).resolve().parents[2]
#: What makes a browser load something: scripts, styles, pictures, fonts. Links that a reader follows are not meant.
LOADED = re.compile(r"""<(?:script|img|iframe|source|link)\b[^>]*?\b(?:src|href)=["']((?:https?:)?//[^"']+)""")
#: Links in a page's head that a browser does not load.
NOT_LOADED = re.compile(r"""<link\b[^>]*\brel=["'](?:canonical|license)["'][^>]*>""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages, built as `make docs` builds them, but for the notebooks, which test_tutorials.py executes."""
    pytest.importorskip("sphinx")
    pytest.importorskip("myst_nb")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", "-b", "html"]
    command += ["-D", "nb_execution_mode=off", "-d", str(folder / "cache"), str(ROOT / "docs"), str(folder / "pages")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"make docs fails:\n{done.stdout}\n{done.stderr}"
    return folder / "pages"


def test_the_site_has_every_section(site: Path) -> None:
    for section in ("tutorials", "guide", "reference", "paper", "results", "design"):
        assert (site / section / "index.html").is_file(), section


def test_no_page_requests_anything_from_the_network(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        text = NOT_LOADED.sub("", page.read_text(encoding="utf-8"))
        assert not LOADED.findall(text), page
    for style in sorted(site.rglob("*.css")):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"""(?:url\(|@import)\s*["']?(?:https?:)?//""", text), style


def test_a_request_to_the_network_is_noticed() -> None:
    assert LOADED.findall('<script src="https://example.org/a.js"></script>')
    assert LOADED.findall('<link rel="stylesheet" href="//example.org/a.css">')
    assert not LOADED.findall('<a href="https://example.org/">a link</a>')


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in sorted((site / "reference").glob("*.html")))
    names = [name for name in widthwise.__all__ if not name.startswith("_") and not ismodule(getattr(widthwise, name))]
    names += [f"theory.{name}" for name in widthwise.theory.__all__]
    assert [name for name in names if f'id="widthwise.{name}"' not in text] == []
