"""Random small tasks, as plain Python data that the twins read and as native tasks that the kernels read."""

from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from widthwise import _native
from widthwise.core.model import Model


@dataclass(frozen=True)
class Op:
    """An operator: conditions, unconditional effects, and conditional effects (pos, neg, atom, adds)."""

    pos: frozenset
    neg: frozenset
    add: frozenset
    delete: frozenset
    effects: tuple = ()


@dataclass(frozen=True)
class Spec:
    """A task as plain data, with the plainest possible semantics."""

    atoms: int
    ops: tuple
    axioms: tuple = ()  # (head, pos, neg, layer), by layer
    init: frozenset = frozenset()
    goal_pos: frozenset = frozenset()
    goal_neg: frozenset = frozenset()
    variables: tuple = field(default=(), compare=False)  # finite-domain tasks: the atoms of every variable
    complements: frozenset = frozenset()  # atoms whose falsehood is a feature as well

    @classmethod
    def of(cls, task, goal_pos=None, goal_neg=None):
        """Read a native task back into plain data."""
        ops = tuple(
            Op(
                frozenset(task.pre_pos(op)),
                frozenset(task.pre_neg(op)),
                frozenset(task.add(op)),
                frozenset(task.delete(op)),
                tuple((frozenset(p), frozenset(n), atom, adds) for p, n, atom, adds in task.effects(op)),
            )
            for op in range(task.operator_count)
        )
        axioms = tuple(task.axiom(number) for number in range(task.axiom_count))
        pos = task.goal_pos if goal_pos is None else goal_pos
        neg = task.goal_neg if goal_neg is None else goal_neg
        return cls(task.atom_count, ops, axioms, frozenset(task.init), frozenset(pos), frozenset(neg))

    def spread(self, gap=97):
        """The same task with its atoms far apart, so that a state is many words wide."""

        def far(atoms):
            return frozenset(atom * gap for atom in atoms)

        ops = tuple(
            Op(
                far(op.pos),
                far(op.neg),
                far(op.add),
                far(op.delete),
                tuple((far(pos), far(neg), atom * gap, adds) for pos, neg, atom, adds in op.effects),
            )
            for op in self.ops
        )
        axioms = tuple((head * gap, far(pos), far(neg), layer) for head, pos, neg, layer in self.axioms)
        atoms = self.atoms * gap + 600
        return Spec(
            atoms,
            ops,
            axioms,
            far(self.init),
            far(self.goal_pos),
            far(self.goal_neg),
            complements=far(self.complements),
        )

    def native(self):
        """The same task for the kernels."""
        return _native.GroundedTask.build(
            self.atoms,
            [
                (
                    sorted(op.pos),
                    sorted(op.neg),
                    sorted(op.add),
                    sorted(op.delete),
                    1.0,
                    [(sorted(p), sorted(n), atom, adds) for p, n, atom, adds in op.effects],
                )
                for op in self.ops
            ],
            [(head, sorted(pos), sorted(neg), layer) for head, pos, neg, layer in self.axioms],
            sorted(self.init),
            sorted(self.goal_pos),
            sorted(self.goal_neg),
        )

    def operators(self, seed=None):
        """Its operators for the kernels, with the features that novelty looks at."""
        return _native.Operators(self.native(), seed, None, sorted(self.complements))

    # --- what novelty looks at

    def wanted_false(self):
        """The atoms that a condition or the goal wants false, and what derived ones among them are derived from."""
        wanted = set(self.goal_neg)
        for op in self.ops:
            wanted |= op.neg
            for _, neg, _, _ in op.effects:
                wanted |= neg
        for _, _, neg, _ in self.axioms:
            wanted |= set(neg)
        while True:
            more = set().union(*(set(pos) for head, pos, _, _ in self.axioms if head in wanted)) - wanted
            if not more:
                return frozenset(wanted)
            wanted |= more

    def by_values(self):
        """The same task, searched by the values of atoms where falsehood matters."""
        return replace(self, complements=self.wanted_false())

    def features(self, state):
        """The features of a state: its atoms, and ~atom for an atom that is false where that counts."""
        return frozenset(state) | {~atom for atom in self.complements if atom not in state}

    # --- semantics, as the statement of the task says them

    def derive(self, state):
        """Forget derived atoms and derive them again, layer by layer, each by sweeping until nothing changes."""
        state = set(state) - {head for head, *_ in self.axioms}
        for layer in sorted({layer for *_, layer in self.axioms}):
            changing = True
            while changing:
                changing = False
                for head, pos, neg, of_layer in self.axioms:
                    if of_layer == layer and head not in state and set(pos) <= state and not set(neg) & state:
                        state.add(head)
                        changing = True
        return frozenset(state)

    def start(self):
        return self.derive(self.init)

    def applicable(self, state):
        """The operators whose precondition holds, but for those that could never change a state at all."""
        return [n for n, op in enumerate(self.ops) if op.pos <= state and not op.neg & state and not self.idle(op)]

    @staticmethod
    def idle(op):
        return not op.effects and op.add <= op.pos and op.delete - op.add <= op.neg

    def apply(self, state, number):
        op = self.ops[number]
        fired = [(atom, adds) for pos, neg, atom, adds in op.effects if pos <= state and not neg & state]
        gone = op.delete | {atom for atom, adds in fired if not adds}
        come = op.add | {atom for atom, adds in fired if adds}
        return self.derive((state - gone) | come)

    def is_goal(self, state):
        return self.goal_pos <= state and not self.goal_neg & state

    def is_plan(self, path, first=None):
        """Whether every operator applies where its turn comes, and the goal holds in the end."""
        state = self.start() if first is None else first
        for op in path:
            if op not in self.applicable(state):
                return False
            state = self.apply(state, op)
        return self.is_goal(state)

    def reachable(self):
        """Every state that can be reached."""
        known, queue = {self.start()}, [self.start()]
        for state in queue:
            for op in self.applicable(state):
                after = self.apply(state, op)
                if after not in known:
                    known.add(after)
                    queue.append(after)
        return known


def subsets(items, most):
    """Small sets of some items."""
    items = list(items)
    if not items:
        return st.just(frozenset())
    return st.frozensets(st.sampled_from(items), max_size=min(most, len(items)))


@st.composite
def tasks(draw, plain=False, most_ops=14):
    """Random propositional tasks; unless `plain`, with conditional effects and axioms in layers.

    Atoms are sometimes spread over more than one machine word, because that is where packed states go wrong.
    """
    count = draw(st.integers(2, 9))
    total = draw(st.sampled_from([count, count, 70, 130, 260]))
    names = draw(st.lists(st.integers(0, total - 1), min_size=count, max_size=count, unique=True))
    layer_of = {}
    if not plain and draw(st.booleans()):
        for atom in names[: draw(st.integers(1, max(1, count // 2)))]:
            layer_of[atom] = draw(st.integers(0, 2))
    basic = [atom for atom in names if atom not in layer_of] or names[-1:]
    layer_of = {atom: layer for atom, layer in layer_of.items() if atom not in basic}
    axioms = []
    for atom, layer in layer_of.items():
        for _ in range(draw(st.integers(1, 2))):
            pos = draw(subsets(basic + [other for other, of in layer_of.items() if of <= layer], 2))
            neg = draw(subsets(basic + [other for other, of in layer_of.items() if of < layer], 2))
            axioms.append((atom, pos, neg, layer))
    axioms.sort(key=lambda axiom: axiom[3])

    effect = st.tuples(subsets(names, 2), subsets(names, 2), st.sampled_from(basic), st.booleans())
    operator = st.builds(
        Op,
        pos=subsets(names, 2),
        neg=subsets(names, 1),
        add=subsets(basic, 2),
        delete=subsets(basic, 2),
        effects=st.just(()) if plain else st.lists(effect, max_size=2).map(tuple),
    )
    ops = draw(st.lists(operator, min_size=1, max_size=most_ops))
    # An atom both added and deleted holds afterwards; the kernels' task keeps such an atom among the added only.
    ops = [Op(op.pos, op.neg, op.add, op.delete - op.add, op.effects) for op in ops]
    goal_pos = draw(subsets(names, 3))
    goal_neg = draw(subsets([atom for atom in names if atom not in goal_pos], 1))
    return Spec(total, tuple(ops), tuple(axioms), draw(subsets(basic, 4)), goal_pos, goal_neg)


@st.composite
def finite_domain_tasks(draw, most_variables=4, most_values=4, goal=True):
    """Random tasks over variables with a few values each: exactly one atom of a variable holds at any time."""
    sizes = draw(st.lists(st.integers(2, most_values), min_size=2, max_size=most_variables))
    variables, atom = [], 0
    for size in sizes:
        variables.append(tuple(range(atom, atom + size)))
        atom += size
    ops = []
    for _ in range(draw(st.integers(3, 16))):
        values = draw(st.sampled_from(variables))
        old, new = draw(st.sampled_from(values)), draw(st.sampled_from(values))
        others = [item for other in variables if other != values for item in other]
        prevail = draw(subsets(others, 1))
        if old != new:
            ops.append(Op(frozenset({old}) | prevail, frozenset(), frozenset({new}), frozenset({old})))
            if draw(st.booleans()):
                ops.append(Op(frozenset({new}) | prevail, frozenset(), frozenset({old}), frozenset({new})))
    init = frozenset(draw(st.sampled_from(values)) for values in variables)
    wanted = (
        frozenset(draw(st.sampled_from(values)) for values in variables[: draw(st.integers(1, len(variables)))])
        if goal
        else frozenset({atom})
    )
    return Spec(atom + 1, tuple(ops), (), init, wanted, frozenset(), tuple(variables))


def any_tasks():
    """Tasks of every kind, some to be searched by the values of atoms."""
    kinds = st.one_of(tasks(), tasks(plain=True), finite_domain_tasks())
    return kinds | kinds.map(Spec.by_values)


def model_of(spec, seed=None, meter=None, **more):
    """What a planner is given of a task."""
    operators = spec.operators(seed)
    return Model(operators, sorted(spec.goal_pos), sorted(spec.goal_neg), meter or _native.Meter(), **more)
