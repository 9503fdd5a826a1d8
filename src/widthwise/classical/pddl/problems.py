"""The parser of problem files, and of goals given by hand."""

from __future__ import annotations

from typing import NoReturn

from widthwise.classical.pddl.conditions import NO_NEGATIVE, TOTAL_COST
from widthwise.classical.pddl.cursor import no_check
from widthwise.classical.pddl.domains import DomainParser
from widthwise.classical.pddl.lexer import Check, Source
from widthwise.classical.pddl.numbers import Number, is_number
from widthwise.classical.pddl.syntax import Args, Atom, Condition, DomainDefinition, ProblemDefinition
from widthwise.classical.pddl.typetable import Types, show_types
from widthwise.core.guard import Guard

_OBJECT_BYTES = 120  # of an object in a table of all objects
_KNOWN = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric")
_REFUSED = {
    ":constraints": "trajectory constraints",
    ":htn": "hierarchical task networks",
    ":situation": "situations of PDDL 1",
}


class ProblemParser(DomainParser):
    """Reads a problem of a known domain."""

    def __init__(self, source: Source, domain: DomainDefinition, check: Check = no_check) -> None:
        super().__init__(source, check)
        self.domain = domain
        self.home = domain.source
        self.types = domain.types
        self.predicates = dict(domain.predicates)
        self.functions = dict(domain.functions)
        self.objects = dict(domain.constants)
        self.objects_at = -1
        self.facts: dict[str, list[Args]] = {name: [] for name in self.predicates}
        self.values: dict[str, dict[Args, Number]] = {}

    def type_place(self, types: object, name: str) -> str | None:
        """Tell where the domain declares a type."""
        at = self.types.declared_at.get(name)
        return None if at is None else self.home.where(at)

    def parse(self) -> ProblemDefinition:  # type: ignore[override]
        """Read the whole text."""
        self.balance()
        name = self.header("problem", "domain")
        after_header = self.i
        self.check()
        if self.tokens[self.i : self.i + 2] == ["(", ":domain"]:
            # First of all: in a problem of another domain everything else would seem wrong.
            self.i += 2
            self._domain_name()
            self.i = after_header
        self._own_objects()
        self.i = after_header
        seen: dict[str, int] = {}
        goal: Condition | None = None
        minimize = False
        while self.tokens[self.i] != ")":
            at = self.open("a section of the problem")
            section = self.tokens[self.i]
            if section in seen:
                first = self.source.where(seen[section])
                self.fail(f"a second {section} section", hint=f"the first is at {first}")
            seen[section] = self.i
            self.i += 1
            if section == ":init":
                self.init()
            elif section == ":goal":
                goal = self.condition({})
                self.close("the goal", "a goal is one condition: put several into (and …)")
            elif section == ":domain":
                self._domain_name()
            elif section == ":requirements":
                self.read_requirements()
            elif section == ":metric":
                minimize = self._metric()
            elif section in self.done:
                self.skip(section, at)
            elif section == ":length":
                self._skip_length()
            else:
                self.bad_section(section, at, _KNOWN, _REFUSED)
        self.i += 1
        self.finish()
        for section in (":domain", ":init", ":goal"):
            if section not in seen:
                self.fail(f"the problem has no {section} section", 0, expected=f"({section} …)")
        assert goal is not None
        init = {name: list(dict.fromkeys(rows)) for name, rows in self.facts.items() if rows}
        return ProblemDefinition(
            name,
            self.domain,
            self.objects,
            init,
            self.values,
            goal,
            minimize,
            self.source,
            self.objects_at,
            seen[":init"],
        )

    def _domain_name(self) -> None:
        at = self.i
        name = self.word("the name of the domain")
        if name != self.domain.name:
            self.fail(
                f"this problem belongs to domain '{name}', but the domain read is '{self.domain.name}'",
                at,
                hint=f"the domain was read from {self.home.filename}",
            )
        self.close("(:domain …)")

    def _own_objects(self) -> None:
        """Read the objects; a constant of the domain may be listed again with the same type."""
        constants = self.objects
        self.objects = {}
        self.declaration(":objects")
        own = self.objects
        for name, types in own.items() if constants else ():
            if constants.get(name, types) != types:
                self.fail(
                    f"object '{name}' is a constant of the domain with another type",
                    self.tokens.index(name, self.objects_at),
                    expected=f"type {show_types(constants[name])}",
                )
        if isinstance(self.check, Guard):
            self.check.charge(_OBJECT_BYTES * len(own))
        self.objects = {**constants, **own} if constants else own

    def declaration(self, section: str) -> None:
        """Read the objects section, wherever it is in the file."""
        try:
            at = self.tokens.index(section)
        except ValueError:
            return
        self.i = self.objects_at = at + 1
        self.objects = self.object_list(section)
        self.done[section] = (at - 1, self.i)

    def _skip_length(self) -> None:
        """Skip the `:length` hint of old files; it does not restrict plans."""
        depth = 1
        while depth:
            depth += (self.tokens[self.i] == "(") - (self.tokens[self.i] == ")")
            if not self.tokens[self.i]:
                self.unexpected("')'")
            self.i += 1

    def _metric(self) -> bool:
        at = self.i
        direction = self.word("minimize")
        if direction == "maximize":
            self.refuse("a metric to maximize", at)
        if direction != "minimize":
            self.fail(f"unexpected '{direction}'", at, expected=f"minimize ({TOTAL_COST})")
        if self.tokens[self.i : self.i + 3] == ["(", TOTAL_COST, ")"]:
            self.i += 3
        elif self.tokens[self.i] == TOTAL_COST:
            self.i += 1
        else:
            self.refuse(f"a metric other than ({TOTAL_COST})", self.i)
        self.close("the metric")
        return True

    # The initial state

    def init(self) -> None:
        """Read the rest of the initial state.

        This is where most of a big file is, so facts are sliced out of the token list as they are and checked
        column by column afterwards; the place of an error is looked for only if there is one.
        """
        tokens, facts = self.tokens, self.facts
        index = tokens.index
        start = i = self.i
        denied: list[tuple[str, Args, int]] = []
        count = 0
        try:
            while tokens[i] == "(":
                name = tokens[i + 1]
                rows = facts.get(name)
                if rows is None:
                    self.check()
                    self.i = i
                    self._special(name, denied)
                    i = self.i
                    continue
                end = index(")", i)
                rows.append(tuple(tokens[i + 2 : end]))
                i = end + 1
                count += 1
                if not count & 4095:
                    self.check()
        except ValueError:
            self.i = i
            self.unexpected("a fact")
        for name, rows in facts.items():
            if rows and not self._all_right(name, rows):
                self._find_bad_fact(start)
        self.i = i
        self.close("the initial state", "facts are written in parentheses, such as (on a b)")
        true = {name: set(facts[name]) for name, _, _ in denied}
        for name, args, at in denied:
            if args in true[name]:
                self.fail(f"({' '.join((name, *args))}) is both true and false", at)
        self._no_derived(start)

    def _all_right(self, name: str, rows: list[Args]) -> bool:
        """Tell whether arity, objects and types of all facts of a predicate are right."""
        parameters = self.predicates[name].parameters
        if set(map(len, rows)) != {len(parameters)}:
            return False
        objects, fits = self.objects, self.types.fits
        for place, parameter in enumerate(parameters):
            self.check()
            kinds: dict[Types, None] = {}
            for value in {row[place] for row in rows}:
                types = objects.get(value)
                if types is None:
                    return False
                kinds[types] = None
            if not all(fits(types, parameter.types) for types in kinds):
                return False
        return True

    def _find_bad_fact(self, start: int) -> NoReturn:
        """Read the facts again, slowly, to report the place of the first wrong fact."""
        self.i = start
        while self.tokens[self.i] == "(":
            self.check()
            if self.tokens[self.i + 1] in self.predicates and not self._timed(self.i):
                self.condition({})
            else:
                self._special(self.tokens[self.i + 1], [], again=True)
        raise AssertionError("a bad fact was not found again")

    def _special(self, head: str, denied: list[tuple[str, Args, int]], again: bool = False) -> None:
        """Read an element of the initial state that is not a plain fact."""
        at = self.i
        if head == "=":
            self.i += 2
            if self.tokens[self.i] != "(" and self.tokens[self.i + 1 : self.i + 2] != ["("]:
                name_at = self.i
                if self.tokens[name_at] not in self.functions:
                    self.fail("an equality of objects is not a fact", at, expected="(= (function …) number)")
                if self.functions[self.tokens[name_at]].parameters:
                    self.fail(
                        f"the function '{self.tokens[name_at]}' has no arguments here",
                        name_at,
                        expected=f"(= ({self.tokens[name_at]} …) number)",
                    )
                self._value(self.tokens[name_at], (), at, again)
                return
            inner = self.open("a function")
            name = self.tokens[self.i]
            self.i += 1
            if name == TOTAL_COST and name not in self.functions:
                args: Args = ()
                self.close(f"({TOTAL_COST})")
            else:
                args = self.function_arguments({}, inner)
            self.i -= 1
            self._value(name, args, at, again)
        elif head == "not":
            self.i += 2
            atom = self.condition({})
            self.close("(not …)")
            if not isinstance(atom, Atom):
                self.fail("this cannot be negated in the initial state", at, expected="(not (predicate …))")
            denied.append((atom.predicate, atom.args, at))
        elif self._timed(at):
            self.refuse("timed initial literals", at)
        elif head in {"and", "or", "forall", "exists", "oneof", "unknown"}:
            self.fail(f"'{head}' is not allowed in the initial state", at + 1, expected="facts such as (on a b)")
        else:
            self._bad_head(head, at, "a fact")

    def _timed(self, at: int) -> bool:
        """Tell whether a timed initial literal begins here; `at` may be a predicate as well."""
        tokens = self.tokens
        return tokens[at + 1] == "at" and is_number(tokens[at + 2]) and tokens[at + 3] == "("

    def _value(self, name: str, args: Args, at: int, again: bool) -> None:
        """Read the number a function has, after the function's last token."""
        self.i += 1
        value_at = self.i
        token = self.word("a number")
        if not is_number(token):
            self.fail(f"'{token}' is not a number", value_at, expected="a number")
        value = self.exact(token, value_at)
        self.close("(= …)")
        if name == TOTAL_COST:
            if value != 0:
                self.refuse(f"a ({TOTAL_COST}) that does not begin at 0", value_at)
            return
        if value < 0 and name in self.domain.cost_functions:
            self.refuse("a negative cost", value_at, NO_NEGATIVE)
        table = self.values.setdefault(name, {})
        if not again and table.get(args, value) != value:
            self.fail(f"({' '.join((name, *args))}) has two different values", at)
        table[args] = value

    def _no_derived(self, start: int) -> None:
        """Check that the initial state contains no derived predicates."""
        for rule in self.domain.derived:
            if self.facts[rule.predicate]:
                at = start
                while self.tokens[at] != "(" or self.tokens[at + 1] != rule.predicate:
                    at += 1
                self.fail(
                    f"the initial state contains the derived predicate '{rule.predicate}'",
                    at + 1,
                    hint=f"its rule is at {self.home.where(rule.at)}",
                )
