// Why a node was kept or pruned: which of its tuples were new, and which node showed each of the others first.
//
// This replays the novelty tables from the recorded tree. The table of a region holds the tuples of its first node and
// of the nodes that were generated from it and kept, in the order of generation; an entry of another region counts as
// well unless the search has another setting. The table of a level holds the high-level features of entries.

class Reasons {
  constructor(tree) {
    this.tree = tree;
    this.low = tree.data.widths.at(-1);
  }

  // Whether the page has all nodes that a reason may name.
  known(node) {
    return this.low !== undefined && this.tree.number(node) < this.tree.data.complete;
  }

  // The same for the entries of high-level nodes.
  entryKnown(node) {
    return this.tree.number(node) < this.tree.data.entriesComplete;
  }

  // What was found out about a node when the page was made, at the end of the search: as `inRegion`; null without it.
  // A first node need not be on the page, so that its number is given as well.
  stored(chapter, node) {
    const { tree } = this;
    const tuples = tree.data.first[node];
    if (!tuples || chapter !== tree.chapterCount - 1) return null;
    const fresh = [];
    const seen = [];
    for (const [features, number] of tuples) {
      const tuple = { features, first: tree.withNumber(number), number };
      if (number !== tree.number(node)) seen.push(tuple);
      else if (!fresh.some((known) => known.features?.every((feature) => features.includes(feature)))) fresh.push(tuple);
    }
    return { fresh, seen, left: tree.data.firstLeft[node] ?? 0 };
  }

  // --- the lowest level

  // Whether a node put its tuples into the table of a region.
  counts(view, region, node) {
    const { tree } = this;
    if (view.region[tree.parent[node]] !== region) return false;
    if (tree.isEntry(view, node)) return tree.data.entryInTable;
    return (view.flags[node] & (PRUNED | GOAL)) === 0;
  }

  // The same at this chapter or, where tables are kept when nodes leave a region, at an earlier one.
  everCounts(chapter, region, node) {
    const { tree } = this;
    const first = tree.data.keepsTables ? 0 : chapter;
    for (let at = chapter; at >= first; at -= 1) {
      const view = tree.view(at);
      if (node < view.nodes && this.counts(view, region, node)) return true;
    }
    return false;
  }

  // The first node before another that showed all of some features in a region; -1 if there is none.
  firstWith(chapter, region, features, before) {
    const { tree } = this;
    const root = tree.roots(tree.view(chapter)).get(region);
    const shows = (node) => features.every((feature) => tree.has(node, feature));
    if (root !== undefined && root < before && shows(root)) return root;
    let best = before;
    for (const feature of features)
      for (const node of tree.adding(feature)) {
        if (node >= best) break;
        if (this.everCounts(chapter, region, node) && shows(node)) best = node;
      }
    return best < before ? best : -1;
  }

  firstEqual(chapter, region, node) {
    const { tree } = this;
    const keys = tree.stateKeys();
    const root = tree.roots(tree.view(chapter)).get(region);
    for (let other = 0; other < node; other += 1)
      if (
        keys[other] === keys[node] &&
        (other === root || (other > 0 && this.everCounts(chapter, region, other))) &&
        tree.sameState(other, node)
      )
        return other;
    return -1;
  }

  // The tuples of a node that may be new, each with the node that showed it first, or -1. Tuples without a feature
  // that the operator added are those of the parent.
  *tuples(chapter, node) {
    const { tree } = this;
    const region = tree.view(chapter).region[tree.parent[node]];
    if (this.low === "n") {
      yield { features: null, first: this.firstEqual(chapter, region, node) };
      return;
    }
    const added = tree.change(node)[1];
    const others = [...tree.state(node)].filter((feature) => !added.includes(feature));
    for (let size = 1; size <= this.low; size += 1)
      for (const features of combinations(added, others, size))
        yield { features, first: this.firstWith(chapter, region, features, node) };
  }

  // What the lowest level says about a node that was generated inside a region.
  inRegion(chapter, node, most = Infinity) {
    const fresh = [];
    const seen = [];
    let left = 0;
    let counted = 0;
    for (const tuple of this.tuples(chapter, node)) {
      if ((counted += 1) > most) {
        left += 1;
        continue;
      }
      if (tuple.first >= 0) seen.push(tuple);
      else if (!fresh.some(({ features }) => features?.every((feature) => tuple.features.includes(feature))))
        fresh.push(tuple); // a larger tuple that contains a new one is not worth a line
    }
    return { fresh, seen, left };
  }

  // --- the levels above

  // The high-level features of a node: numbers of literals that hold, or the values of a function.
  tokens(chapter, level, node) {
    const { tree } = this;
    const { literals, values } = tree.data.levels[level];
    if (!literals) return values[node] ?? [];
    const count = tree.levelCount === 1 ? tree.view(chapter).literals[0] : literals.length;
    const held = [];
    literals.slice(0, count).forEach(([feature, sign], number) => {
      if (tree.has(node, feature) === sign) held.push(number);
    });
    return held;
  }

  tokenName(level, token) {
    const { literals } = this.tree.data.levels[level];
    if (!literals) return token;
    const [feature, sign] = literals[token];
    return sign ? this.tree.features[feature] : `(not ${this.tree.features[feature]})`;
  }

  // What the level of an entry says about it: the tuples of its high-level features.
  ofEntry(chapter, node) {
    const { tree } = this;
    const view = tree.view(chapter);
    const level = tree.entryLevel(node);
    const above = level === 0 ? null : tree.groups(view, level - 1);
    const group = above?.[tree.parent[node]];
    const width = tree.data.widths[level];
    const rivals = [level === 0 ? 0 : above.indexOf(group)]; // the first node of the search on this level
    for (let other = 1; other < node; other += 1) {
      const inside = level === 0 || above[tree.parent[other]] === group;
      if (inside && tree.isEntry(view, other) && tree.entryLevel(other) === level) rivals.push(other);
    }
    const tokens = this.tokens(chapter, level, node);
    const tuples = [];
    if (width === "n") tuples.push({ tokens, first: -1 });
    for (let size = 1; size <= width; size += 1)
      for (const tuple of combinations(tokens, [], size)) tuples.push({ tokens: tuple, first: -1 });
    let open = tuples;
    for (const other of rivals) {
      if (!open.length) break;
      const held = new Set(this.tokens(chapter, level, other));
      const fits = (tuple) => tuple.every((token) => held.has(token)) && (width !== "n" || held.size === tuple.length);
      for (const tuple of open) if (fits(tuple.tokens)) tuple.first = other;
      open = open.filter(({ first }) => first < 0);
    }
    return { level, tuples };
  }

  // "kept" or "pruned", as the replayed tables say; null where they do not apply: the root, goals, dormant nodes.
  verdict(chapter, node) {
    const { tree } = this;
    const view = tree.view(chapter);
    if (node === 0 || (view.flags[node] & GOAL) !== 0) return null;
    if (tree.isEntry(view, node))
      return this.ofEntry(chapter, node).tuples.some(({ first }) => first < 0) ? "kept" : "pruned";
    if (view.region[node] < 0) return null;
    for (const { first } of this.tuples(chapter, node)) if (first < 0) return "kept";
    return "pruned";
  }
}

// Combinations of a size with at least one of `some`, the others from `rest`.
function combinations(some, rest, size) {
  return choose([...some, ...rest], size, 0, some.length, []);
}

function* choose(pool, size, from, firstEnd, chosen) {
  if (chosen.length === size) {
    yield chosen;
    return;
  }
  const end = chosen.length === 0 ? firstEnd : pool.length;
  for (let index = from; index < end; index += 1)
    yield* choose(pool, size, index + 1, firstEnd, [...chosen, pool[index]]);
}
