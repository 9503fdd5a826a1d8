// The tree of one search, as the page has it, with its states and with its regions at each chapter.

const PRUNED = 1;
const EXPANDED = 2;
const ENTRY = 4;
const GOAL = 8;

class SearchTree {
  constructor(data, features) {
    this.data = data;
    this.features = features;
    this.count = data.parent.length;
    this.parent = data.parent;
    this.initial = new Set(data.root);
    this.chapterCount = data.chapters.length + 1;
    this.views = new Map();
  }

  // The number of a node in the search.
  number(node) {
    return this.data.numbers ? this.data.numbers[node] : node;
  }

  // The node with a number, or -1 if the page does not show it.
  withNumber(number) {
    if (!this.data.numbers) return Number.isInteger(number) && number >= 0 && number < this.count ? number : -1;
    this.places ??= new Map(this.data.numbers.map((shown, node) => [shown, node]));
    return this.places.get(number) ?? -1;
  }

  change(node) {
    const change = this.data.change[node];
    return change < 0 ? [-1, this.data.root, []] : this.data.changes[change];
  }

  operator(node) {
    const [operator] = this.change(node);
    return operator < 0 ? "initial state" : this.data.operators[operator];
  }

  has(node, feature) {
    for (let above = node; ; above = this.parent[above]) {
      if (this.parent[above] < 0) return this.initial.has(feature);
      const [, adds, deletes] = this.change(above);
      if (adds.includes(feature)) return true;
      if (deletes.includes(feature)) return false;
    }
  }

  state(node) {
    const path = [];
    for (let above = node; this.parent[above] >= 0; above = this.parent[above]) path.push(above);
    const state = new Set(this.initial);
    for (const step of path.reverse()) {
      const [, adds, deletes] = this.change(step);
      for (const feature of deletes) state.delete(feature);
      for (const feature of adds) state.add(feature);
    }
    return state;
  }

  // Regions and flags as they were at the end of a chapter; the last chapter is how the search ended.
  view(chapter) {
    let view = this.views.get(chapter);
    if (!view) this.views.set(chapter, (view = this.makeView(chapter)));
    return view;
  }

  makeView(chapter) {
    const { chapters } = this.data;
    if (chapter >= chapters.length) {
      const literals = this.data.levels.map((level) => level.literals?.length ?? 0);
      return { region: this.data.region, flags: this.data.flags, nodes: this.count, literals, roots: null };
    }
    const region = new Int32Array(this.count).fill(-1);
    const flags = new Uint8Array(this.count);
    for (const { changed, regions, flags: marks } of chapters.slice(0, chapter + 1))
      changed.forEach((node, index) => {
        region[node] = regions[index];
        flags[node] = marks[index];
      });
    const total = chapters[chapter].nodes;
    const shown = this.data.numbers ? this.data.numbers.filter((number) => number < total).length : total;
    return { region, flags, nodes: shown, literals: [chapters[chapter].literals], roots: null };
  }

  isEntry(view, node) {
    return node > 0 && (view.flags[node] & ENTRY) !== 0 && (view.flags[node] & GOAL) === 0;
  }

  // The first node of each region.
  roots(view) {
    if (!view.roots) {
      view.roots = new Map([[0, 0]]);
      for (let node = 1; node < view.nodes; node += 1)
        if (this.isEntry(view, node) && view.region[node] >= 0) view.roots.set(view.region[node], node);
    }
    return view.roots;
  }

  get levelCount() {
    return this.data.levels.length;
  }

  // The level of an entry: the highest whose features changed there.
  entryLevel(node) {
    return this.data.levels[0]?.entryLevel?.[node] ?? 0;
  }

  // For each node the high-level node of a level that it belongs to, by a number; -1 for none.
  groups(view, level) {
    if (level >= this.levelCount - 1) return view.region;
    view.groups ??= new Map();
    if (!view.groups.has(level)) {
      const groups = new Int32Array(this.count).fill(-1);
      let made = 0;
      for (let node = 0; node < view.nodes; node += 1) {
        if (view.region[node] < 0) continue;
        const begins = node === 0 || (this.isEntry(view, node) && this.entryLevel(node) <= level);
        groups[node] = begins ? made++ : groups[this.parent[node]];
      }
      view.groups.set(level, groups);
    }
    return view.groups.get(level);
  }

  // The nodes that make a feature true, in the order of generation.
  adding(feature) {
    if (!this.addedBy) {
      this.addedBy = new Map();
      for (let node = 1; node < this.count; node += 1)
        for (const added of this.change(node)[1]) {
          const known = this.addedBy.get(added);
          if (known) known.push(node);
          else this.addedBy.set(added, [node]);
        }
    }
    return this.addedBy.get(feature) ?? [];
  }

  // A number for each state: equal states have equal numbers, and different states hardly ever.
  stateKeys() {
    if (!this.keys) {
      const mixed = (feature) => Math.imul((feature + 1) ^ ((feature + 1) >>> 15), 0x2c1b3c6d) ^ (feature << 11);
      this.keys = new Int32Array(this.count);
      for (const feature of this.initial) this.keys[0] ^= mixed(feature);
      for (let node = 1; node < this.count; node += 1) {
        const [, adds, deletes] = this.change(node);
        let key = this.keys[this.parent[node]];
        for (const feature of adds) key ^= mixed(feature);
        for (const feature of deletes) key ^= mixed(feature);
        this.keys[node] = key;
      }
    }
    return this.keys;
  }

  sameState(left, right) {
    const states = [this.state(left), this.state(right)];
    return states[0].size === states[1].size && [...states[0]].every((feature) => states[1].has(feature));
  }
}
