"""The functions that read PDDL: domains, problems and goals, from files or from texts."""

from __future__ import annotations

from pathlib import Path

from widthwise.classical.pddl.cursor import no_check
from widthwise.classical.pddl.domains import DomainParser
from widthwise.classical.pddl.lexer import Check, Source, read_text
from widthwise.classical.pddl.problems import ProblemParser
from widthwise.classical.pddl.syntax import Condition, DomainDefinition, ProblemDefinition


def read_domain(path: str | Path, check: Check | None = None) -> DomainDefinition:
    """Read a domain file; `check` is called repeatedly and may raise an exception to stop."""
    text, name = read_text(path, check, "a PDDL domain file")
    return parse_domain(text, name, check)


def read_problem(path: str | Path, domain: DomainDefinition, check: Check | None = None) -> ProblemDefinition:
    """Read a problem file of a domain; `check` is called repeatedly and may raise an exception to stop."""
    text, name = read_text(path, check, "a PDDL problem file")
    return parse_problem(text, name, domain, check)


def parse_domain(text: str, filename: str = "<domain>", check: Check | None = None) -> DomainDefinition:
    """Read a domain from a text; `filename` appears in messages."""
    source = Source(text, filename, check)
    domain = DomainParser(source, check or no_check).parse()
    domain.types.drop_check()
    source.drop_tokens(check)
    return domain


def parse_problem(text: str, filename: str, domain: DomainDefinition, check: Check | None = None) -> ProblemDefinition:
    """Read a problem of a domain from a text; `filename` appears in messages."""
    source = Source(text, filename, check)
    problem = ProblemParser(source, domain, check or no_check).parse()
    source.drop_tokens(check)
    return problem


def parse_goal(text: str, domain: DomainDefinition, problem: ProblemDefinition, filename: str = "<goal>") -> Condition:
    """Read a goal such as `(on a b)` that is given by the user."""
    parser = ProblemParser(Source(text, filename), domain)
    parser.objects = dict(problem.objects)
    if not parser.tokens[0]:
        parser.fail("the goal is empty", 0, expected="a condition such as (on a b)")
    parser.balance()
    goal = parser.condition({})
    if parser.tokens[parser.i]:
        parser.fail("text after the end of the goal", hint="put several conditions into one (and …)")
    return goal
