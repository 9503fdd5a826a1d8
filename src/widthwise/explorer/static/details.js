// What the page says about one node.

const MOST_TUPLES = 400; // pairs of a large state are many: the first are examined, and the page says so
const MOST_LINES = 60;

class Details {
  // `page` has tree, reasons, chapter, level, nodeLink(node), toggle(node).
  constructor(page) {
    this.page = page;
  }

  // The parts of the panel for a node.
  of(node) {
    const { tree, chapter } = this.page;
    const view = tree.view(chapter);
    return [
      this.heading(node, view),
      this.change(node),
      this.novelty(node, view),
      this.judged(node, view),
      this.dropped(node, view),
      this.actions(node),
      this.state(node),
      this.path(node),
    ];
  }

  // A node in a sentence, for a screen reader.
  sentence(node) {
    const { tree, layout } = this.page;
    const view = tree.view(this.page.chapter);
    const marks = this.marks(node, view).map((mark) => mark.textContent);
    const group = tree.levelCount ? tree.groups(view, this.page.level)[node] : -1;
    if (group >= 0) marks.push(`high-level node ${group}`);
    const below = [...layout.children(node)].filter((child) => layout.shown[child]).length;
    return [`Node ${tree.number(node)}`, tree.operator(node), ...marks, `depth ${layout.depth[node]}`, counted(below, "child", "children")].join(", ");
  }

  heading(node, view) {
    const { tree } = this.page;
    const parent = tree.parent[node];
    const groups = tree.groups(view, this.page.level);
    const where =
      tree.levelCount === 0
        ? null
        : groups[node] < 0
          ? "in no high-level node"
          : [swatch(groups[node]), ` high-level node ${groups[node]}`];
    return [
      element("h2", {}, `Node ${tree.number(node)} `, this.marks(node, view)),
      element("p", { class: "operator" }, element("code", {}, tree.operator(node))),
      element(
        "p",
        { class: "meta" },
        parent < 0 ? "The root of the tree" : ["from ", this.page.nodeLink(parent)],
        `, depth ${this.page.layout.depth[node]}`,
        where ? [", ", where] : null,
        ".",
      ),
    ];
  }

  marks(node, view) {
    const { tree } = this.page;
    const flags = view.flags[node];
    const marks = [];
    if (flags & GOAL) marks.push("goal");
    if (tree.isEntry(view, node)) marks.push(view.region[node] >= 0 ? "begins a high-level node" : "entry");
    if (flags & PRUNED) marks.push("pruned");
    else if (tree.levelCount && view.region[node] < 0) marks.push("dormant");
    if (flags & EXPANDED) marks.push("expanded");
    return marks.map((mark) => element("span", { class: `mark ${mark.split(" ")[0]}` }, mark));
  }

  change(node) {
    if (this.page.tree.parent[node] < 0) return null;
    const [, adds, deletes] = this.page.tree.change(node);
    return element(
      "dl",
      { class: "change" },
      element("dt", {}, "made true"),
      element("dd", {}, this.atoms(adds)),
      element("dt", {}, "made false"),
      element("dd", {}, this.atoms(deletes)),
    );
  }

  atoms(features) {
    const shown = features.filter((feature) => !this.page.falsehoods.has(feature));
    if (!shown.length) return "nothing";
    return shown.map((feature) => [element("code", {}, this.page.tree.features[feature]), " "]);
  }

  // --- novelty

  novelty(node, view) {
    const { tree, reasons } = this.page;
    if (!tree.data.widths.length) return null;
    const parts = [element("h3", {}, "Novelty")];
    if (tree.parent[node] < 0) parts.push(element("p", {}, "Everything in the initial state is new."));
    else if (view.flags[node] & GOAL)
      parts.push(element("p", {}, "The goal holds here. The search ended before it looked at novelty."));
    else if (tree.isEntry(view, node))
      parts.push(reasons.entryKnown(node) ? this.ofEntry(node, view) : this.unknown(node, view));
    else if (!reasons.known(node) && !reasons.stored(this.page.chapter, node)) parts.push(this.unknown(node, view));
    else if (view.region[node] < 0)
      parts.push(
        element("p", {}, "It lies below a pruned high-level node and belongs to no search at this point of the run."),
      );
    else parts.push(this.inRegion(node, (view.flags[node] & PRUNED) !== 0));
    return element("section", { class: "novelty" }, parts);
  }

  // Why there is no reason.
  unknown(node, view) {
    const { tree, chapter } = this.page;
    const pruned = (view.flags[node] & PRUNED) !== 0 || (tree.isEntry(view, node) && view.region[node] < 0);
    const earlier = chapter !== tree.chapterCount - 1 && tree.data.first[node];
    const why = earlier
      ? "For nodes of the random sample, reasons are known only at the last chapter."
      : "Some earlier nodes are not on this page, and the number of nodes that are examined for a page is limited.";
    return element("p", {}, `It was ${pruned ? "pruned" : "kept"}. Which node was first is not known here. ${why}`);
  }

  // A node that was first; one that the page does not show has its number only.
  firstNode({ first, number }) {
    if (first >= 0) return this.page.nodeLink(first);
    return number === undefined ? "here" : `node ${numberFormat.format(number)}, not on this page`;
  }

  inRegion(node, pruned) {
    const { tree, reasons, chapter } = this.page;
    const place = tree.levelCount ? "its high-level node" : "the search";
    const derived = reasons.known(node);
    const { fresh, seen, left } = derived
      ? reasons.inRegion(chapter, node, MOST_TUPLES)
      : reasons.stored(chapter, node);
    const parts = [];
    if (reasons.low === "n")
      return pruned
        ? element("p", {}, "Pruned: the same state is that of ", this.firstNode(seen[0]), ".")
        : element("p", {}, `Kept: no node of ${place} had this state before.`);
    const unit = reasons.low === 1 ? "atom" : reasons.low === 2 ? "atom or pair" : `tuple of up to ${reasons.low} atoms`;
    if (pruned && !seen.length) parts.push(element("p", {}, "Pruned: it makes nothing true that its parent lacks."));
    else if (pruned) {
      parts.push(
        element("p", {}, `Pruned: nothing is new. Each ${unit} was shown before in ${place}:`),
        this.tupleTable(seen.map((tuple) => [tuple.features.map((feature) => tree.features[feature]), tuple])),
      );
    } else {
      parts.push(
        element("p", {}, `Kept: first in ${place} to show`),
        this.list(fresh.map(({ features }) => features.map((feature) => tree.features[feature]))),
      );
    }
    if (left) parts.push(element("p", { class: "meta" }, `${numberFormat.format(left)} more tuples are not listed.`));
    if (pruned && reasons.low === 1 && derived) parts.push(this.inherited(node));
    else if (pruned) parts.push(element("p", { class: "meta" }, "All other tuples are those of its parent."));
    return parts;
  }

  // Of a node pruned by single atoms: the nodes that showed the atoms it has from its parent.
  inherited(node) {
    const { tree, reasons, chapter, falsehoods } = this.page;
    const added = tree.change(node)[1];
    const region = tree.view(chapter).region[tree.parent[node]];
    const rest = [...tree.state(node)].filter((feature) => !added.includes(feature) && !falsehoods.has(feature));
    if (!rest.length) return null;
    const rows = rest.map((feature) => [
      [tree.features[feature]],
      { first: reasons.firstWith(chapter, region, [feature], node) },
    ]);
    return element(
      "details",
      {},
      element("summary", {}, `${counted(rest.length, "atom")} that it has from its parent`),
      this.tupleTable(rows),
    );
  }

  ofEntry(node, view) {
    const { tree, reasons, chapter } = this.page;
    const { level, tuples } = reasons.ofEntry(chapter, node);
    const name = (tokens) => tokens.map((token) => reasons.tokenName(level, token));
    const above = tree.levelCount > 1 ? ` of level ${level + 1}` : "";
    const fresh = tuples.filter(({ first }) => first < 0);
    const seen = tuples.filter(({ first }) => first >= 0);
    const intro = element("p", {}, `High-level features${above} change here.`);
    if (view.region[node] < 0) {
      if (!seen.length) return [intro, element("p", {}, "Pruned: none of the high-level features holds.")];
      return [
        intro,
        element("p", {}, "Pruned: its high-level features were shown before:"),
        this.tupleTable(seen.map((tuple) => [name(tuple.tokens), tuple])),
      ];
    }
    if (!fresh.length)
      return [
        intro,
        element("p", {}, "It has no new high-level feature. It was resumed because no branch proposed another feature."),
      ];
    return [intro, element("p", {}, "It begins a high-level node: first to show"), this.list(fresh.map(({ tokens }) => name(tokens)))];
  }

  tupleTable(rows) {
    const line = ([names, tuple]) =>
      element(
        "tr",
        {},
        element("td", {}, names.map((name) => [element("code", {}, name), " "])),
        element("td", {}, this.firstNode(tuple)),
      );
    const body = element("tbody", {}, rows.slice(0, MOST_LINES).map(line));
    const table = element(
      "table",
      { class: "tuples" },
      element("thead", {}, element("tr", {}, element("th", {}, "shown"), element("th", {}, "first by"))),
      body,
    );
    return [table, this.more(rows.length, () => append(body, rows.slice(MOST_LINES).map(line)))];
  }

  list(tuples) {
    const line = (names) => element("li", {}, names.map((name) => [element("code", {}, name), " "]));
    const made = element("ul", { class: "new" }, tuples.slice(0, MOST_LINES).map(line));
    return [made, this.more(tuples.length, () => append(made, tuples.slice(MOST_LINES).map(line)))];
  }

  more(count, show) {
    if (count <= MOST_LINES) return null;
    const button = element("button", { type: "button" }, `Show ${numberFormat.format(count - MOST_LINES)} more`);
    button.addEventListener("click", () => {
      show();
      button.remove();
    });
    return button;
  }

  // --- the rest

  // How a best-first search judged a node.
  judged(node, view) {
    const { tree } = this.page;
    if (tree.data.widths.length) return null;
    const values = tree.data.judged?.[node];
    const figures = values
      ? `Novelty ${values[0]}, ${counted(values[1], "open goal")}, ${counted(values[2], "effect")} of the relaxed plan reached.`
      : null;
    const deadEnd = view.flags[node] & PRUNED ? "Pruned: a dead end. Not even a relaxed plan reaches the goal from here." : null;
    return [figures, deadEnd].filter(Boolean).map((text) => element("p", { class: "meta" }, text));
  }

  // The successors of a node of a best-first search that are no children of it.
  dropped(node, view) {
    const { tree } = this.page;
    const { dropped } = tree.data;
    if (!dropped || (view.flags[node] & EXPANDED) === 0) return null;
    if (tree.number(node) >= dropped.examined)
      return element("p", { class: "meta" }, "Its duplicates were not computed: the work for a page is limited.");
    const rows = dropped.of[node];
    if (!rows) return element("p", { class: "meta" }, "All its successors are its children.");
    const missing = dropped.prunes ? "pruned: its novelty was not low enough" : "not generated before the search ended";
    const line = ([operator, number]) => {
      const place = number < 0 ? -1 : tree.withNumber(number);
      const same = place >= 0 ? this.page.nodeLink(place) : `node ${numberFormat.format(number)}`;
      return element(
        "tr",
        {},
        element("td", {}, element("code", {}, tree.data.operators[operator])),
        element("td", {}, number < 0 ? missing : ["the state of ", same]),
      );
    };
    const body = element("tbody", {}, rows.slice(0, MOST_LINES).map(line));
    return element(
      "details",
      { open: rows.length <= 8 },
      element("summary", {}, `${counted(rows.length, "successor")} without a node of ${rows.length === 1 ? "its" : "their"} own`),
      element(
        "table",
        { class: "tuples dropped" },
        element("thead", {}, element("tr", {}, element("th", {}, "operator"), element("th", {}, "what became of it"))),
        body,
      ),
      this.more(rows.length, () => append(body, rows.slice(MOST_LINES).map(line))),
    );
  }

  actions(node) {
    const { page } = this;
    const size = page.layout.sizeBelow(node);
    if (!size) return null;
    const closed = page.layout.collapsed.has(node);
    return element(
      "p",
      {},
      element(
        "button",
        { type: "button", onclick: () => page.toggle(node) },
        closed ? `Open ${counted(size, "node")} below` : `Close ${counted(size, "node")} below`,
      ),
    );
  }

  state(node) {
    const { tree, falsehoods } = this.page;
    const added = new Set(tree.change(node)[1]);
    const atoms = [...tree.state(node)]
      .filter((feature) => !falsehoods.has(feature))
      .map((feature) => [tree.features[feature], added.has(feature)])
      .sort(([left], [right]) => (left < right ? -1 : 1));
    return element(
      "details",
      { open: atoms.length <= 40 },
      element("summary", {}, `State: ${counted(atoms.length, "atom")}`),
      element(
        "ul",
        { class: "state" },
        atoms.map(([name, isNew]) => element("li", {}, element("code", { class: isNew ? "added" : null }, name))),
      ),
    );
  }

  path(node) {
    const { tree } = this.page;
    const nodes = this.page.layout.path(node).slice(1);
    if (!nodes.length) return null;
    return element(
      "details",
      {},
      element("summary", {}, `Path: ${counted(nodes.length, "step")}`),
      element(
        "ol",
        { class: "path" },
        nodes.slice(-500).map((step) => element("li", {}, element("code", {}, tree.operator(step)), " ", this.page.nodeLink(step))),
      ),
    );
  }
}
