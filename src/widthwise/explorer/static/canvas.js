// The tree on a canvas. A frame draws a fixed number of nodes at the most, into a picture that is shown when it is
// complete; until then the picture before it is shown, moved and stretched to the new view. A subtree that is narrower
// than a pixel is one line. So no frame takes long, however large the tree is.

const NODES_PER_FRAME = 1200;
const VISITS_PER_FRAME = 12000; // of nodes, with those that are out of view
const NARROW = 0.6; // pixels of a subtree that is drawn as one line

class TreeCanvas {
  // `style` has colour(node), kind(node) ("kept", "pruned", "entry", "goal"), label(node); `events` has select(node)
  // and hover(node or -1).
  constructor(host, layout, style, events) {
    Object.assign(this, { host, layout, style, events });
    this.base = element("canvas", { "aria-hidden": "true" });
    // An application gets the arrow keys from a screen reader, an image does not.
    this.top = element("canvas", { tabindex: "0", role: "application", "aria-roledescription": "search tree" });
    host.append(this.base, this.top);
    this.picture = { canvas: element("canvas"), view: null }; // the last complete one
    this.job = null; // the job that is being drawn
    this.stats = { frames: 0, pictures: 0, nodes: 0, mostPerFrame: 0, mostVisits: 0, limit: NODES_PER_FRAME, visitLimit: VISITS_PER_FRAME };
    this.selected = -1;
    this.hovered = -1;
    this.paths = []; // {nodes, colour, width}
    this.view = { row: 1, level: 1, x: 0, y: 0, down: true };
    this.fitted = true;
    new ResizeObserver(() => (this.fitted ? this.fit() : this.redraw())).observe(host);
    listenTo(this);
  }

  // --- where things are

  spot(node, view = this.view) {
    return spotOf(this.layout, node, view);
  }

  get size() {
    return [this.host.clientWidth, this.host.clientHeight];
  }

  fit() {
    this.view = fittedView(this.layout, this.size, this.turned);
    this.fitted = true;
    this.redraw();
  }

  turn() {
    this.turned = !this.view.down;
    this.fit();
  }

  zoom(factor, x = this.size[0] / 2, y = this.size[1] / 2) {
    this.view = zoomedView(this.view, factor, { x, y });
    this.fitted = false;
    this.request();
  }

  pan(x, y) {
    this.view.x += x;
    this.view.y += y;
    this.fitted = false;
    this.request();
  }

  // Moves the view so that a node can be seen.
  show(node) {
    const [x, y] = this.spot(node);
    const [width, height] = this.size;
    const shift = (at, end) => (at < 10 ? 40 - at : at > end - 10 ? end - 40 - at : 0);
    const [byX, byY] = [shift(x, width), shift(y, height)];
    if (byX || byY) this.pan(byX, byY);
  }

  // The node nearest to a point, or -1.
  find(x, y) {
    return nearestNode(this.layout, this.view, x, y);
  }

  // --- drawing

  // Draws a new picture, because the tree or its colours have changed.
  redraw() {
    this.job = null;
    this.picture.view = null;
    this.request();
  }

  request() {
    if (this.requested) return;
    this.requested = true;
    requestAnimationFrame(() => {
      this.requested = false;
      this.frame();
    });
  }

  frame() {
    this.job ??= this.newJob();
    const { drawn, visits, complete } = this.drawSome();
    this.stats.frames += 1;
    this.stats.mostPerFrame = Math.max(this.stats.mostPerFrame, drawn);
    this.stats.mostVisits = Math.max(this.stats.mostVisits, visits);
    this.job.drawn += drawn;
    if (complete) {
      this.stats.pictures += 1;
      this.stats.nodes = this.job.drawn;
      this.picture = { canvas: this.job.canvas, view: this.job.view };
      this.job = null;
    }
    this.present();
    if (this.job || !sameView(this.picture.view, this.view)) this.request();
  }

  newJob() {
    const canvas = element("canvas");
    const pen = this.prepared(canvas);
    const view = { ...this.view };
    if (view.row >= 5) this.drawPaths(pen, view, 3, 0.45);
    return { canvas, pen, view, drawn: 0, nodes: this.nodesToDraw(view) };
  }

  // A canvas of the right size, empty.
  prepared(canvas) {
    const [width, height] = this.size;
    const scale = Math.min(devicePixelRatio || 1, 2);
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    return pen;
  }

  // The last complete picture, as it looks in the present view; without one, what is drawn so far.
  present() {
    const pen = this.prepared(this.base);
    const [width, height] = this.size;
    const { canvas, view: from } = this.picture.view ? this.picture : this.job;
    if (!canvas.width || !canvas.height) return;
    const to = this.view;
    const [across, along] = from.down === to.down ? [to.row / from.row, to.level / from.level] : [1, 1];
    const [byX, byY] = to.down ? [across, along] : [along, across];
    pen.drawImage(canvas, to.x - from.x * byX, to.y - from.y * byY, width * byX, height * byY);
    this.over();
  }

  // The nodes in view, from the root down; a subtree that is too narrow to be seen is left out below its node.
  // Null stands for a node that was visited and is out of view.
  *nodesToDraw(view) {
    const { layout } = this;
    if (layout.root === undefined || !layout.shown[layout.root]) return;
    const [width, height] = this.size;
    const [across, along] = view.down ? [view.x, view.y] : [view.y, view.x];
    const [acrossEnd, alongEnd] = view.down ? [width, height] : [height, width];
    const stack = [layout.root];
    while (stack.length) {
      const node = stack.pop();
      const begin = layout.row[node] * view.row + across;
      const end = begin + (layout.span[node] + 1) * view.row;
      const at = layout.level(node) * view.level + along;
      if (end < -NEAR || begin > acrossEnd + NEAR || at - view.level > alongEnd) {
        yield null;
        continue;
      }
      const narrow = end - begin < NARROW && layout.deepest[node] > layout.depth[node];
      yield [node, narrow];
      if (narrow) continue;
      for (const child of layout.children(node)) if (layout.shown[child]) stack.push(child);
    }
  }

  drawSome() {
    const lines = new Map();
    const dots = new Map();
    const labels = [];
    const { layout, style } = this;
    const { pen, view, nodes } = this.job;
    const radius = Math.min(5.5, Math.max(1.1, Math.min(view.row, view.level) * 0.34));
    const labelled = view.down ? view.row >= 44 && view.level >= 15 : view.row >= 12.5 && view.level >= 84;
    let drawn = 0;
    let visits = 0;
    let complete = false;
    while (drawn < NODES_PER_FRAME && visits < VISITS_PER_FRAME) {
      const { value, done } = nodes.next();
      if (done) {
        complete = true;
        break;
      }
      visits += 1;
      if (!value) continue;
      drawn += 1;
      const [node, narrow] = value;
      const colour = style.colour(node);
      const [x, y] = this.spot(node, view);
      if (node !== layout.root) {
        const path = pathOf(lines, colour);
        edge(path, this.spot(layout.parents[node], view), [x, y], view);
      }
      if (narrow) {
        const path = pathOf(lines, colour);
        const length = (layout.deepest[node] - layout.depth[node]) * view.level;
        path.moveTo(x, y);
        path.lineTo(view.down ? x : x + length, view.down ? y + length : y);
        continue;
      }
      const kind = layout.collapsed.has(node) ? "collapsed" : style.kind(node);
      mark(pathOf(dots, `${colour}|${kind}`), kind, x, y, radius);
      if (labelled) labels.push([node, x, y]);
    }
    pen.lineWidth = view.row >= 3 ? 1.2 : 0.7;
    pen.globalAlpha = view.row >= 3 ? 0.75 : 0.9;
    for (const [colour, path] of lines) {
      pen.strokeStyle = colour;
      pen.stroke(path);
    }
    pen.globalAlpha = 1;
    for (const [key, path] of dots) {
      const [colour, kind] = key.split("|");
      pen.fillStyle = kind === "pruned" ? paper() : colour;
      pen.strokeStyle = kind === "goal" ? ink() : colour;
      pen.lineWidth = kind === "goal" ? 2 : 1.1;
      pen.fill(path);
      pen.stroke(path);
    }
    if (labels.length) this.write(labels, radius);
    return { drawn, visits, complete };
  }

  write(labels, radius) {
    const { layout } = this;
    const { pen, view } = this.job;
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.strokeStyle = paper();
    pen.lineWidth = 3;
    for (const [node, x, y] of labels) {
      const hidden = layout.hiddenBelow[node];
      const text = hidden ? `${this.style.label(node)} (+${numberFormat.format(hidden)})` : this.style.label(node);
      const room = (view.down ? view.row : view.level) - 2 * radius - 4;
      pen.fillStyle = this.style.kind(node) === "pruned" ? (isDark() ? "#9aa1ac" : "#666d78") : ink();
      const shown = shortened(pen, text, room);
      const down = view.down ? y : y - 6; // beside the line to the first child, not on it
      pen.strokeText(shown, x + radius + 3, down);
      pen.fillText(shown, x + radius + 3, down);
    }
  }

  // What lies on top: paths, the selected node, the node under the pointer.
  over() {
    const pen = this.prepared(this.top);
    const { layout } = this;
    if (this.view.row < 5) this.drawPaths(pen, this.view, 1, 1);
    for (const [node, colour, reach] of [
      [this.hovered, ink(), 7],
      [this.selected, PLAN_COLOUR, 8],
    ]) {
      if (node < 0 || !layout.shown[node]) continue;
      const [x, y] = this.spot(node);
      pen.strokeStyle = paper();
      pen.lineWidth = 5;
      pen.beginPath();
      pen.arc(x, y, reach, 0, 7);
      pen.stroke();
      pen.strokeStyle = colour;
      pen.lineWidth = 2.5;
      pen.stroke();
    }
  }

  // Paths lie below nodes as a broad band, or above them as a line where nodes are small.
  drawPaths(pen, view, factor, alpha) {
    const { layout } = this;
    pen.lineJoin = pen.lineCap = "round";
    pen.globalAlpha = alpha;
    for (const { nodes, colour, width } of this.paths) {
      const path = new Path2D();
      let before = null;
      for (const node of nodes) {
        if (!layout.shown[node]) continue;
        const spot = this.spot(node, view);
        if (before) edge(path, before, spot, view);
        before = spot;
      }
      pen.strokeStyle = colour;
      pen.lineWidth = width * factor;
      pen.stroke(path);
    }
    pen.globalAlpha = 1;
    pen.lineCap = "butt";
  }

  // --- events

  select(node) {
    this.selected = node;
    if (node >= 0) {
      if (this.layout.reveal(node)) this.redraw();
      this.show(node);
    }
    this.over();
  }

  hover(node) {
    if (node === this.hovered) return;
    this.hovered = node;
    this.top.classList.toggle("pointing", node >= 0);
    this.over();
    this.events.hover(node);
  }

  toggle(node) {
    const before = this.spot(node);
    this.layout.toggle(node);
    const after = this.spot(node);
    this.pan(before[0] - after[0], before[1] - after[1]);
    this.redraw();
  }
}
