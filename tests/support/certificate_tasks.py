"""Random tasks for tests of certificates."""

from __future__ import annotations

import random

from widthwise.classical.pddl.parser import parse_domain, parse_problem
from widthwise.classical.pddl.syntax import DomainDefinition, ProblemDefinition


def random_task(generator: random.Random, *, plain: bool = False) -> tuple[DomainDefinition, ProblemDefinition]:
    """A task over a few propositions.

    It has quantified and negative conditions and conditional effects; a `plain` one only conjunctions of literals.
    """

    def literal() -> str:
        atom = f"({generator.choice('pq')} {generator.choice(['?x', 'a', 'b'])})"
        return atom if generator.random() < 0.6 else f"(not {atom})"

    def condition() -> str:
        kind = "and" if plain else generator.choice(["and", "and", "or", "forall", "exists"])
        if kind in ("and", "or"):
            return f"({kind} {literal()} {literal()})"
        return f"({kind} (?y) {literal().replace('?x', '?y')})"

    actions = "".join(
        f"(:action a{n} :parameters (?x) :precondition {condition()} "
        f":effect (and {literal()} {literal() if plain else f'(when {condition()} {literal()})'}))"
        for n in range(2)
    )
    goal = f"(and {condition()} {condition()})".replace("?x", "b")
    domain = parse_domain(f"(define (domain d) (:constants a b c) (:predicates (p ?x) (q ?x)) {actions})")
    return domain, parse_problem(f"(define (problem x) (:domain d) (:init (p a)) (:goal {goal}))", "p", domain)
