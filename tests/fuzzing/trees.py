"""Mutations of PDDL that keep its structure: parentheses stay balanced, lists stay lists."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

from widthwise.classical.pddl.lexer import tokenize

#: A list, or a word.
Node = Any

WORDS = ["?x", "?y", "-", "object", "either", "and", "not", "or", "imply", "when", "=", "increase", "total-cost"]
WORDS += ["forall", "exists", "number", ":init", ":goal", ":types", "undefined", "é", "a" * 300]
NUMBERS = ["0", "-1", "1e308", "1e309", "-0", "nan", "inf", "0.1", "1e-320", "9" * 25, "1_000", "٣", "+5", ".", "1e"]
QUANTIFIERS = ["forall", "exists"]


def parse(text: str) -> list[Node]:
    """The lists and words of a text; unbalanced parentheses are made up for."""
    stack: list[list[Node]] = [[]]
    for token in tokenize(text)[:-1]:
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) > 1:
                done = stack.pop()
                stack[-1].append(done)
        else:
            stack[-1].append(token)
    while len(stack) > 1:
        done = stack.pop()
        stack[-1].append(done)
    return stack[0]


def show(node: Node) -> str:
    """The text of a list or a word."""
    pieces: list[str] = []
    stack: list[Node] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
        else:
            pieces.append("(")
            stack.append(")")
            stack.extend(reversed(item))
    return " ".join(pieces)


def places(tree: list[Node]) -> list[tuple[list[Node], int]]:
    """Every place of a tree: the list that holds it, and its index."""
    result: list[tuple[list[Node], int]] = []
    waiting = [tree]
    while waiting:
        holder = waiting.pop()
        for index, item in enumerate(holder):
            result.append((holder, index))
            if isinstance(item, list):
                waiting.append(item)
    return result


def drop(rng: random.Random, holder: list[Node], index: int, tree: list[Node]) -> None:
    """Leave a section, a part or a word out."""
    del holder[index]


def double(rng: random.Random, holder: list[Node], index: int, tree: list[Node]) -> None:
    """Say something twice, or often."""
    for _ in range(rng.choice((1, 1, 1, 2, 30))):
        holder.insert(index, copy.deepcopy(holder[index]))


def swap(rng: random.Random, holder: list[Node], index: int, tree: list[Node]) -> None:
    """Exchange two parts of a list: arguments, sections, operands."""
    other = rng.randrange(len(holder))
    holder[index], holder[other] = holder[other], holder[index]


def graft(rng: random.Random, holder: list[Node], index: int, tree: list[Node]) -> None:
    """Put a part of the file somewhere else."""
    source, at = rng.choice(places(tree))
    holder[index] = copy.deepcopy(source[at])


def rename(rng: random.Random, holder: list[Node], index: int, tree: list[Node]) -> None:
    """Another word of the file, or one of the language, in one place."""
    words = [item for owner, at in places(tree) if isinstance(item := owner[at], str)]
    holder[index] = rng.choice(WORDS) if rng.random() < 0.4 or not words else rng.choice(words)


def rename_everywhere(rng: random.Random, holder: list[Node], index: int, tree: list[Node]) -> None:
    """One word becomes another in the whole file, so that two things share a name."""
    words = sorted({item for owner, at in places(tree) if isinstance(item := owner[at], str)})
    if not words:
        return
    old, new = rng.choice(words), rng.choice([*words, *WORDS])
    for owner, at in places(tree):
        if owner[at] == old:
            owner[at] = new


def nest(rng: random.Random, holder: list[Node], index: int, tree: list[Node]) -> None:
    """Wrap a part: in connectives, or in quantifiers, a few or many deep."""
    for depth in range(rng.choice((1, 1, 2, 3, 8, 40))):
        word = rng.choice(["and", "not", "or", "imply", "when", *QUANTIFIERS])
        if word in QUANTIFIERS:
            holder[index] = [word, [f"?n{depth}", *rng.choice(([], ["-", "object"]))], holder[index]]
        else:
            holder[index] = [word, holder[index]]


def quantify(rng: random.Random, holder: list[Node], index: int, tree: list[Node]) -> None:
    """Wrap a part in one quantifier of several variables."""
    variables = [f"?m{number}" for number in range(rng.choice((1, 2, 3, 5, 12)))]
    holder[index] = [rng.choice(QUANTIFIERS), variables, holder[index]]


def number(rng: random.Random, holder: list[Node], index: int, tree: list[Node]) -> None:
    """A number where there was something else, or where there was a number."""
    numbers = [(owner, at) for owner, at in places(tree) if isinstance(owner[at], str) and owner[at][:1].isdigit()]
    if numbers and rng.random() < 0.7:
        holder, index = rng.choice(numbers)
    holder[index] = rng.choice(NUMBERS)


def flatten(rng: random.Random, holder: list[Node], index: int, tree: list[Node]) -> None:
    """Take the parentheses of a part away."""
    if isinstance(holder[index], list):
        holder[index : index + 1] = holder[index]


def empty(rng: random.Random, holder: list[Node], index: int, tree: list[Node]) -> None:
    """An empty list, with or without a connective."""
    holder[index] = rng.choice(([], ["and"], ["or"], ["not"], ["forall", [], []], ["="]))


MUTATIONS: list[Callable[[random.Random, list[Node], int, list[Node]], None]] = [
    *(drop, double, swap, graft, rename, rename_everywhere),
    *(nest, quantify, number, flatten, empty),
]


def mutate(text: str, rng: random.Random) -> str:
    """A text with one or a few mutations."""
    tree = parse(text)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        all_places = places(tree)
        if not all_places or len(all_places) > 20_000:
            break
        holder, index = rng.choice(all_places)
        rng.choice(MUTATIONS)(rng, holder, index, tree)
    return " ".join(show(node) for node in tree)
