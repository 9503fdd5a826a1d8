"""The OpenAPI document as a page: plain HTML without scripts, which loads nothing."""

from __future__ import annotations

import json
import re
from html import escape
from typing import Any

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24 }
h2 { margin-top: 2.5rem; border-top: 1px solid #d0d7de; padding-top: 1rem; font-size: 1.15rem }
h3 { font-size: 1rem; margin-bottom: .3rem }
code, pre { font: 14px/1.45 ui-monospace, monospace }
pre { background: #f6f8fa; padding: .8rem; overflow-x: auto; border-radius: 6px }
table { border-collapse: collapse; width: 100%; font-size: 15px }
td, th { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid #eaeef2 }
.method { color: #fff; background: #57606a; border-radius: 4px; padding: .1rem .5rem; margin-right: .5rem }
.post { background: #1a7f37 } .get { background: #0969da } .delete { background: #cf222e }
@media (prefers-color-scheme: dark) {
  body { background: #0d1117; color: #e6edf3 } pre { background: #161b22 } h2, td, th { border-color: #30363d }
}
"""


def render_page(document: dict[str, Any]) -> str:
    """The page of an OpenAPI document."""
    info = document["info"]
    parts = [
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(info["title"])}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>',
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1><p>{escape(info['description'])}</p>",
        '<p>This page as data: <a href="/openapi.json">openapi.json</a>. Numbers: <a href="/metrics">metrics</a>. '
        'State: <a href="/health">health</a>.</p>',
    ]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method != "parameters":
                parts.append(_operation(path, method, operation))
    return "".join([*parts, "</body></html>"])


def _operation(path: str, method: str, operation: dict[str, Any]) -> str:
    text = f'<h2><span class="method {method}">{method.upper()}</span><code>{escape(path)}</code></h2>'
    text += f"<p>{_prose(operation['summary'])}</p>"
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is not None:
        text += _fields(content["schema"])
        if "example" in content:
            text += f"<h3>Example</h3><pre>{escape(_curl(path, content['example']))}</pre>"
    rows = "".join(
        f"<tr><td><code>{code}</code></td><td>{_prose(answer['description'])}</td></tr>"
        for code, answer in operation["responses"].items()
    )
    return f"{text}<h3>Answers</h3><table>{rows}</table>"


def _fields(schema: dict[str, Any]) -> str:
    required = schema.get("required", ())
    rows = "".join(
        f"<tr><td><code>{escape(name)}</code></td>"
        f"<td>{escape(_type(field))}{', required' if name in required else ''}</td>"
        f"<td>{escape(field.get('description', ''))}</td></tr>"
        for name, field in schema["properties"].items()
    )
    return f"<h3>Request</h3><table><tr><th>field</th><th>type</th><th>meaning</th></tr>{rows}</table>"


def _type(field: dict[str, Any]) -> str:
    kind = "list of strings" if field["type"] == "array" else str(field["type"])
    if "enum" in field:
        kind = " | ".join(field["enum"])
    if "maximum" in field and field["type"] == "number":
        kind += f", at most {field['maximum']:g}"
    if "default" not in field:
        return kind
    value = field["default"]
    return f"{kind}, default {json.dumps(value) if isinstance(value, bool | str) else f'{value:g}'}"


def _prose(text: str) -> str:
    """A text with its names between backticks as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))


def _curl(path: str, example: dict[str, Any]) -> str:
    body = json.dumps(example, indent=1)
    return f"curl -s -H 'Content-Type: application/json' http://HOST:PORT{path} -d @- <<'END'\n{body}\nEND"
