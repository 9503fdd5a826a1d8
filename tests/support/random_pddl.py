"""Random small tasks as PDDL text, drawn from a `random.Random`: what the fuzzer damages and the outside oracles judge.

Every choice comes from the generator that is passed in. Hypothesis can pass one of its own (`st.randoms()`), and then
it shrinks the task.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from strategies import Spec


@dataclass(frozen=True)
class Features:
    """Which parts of the language a random task may use."""

    negative: bool = True
    disjunctive: bool = True
    quantified: bool = True
    conditional: bool = True
    equality: bool = True
    costs: bool = True
    derived: bool = True


STRIPS = Features(False, False, False, False, False, False, False)
ADL = Features(derived=False, costs=False)
EVERYTHING = Features()


class _Writer:
    """Draws the parts of one task."""

    def __init__(self, rng: random.Random, features: Features) -> None:
        self.rng, self.features = rng, features
        self.types = ["a", "b"]
        self.predicates: dict[str, list[str]] = {
            f"p{number}": [rng.choice([*self.types, "t"]) for _ in range(rng.choice((0, 1, 1, 1, 2)))]
            for number in range(rng.randint(2, 5))
        }
        self.derived: dict[str, list[str]] = {}
        self.objects = {f"o{number}": rng.choice(self.types) for number in range(rng.randint(1, 4))}
        self.fresh = 0

    def atom(self, scope: dict[str, str], names: list[str]) -> str | None:
        """An atom over variables (and sometimes objects) in scope whose types fit; None if nothing fits."""
        name = self.rng.choice(names)
        args = []
        for wanted in {**self.predicates, **self.derived}[name]:
            fitting = [term for term, kind in scope.items() if wanted in ("t", kind)]
            if not fitting:
                return None
            args.append(self.rng.choice(fitting))
        return f"({' '.join((name, *args))})"

    def condition(self, scope: dict[str, str], depth: int, names: list[str]) -> str:
        """A condition over what is in scope."""
        rng, features = self.rng, self.features
        kinds = ["atom", "atom", "and"]
        kinds += ["not"] * features.negative + ["or", "imply"] * features.disjunctive
        kinds += ["forall", "exists"] * features.quantified + ["="] * features.equality
        kind = rng.choice(kinds) if depth else "atom"
        if kind == "and" or (kind == "or" and features.disjunctive):
            parts = [self.condition(scope, depth - 1, names) for _ in range(rng.randint(1, 3))]
            return f"({kind} {' '.join(parts)})"
        if kind == "not":
            return f"(not {self.condition(scope, depth - 1 if features.disjunctive else 0, names)})"
        if kind == "imply":
            return f"(imply {self.condition(scope, depth - 1, names)} {self.condition(scope, depth - 1, names)})"
        if kind in ("forall", "exists"):
            self.fresh += 1
            variable, of = f"?q{self.fresh}", rng.choice([*self.types, "t"])
            inner = self.condition({**scope, variable: of}, depth - 1, names)
            return f"({kind} ({variable} - {of}) {inner})"
        if kind == "=" and len(scope) > 1:
            left, right = rng.sample(list(scope), 2)
            return f"(= {left} {right})" if rng.random() < 0.3 else f"(not (= {left} {right}))"
        return self.atom(scope, names) or "(and)"

    def effect(self, scope: dict[str, str]) -> str:
        """One effect; conditional or universal where the language has them."""
        atom = self.atom(scope, list(self.predicates))
        if atom is None:
            return "(and)"
        literal = atom if self.rng.random() < 0.65 else f"(not {atom})"
        if self.features.conditional and self.rng.random() < 0.25:
            condition = self.condition(scope, 1, list(self.predicates))
            return f"(when {condition} {literal})"
        if self.features.conditional and self.rng.random() < 0.15:
            self.fresh += 1
            variable, of = f"?q{self.fresh}", self.rng.choice(self.types)
            inner = self.effect({**scope, variable: of})
            return f"(forall ({variable} - {of}) {inner})"
        return literal

    def action(self, number: int) -> str:
        """One action schema."""
        rng = self.rng
        scope = {f"?v{index}": rng.choice(self.types) for index in range(rng.randint(0, 2))}
        names = [*self.predicates, *self.derived]
        parameters = " ".join(f"{name} - {kind}" for name, kind in scope.items())
        conditions = [self.condition(scope, 2, names) for _ in range(rng.randint(0, 2))]
        effects = [self.effect(scope) for _ in range(rng.randint(1, 3))]
        if self.features.costs:
            effects.append(f"(increase (total-cost) {rng.randint(0, 5)})")
        return (
            f"  (:action act{number}\n    :parameters ({parameters})\n"
            f"    :precondition (and {' '.join(conditions)})\n    :effect (and {' '.join(effects)}))"
        )

    def axiom(self, name: str) -> str:
        """A derived predicate over basic predicates, stratified because it looks at nothing derived."""
        scope = {"?d0": self.derived[name][0]} if self.derived[name] else {}
        variables = "".join(f" {variable} - {kind}" for variable, kind in scope.items())
        return f"  (:derived ({name}{variables}) {self.condition(scope, 2, list(self.predicates))})"

    def typed(self, name: str, kinds: list[str]) -> str:
        """The declaration of a predicate."""
        return f"({name}{''.join(f' ?x{index} - {kind}' for index, kind in enumerate(kinds))})"

    def task(self) -> tuple[str, str]:
        """The domain and the problem."""
        rng, features = self.rng, self.features
        if features.derived and rng.random() < 0.5:
            self.derived["d0"] = [rng.choice(self.types)] if rng.random() < 0.6 else []
        predicates = " ".join(self.typed(name, kinds) for name, kinds in {**self.predicates, **self.derived}.items())
        lines = ["(define (domain random)", f"  (:requirements {self.requirements()})", "  (:types t - object a b - t)"]
        lines.append(f"  (:predicates {predicates})")
        if features.costs:
            lines.append("  (:functions (total-cost) - number)")
        lines += [self.axiom(name) for name in self.derived]
        lines += [self.action(number) for number in range(rng.randint(1, 4))]
        facts = {atom for _ in range(rng.randint(0, 6)) if (atom := self.atom(self.objects, list(self.predicates)))}
        names = [*self.predicates, *self.derived]
        goal = [self.condition(self.objects, rng.choice((0, 0, 1)), names) for _ in range(rng.randint(1, 3))]
        init = " ".join([*sorted(facts), *(["(= (total-cost) 0)"] if features.costs else [])])
        objects = " ".join(f"{name} - {kind}" for name, kind in self.objects.items())
        problem = f"(define (problem random)\n  (:domain random)\n  (:objects {objects})\n  (:init {init})\n"
        problem += f"  (:goal (and {' '.join(goal)}))\n"
        problem += "  (:metric minimize (total-cost))\n" if features.costs else ""
        return "\n".join(lines) + "\n)\n", problem + ")\n"

    def requirements(self) -> str:
        """The requirements that the features call for."""
        features = self.features
        named = {
            ":negative-preconditions": features.negative,
            ":disjunctive-preconditions": features.disjunctive,
            ":universal-preconditions :existential-preconditions": features.quantified,
            ":conditional-effects": features.conditional,
            ":equality": features.equality,
            ":action-costs": features.costs,
            ":derived-predicates": features.derived,
        }
        return " ".join([":strips", ":typing", *(name for name, used in named.items() if used)])


def random_task(rng: random.Random, features: Features = EVERYTHING) -> tuple[str, str]:
    """A random task: the texts of its domain and its problem."""
    return _Writer(rng, features).task()


def spec_task(spec: Spec) -> tuple[str, str]:
    """A propositional task of `strategies` as PDDL: every atom a predicate without arguments."""
    used = set(spec.init) | set(spec.goal_pos) | set(spec.goal_neg)
    for op in spec.ops:
        used |= op.pos | op.neg | op.add | op.delete
        for pos, neg, atom, _ in op.effects:
            used |= pos | neg | {atom}
    for head, pos, neg, _ in spec.axioms:
        used |= {head} | set(pos) | set(neg)

    def literals(pos: frozenset[int], neg: frozenset[int]) -> str:
        return " ".join([*(f"(f{atom})" for atom in sorted(pos)), *(f"(not (f{atom}))" for atom in sorted(neg))])

    lines = ["(define (domain grounded)", "  (:requirements :adl :derived-predicates)"]
    lines.append(f"  (:predicates {' '.join(f'(f{atom})' for atom in sorted(used)) or '(f0)'})")
    for head, pos, neg, _ in spec.axioms:
        lines.append(f"  (:derived (f{head}) (and {literals(pos, neg)}))")
    for number, op in enumerate(spec.ops):
        effects = [literals(op.add, op.delete - op.add)]
        for pos, neg, atom, adds in op.effects:
            effects.append(f"(when (and {literals(pos, neg)}) {f'(f{atom})' if adds else f'(not (f{atom}))'})")
        lines.append(f"  (:action op{number} :parameters () :precondition (and {literals(op.pos, op.neg)})")
        lines.append(f"    :effect (and {' '.join(effects)}))")
    problem = "(define (problem grounded) (:domain grounded)\n"
    problem += f"  (:init {' '.join(f'(f{atom})' for atom in sorted(spec.init))})\n"
    problem += f"  (:goal (and {literals(spec.goal_pos, spec.goal_neg)})))\n"
    return "\n".join(lines) + ")\n", problem
