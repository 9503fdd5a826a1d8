"""What the pages show works, what they name exists, and their prose keeps the width of the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from page_blocks import BLOCK, run_blocks
from places import ROOT

DOCS = ROOT / "docs"
RESULTS = sorted((DOCS / "results").glob("*.md"))
RUNNABLE = [
    page
    for page in sorted({*DOCS.rglob("*.md")} - {*RESULTS})
    if {"sh", "python"} & {kind for kind, *_ in BLOCK.findall(page.read_text(encoding="utf-8"))}
]
#: Pages whose blocks need an optional package.
NEEDS = {"training": "torch", "unified-planning": "unified_planning"}
#: All pages of prose. The changelog is a list of what was written when.
PROSE = [*sorted(DOCS.rglob("*.md")), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md"))]
#: Idioms that plain technical English does without.
IDIOMS = re.compile(
    r"\b(?:nobody|somebody|everybody|anybody|whoever|himself|r[au]ns? dry|clings?|is told of|is no number"
    r"|goes on|went on|under way|anew|for ever)\b"
)
#: Files that the pages on design and on the paper name, from the root of the repository.
NAMED = re.compile(r"`((?:src/widthwise|native|tests|docs|benchmarks|scripts|examples)/[\w./-]*)(?:::(\w+))?`")


@pytest.mark.slow
@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.stem)
def test_the_blocks_of_a_page_run_and_print_what_it_shows(page: Path, tmp_path: Path) -> None:
    if page.stem in NEEDS:
        pytest.importorskip(NEEDS[page.stem])
    kinds = run_blocks(page, tmp_path)
    assert kinds["sh"] + kinds["python"] > 0


@pytest.mark.parametrize("page", [DOCS / "paper" / "index.md", DOCS / "architecture.md"], ids=["paper", "architecture"])
def test_every_file_and_test_that_a_page_names_exists(page: Path) -> None:
    named = NAMED.findall(page.read_text(encoding="utf-8"))
    assert len(named) > 10
    for name, test in named:
        path = ROOT / name
        assert path.exists(), f"{page.name} names {name}"
        assert not test or re.search(rf"^def {test}\(", path.read_text(encoding="utf-8"), re.MULTILINE), (
            f"{name}::{test}"
        )


def test_every_page_that_the_program_names_exists() -> None:
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "benchmarks").glob("*.py"), *(ROOT / "examples").glob("*.py")]
    named = {
        (source.name, page)
        for source in sources
        for page in re.findall(r"\bdocs/[\w/-]+\.md\b", source.read_text(encoding="utf-8"))
    }
    assert len(named) > 5
    for source, page in named:
        assert (ROOT / page).is_file(), f"{source} names {page}"


def test_the_architecture_page_shows_the_arrows_that_a_test_enforces() -> None:
    """The table of packages is that of tests/package/test_imports.py."""
    source = ast.parse((ROOT / "tests" / "package" / "test_imports.py").read_text(encoding="utf-8"))
    tables = [
        node.value for node in source.body if isinstance(node, ast.Assign) and ast.unparse(node).startswith("MAY_")
    ]
    may_import = {
        package: packages for package, packages in ast.literal_eval(tables[0]).items() if not package.endswith(".py")
    }
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| [^|]* \| ([^|]*) \|$", page, re.MULTILINE)
    assert {name: set(re.findall(r"`(\w+)`", names)) for name, names in rows} == may_import


def prose(text: str) -> Iterator[str]:
    """The lines of a page that are neither code, nor a table, nor a single word that cannot be broken."""
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("|") and len(line.split()) > 2:
            yield line


@pytest.mark.parametrize("page", PROSE, ids=lambda page: str(page.relative_to(ROOT)))
def test_prose_keeps_the_width_of_the_code(page: Path) -> None:
    long = [line for line in prose(page.read_text(encoding="utf-8")) if len(line) > 120]
    assert not long, f"{page.relative_to(ROOT)}: more than 120 characters:\n" + "\n".join(long)


@pytest.mark.parametrize("page", PROSE, ids=lambda page: str(page.relative_to(ROOT)))
def test_prose_is_plain(page: Path) -> None:
    assert [line for line in prose(page.read_text(encoding="utf-8")) if IDIOMS.search(line)] == []


def test_every_results_page_states_the_version_it_was_made_with() -> None:
    pages = [page for page in RESULTS if page.name != "index.md"]
    assert len(pages) > 15
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert re.search(r"(?:[Vv]ersion|[Ww]idthwise)\s+\d+\.\d+", text), page.name
        assert f"({page.name})" in (DOCS / "results" / "index.md").read_text(encoding="utf-8"), page.name


def test_pages_that_benchmarks_write_keep_the_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from page_width import wrapped

    page = f"# A\n\n{'word ' * 40}\n\n- {'item ' * 40}\n\n| {'cell ' * 40}|\n```\n{'code ' * 40}\n```\n"
    written = wrapped(page)
    assert written.split() == page.split()
    assert [line for line in prose(written) if len(line) > 120] == []
    assert written.count("\n  item") == 1 and f"| {'cell ' * 40}|" in written and "code " * 40 in written
