"""Conditions and effects: the part of the parser that domains, problems and goals given by hand share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from widthwise.classical.pddl.cursor import Cursor, no_check
from widthwise.classical.pddl.errors import near, quoted
from widthwise.classical.pddl.lexer import Check, Source
from widthwise.classical.pddl.numbers import MOST_DIGITS, Number, is_number, number, simple
from widthwise.classical.pddl.syntax import (
    And,
    AndEffect,
    Atom,
    Condition,
    Effect,
    Equality,
    Exists,
    Forall,
    ForallEffect,
    Function,
    FunctionTerm,
    Imply,
    IncreaseCost,
    LiteralEffect,
    Not,
    Or,
    Predicate,
    Truth,
    Variable,
    When,
)
from widthwise.classical.pddl.typetable import Types, TypeTable, show_types
from widthwise.core.showing import counted

Scope = Mapping[str, Types]

MAX_DEPTH = 100  # of nested conditions and effects; the recursion of every later pass stays well below Python's limit
TOTAL_COST = "total-cost"
NO_NEGATIVE = "action costs must be 0 or more"

_COMPARISONS = frozenset(("<", ">", "<=", ">="))
_CHANGES = frozenset(("assign", "decrease", "scale-up", "scale-down"))
_MODAL = frozenset(
    [
        "always",
        "sometime",
        "within",
        "at-most-once",
        "sometime-after",
        "sometime-before",
        "always-within",
        "hold-during",
        "hold-after",
    ]
)
_WORDS = ("and", "or", "not", "imply", "forall", "exists", "when", "increase")


class ConditionParser(Cursor):
    """Reads conditions and effects over known predicates, functions, types and objects."""

    def __init__(self, source: Source, check: Check = no_check) -> None:
        super().__init__(source, check)
        self.types = TypeTable({}, {})
        self.predicates: dict[str, Predicate] = {}
        self.functions: dict[str, Function] = {}
        self.objects: dict[str, Types] = {}
        self.home = source  # where predicates and functions were declared: the domain's source

    # Conditions

    def condition(self, scope: Scope, depth: int = 0) -> Condition:
        """Read one condition."""
        tokens = self.tokens
        at = self.i
        if tokens[at] != "(":
            self.unexpected("a condition in parentheses")
        head = tokens[at + 1]
        self.i = at + 2
        if head == "and":
            return And(self._conditions(scope, depth, at), at)
        if head == "not":
            part = self.condition(scope, self._deeper(depth, at))
            self.close("(not …)", "'not' takes exactly one condition")
            return Not(part, at)
        if head in self.predicates:
            return self._atom(scope, at)
        return self._rare_condition(head, scope, depth, at)

    def _rare_condition(self, head: str, scope: Scope, depth: int, at: int) -> Condition:
        if head == "=":
            return self._equality(scope, at)
        if head == "or":
            return Or(self._conditions(scope, depth, at), at)
        if head == "imply":
            deeper = self._deeper(depth, at)
            left, right = self.condition(scope, deeper), self.condition(scope, deeper)
            self.close("(imply …)", "'imply' takes exactly two conditions")
            return Imply(left, right, at)
        if head in {"forall", "exists"}:
            variables, inner = self._quantified(head, scope)
            part = self.condition(inner, self._deeper(depth, at))
            self.close(f"({head} …)", f"'{head}' takes a list of variables and exactly one condition")
            return Forall(variables, part, at) if head == "forall" else Exists(variables, part, at)
        if head == ")":
            return Truth(at)
        self._bad_head(head, at, "a condition")

    def _conditions(self, scope: Scope, depth: int, at: int) -> tuple[Condition, ...]:
        """Read conditions up to the closing parenthesis, which is read as well."""
        deeper = self._deeper(depth, at)
        parts: list[Condition] = []
        tokens, predicates = self.tokens, self.predicates
        while (token := tokens[self.i]) != ")":
            if not len(parts) & 255:
                self.check()
            if token == "(" and tokens[self.i + 1] in predicates:
                begin = self.i
                self.i += 2
                parts.append(self._atom(scope, begin))
            else:
                parts.append(self.condition(scope, deeper))
        self.i += 1
        return tuple(parts)

    def _atom(self, scope: Scope, at: int) -> Atom:
        """Read the arguments of an atom whose predicate is known."""
        tokens = self.tokens
        predicate = self.predicates[tokens[at + 1]]
        parameters = predicate.parameters
        end = at + 2 + len(parameters)
        args = tuple(tokens[at + 2 : end])
        if end >= len(tokens) or tokens[end] != ")" or ")" in args:
            self._wrong_arity(predicate, "predicate", at)
        for place, arg in enumerate(args):
            types = scope.get(arg)
            if types is None:
                types = self.objects.get(arg)
                if types is None:
                    self._unknown_term(arg, at + 2 + place, scope)
                good = self.types.fits(types, parameters[place].types)
            else:
                good = self.types.meets(types, parameters[place].types)
            if not good:
                self._wrong_type(arg, types, predicate, place, at + 2 + place)
        self.i = end + 1
        return Atom(predicate.name, args, at)

    def _equality(self, scope: Scope, at: int) -> Equality:
        for _ in range(2):
            token = self.tokens[self.i]
            if token == "(" or is_number(token):
                self.refuse("a numeric condition", at, "only action costs may be numbers")
            if token not in scope and token not in self.objects:
                self.word("a variable or an object")
                self._unknown_term(token, self.i - 1, scope)
            self.i += 1
        self.close("(= …)", "'=' compares exactly two terms")
        return Equality(self.tokens[at + 2], self.tokens[at + 3], at)

    def _quantified(self, head: str, scope: Scope) -> tuple[tuple[Variable, ...], Scope]:
        self.check()
        self.open(f"the variables of '{head}'")
        variables = self.typed_variables(self.types, f"'{head}'")
        self.distinct(variables, f"'{head}'")
        return variables, {**scope, **{variable.name: variable.types for variable in variables}}

    def _deeper(self, depth: int, at: int) -> int:
        if depth >= MAX_DEPTH:
            self.fail(f"conditions or effects are nested more than {MAX_DEPTH} deep", at)
        return depth + 1

    # Effects

    def effect(self, scope: Scope, depth: int = 0, conditional: bool = False) -> Effect:
        """Read one effect."""
        tokens = self.tokens
        at = self.i
        if tokens[at] != "(":
            self.unexpected("an effect in parentheses")
        head = tokens[at + 1]
        self.i = at + 2
        if head in self.predicates:
            return LiteralEffect(self._atom(scope, at), False, at)
        if head == "not":
            inner = self.i
            if tokens[inner] != "(":
                self.unexpected("an atom in parentheses")
            if tokens[inner + 1] not in self.predicates:
                self._bad_head(tokens[inner + 1], inner, "an atom")
            atom = self._atom(scope, inner)
            self.close("(not …)", "'not' takes exactly one atom")
            return LiteralEffect(atom, True, at)
        if head == "and":
            deeper = self._deeper(depth, at)
            parts: list[Effect] = []
            while tokens[self.i] != ")":
                if not len(parts) & 255:
                    self.check()
                parts.append(self.effect(scope, deeper, conditional))
            self.i += 1
            return AndEffect(tuple(parts), at)
        if head == "forall":
            variables, inner_scope = self._quantified(head, scope)
            part = self.effect(inner_scope, self._deeper(depth, at), True)
            self.close("(forall …)", "'forall' takes a list of variables and exactly one effect")
            return ForallEffect(variables, part, at)
        if head == "when":
            condition = self.condition(scope, self._deeper(depth, at))
            part = self.effect(scope, self._deeper(depth, at), True)
            self.close("(when …)", "'when' takes a condition and exactly one effect")
            return When(condition, part, at)
        if head == "increase":
            return self._increase(scope, at, conditional)
        if head == ")":
            return AndEffect((), at)
        self._bad_head(head, at, "an effect")

    def _increase(self, scope: Scope, at: int, conditional: bool) -> IncreaseCost:
        target = self.i
        if self.tokens[target] == "(":
            name = self.tokens[target + 1]
            self.i += 2
            if name != TOTAL_COST:
                if name not in self.functions:
                    self._unknown_function(name, target + 1)
                self.refuse(f"the numeric fluent '{name}'", target + 1, f"only ({TOTAL_COST}) may change")
            self.close(f"({TOTAL_COST})")
        elif self.word(f"({TOTAL_COST})") != TOTAL_COST:
            self.fail(f"unexpected '{self.tokens[target]}'", target, expected=f"({TOTAL_COST})")
        if conditional:
            self.refuse("a cost that depends on a condition or a quantifier", at)
        terms: list[FunctionTerm] = []
        constant = self._amount(scope, terms, 0)
        self.close("(increase …)", "'increase' takes a function and an amount")
        return IncreaseCost(constant, tuple(terms), at)

    def _amount(self, scope: Scope, terms: list[FunctionTerm], depth: int) -> Number:
        """Read an amount, append its table terms to `terms` and return its constant part."""
        at = self.i
        token = self.tokens[at]
        if token != "(":
            self.i += 1
            if is_number(token):
                value = self.exact(token, at)
                if value < 0:
                    self.refuse("a negative cost", at, NO_NEGATIVE)
                return value
            if token in self.functions and not self.functions[token].parameters:
                terms.append(FunctionTerm(token, (), at))
                return 0
            self.i -= 1
            self.unexpected("a number or a function in parentheses")
        head = self.tokens[at + 1]
        self.i += 2
        if head == "+":
            constant: Number = 0
            while self.tokens[self.i] != ")":
                constant += self._amount(scope, terms, self._deeper(depth, at))
            self.i += 1
            return simple(constant)
        if head in {"-", "*", "/"}:
            self.refuse(f"the arithmetic operator '{head}' in a cost", at + 1)
        if head == TOTAL_COST:
            self.refuse(f"a cost that depends on ({TOTAL_COST})", at)
        terms.append(FunctionTerm(head, self.function_arguments(scope, at), at))
        return 0

    def function_arguments(self, scope: Scope, at: int) -> tuple[str, ...]:
        """Read the arguments of the function that opens at token `at`, and its closing parenthesis."""
        head = self.tokens[at + 1]
        function = self.functions.get(head)
        if function is None:
            self._unknown_function(head, at + 1)
        end = self.end_of_list()
        args = tuple(self.tokens[self.i : end])
        if len(args) != len(function.parameters):
            self._wrong_arity(function, "function", at)
        for place, arg in enumerate(args):
            types = scope.get(arg) or self.objects.get(arg)
            if types is None:
                self._unknown_term(arg, self.i + place, scope)
            if not self.types.meets(types, function.parameters[place].types):
                self._wrong_type(arg, types, function, place, self.i + place)
        self.i = end + 1
        return args

    def exact(self, token: str, at: int) -> Number:
        """Return the value of a token that is written as a number."""
        value = number(token)
        if value is None:
            self.fail(
                "this number is too large or too long",
                at,
                expected=f"a number of at most {MOST_DIGITS} characters and at most 1.797e308",
            )
        return value

    # Complaints

    def _bad_head(self, head: str, at: int, expected: str) -> NoReturn:
        if head in _COMPARISONS:
            self.refuse("a numeric condition", at, "only action costs may be numbers")
        if head in _CHANGES:
            self.refuse(f"the numeric effect '{head}'", at + 1, f"only (increase ({TOTAL_COST}) …) is")
        if head == "preference":
            self.refuse("preferences", at + 1)
        if head in _MODAL:
            self.refuse(f"the trajectory constraint '{head}'", at + 1)
        if head in {"over", "probabilistic", "oneof"}:
            self.refuse(f"'{head}'", at + 1)
        if head in {"(", ")"} or head[:1] in {"?", ":"}:
            self.fail(f"unexpected {quoted(head)}", at + 1, expected=f"{expected}: a predicate or a connective")
        if head in _WORDS:
            self.fail(f"'{head}' is not allowed here", at + 1, expected=expected)
        if head in self.types:
            self.fail(f"undeclared predicate '{head}'", at + 1, hint=f"'{head}' is a type, not a predicate")
        known = [*self.predicates, *_WORDS]
        similar = near(head, known)
        hint = None
        if similar in self.predicates:
            hint = f"did you mean '{similar}', declared at {self.home.where(self.predicates[similar].at)}?"
        elif similar is not None:
            hint = f"did you mean '{similar}'?"
        self.fail(f"undeclared predicate '{head}'", at + 1, expected=expected, hint=hint)

    def _unknown_function(self, name: str, at: int) -> NoReturn:
        if name in {"(", ")"}:
            self.fail(f"unexpected '{name}'", at, expected="the name of a function")
        self.unknown("function", name, at, self.functions, lambda n: self.home.where(self.functions[n].at))

    def _unknown_term(self, name: str, at: int, scope: Scope) -> NoReturn:
        if name in {"(", ")"}:
            self.fail(f"unexpected '{name}'", at, expected="a variable or an object")
        kind, known = ("variable", list(scope)) if name[0] == "?" else ("object", list(self.objects))
        similar = near(name, known)
        if similar:
            hint = f"did you mean '{similar}'?"
        elif f"?{name}" in scope:
            hint = f"variables begin with '?': '?{name}'"
        else:
            hint = None
        self.fail(f"undeclared {kind} '{name}'", at, hint=hint)

    def _wrong_arity(self, declared: Predicate | Function, kind: str, at: int) -> NoReturn:
        end = at + 2
        while self.tokens[end] not in {"(", ")", ""}:
            end += 1
        if self.tokens[end] == "(":
            self.fail("unexpected '('", end, expected=f"the arguments of {kind} '{declared.name}'")
        count, wanted = end - at - 2, len(declared.parameters)
        self.fail(
            f"{kind} '{declared.name}' takes {counted(wanted, 'argument')}, not {count}",
            at + 1,
            hint=f"'{declared.name}' is declared at {self.home.where(declared.at)}",
        )

    def _wrong_type(self, arg: str, types: Types, declared: Predicate | Function, place: int, at: int) -> NoReturn:
        wanted = declared.parameters[place]
        self.fail(
            f"'{arg}' is of type {show_types(types)}, but argument {place + 1} of '{declared.name}' is not",
            at,
            expected=f"a term of type {show_types(wanted.types)}",
            hint=f"'{declared.name}' is declared at {self.home.where(declared.at)}",
        )
