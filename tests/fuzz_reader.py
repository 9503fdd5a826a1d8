"""A bounded fuzz run of the reader: `python tests/fuzz_reader.py SECONDS [SEED]`.

Texts are damaged at random, as tokens and as bytes; what comes out is a task or an error meant for users.
"""

from __future__ import annotations

import random
import sys
import time
import traceback

from pddl_texts import TASKS
from widthwise.classical.pddl.lexer import decode, tokenize
from widthwise.classical.pddl.normalize import normalize
from widthwise.classical.pddl.parser import parse_domain, parse_goal, parse_problem
from widthwise.classical.pddl.syntax import show
from widthwise.classical.plan import Plan
from widthwise.classical.validate import validate
from widthwise.core.errors import WidthwiseError

EXTRA = [
    "(",
    ")",
    "-",
    "?",
    "?x",
    "=",
    "not",
    "and",
    "or",
    ":goal",
    ":init",
    "(:action",
    "99",
    "-1e9",
    "at",
    "(" * 300,
]


def damage_tokens(text: str, rng: random.Random) -> str:
    tokens = tokenize(text)[:-1]
    words = [*EXTRA, *tokens]
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.randrange(len(tokens)) if tokens else 0
        end = at + rng.randint(1, 6)
        match rng.randrange(5):
            case 0:
                del tokens[at:end]
            case 1:
                tokens[at:at] = tokens[at:end]
            case 2:
                tokens[at : at + 1] = [rng.choice(words)]
            case 3:
                tokens.insert(at, rng.choice(words))
            case _:
                piece = tokens[at:end]
                rng.shuffle(piece)
                tokens[at:end] = piece
    return " ".join(tokens)


def damage_bytes(text: str, rng: random.Random) -> str:
    data = bytearray(text.encode())
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(data)) if data else 0
        match rng.randrange(4):
            case 0:
                data[at : at + rng.randint(1, 40)] = b""
            case 1:
                data[at:at] = bytes([rng.choice(b"()?-;:= \n\r\tx\xe9\xff")])
            case 2:
                del data[rng.randrange(at + 1) :]
                data += b" "
            case _:
                data[at : at + 1] = bytes([rng.randrange(256)])
    return decode(bytes(data), "fuzz")


def one(rng: random.Random) -> None:
    """Damage one task and read it, to the end if the reader lets it pass."""
    texts = list(rng.choice(TASKS))
    which = rng.randrange(2)
    texts[which] = rng.choice((damage_tokens, damage_bytes))(texts[which], rng)
    domain = parse_domain(texts[0], "domain")
    problem = parse_problem(texts[1], "problem", domain)
    normalize(domain, problem)
    validate(domain, problem, ["(lift a)", "(stack a b)", "(shake lorry)", "(inspect north)"])
    if rng.random() < 0.5:
        return
    goal = parse_goal(damage_tokens(show(problem.goal), rng), domain, problem)
    normalize(domain, problem, goal)
    Plan.parse(damage_bytes("(lift a)\n(stack a b)\n; cost = 2 (unit cost)\n", rng))


def main(seconds: float, seed: int) -> int:
    """Run for some seconds and return 0 if nothing but errors for users came out."""
    end = time.monotonic() + seconds
    runs = refused = 0
    while time.monotonic() < end:
        rng = random.Random(seed + runs)
        runs += 1
        try:
            one(rng)
        except WidthwiseError as error:
            refused += 1
            if not str(error):
                print(f"seed {seed + runs - 1}: an error without a message", file=sys.stderr)
                return 1
        except Exception:
            traceback.print_exc()
            print(f"seed {seed + runs - 1} breaks the reader", file=sys.stderr)
            return 1
    print(f"{runs} damaged texts: {refused} refused, {runs - refused} read, no surprise")
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0, int(sys.argv[2]) if len(sys.argv) > 2 else 0))
