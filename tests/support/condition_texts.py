"""Random PDDL conditions as text, with every connective, empty argument lists and types without objects."""

from __future__ import annotations

from hypothesis import strategies as st

DOMAIN = """
(define (domain random-conditions) (:requirements :adl :derived-predicates)
  (:types few one none) (:constants a b - few c - one)
  (:predicates (p ?x - few) (q ?x - few ?y - one) (r) (fixed ?x - few) (derived ?x - few))
  (:derived (derived ?x - few) (and (p ?x) (not (r))))
  (:action set-p :parameters (?x - few) :precondition (and) :effect (p ?x))
  (:action set-q :parameters (?x - few ?y - one) :precondition (and) :effect (q ?x ?y))
  (:action clear :parameters (?x - few) :precondition (p ?x) :effect (and (not (p ?x)) (r)))
  (:action swap :parameters () :precondition (r) :effect (and (not (r)) (forall (?x - few ?y - one) (not (q ?x ?y)))))
  {action})
"""
PROBLEM = """
(define (problem small) (:domain random-conditions)
  (:init (p a) (fixed b) (q b c)) (:goal {goal}))
"""
OBJECTS = {"few": ("a", "b"), "one": ("c",), "none": ()}


@st.composite
def conditions(draw: st.DrawFn, depth: int = 3, scope: tuple[tuple[str, str], ...] = ()) -> str:
    """A condition whose free variables are those of the scope, given with their types."""

    def term(kind: str) -> str:
        return draw(st.sampled_from([*OBJECTS[kind], *(name for name, own in scope if own == kind)]))

    kinds = ["p", "q", "r", "fixed", "derived", "="]
    if depth:
        kinds += ["and", "or", "not", "imply", "forall", "exists", "forall", "exists"]
    kind = draw(st.sampled_from(kinds))
    inner = conditions(depth=max(0, depth - 1), scope=scope)
    match kind:
        case "p" | "fixed" | "derived":
            return f"({kind} {term('few')})"
        case "q":
            return f"(q {term('few')} {term('one')})"
        case "r":
            return "(r)"
        case "=":
            return f"(= {term('few')} {term('few')})"
        case "not":
            return f"(not {draw(inner)})"
        case "imply":
            return f"(imply {draw(inner)} {draw(inner)})"
        case "and" | "or":
            return f"({kind} {' '.join(draw(st.lists(inner, max_size=3)))})"
        case _:
            types = draw(st.lists(st.sampled_from(sorted(OBJECTS)), min_size=1, max_size=2))
            own = [(f"?v{len(scope) + number}", first) for number, first in enumerate(types)]
            body = draw(conditions(depth=depth - 1, scope=(*scope, *own)))
            return f"({kind} ({' '.join(f'{name} - {item}' for name, item in own)}) {body})"
