// The pointer, the wheel and the keys on the canvas of a tree.

// `canvas` is a TreeCanvas. What is selected goes to its events.select(node).
function listenTo(canvas) {
  const { top } = canvas;
  listenToPointers(canvas);
  top.addEventListener("dblclick", (event) => {
    const node = canvas.find(event.offsetX, event.offsetY);
    if (node >= 0) canvas.toggle(node);
  });
  top.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      canvas.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), event.offsetX, event.offsetY);
    },
    { passive: false },
  );
  top.addEventListener("keydown", (event) => followKey(canvas, event));
}

// One pointer hovers, selects and pans, two zoom.
function listenToPointers(canvas) {
  const pointers = new Map();
  let moved = 0;
  const { top } = canvas;
  top.addEventListener("pointerdown", (event) => {
    top.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    if (pointers.size === 1) moved = 0;
  });
  top.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) {
      canvas.hover(canvas.find(event.offsetX, event.offsetY));
      return;
    }
    const now = [event.offsetX, event.offsetY];
    const [x, y] = [now[0] - before[0], now[1] - before[1]];
    moved += Math.abs(x) + Math.abs(y);
    if (pointers.size === 1) canvas.pan(x, y);
    else pinch(canvas, pointers, event.pointerId, now);
    pointers.set(event.pointerId, now);
  });
  const lift = (event) => {
    if (pointers.delete(event.pointerId) && moved < 5 && event.type === "pointerup")
      canvas.events.select(canvas.find(event.offsetX, event.offsetY));
  };
  top.addEventListener("pointerup", lift);
  top.addEventListener("pointercancel", lift);
  top.addEventListener("pointerleave", () => canvas.hover(-1));
}

function pinch(canvas, pointers, moving, now) {
  const [other] = [...pointers].filter(([id]) => id !== moving).map(([, spot]) => spot);
  const before = pointers.get(moving);
  const length = (spot) => Math.hypot(spot[0] - other[0], spot[1] - other[1]);
  if (length(before) > 0) canvas.zoom(length(now) / length(before), ...other);
}

// Arrow keys follow the direction in which the tree is drawn.
function followKey(canvas, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const names = canvas.view.down
    ? { ArrowUp: "parent", ArrowDown: "child", ArrowLeft: "before", ArrowRight: "after" }
    : { ArrowLeft: "parent", ArrowRight: "child", ArrowUp: "before", ArrowDown: "after" };
  const { layout } = canvas;
  const node = canvas.selected < 0 ? layout.root : canvas.selected;
  const where = names[event.key];
  if (where) canvas.events.select(canvas.selected < 0 ? node : neighbour(layout, node, where));
  else if (event.key === "Home") canvas.events.select(layout.root);
  else if (event.key === "+" || event.key === "=") canvas.zoom(1.5);
  else if (event.key === "-") canvas.zoom(1 / 1.5);
  else if (event.key === "Enter" || event.key === " ") canvas.toggle(node);
  else return;
  event.preventDefault();
}

function neighbour(layout, node, where) {
  const parent = node === layout.root ? -1 : layout.parents[node];
  if (where === "parent") return parent < 0 ? node : parent;
  const straight = (child) => layout.shown[child] && layout.row[child] === layout.row[node];
  if (where === "child") return [...layout.children(node)].find(straight) ?? node;
  const level = layout.levels[layout.level(node)] ?? [];
  return level[level.indexOf(node) + (where === "after" ? 1 : -1)] ?? node;
}
