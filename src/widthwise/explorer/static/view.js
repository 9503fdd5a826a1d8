// The view of a tree: where its nodes are on a canvas. A view has the pixels from row to row and from level to level, the
// place of the root, and whether the depth goes down or to the right.

const NEAR = 14; // pixels from a node at which the pointer still finds it

function sameView(left, right) {
  return left && ["row", "level", "x", "y", "down"].every((name) => left[name] === right[name]);
}

function spotOf(layout, node, view) {
  const across = layout.row[node] * view.row;
  const along = layout.level(node) * view.level;
  return view.down ? [across + view.x, along + view.y] : [along + view.x, across + view.y];
}

// The whole tree in the frame; the depth goes down if the tree has few rows, and to the right otherwise, unless `turned`
// says whether it goes down.
function fittedView({ rows, levelCount }, [width, height], turned) {
  const margin = 22;
  const down = turned ?? rows * 90 <= width;
  const across = (down ? width : height) - 2 * margin;
  const along = (down ? height : width) - 2 * margin - (down ? 0 : 70);
  const row = Math.min(across / rows, down ? 170 : 26);
  const level = Math.min(Math.max(along / Math.max(1, levelCount - 1), 3), down ? 64 : 260);
  const rest = across - row * (rows - 1);
  const view = { row, level, down, x: margin, y: margin };
  view[down ? "x" : "y"] += down ? Math.max(0, rest - row) / 2 : rest / 2;
  return view;
}

// Zooms by a factor around a point; depth grows less than rows, which are many.
function zoomedView(view, factor, point) {
  const row = Math.min(Math.max(view.row * factor, 0.0005), 400);
  const level = Math.min(Math.max(view.level * Math.sqrt(factor), 3), 260);
  const [across, along] = view.down ? ["x", "y"] : ["y", "x"];
  return {
    ...view,
    row,
    level,
    [across]: point[across] - ((point[across] - view[across]) * row) / view.row,
    [along]: point[along] - ((point[along] - view[along]) * level) / view.level,
  };
}

// The node nearest to a point, or -1.
function nearestNode(layout, view, x, y) {
  const [across, along] = view.down ? [x - view.x, y - view.y] : [y - view.y, x - view.x];
  let best = -1;
  let least = NEAR * NEAR;
  const middle = Math.round(along / view.level);
  const reach = Math.ceil(NEAR / view.level);
  for (let level = middle - reach; level <= middle + reach; level += 1) {
    const nodes = layout.levels[level];
    if (!nodes) continue;
    const wanted = across / view.row;
    let low = 0;
    let high = nodes.length - 1;
    while (low < high) {
      const half = (low + high) >> 1;
      if (layout.row[nodes[half]] < wanted) low = half + 1;
      else high = half;
    }
    for (const node of nodes.slice(Math.max(0, low - 1), low + 2)) {
      const [left, top] = spotOf(layout, node, view);
      const distance = (left - x) ** 2 + (top - y) ** 2;
      if (distance < least) [best, least] = [node, distance];
    }
  }
  return best;
}
