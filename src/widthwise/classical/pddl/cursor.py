"""A cursor over the tokens of a source: what all parts of the parser share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NoReturn

from widthwise.classical.pddl.errors import PddlError, PddlUnsupportedError, near, quoted
from widthwise.classical.pddl.lexer import END, Check, Source
from widthwise.classical.pddl.syntax import Variable
from widthwise.classical.pddl.typetable import OBJECT, Types, TypeTable


def no_check() -> None:
    """Do nothing: the check of a reader without a budget."""


class Cursor:
    """Reads tokens in order and reports errors with their places."""

    def __init__(self, source: Source, check: Check = no_check) -> None:
        self.source = source
        self.tokens = source.tokens
        self.i = 0
        self.check = check

    def fail(self, what: str, at: int | None = None, expected: str | None = None, hint: str | None = None) -> NoReturn:
        """Raise an error at a token, by default the current one."""
        raise PddlError(what, self.source, self.i if at is None else at, expected, hint)

    def refuse(self, what: str, at: int | None = None, hint: str | None = None) -> NoReturn:
        """Raise the error for a construct that is not supported."""
        raise PddlUnsupportedError(what, self.source, self.i if at is None else at, None, hint)

    def unexpected(self, expected: str, hint: str | None = None) -> NoReturn:
        """Complain about the current token."""
        self.fail(f"unexpected {quoted(self.tokens[self.i])}", expected=expected, hint=hint)

    def unknown(
        self, kind: str, name: str, at: int, known: Iterable[str], first: Callable[[str], str | None]
    ) -> NoReturn:
        """Report an undeclared name; `first` is the place of a similar name."""
        similar = near(name, known)
        hint = None
        if similar is not None:
            place = first(similar)
            hint = f"did you mean '{similar}'" + (f", declared at {place}?" if place else "?")
        self.fail(f"undeclared {kind} '{name}'", at, hint=hint)

    def open(self, expected: str) -> int:
        """Read an opening parenthesis and return its number."""
        if self.tokens[self.i] != "(":
            self.unexpected(f"'(' to begin {expected}")
        self.i += 1
        return self.i - 1

    def close(self, what: str, hint: str | None = None) -> None:
        """Read a closing parenthesis."""
        if self.tokens[self.i] != ")":
            self.unexpected(f"')' to end {what}", hint)
        self.i += 1

    def word(self, expected: str) -> str:
        """Read a word that is not a parenthesis."""
        token = self.tokens[self.i]
        if token in {"(", ")", END}:
            self.unexpected(expected)
        self.i += 1
        return token

    def name(self, expected: str) -> str:
        """Read a name: a word that is neither a variable nor a keyword."""
        token = self.tokens[self.i]
        if token[:1] in {"?", ":", "(", ")", END}:
            self.unexpected(expected)
        self.i += 1
        return token

    def end_of_list(self) -> int:
        """Return the number of the next closing parenthesis."""
        try:
            return self.tokens.index(")", self.i)
        except ValueError:
            self.fail("the file ends before this is closed", expected="')'")

    def balance(self) -> None:
        """Report parentheses that do not match, as close to the error as possible."""
        tokens = self.tokens
        if tokens[0] == END:
            self.fail("the file is empty", 0, expected="a PDDL definition such as (define (domain name) …)")
        if tokens.count("(") == tokens.count(")"):
            return
        stack: list[int] = []
        for i, token in enumerate(tokens):
            if token == "(":
                if len(stack) > 1 and tokens[i + 1] in _SECTIONS:
                    self.fail(
                        "this '(' is never closed",
                        stack[-1],
                        hint=f"a new section {tokens[i + 1]} begins at {self.source.where(i)} before that",
                    )
                stack.append(i)
            elif token == ")":
                if not stack:
                    self.fail("this ')' has no matching '('", i, hint="there is an extra ')' here or earlier")
                stack.pop()
                if not stack and tokens[i + 1] not in {END, ")"}:
                    self.fail("text after the end of the definition", i + 1, hint=self._early(i))
        self.fail("this '(' is never closed", stack[-1], expected="a ')' for each '('")

    def finish(self) -> None:
        """Insist on the end of the text."""
        if self.tokens[self.i] != END:
            self.fail("text after the end of the definition", hint=self._early(self.i - 1))

    def _early(self, at: int) -> str:
        place = self.source.where(at)
        return f"the ')' at {place} closes the whole definition; is there an extra ')' before it?"

    def typed_variables(self, types: TypeTable, what: str) -> tuple[Variable, ...]:
        """Read a typed list of variables up to its closing parenthesis, which is read as well."""
        tokens = self.tokens
        if tokens[self.i] == ")":
            self.i += 1
            return ()
        variables: list[Variable] = []
        waiting: list[int] = []
        while True:
            token = tokens[self.i]
            if token[:1] == "?":
                waiting.append(self.i)
                self.i += 1
            elif token == "-":
                if not waiting:
                    self.unexpected(f"a variable of {what} before the type")
                self.i += 1
                wanted = self.type_expression(types)
                variables += [Variable(tokens[at], wanted, at) for at in waiting]
                waiting = []
            elif token == ")":
                self.i += 1
                variables += [Variable(tokens[at], (OBJECT,), at) for at in waiting]
                return tuple(variables)
            else:
                hint = "variables begin with '?'"
                if token[:1] == "-":
                    hint = f"write '- {token[1:]}' with a space for the type"
                self.unexpected(f"a variable of {what} or ')'", hint)

    def distinct(self, variables: tuple[Variable, ...], what: str) -> None:
        """Refuse a variable that is declared twice in one list."""
        if len(variables) < 2:
            return
        seen: dict[str, int] = {}
        for variable in variables:
            if variable.name in seen:
                self.fail(
                    f"variable '{variable.name}' appears twice in {what}",
                    variable.at,
                    hint=f"the first is at {self.source.where(seen[variable.name])}",
                )
            seen[variable.name] = variable.at

    def type_expression(self, types: TypeTable | None) -> Types:
        """Read a type or `(either …)`; with a table its names have to be declared."""
        if self.tokens[self.i] == "(":
            self.i += 1
            if self.tokens[self.i] != "either":
                self.unexpected("either")
            self.i += 1
            names: list[str] = []
            while self.tokens[self.i] != ")":
                names.append(self._type_name(types))
            if not names:
                self.unexpected("the name of a type")
            self.i += 1
            return tuple(dict.fromkeys(names))
        return (self._type_name(types),)

    def _type_name(self, types: TypeTable | None) -> str:
        name = self.name("the name of a type")
        if types is not None and name not in types:
            self.unknown("type", name, self.i - 1, types.parents, lambda near: self.type_place(types, near))
        return name

    def type_place(self, types: TypeTable, name: str) -> str | None:
        """Tell where a type was declared, where this cursor can know it."""
        at = types.declared_at.get(name)
        return None if at is None else self.source.where(at)


_SECTIONS = frozenset(
    [
        ":requirements",
        ":types",
        ":constants",
        ":predicates",
        ":functions",
        ":action",
        ":derived",
        ":durative-action",
        ":domain",
        ":objects",
        ":init",
        ":goal",
        ":metric",
        ":constraints",
        ":length",
    ]
)
