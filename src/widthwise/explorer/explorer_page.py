"""One HTML file with everything in it: scripts, style and data. It makes no network request and opens from disk."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from widthwise.core.files import write_whole
from widthwise.version import __version__

#: The scripts in the order in which they are loaded: those that every page has, and those of one kind of page.
COMMON = ("dom", "colours", "layout", "view", "shapes", "input", "canvas")
SCRIPTS = {
    "task": ("tree", "reasons", "details", "run", "plan", "story", "legend", "node_search", "task_page"),
    "episode": ("worlds", "episode", "film", "action_table", "episode_page"),
}
#: The height of a page in a notebook, in pixels.
NOTEBOOK_HEIGHT = 760


class Explorer:
    """A page that shows a search, made by `explore`. A notebook shows it in a frame.

    Args:
        data: What the page shows, as plain data.

    Example:
        >>> page = ww.explore(ww.solve(ww.example("corridor"), "ihiw"))
        >>> page.save("corridor.html")
        >>> page.html().startswith("<!doctype html>")
        True
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    def __repr__(self) -> str:
        return f"<Explorer {self.data['title']}>"

    def html(self) -> str:
        """The page as text.

        Returns:
            A complete HTML document.
        """
        script = _bundle(COMMON + SCRIPTS[self.data["kind"]])
        style = _static("explorer.css")
        policy = (
            f"default-src 'none'; script-src {_source(script)}; style-src {_source(style)}; img-src data:; "
            "base-uri 'none'; form-action 'none'"
        )
        title = html.escape(str(self.data["title"]))
        text = (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
            f'<meta name="generator" content="Widthwise {__version__}">\n'
            f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n"
            '<noscript>This page needs JavaScript, which is disabled.</noscript>\n<main id="page">'
            f'</main>\n<script type="application/json" id="data">{_embedded(self.data)}</script>\n'
            f"<script>{script}</script>\n</body>\n</html>\n"
        )
        return text.encode("utf-8", "replace").decode()  # names may hold lone surrogates, which UTF-8 has not

    def save(self, path: str | Path) -> None:
        """Write the page to a file.

        Args:
            path: The file; an existing file is replaced.

        Raises:
            OutputError: It cannot be written; an existing file is unchanged.
        """
        write_whole(Path(path), self.html())

    def _repr_html_(self) -> str:
        # Without `allow-same-origin` the page cannot reach the notebook around it.
        return (
            f'<iframe sandbox="allow-scripts" title="{html.escape(str(self.data["title"]), quote=True)}" '
            f'style="width:100%;height:{NOTEBOOK_HEIGHT}px;border:1px solid #8888" '
            f'srcdoc="{html.escape(self.html(), quote=True)}"></iframe>'
        )


def _embedded(data: Mapping[str, Any]) -> str:
    """JSON that cannot end the element it stands in: no tag and no comment can begin inside it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _source(text: str) -> str:
    """A text as the policy of the page names it: by its hash."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _bundle(names: tuple[str, ...]) -> str:
    """Scripts in one function, so that nothing of them is global."""
    parts = "\n".join(_static(f"{name}.js") for name in names)
    return f'\n(() => {{\n"use strict";\n{parts}\n}})();\n'


def _static(name: str) -> str:
    return (files("widthwise.explorer") / "static" / name).read_text(encoding="utf-8")
