"""Slow and literal Python twins of the native search, written from the paper and from the statements of the kernels.

Nothing here is clever: states are frozensets, novelty tables are sets of tuples, a high-level node has a low-level
search of its own, and restructuring judges the whole tree again from its first node on.
"""

from itertools import combinations

from widthwise import _native

PRUNED, EXPANDED, ENTRY, GOAL = _native.PRUNED, _native.EXPANDED, _native.ENTRY, _native.GOAL


class Tuples:
    """A novelty table: the set of all tuples of size up to the width that were seen, "n" for whole states."""

    def __init__(self, width):
        self.width = width
        self.seen = set()

    def tuples(self, state):
        if self.width == "n":
            return {frozenset(state)}
        ordered = sorted(state, key=str)
        return {combination for size in range(1, self.width + 1) for combination in combinations(ordered, size)}

    def novel(self, state):
        return not self.tuples(state) <= self.seen

    def add(self, state):
        self.seen |= self.tuples(state)


class Solved(Exception):
    """A goal was generated."""


class OutOfNodes(Exception):
    """One more node than allowed would have been generated."""


class Node:
    """A node of a twin's tree."""

    def __init__(self, state, parent, op):
        self.state, self.parent, self.op = state, parent, op
        self.depth = 0 if parent is None else parent.depth + 1
        self.region = None
        self.pruned = self.expanded = self.entry = self.goal = False

    @property
    def flags(self):
        return PRUNED * self.pruned | EXPANDED * self.expanded | ENTRY * self.entry | GOAL * self.goal


class World:
    """What all levels of a twin share: the task, the order of operators, the nodes generated, the limit, counts."""

    def __init__(self, spec, order=None, max_nodes=None):
        self.spec, self.max_nodes = spec, max_nodes
        self.order = list(range(len(spec.ops))) if order is None else list(order)
        self.nodes = []
        self.expanded = self.pruned = self.pruned_entries = self.depth = self.regions = 0
        self.goal = None

    @property
    def generated(self):
        return len(self.nodes)

    def generate(self, parent, op):
        if self.max_nodes is not None and len(self.nodes) == self.max_nodes:
            raise OutOfNodes
        state = self.spec.start() if parent is None else self.spec.apply(parent.state, op)
        node = Node(state, parent, op)
        self.nodes.append(node)
        node.goal = self.spec.is_goal(state)
        return node

    def applicable(self, state):
        possible = set(self.spec.applicable(state))
        return [op for op in self.order if op in possible]

    def keep(self, node):
        self.depth = max(self.depth, node.depth)

    def solve(self, node):
        self.keep(node)
        self.goal = node
        raise Solved

    def open_region(self, node):
        node.region = self.regions
        self.regions += 1
        return node.region

    def run(self, body):
        """Generate the root, run `body(root)`, and say why it ended."""
        try:
            root = self.generate(None, None)
            if root.goal:
                self.open_region(root)
                self.solve(root)
            body(root)
        except Solved:
            return "SOLVED"
        except OutOfNodes:
            return "OUT_OF_NODES"
        return "EXHAUSTED"

    def table(self, recorded):
        """The tree as rows; without `recorded` those nodes are left out that a search does not need to build."""
        kept = [node for node in self.nodes if recorded or not node.pruned]
        number = {id(node): index for index, node in enumerate(kept)}
        return [
            (
                None if node.parent is None else number[id(node.parent)],
                node.op,
                node.depth,
                node.region,
                node.flags,
                sorted(node.state),
            )
            for node in kept
        ]

    def counts(self):
        return (self.generated, self.expanded, self.pruned, self.pruned_entries, self.depth)


def native_table(search):
    """The tree of a native search as rows."""
    return [(*search.node(node), search.state(node).atoms()) for node in range(search.node_count)]


def native_counts(search):
    return (search.generated, search.expanded, search.pruned, search.pruned_entries, search.depth)


class LowSearch:
    """The search of the lowest level inside one high-level node: a tree, a queue and a novelty table of its own."""

    def __init__(self, world, root, width, depth_first=False, phi=None, entry_in_table=True):
        self.world, self.root, self.depth_first, self.entry_in_table = (
            world,
            root,
            depth_first,
            entry_in_table,
        )
        self.phi = phi or (lambda state: ())
        self.abstract = self.phi(root.state)
        self.region = world.open_region(root)
        self.table = Tuples(width)
        self.table.add(world.spec.features(root.state))
        self.steps = self.search()

    def next(self):
        """Resume: the next node in which the abstract state is another one, or None when the search ran dry."""
        return next(self.steps, None)

    def search(self):
        world, frontier = self.world, [self.root]
        while frontier:
            node = frontier.pop(-1 if self.depth_first else 0)
            for op in world.applicable(node.state):
                child = world.generate(node, op)
                child.region = self.region
                child.entry = self.phi(child.state) != self.abstract
                features = world.spec.features(child.state)
                novel = self.table.novel(features)
                if not child.entry or self.entry_in_table:
                    self.table.add(features)
                if child.goal:
                    world.solve(child)
                if child.entry:
                    child.region = None
                    yield child
                elif novel:
                    world.keep(child)
                    frontier.append(child)
                else:
                    child.pruned = True
                    world.pruned += 1
            node.expanded = True
            world.expanded += 1


class HighSearch:
    """A width search over abstract states; its successor function resumes the search inside a high-level node."""

    def __init__(self, hierarchy, level, root):
        self.hierarchy, self.level = hierarchy, level
        self.width, self.depth_first, self.features = hierarchy.levels[level]
        self.table = Tuples(self.width)
        self.table.add(self.features(root.state))
        self.open = [hierarchy.inside(level, root)]

    def next(self):
        """Resume until the abstract state of a level further up changes; None when nothing is left."""
        while self.open:
            current = self.open[-1 if self.depth_first else 0]
            child = current.next()
            if child is None:
                self.open.remove(current)
                continue
            if self.hierarchy.changed_level(child) < self.level:
                return child
            abstract = self.features(child.state)
            if self.table.novel(abstract):
                self.table.add(abstract)
                self.hierarchy.world.keep(child)
                self.open.append(self.hierarchy.inside(self.level, child))
            else:
                child.pruned = True
                self.hierarchy.world.pruned_entries += 1
        return None


class HierarchyTwin:
    """HIW as the paper tells it. `levels` are (width, depth first, features of a state), the highest first."""

    def __init__(self, world, levels, low_width, low_depth_first=False, entry_in_table=True):
        self.world, self.levels = world, levels
        self.low_width, self.low_depth_first, self.entry_in_table = low_width, low_depth_first, entry_in_table

    def phi(self, state):
        return tuple(features(state) for _, _, features in self.levels)

    def changed_level(self, child):
        pairs = zip(self.phi(child.parent.state), self.phi(child.state), strict=True)
        return next(level for level, (old, new) in enumerate(pairs) if old != new)

    def inside(self, level, root):
        if level + 1 < len(self.levels):
            return HighSearch(self, level + 1, root)
        return LowSearch(self.world, root, self.low_width, self.low_depth_first, self.phi, self.entry_in_table)

    def run(self):
        def body(root):
            assert self.inside(-1, root).next() is None

        return self.world.run(body)


def flat(spec, width, depth_first=False, order=None, max_nodes=None):
    """Flat IW, breadth-first or depth-first search: (world, how it ended)."""
    world = World(spec, order, max_nodes)
    return world, HierarchyTwin(world, [], width, depth_first).run()


def atoms_of(atoms, spec):
    """Features that are atoms: an abstract state is the set of those that hold, and of falsehoods that count."""
    chosen = frozenset(atoms) | {~atom for atom in atoms}
    return lambda state: spec.features(state) & chosen


def values_of(function):
    """Features that are values: an abstract state is the set of (feature, value)."""
    return lambda state: frozenset(enumerate(function(state)))


def shortest(spec, limit=5000):
    """The length of a shortest plan by plain breadth-first search over a dict; None if there is none."""
    start = spec.start()
    depth, queue = {start: 0}, [start]
    for state in queue:
        if spec.is_goal(state):
            return depth[state]
        for op in spec.applicable(state):
            after = spec.apply(state, op)
            if after not in depth and len(depth) < limit:
                depth[after] = depth[state] + 1
                queue.append(after)
    return None
