"""The steps of a plan as PDDL actions with their objects, as solver.planning.domains shows them."""

from __future__ import annotations

import re

from widthwise.classical.pddl.lexer import tokenize

_VARIABLE = re.compile(r"\?[^\s()]+")
_MOST_CHARACTERS = 4_000_000  # of all actions of a plan together


class GroundActions:
    """The actions of a domain, to be shown with objects in the places of their parameters."""

    def __init__(self, domain: str) -> None:
        self.bodies: dict[str, list[str]] = {}
        self.left = _MOST_CHARACTERS
        tokens = tokenize(domain)
        for index, token in enumerate(tokens[:-1]):
            if token == ":action":
                self.bodies.setdefault(tokens[index + 1], _balanced(tokens, index - 1))

    def text(self, step: str) -> str:
        """A step of a plan as a PDDL action; the step alone if the texts would become very long together."""
        name, *objects = step.strip("()").split()
        body = self.bodies.get(name, [])
        if ":parameters" not in body or self.left <= 0:
            return step
        start = body.index(":parameters") + 1
        parameters = _balanced(body, start)
        names = [token for token in parameters if _VARIABLE.fullmatch(token)]
        values = dict(zip(names, objects, strict=False))
        rest = body[start + len(parameters) : -1]
        parts = [f"(:action {name}", f"  :parameters ({' '.join(objects)})"]
        line: list[str] = []
        for token in rest:
            if token in (":precondition", ":effect") and line:
                parts.append(f"  {_joined(line)}")
                line = []
            line.append(values.get(token, token))
        text = "\n".join([*parts, f"  {_joined(line)}", ")"])
        self.left -= len(text)
        return text


def _balanced(tokens: list[str], start: int) -> list[str]:
    """The tokens of the list that begins at a token."""
    depth = 0
    for index in range(start, len(tokens)):
        depth += (tokens[index] == "(") - (tokens[index] == ")")
        if depth == 0:
            return tokens[start : index + 1]
    return tokens[start:]


def _joined(tokens: list[str]) -> str:
    return " ".join(tokens).replace("( ", "(").replace(" )", ")")
