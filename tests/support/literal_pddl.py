"""A small reader and search for PDDL, independent of the code under test."""

import re
from collections import deque

import pytest


def sexpr(text):
    tokens = re.findall(r"[()]|[^\s()]+", re.sub(r";.*", "", text))

    def read(at):
        if tokens[at] != "(":
            return tokens[at], at + 1
        items, at = [], at + 1
        while tokens[at] != ")":
            item, at = read(at)
            items.append(item)
        return items, at + 1

    tree, end = read(0)
    assert end == len(tokens)
    return tree


def section(tree, name):
    return next(part[1:] for part in tree if isinstance(part, list) and part[0] == name)


def objects(problem):
    """Objects by type."""
    result, names = {}, []
    words = iter(section(sexpr(problem), ":objects"))
    for word in words:
        if word == "-":
            result.setdefault(next(words), []).extend(names)
            names = []
        else:
            names.append(word)
    assert not names
    return result


def goals(problem):
    (condition,) = section(sexpr(problem), ":goal")
    assert condition[0] == "and"
    return [tuple(atom) for atom in condition[1:]]


def init(problem):
    return [tuple(atom) for atom in section(sexpr(problem), ":init")]


class Model:
    """A task grounded by Fast Downward's translator, states as integers, one bit per fluent atom."""

    def __init__(self, domain, problem, folder):
        pytest.importorskip("fast_downward.translate")
        from fast_downward.translate import instantiate, normalize, options, pddl, pddl_parser

        files = [folder / "domain.pddl", folder / "problem.pddl"]
        for file, text in zip(files, (domain, problem), strict=True):
            file.write_text(text)
        options.set_options([str(file) for file in files])
        task = pddl_parser.open(*map(str, files))
        normalize.normalize(task)
        reachable, atoms, actions, goal, axioms, _ = instantiate.explore(task)
        assert reachable and not axioms
        self.atoms = sorted((atom.predicate, *atom.args) for atom in atoms)
        bit = {atom: 1 << index for index, atom in enumerate(self.atoms)}

        def mask(literals):
            return sum(bit[(a.predicate, *a.args)] for a in set(literals) if (a.predicate, *a.args) in bit)

        self.init = mask(a for a in task.init if isinstance(a, pddl.Atom))
        self.goal = mask(goal)
        self.goals = [bit[(a.predicate, *a.args)] for a in goal]
        self.actions = []
        for action in sorted(actions, key=lambda action: action.name):
            assert not any(a.negated for a in action.precondition)
            assert not any(condition for condition, _ in action.add_effects + action.del_effects)
            add, delete = (mask(a for _, a in effects) for effects in (action.add_effects, action.del_effects))
            self.actions.append((mask(action.precondition), add, delete))

    def bit(self, *atom):
        return 1 << self.atoms.index(atom)

    def successors(self, state):
        for precondition, add, delete in self.actions:
            if precondition & state == precondition:
                yield (state & ~delete) | add

    def breadth_first(self, limit):
        """Depth of the nearest goal and the number of states seen until then."""
        seen, queue = {self.init}, deque([(self.init, 0)])
        while queue:
            state, depth = queue.popleft()
            if self.goal & state == self.goal:
                return depth, len(seen)
            for child in self.successors(state):
                if child not in seen:
                    assert len(seen) < limit
                    seen.add(child)
                    queue.append((child, depth + 1))
        return None, len(seen)

    def iterated_width(self, width, goal=None, root=None, stay=0):
        """Whether IW(width) meets the goal, the states it kept, and those that changed an atom of `stay`."""
        goal, root = goal or self.goal, root or self.init
        table, kept, left, queue = set(), [], [], deque()

        def look(state):
            bits = [1 << index for index in range(state.bit_length()) if state >> index & 1]
            tuples = {*bits, *(a | b for a in bits for b in bits)} if width == 2 else set(bits)
            if not tuples <= table:
                table.update(tuples)
                kept.append(state)
                queue.append(state)

        look(root)
        while queue:
            state = queue.popleft()
            if goal & state == goal:
                return True, kept, left
            for child in self.successors(state):
                (left.append if (child ^ root) & stay else look)(child)
        return False, kept, left
