"""IHIW, written literally in Python beside the kernel: discovery of features and restructuring of the tree."""

import random

from twin_search import Tuples, World


def branch(node):
    """The branch of a node inside its low-level tree, from the root of that tree to the node."""
    path = [node]
    while path[-1].parent is not None and not path[-1].entry:
        path.append(path[-1].parent)
    return path[::-1]


def find_abstract_features(node, spec):
    """Algorithm 1. Depth is counted from 1 at the root of the low-level tree. Atoms come before falsehoods."""
    result = set()
    if node.pruned and not node.entry:
        path = [spec.features(item.state) for item in branch(node)]
        if len(path) > 2:
            common = path[-1] & path[-2]
            if len(common) < len(path[-1]):
                result = common - set().union(*path[:-2])
    return sorted(result, key=lambda item: (item < 0, max(item, ~item)))


class Incremental:
    """Algorithm 2 over one list of nodes."""

    def __init__(self, spec, high=1, low=1, **options):
        self.world = World(spec, options.pop("order", None), options.pop("max_nodes", None))
        self.high, self.low = high, low
        self.high_depth_first = options.pop("high_depth_first", False)
        self.low_depth_first = options.pop("low_depth_first", False)
        self.entry_in_table = options.pop("entry_in_table", True)
        self.negated = options.pop("negated", False)
        self.rebuild_changed = options.pop("rebuild", "changed") == "changed"
        self.stuck = options.pop("stuck", "wake")
        self.woken_at = None  # nodes generated when sleeping high-level nodes were last woken
        self.random = random.Random(options.pop("seed", 0))
        assert not options
        self.features, self.story = [], []
        self.tables, self.frontiers, self.roots = {}, {}, {}  # by region
        self.searches = {}  # by region: low-level searches that were begun
        self.waiting = []  # P: pruned nodes nobody has looked at

    def abstract(self, state):
        true = {feature for feature in self.features if (feature in state if feature >= 0 else ~feature not in state)}
        return frozenset(true | {("not", feature) for feature in self.features if self.negated and feature not in true})

    def open_region(self, node):
        region = self.world.open_region(node)
        node.pruned = False
        self.roots[region] = node
        self.tables[region] = Tuples(self.low)
        self.tables[region].add(self.world.spec.features(node.state))
        self.frontiers[region] = [] if node.expanded else [node]
        return region

    def run(self):
        return self.world.run(self.body)

    def body(self, root):
        self.open = [self.open_region(root)]
        self.alive = 1
        self.high_table = Tuples(self.high)
        self.high_table.add(self.abstract(root.state))
        candidates = []
        while True:
            self.hiw()
            while not candidates and self.waiting:
                node = self.waiting.pop()
                candidates = find_abstract_features(node, self.world.spec)
                proposed = list(candidates)
            if candidates:
                feature = candidates.pop(self.random.randrange(len(candidates)))
                self.features.append(feature)
                self.restructure()
                number = self.world.nodes.index(node)
                self.story.append((feature, number, proposed, self.alive, self.world.generated))
            elif self.stuck == "stop" or self.woken_at == self.world.generated:
                return
            else:  # from now on no high-level node sleeps when the tree is restructured
                self.woken_at = self.world.generated
                self.restructure()

    def hiw(self):
        """HIW on the tree there is; ends when all high-level nodes have run dry."""
        done = set()
        while left := [region for region in self.open if region not in done]:
            region = left[-1 if self.high_depth_first else 0]
            if self.resume(region) is None:
                done.add(region)

    def resume(self, region):
        """Resume one low-level search, if need be in the middle of an expansion: a new high-level node or None."""
        if region not in self.searches:
            self.searches[region] = self.search(region)
        return next(self.searches[region], None)

    def search(self, region):
        world, frontier, table = self.world, self.frontiers[region], self.tables[region]
        while frontier:
            node = frontier.pop(-1 if self.low_depth_first else 0)
            for op in world.applicable(node.state):
                child = world.generate(node, op)
                child.region = region
                child.entry = self.abstract(child.state) != self.abstract(node.state)
                features = world.spec.features(child.state)
                novel = table.novel(features)
                if not child.entry or self.entry_in_table:
                    table.add(features)
                if child.goal:
                    world.solve(child)
                if child.entry:
                    child.region = None
                    abstract = self.abstract(child.state)
                    if not self.high_table.novel(abstract):
                        child.pruned = True
                        world.pruned_entries += 1
                        continue
                    self.high_table.add(abstract)
                    world.keep(child)
                    self.open.append(self.open_region(child))
                    self.alive += 1
                    yield child
                elif novel:
                    world.keep(child)
                    frontier.append(child)
                else:
                    child.pruned = True
                    world.pruned += 1
                    self.waiting.append(child)
            node.expanded = True
            world.expanded += 1

    def restructure(self):
        """Judge everything again in the order of generation; nothing is generated."""
        self.searches.clear()
        self.high_table = Tuples(self.high)
        self.open = []
        region_of_root = {id(root): region for region, root in self.roots.items()}
        replayed = set()
        for node in self.world.nodes:
            features = self.world.spec.features(node.state)
            parent = node.parent
            above = None if parent is None else parent.region
            node.entry = parent is not None and self.abstract(node.state) != self.abstract(parent.state)
            if parent is not None and not node.entry:
                node.region = above
                if above in replayed:
                    node.pruned = not self.tables[above].novel(features)
                    self.tables[above].add(features)
                    if not node.pruned and not node.expanded:
                        self.frontiers[above].append(node)
                continue
            if above in replayed and self.entry_in_table:
                self.tables[above].add(features)
            abstract = self.abstract(node.state)
            if parent is not None and self.woken_at is None and not self.high_table.novel(abstract):
                node.region, node.pruned = None, True  # dormant, with all that is below it
                continue
            self.high_table.add(abstract)
            region = region_of_root.get(id(node))
            if region is None:
                region = self.open_region(node)
                replayed.add(region)
            elif self.rebuild_changed:
                self.tables[region] = Tuples(self.low)
                self.tables[region].add(features)
                self.frontiers[region] = [] if node.expanded else [node]
                replayed.add(region)
            node.region, node.pruned = region, False
            self.open.append(region)
        self.alive = len(self.open)
