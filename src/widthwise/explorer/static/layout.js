// Where nodes stand. A node and the deepest branch below it are in one row; every other branch is beside it, as near
// as the branches before it allow. So no branch lies left of its first node, which makes one pass up and one pass down
// enough, over columns; a library for trees would need an object for each node.

class Layout {
  constructor(parents) {
    const count = parents.length;
    this.parents = parents;
    this.first = new Int32Array(count + 2);
    for (const parent of parents) this.first[parent + 2] += 1; // roots have the parent -1
    for (let node = 1; node < this.first.length; node += 1) this.first[node] += this.first[node - 1];
    const next = this.first.slice();
    this.below = new Int32Array(count);
    for (let node = 0; node < count; node += 1) this.below[next[parents[node] + 1]++] = node;
    this.order = new Int32Array(count); // parents before children
    this.depth = new Int32Array(count);
    let filled = 0;
    for (const root of this.children(-1)) this.order[filled++] = root;
    for (let at = 0; at < filled; at += 1) {
      const node = this.order[at];
      for (const child of this.children(node)) {
        this.depth[child] = this.depth[node] + 1;
        this.order[filled++] = child;
      }
    }
    this.order = this.order.subarray(0, filled);
    this.shown = new Uint8Array(count);
    this.row = new Int32Array(count);
    this.span = new Int32Array(count); // how many rows a branch reaches beyond that of its first node
    this.deepest = new Int32Array(count);
    this.hiddenBelow = new Int32Array(count); // nodes that a collapsed node hides
    this.collapsed = new Set();
    this.arrange(() => true);
  }

  // The children of a node; those of -1 are the roots.
  children(node) {
    return this.below.subarray(this.first[node + 1], this.first[node + 2]);
  }

  // Places the nodes that `visible` accepts, except those below a collapsed node.
  arrange(visible, root = this.order[0]) {
    const { order, parents, shown, deepest, hiddenBelow, collapsed } = this;
    this.root = root;
    this.visible = visible;
    shown.fill(0);
    hiddenBelow.fill(0);
    this.count = 0;
    this.levels = [];
    for (const node of order) {
      const parent = parents[node];
      const reached = node === root || (parent >= 0 && shown[parent] === 1 && !collapsed.has(parent));
      if (!reached || !visible(node)) continue;
      shown[node] = 1;
      deepest[node] = this.depth[node];
      this.count += 1;
    }
    for (const node of collapsed) if (shown[node]) hiddenBelow[node] = this.sizeBelow(node);
    if (root === undefined || !shown[root]) return;
    this.placeBranches();
    const rootDepth = this.depth[root];
    this.row[root] = 0;
    for (const node of order) {
      if (!shown[node]) continue;
      if (node !== root) this.row[node] += this.row[parents[node]];
      (this.levels[this.depth[node] - rootDepth] ??= []).push(node);
    }
    // Within a level nodes stand in the order of their rows, so that the node under the pointer can be searched.
    for (const level of this.levels) level?.sort((left, right) => this.row[left] - this.row[right]);
  }

  // Sets the row of each node relative to its parent. The outline of a branch is its last row at each depth, the
  // deepest first; that of the deepest child becomes the parent's, so that all outlines together are built in one pass.
  placeBranches() {
    const { order, parents, shown, deepest, row, span, root } = this;
    const outlines = new Map();
    for (let at = order.length - 1; at >= 0; at -= 1) {
      const node = order[at];
      if (!shown[node]) continue;
      let first = -1;
      for (const child of this.children(node))
        if (shown[child] && (first < 0 || deepest[child] > deepest[first])) first = child;
      row[node] = span[node] = 0;
      const outline = first < 0 ? [] : outlines.get(first);
      if (first >= 0) span[node] = span[first];
      for (const child of this.children(node)) {
        if (!shown[child]) continue;
        if (child !== first) row[child] = this.beside(outline, outlines.get(child));
        span[node] = Math.max(span[node], row[child] + span[child]);
        outlines.delete(child);
      }
      outline.push(0);
      outlines.set(node, outline);
      if (node !== root && deepest[node] > deepest[parents[node]]) deepest[parents[node]] = deepest[node];
    }
  }

  // The first row beside an outline in which a branch is free, and adds the branch to the outline.
  beside(outline, branch) {
    let free = 0;
    for (let back = 1; back <= branch.length; back += 1) free = Math.max(free, outline[outline.length - back] + 1);
    for (let back = 1; back <= branch.length; back += 1)
      outline[outline.length - back] = free + branch[branch.length - back];
    return free;
  }

  level(node) {
    return this.depth[node] - this.depth[this.root];
  }

  get rows() {
    return this.root === undefined || !this.shown[this.root] ? 1 : this.span[this.root] + 1;
  }

  get levelCount() {
    return Math.max(1, this.levels.length);
  }

  sizeBelow(node) {
    let size = 0;
    const stack = [...this.children(node)];
    while (stack.length) {
      const top = stack.pop();
      if (!this.visible(top)) continue;
      size += 1;
      for (const child of this.children(top)) stack.push(child);
    }
    return size;
  }

  toggle(node) {
    if (this.collapsed.has(node)) this.collapsed.delete(node);
    else if (this.children(node).length) this.collapsed.add(node);
    this.arrange(this.visible, this.root);
  }

  // Opens everything above a node, so that it can be seen.
  reveal(node) {
    let changed = false;
    for (let above = this.parents[node]; above >= 0; above = this.parents[above])
      changed = this.collapsed.delete(above) || changed;
    if (changed) this.arrange(this.visible, this.root);
    return changed;
  }

  path(node) {
    const nodes = [];
    for (let above = node; above >= 0; above = this.parents[above]) nodes.push(above);
    return nodes.reverse();
  }
}
