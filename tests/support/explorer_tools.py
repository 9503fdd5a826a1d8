"""The scripts of explorer pages in a browser without a page, and literal twins of what they derive."""

from __future__ import annotations

from importlib.resources import files
from itertools import combinations

from widthwise import _native

GOAL, PRUNED, ENTRY = _native.GOAL, _native.PRUNED, _native.ENTRY


class PlainNames:
    """The names of a task that is only numbers."""

    def __init__(self, atoms):
        self.atoms = [f"a{atom}" for atom in range(atoms)]

    def operator_name(self, operator):
        return f"o{operator}"


def scripts(*names):
    """Scripts of the explorer as one text; what they define is global."""
    folder = files("widthwise.explorer") / "static"
    return "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in names)


#: For every chapter of a tree and every node: what the replayed tables say, and the flags and regions of the search.
VERDICTS = """data => {
  const tree = new SearchTree(data, data.features), reasons = new Reasons(tree), rows = [];
  for (let chapter = 0; chapter < tree.chapterCount; chapter += 1) {
    const view = tree.view(chapter);
    for (let node = 0; node < view.nodes; node += 1)
      rows.push([chapter, node, reasons.verdict(chapter, node), view.flags[node], view.region[node]]);
  }
  return rows;
}"""

#: For every node inside a region at the end of the search: its tuples, each with the first node that showed it.
OWNERS = """data => {
  const tree = new SearchTree(data, data.features), reasons = new Reasons(tree), rows = [];
  const chapter = tree.chapterCount - 1, view = tree.view(chapter);
  for (let node = 1; node < tree.count; node += 1) {
    if (tree.isEntry(view, node) || view.region[node] < 0 || view.flags[node] & GOAL) continue;
    for (const { features, first } of reasons.tuples(chapter, node)) rows.push([node, features, first]);
  }
  return rows;
}"""


def first_showings(spec, traced, names):
    """For every node inside a region, as `OWNERS`: tables filled by replaying the whole tree, node after node."""
    search, width = traced.search, traced.widths[-1]
    nodes = [search.node(node) for node in range(search.node_count)]
    states = [frozenset(map(names.number, spec.features(search.state(node)))) for node in range(search.node_count)]

    def tuples(state):
        if width == _native.ALL_FEATURES:
            return [state]
        return [frozenset(chosen) for size in range(1, width + 1) for chosen in combinations(sorted(state), size)]

    tables: dict = {}
    rows: dict = {}
    for node, (parent, _, _, region, flags) in enumerate(nodes):
        entry = bool(flags & ENTRY) and not flags & GOAL
        if parent is not None and not flags & GOAL:
            table = tables.get(nodes[parent][3])
            if table is not None and not entry and region is not None:
                own = [
                    atoms for atoms in tuples(states[node]) if width == _native.ALL_FEATURES or atoms - states[parent]
                ]
                rows |= {(node, atoms): table.get(atoms, -1) for atoms in own}
            if table is not None and (traced.entry_in_table if entry else not flags & PRUNED):
                for atoms in tuples(states[node]):
                    table.setdefault(atoms, node)
        if (parent is None or entry) and region is not None:
            tables[region] = dict.fromkeys(tuples(states[node]), node)
    return rows
