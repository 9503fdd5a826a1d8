// Small things that drawing needs: comparing views, neighbours in the tree, outlines, texts that fit.

function sameView(left, right) {
  return left && ["row", "level", "x", "y", "down"].every((name) => left[name] === right[name]);
}

function neighbour(layout, node, where) {
  const parent = node === layout.root ? -1 : layout.parents[node];
  if (where === "parent") return parent < 0 ? node : parent;
  const straight = (child) => layout.shown[child] && layout.row[child] === layout.row[node];
  if (where === "child") return [...layout.children(node)].find(straight) ?? node;
  const level = layout.levels[layout.level(node)] ?? [];
  return level[level.indexOf(node) + (where === "after" ? 1 : -1)] ?? node;
}

function pathOf(paths, key) {
  let path = paths.get(key);
  if (!path) paths.set(key, (path = new Path2D()));
  return path;
}

function star(path, x, y, reach) {
  for (let point = 0; point < 10; point += 1) {
    const length = point % 2 ? reach * 0.45 : reach;
    const angle = (point * Math.PI) / 5 - Math.PI / 2;
    const spot = [x + length * Math.cos(angle), y + length * Math.sin(angle)];
    if (point === 0) path.moveTo(...spot);
    else path.lineTo(...spot);
  }
  path.closePath();
}

function shortened(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  let length = Math.max(1, Math.floor((room / pen.measureText(text).width) * text.length));
  while (length > 1 && pen.measureText(`${text.slice(0, length)}…`).width > room) length -= 1;
  return length > 2 ? `${text.slice(0, length)}…` : "";
}
