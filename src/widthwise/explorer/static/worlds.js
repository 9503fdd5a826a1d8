// What a state of an episode looks like: a maze with the way through it, a frame of the sprite sheet, or numbers.

const MAZE = { wall: "#545a66", floor: "#f6f6f3", key: "#d62728", door: "#1e963c", agent: "#143cdc" };

// The world that fits the data: it has width, height, and draw(pen, size, node, step, wide).
function worldOf(episode) {
  if (episode.data.maze) return new MazeWorld(episode);
  if (episode.data.sheet) return new SheetWorld(episode);
  return null;
}

class MazeWorld {
  constructor(episode) {
    this.episode = episode;
    this.cells = episode.data.maze;
    this.width = Math.max(...this.cells.map((row) => row.length));
    this.height = this.cells.length;
    this.ready = Promise.resolve();
  }

  // The maze with the way walked up to a node. The large picture also shows the cells that the tree of a step covers,
  // in the colours of the high-level states met there.
  draw(pen, size, node, step, large) {
    const unit = size / Math.max(this.width, this.height);
    const { place } = this.episode.data.nodes;
    const [row, column, key] = place[node] ?? [-1, -1, 0];
    const box = (down, across, colour, inset = 0) => {
      pen.fillStyle = colour;
      pen.fillRect((across + inset) * unit, (down + inset) * unit, (1 - 2 * inset) * unit + 0.5, (1 - 2 * inset) * unit + 0.5);
    };
    this.cells.forEach((line, down) =>
      [...line].forEach((letter, across) => {
        box(down, across, letter === "#" ? MAZE.wall : MAZE.floor);
        if (letter === "D") box(down, across, MAZE.door, 0.12);
        if (letter === "K" && !key) box(down, across, MAZE.key, 0.2);
      }),
    );
    if (large) this.explored(pen, unit, step);
    this.way(pen, unit, node, step, large);
    if (row < 0) return;
    pen.fillStyle = MAZE.agent;
    pen.beginPath();
    pen.arc((column + 0.5) * unit, (row + 0.5) * unit, unit * 0.36, 0, 7);
    pen.fill();
  }

  explored(pen, unit, step) {
    const { episode } = this;
    const states = new Map();
    for (const node of episode.nodesAt(step)) {
      const at = episode.data.nodes.place[node];
      if (!at) continue;
      const met = states.get(`${at[0]},${at[1]}`) ?? new Set();
      states.set(`${at[0]},${at[1]}`, met.add(episode.state(node, step)));
    }
    pen.globalAlpha = 0.5;
    for (const [cell, met] of states) {
      const [down, across] = cell.split(",").map(Number);
      const shown = [...met].slice(0, 4);
      shown.forEach((state, part) => {
        pen.fillStyle = regionColour(state);
        pen.fillRect((across + part / shown.length) * unit, down * unit, unit / shown.length, unit);
      });
    }
    pen.globalAlpha = 1;
  }

  way(pen, unit, node, step, large) {
    const { parent, place } = this.episode.data.nodes;
    const spots = [];
    for (let above = node; above >= 0; above = parent[above]) if (place[above]) spots.push(place[above]);
    const { root } = this.episode.data.steps[step];
    let walked = 0;
    for (let above = root; above >= 0; above = parent[above]) walked += 1;
    spots.reverse();
    const line = (part, colour, dash) => {
      pen.strokeStyle = colour;
      pen.lineWidth = Math.max(1, unit * (large ? 0.16 : 0.2));
      pen.setLineDash(dash);
      pen.lineCap = dash.length ? "butt" : "round";
      pen.beginPath();
      part.forEach(([down, across], index) =>
        index ? pen.lineTo((across + 0.5) * unit, (down + 0.5) * unit) : pen.moveTo((across + 0.5) * unit, (down + 0.5) * unit),
      );
      pen.stroke();
      pen.setLineDash([]);
    };
    line(spots.slice(0, walked), MAZE.agent, []);
    line(spots.slice(Math.max(0, walked - 1)), MAZE.agent, [unit * 0.3, unit * 0.2]);
  }
}

class SheetWorld {
  constructor(episode) {
    this.episode = episode;
    const { sheet } = episode.data;
    this.width = sheet.width;
    this.height = sheet.height;
    this.image = new Image();
    this.ready = new Promise((resolve) => {
      this.image.addEventListener("load", resolve);
      this.image.src = sheet.image;
    });
  }

  draw(pen, size, node) {
    const { sheet, nodes } = this.episode.data;
    const scale = size / Math.max(sheet.width, sheet.height);
    const frame = nodes.frame[node];
    pen.imageSmoothingEnabled = false;
    if (frame >= 0) {
      const [left, top] = [(frame % sheet.columns) * sheet.width, Math.floor(frame / sheet.columns) * sheet.height];
      pen.drawImage(this.image, left, top, sheet.width, sheet.height, 0, 0, sheet.width * scale, sheet.height * scale);
      return;
    }
    pen.fillStyle = regionColour(-1);
    pen.fillRect(0, 0, sheet.width * scale, sheet.height * scale);
  }
}

// Draws a world onto a canvas with this longer side, in pixels of the page.
function paint(canvas, world, side, node, step, large) {
  const scale = Math.min(devicePixelRatio || 1, 2);
  const longer = Math.max(world.width, world.height);
  canvas.width = Math.round(((side * world.width) / longer) * scale);
  canvas.height = Math.round(((side * world.height) / longer) * scale);
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  world.draw(pen, side, node, step, large);
}
