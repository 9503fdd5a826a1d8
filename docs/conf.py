"""How the documentation is built: `make docs` (Sphinx with furo; pages are Markdown or notebooks)."""

from __future__ import annotations

import importlib.util
import logging
import os
import re
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import widthwise

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).parent

project = "Widthwise"
author = "The Widthwise developers"
project_copyright = "The Widthwise developers"
version = release = widthwise.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["README.md", "**.ipynb_checkpoints"]
highlight_language = "text"  # of blocks that name no language
default_role = "code"  # docstrings write code in single backquotes

myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]

# Notebooks are stored without outputs and are executed by every build, so that no output is out of date.
nb_execution_mode = "force"
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_merge_streams = True
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # no page requests anything from the network
nb_execution_excludepatterns = [
    f"tutorials/{page}.ipynb"
    for page, package in (("learn-a-maze", "torch"), ("unified-planning", "unified_planning"))
    if importlib.util.find_spec(package) is None
]

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_default_options = {"members": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = f"Widthwise {release}"
html_static_path = ["_static"]
html_css_files = ["widthwise.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options: dict[str, list[str]] = {"top_of_page_buttons": []}


class PublicNames(SphinxDirective):
    """Document public names of `widthwise`: those in the content, or all that no other page of the reference lists."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Parse one autodoc directive for each name."""
        names = [name for line in self.content for name in line.split()] or sorted(unlisted_names())
        return self.parse_text_to_nodes("\n\n".join(autodoc_text(name) for name in names))


def autodoc_text(name: str) -> str:
    """The autodoc directive for one public name."""
    value = getattr(widthwise, name)
    if isinstance(value, ModuleType):
        return f".. automodule:: widthwise.{name}\n   :imported-members:"
    if isinstance(value, type):
        return f".. auto{'exception' if issubclass(value, BaseException) else 'class'}:: widthwise.{name}"
    if callable(value):
        return f".. autofunction:: widthwise.{name}"
    return f".. autodata:: widthwise.{name}\n   :no-value:"


def listed_names() -> set[str]:
    """The public names that pages of the reference list."""
    texts = [page.read_text(encoding="utf-8") for page in sorted((HERE / "reference").glob("*.rst"))]
    blocks = [
        block for text in texts for block in re.findall(r"^\.\. public-names::\n\n((?:   .*\n)+)", text, re.MULTILINE)
    ]
    return {name for block in blocks for name in block.split()}


def unlisted_names() -> set[str]:
    """The public names that no page of the reference lists."""
    return {name for name in widthwise.__all__ if not name.startswith("_")} - listed_names()


property_texts: dict[str, list[str]] = {}


def keep_property(_app: Sphinx, what: str, name: str, *arguments: Any) -> None:
    """Keep the docstring of a property: napoleon would take the words before a colon for its type."""
    if what == "property":
        property_texts[name] = list(arguments[-1])


def restore_property(_app: Sphinx, what: str, name: str, *arguments: Any) -> None:
    """Undo what napoleon did to the docstring of a property."""
    if what == "property":
        arguments[-1][:] = property_texts.pop(name)


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive of the reference, and leave docstrings of properties as they are."""
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")  # else every kernel prints a warning
    logging.getLogger("traitlets").setLevel(logging.WARNING)
    app.add_directive("public-names", PublicNames)
    app.connect("autodoc-process-docstring", keep_property, priority=400)
    app.connect("autodoc-process-docstring", restore_property, priority=600)
    return {"parallel_read_safe": True}
