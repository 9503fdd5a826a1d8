// An episode: one tree of all nodes that planning made, and what was decided at every step.

class EpisodeTree {
  constructor(data) {
    this.data = data;
    this.level = 0;
    this.colours = new Map(); // step -> states of all nodes on each level
    this.layout = new Layout(data.nodes.parent);
  }

  get stepCount() {
    return this.data.steps.length;
  }

  get levelCount() {
    return this.data.states.length;
  }

  // The number of a node's high-level state at a step; -1 without levels.
  state(node, step) {
    if (!this.levelCount) return -1;
    return this.statesAt(step)[this.level][node];
  }

  // Colours change where features are discovered; all other steps share theirs.
  statesAt(step) {
    if (!this.data.changes.length) return this.data.states;
    if (!this.colours.has(step)) {
      const states = this.data.states.map((column) => column.slice());
      for (const [at, level, node, state] of this.data.changes) if (at <= step) states[level][node] = state;
      this.colours.clear();
      this.colours.set(step, states);
    }
    return this.colours.get(step);
  }

  // The tree as it was when the action of a step was chosen.
  arrange(step) {
    const { born } = this.data.nodes;
    this.layout.arrange((node) => born[node] <= step, this.data.steps[step].root);
  }

  nodesAt(step) {
    const { born } = this.data.nodes;
    const nodes = [];
    const stack = [this.data.steps[step].root];
    while (stack.length) {
      const node = stack.pop();
      if (born[node] > step) continue;
      nodes.push(node);
      for (const child of this.layout.children(node)) stack.push(child);
    }
    return nodes;
  }

  // The first step at which a node is in the tree; null if it never is.
  stepOf(node) {
    return node >= 0 && node < this.data.nodes.born.length ? this.data.nodes.born[node] : null;
  }

  actionName(node) {
    const action = this.data.nodes.action[node];
    return action < 0 ? "start" : (this.data.actions[action] ?? String(action));
  }

  // The sum of rewards from the root of a step to a node.
  gain(node, step) {
    let sum = 0;
    for (let above = node; above >= 0 && above !== this.data.steps[step].root; above = this.data.nodes.parent[above])
      sum += this.data.nodes.reward[above] ?? 0;
    return sum;
  }
}
