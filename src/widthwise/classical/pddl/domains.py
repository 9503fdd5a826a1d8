"""The parser of domain files."""

from __future__ import annotations

from typing import NoReturn

from widthwise.classical.pddl.conditions import ConditionParser
from widthwise.classical.pddl.cursor import no_check
from widthwise.classical.pddl.errors import near
from widthwise.classical.pddl.lexer import END, Check, Source
from widthwise.classical.pddl.strata import layers
from widthwise.classical.pddl.syntax import (
    Action,
    AndEffect,
    Condition,
    Derived,
    DomainDefinition,
    Effect,
    ForallEffect,
    Function,
    LiteralEffect,
    Predicate,
    Truth,
    Variable,
    When,
)
from widthwise.classical.pddl.typetable import OBJECT, Types, TypeTable

_DECLARATIONS = (":requirements", ":types", ":constants", ":predicates", ":functions")
_KNOWN = (*_DECLARATIONS, ":action", ":derived")
_REFUSED = {
    ":durative-action": "durative actions",
    ":constraints": "trajectory constraints",
    ":process": "processes",
    ":event": "events",
    ":axiom": "axioms of PDDL 1 (write them as :derived)",
    ":method": "hierarchical task networks",
    ":task": "hierarchical task networks",
}


class DomainParser(ConditionParser):
    """Reads a domain.

    Declarations are read before actions wherever they stand in the file: some files have them in odd orders.
    """

    def __init__(self, source: Source, check: Check = no_check) -> None:
        super().__init__(source, check)
        self.requirements: tuple[str, ...] = ()
        self.constants_at = -1
        self.done: dict[str, tuple[int, int]] = {}

    def parse(self) -> DomainDefinition:
        """Read the whole text."""
        self.balance()
        name = self.header("domain", "problem")
        after_header = self.i
        self.check()
        for section in _DECLARATIONS:
            self.declaration(section)
        self.i = after_header
        actions: list[Action] = []
        rules: list[Derived] = []
        while self.tokens[self.i] != ")":
            at = self.open("a section of the domain")
            section = self.tokens[self.i]
            self.i += 1
            if section == ":action":
                actions.append(self.action())
                self.check()
            elif section == ":derived":
                self.check()
                rules.append(self.derived())
            elif section in self.done:
                self.skip(section, at)
            else:
                self.bad_section(section, at, _KNOWN, _REFUSED)
        self.i += 1
        self.finish()
        self.distinct_actions(actions)
        self.derived_only_by_rules(actions, rules)
        layers(rules, self.source, self.check)
        return DomainDefinition(
            name,
            self.requirements,
            self.types,
            self.objects,
            self.predicates,
            self.functions,
            tuple(actions),
            tuple(rules),
            self.source,
            self.constants_at,
        )

    def header(self, kind: str, other: str) -> str:
        """Read `(define (kind name)` and return the name."""
        if self.tokens[0] != "(" or self.tokens[1] != "define":
            self.fail(f"this is not a PDDL {kind}", 0, expected=f"(define ({kind} name) …)")
        self.i = 2
        self.open(f"({kind} name)")
        word = self.word(kind)
        if word == other:
            self.fail(
                f"this file defines a {other}, but a {kind} was expected",
                self.i - 1,
                expected=f"(define ({kind} name) …)",
                hint="are the domain file and the problem file swapped?",
            )
        if word != kind:
            self.fail(f"unexpected '{word}'", self.i - 1, expected=kind)
        name = self.word(f"the name of the {kind}")
        self.close(f"({kind} {name})")
        return name

    def declaration(self, section: str) -> None:
        """Read a declaration section, wherever it is in the file."""
        try:
            at = self.tokens.index(section)
        except ValueError:
            return
        if self.tokens[at - 1] != "(":
            return  # the walk through the sections will complain
        self.i = at + 1
        match section:
            case ":requirements":
                self.requirements = self.read_requirements()
            case ":types":
                self.types = self.read_types()
            case ":constants":
                self.constants_at = self.i
                self.objects = self.object_list(":constants")
            case ":predicates":
                self.read_predicates()
            case _:
                self.read_functions()
        self.done[section] = (at - 1, self.i)

    def skip(self, section: str, at: int) -> None:
        """Skip a section that was read before; each section may occur once."""
        start, end = self.done[section]
        if start != at:
            self.fail(f"a second {section} section", at + 1, hint=f"the first is at {self.source.where(start)}")
        self.i = end

    def bad_section(self, section: str, at: int, known: tuple[str, ...], refused: dict[str, str]) -> NoReturn:
        """Complain about a section that is unknown or not supported."""
        if section in refused:
            self.refuse(refused[section], at + 1)
        if section in {"(", ")", END} or section[:1] != ":":
            self.fail(f"unexpected '{section}'", at + 1, expected=f"one of {', '.join(known)}")
        similar = near(section, known)
        hint = f"did you mean '{similar}'?" if similar else None
        self.fail(f"unknown section '{section}'", at + 1, expected=f"one of {', '.join(known)}", hint=hint)

    def read_requirements(self) -> tuple[str, ...]:
        """Read the rest of a requirements section; over-declared ones do no harm."""
        words: list[str] = []
        while self.tokens[self.i] != ")":
            word = self.word("a requirement such as :strips")
            if word[0] != ":":
                self.fail(f"'{word}' is not a requirement", self.i - 1, expected="words such as :strips or :typing")
            words.append(word)
        self.i += 1
        return tuple(words)

    def read_types(self) -> TypeTable:
        """Read the rest of the types section; a parent that is not declared itself counts as declared."""
        parents: dict[str, dict[str, None]] = {}
        declared_at: dict[str, int] = {}
        waiting: list[int] = []
        tokens = self.tokens
        while True:
            token = tokens[self.i]
            if token == "-":
                self.i += 1
                above = self.type_expression(None)
            elif token == ")":
                above = (OBJECT,)
            else:
                waiting.append(self.i)
                self.name("the name of a type, '-' or ')'")
                continue
            for at in waiting:
                name = tokens[at]
                if name != OBJECT:  # declared again with another parent, a type has both
                    parents.setdefault(name, {}).update(dict.fromkeys(above))
                declared_at.setdefault(name, at)
            waiting = []
            self.check()
            if token == ")":
                break
        self.i += 1
        for name in [parent for above in parents.values() for parent in above]:
            if name != OBJECT:
                parents.setdefault(name, {OBJECT: None})
        table = TypeTable(parents, declared_at, self.check)
        looped = table.cycle()
        if looped is not None:
            self.fail(f"type '{looped}' is its own supertype", declared_at.get(looped, self.i - 1))
        return table

    def object_list(self, section: str) -> dict[str, Types]:
        """Read the rest of a typed list of objects; only names and types are kept: long lists are quick."""
        tokens = self.tokens
        types_of: dict[str, Types] = {}
        start = first = self.i
        count = 0
        while True:
            try:
                end = tokens.index(")", first)
            except ValueError:
                self.i = first
                self.unexpected("')'")
            try:
                dash = tokens.index("-", first, end)
            except ValueError:
                dash = end
            names = tokens[first:dash]
            self.i = dash
            types: Types = (OBJECT,)
            if dash < end:
                self.i += 1
                types = self.type_expression(self.types)
            for number, name in enumerate(names):
                if name[0] in "?:(-":
                    self.i = first + number
                    hint = f"write '- {name[1:]}' with a space for the type" if name[0] == "-" else None
                    self.unexpected("the name of an object", hint)
            self.check()
            types_of.update(dict.fromkeys(names, types))
            count += len(names)
            if dash == end:
                break
            first = self.i
        self.i = end + 1
        if len(types_of) != count:
            self._repeated(start, end, section)
        return types_of

    def _repeated(self, start: int, end: int, section: str) -> None:
        """Find the object that is named twice; the names after dashes are types and do not count."""
        seen: dict[str, int] = {}
        depth = 0
        for at in range(start, end):
            token = self.tokens[at]
            depth += (token == "(") - (token == ")")
            if depth or token in {")", "-"} or self.tokens[at - 1] == "-":
                continue
            if token in seen:
                self.fail(
                    f"object '{token}' appears twice in {section}",
                    at,
                    hint=f"the first is at {self.source.where(seen[token])}",
                )
            seen[token] = at

    def read_predicates(self) -> None:
        """Read the rest of the predicates section; the same declaration twice does no harm."""
        while self.tokens[self.i] != ")":
            self.check()
            self.open("the declaration of a predicate")
            at = self.i
            name = self.name("the name of a predicate")
            parameters = self.typed_variables(self.types, f"predicate '{name}'")
            if name == "=":
                continue  # some files declare equality
            first = self.predicates.get(name)
            if first is None:
                self.predicates[name] = Predicate(name, parameters, at)
            elif [v.types for v in first.parameters] != [v.types for v in parameters]:
                self._twice("predicate", name, at, first.at)
        self.i += 1

    def read_functions(self) -> None:
        """Read the rest of the functions section."""
        while self.tokens[self.i] != ")":
            if self.tokens[self.i] == "-":
                self.i += 1
                if self.word("number") != "number":
                    self.refuse("functions whose values are objects", self.i - 1)
                continue
            self.check()
            self.open("the declaration of a function")
            at = self.i
            name = self.name("the name of a function")
            parameters = self.typed_variables(self.types, f"function '{name}'")
            first = self.functions.get(name)
            if first is not None and [v.types for v in first.parameters] != [v.types for v in parameters]:
                self._twice("function", name, at, first.at)
            self.functions.setdefault(name, Function(name, parameters, at))
        self.i += 1

    def _twice(self, kind: str, name: str, at: int, first: int) -> NoReturn:
        self.fail(
            f"{kind} '{name}' is declared twice",
            at,
            hint=f"the first declaration is at {self.source.where(first)}",
        )

    def action(self) -> Action:
        """Read the rest of an action."""
        tokens = self.tokens
        at = self.i
        name = self.name("the name of an action")
        parameters: tuple[Variable, ...] = ()
        precondition: Condition = Truth(at)
        effect: Effect = AndEffect((), at)
        scope: dict[str, Types] = {}
        seen: dict[str, int] = {}
        while (key := tokens[self.i]) != ")":
            key_at = self.i
            if key in seen:
                self.fail(f"a second {key}", key_at, hint=f"the first is at {self.source.where(seen[key])}")
            self.i += 1
            if key == ":parameters":
                if seen:
                    self.fail(":parameters have to come first", key_at)
                self.open("the parameters")
                parameters = self.typed_variables(self.types, f"action '{name}'")
                self.distinct(parameters, f"the parameters of '{name}'")
                scope = {variable.name: variable.types for variable in parameters}
            elif key == ":precondition":
                precondition = self.condition(scope)
            elif key == ":effect":
                effect = self.effect(scope)
            elif key in {":duration", ":condition"}:
                self.refuse("durative actions", key_at)
            else:
                self.i = key_at
                hint = None
                if key[:1] == ":" and (similar := near(key, (":parameters", ":precondition", ":effect"))):
                    hint = f"did you mean '{similar}'?"
                self.unexpected(":parameters, :precondition, :effect or ')'", hint)
            seen[key] = key_at
        self.i += 1
        return Action(name, parameters, precondition, effect, at)

    def derived(self) -> Derived:
        """Read the rest of a rule of a derived predicate."""
        self.open("the head of the rule")
        at = self.i
        name = self.name("the name of a predicate")
        declared = self.predicates.get(name)
        if declared is None:
            self._bad_head(name, at - 1, "the head of a rule")
        parameters = self.typed_variables(self.types, f"predicate '{name}'")
        self.distinct(parameters, "the head of the rule")
        if len(parameters) != len(declared.parameters):
            self._wrong_arity(declared, "predicate", at - 1)
        condition = self.condition({variable.name: variable.types for variable in parameters})
        self.close("the rule")
        return Derived(name, parameters, condition, at)

    def distinct_actions(self, actions: list[Action]) -> None:
        """Insist that no two actions have the same name."""
        seen: dict[str, int] = {}
        for action in actions:
            if action.name in seen:
                self._twice("action", action.name, action.at, seen[action.name])
            seen[action.name] = action.at

    def derived_only_by_rules(self, actions: list[Action], rules: list[Derived]) -> None:
        """Insist that no effect changes a derived predicate."""
        names = {rule.predicate: rule.at for rule in rules}
        if not names:
            return
        todo: list[Effect] = [action.effect for action in reversed(actions)]
        while todo:
            effect = todo.pop()
            if isinstance(effect, AndEffect):
                todo.extend(reversed(effect.parts))
            elif isinstance(effect, ForallEffect | When):
                todo.append(effect.part)
            elif isinstance(effect, LiteralEffect) and effect.atom.predicate in names:
                name = effect.atom.predicate
                self.fail(
                    f"an effect changes the derived predicate '{name}'",
                    effect.atom.at + 1,
                    hint=f"its rule is at {self.source.where(names[name])}",
                )
