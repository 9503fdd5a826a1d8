"""Small tasks over finite-domain variables for the theorems, and what a search kept of them."""

from itertools import pairwise

from hypothesis import strategies as st

from strategies import Op, Spec
from twin_search import native_table
from widthwise import _native


class Plain:
    """A Spec with the face of a task."""

    def __init__(self, spec):
        self.spec, self.init = spec, spec.start()

    def successors(self, state):
        return [(op, self.spec.apply(state, op)) for op in self.spec.applicable(state)]


def vector(spec, state):
    return tuple(next(n for n, atom in enumerate(atoms) if atom in state) for atoms in spec.variables)


def kept_states(search):
    """The states a search kept: the roots of its regions and all nodes that were not pruned."""
    return {
        frozenset(state)
        for _, _, _, region, flags, state in native_table(search)
        if region is not None and not flags & _native.PRUNED
    }


@st.composite
def key_tasks(draw, most_keys=3):
    """Places on a connected map, keys that are taken and put back where they lie; so keys split the states."""
    places = draw(st.integers(2, 6))
    roads = {(draw(st.integers(0, place - 1)), place) for place in range(1, places)}
    roads |= draw(st.sets(st.tuples(st.integers(0, places - 1), st.integers(0, places - 1)), max_size=3))
    keys = draw(st.lists(st.integers(0, places - 1), min_size=1, max_size=most_keys))
    ops = [
        Op(frozenset({old}), frozenset(), frozenset({new}), frozenset({old}))
        for first, other in sorted(roads)
        for old, new in ((first, other), (other, first))
        if first != other
    ]
    variables = [tuple(range(places))]
    for number, place in enumerate(keys):
        lies, held = places + 2 * number, places + 2 * number + 1
        ops.append(Op(frozenset({place, lies}), frozenset(), frozenset({held}), frozenset({lies})))
        ops.append(Op(frozenset({place, held}), frozenset(), frozenset({lies}), frozenset({held})))
        variables.append((lies, held))
    draw(st.randoms(use_true_random=False)).shuffle(ops)
    total = places + 2 * len(keys)
    init = frozenset({draw(st.integers(0, places - 1)), *(atoms[0] for atoms in variables[1:])})
    return Spec(total + 1, tuple(ops), (), init, frozenset({total}), frozenset(), tuple(variables))


@st.composite
def gated_grids(draw):
    """Floors of one grid; a lift at one place leads from each floor to the next, and back to where it came from."""
    width, height, floors = draw(st.integers(2, 4)), draw(st.integers(2, 3)), draw(st.integers(1, 3))
    x = tuple(range(width))
    y = tuple(range(width, width + height))
    z = tuple(range(width + height, width + height + floors))
    ops = []
    for line in (x, y):
        for old, new in pairwise(line):
            ops.append(Op(frozenset({old}), frozenset(), frozenset({new}), frozenset({old})))
            ops.append(Op(frozenset({new}), frozenset(), frozenset({old}), frozenset({new})))
    for old, new in pairwise(z):
        place = frozenset({draw(st.sampled_from(x)), draw(st.sampled_from(y))})
        ops.append(Op(place | {old}, frozenset(), frozenset({new}), frozenset({old})))
        ops.append(Op(place | {new}, frozenset(), frozenset({old}), frozenset({new})))
    draw(st.randoms(use_true_random=False)).shuffle(ops)
    init = frozenset({draw(st.sampled_from(x)), draw(st.sampled_from(y)), z[0]})
    total = width + height + floors
    return Spec(total + 1, tuple(ops), (), init, frozenset({total}), frozenset(), (z, x, y))
