// Shapes on a canvas: edges, the marks of nodes, texts that fit.

function pathOf(paths, key) {
  let path = paths.get(key);
  if (!path) paths.set(key, (path = new Path2D()));
  return path;
}

function edge(path, [fromX, fromY], [x, y], view) {
  path.moveTo(fromX, fromY);
  if (view.row < 5) path.lineTo(x, y);
  else if (view.down) path.bezierCurveTo(fromX, (fromY + y) / 2, x, (fromY + y) / 2, x, y);
  else path.bezierCurveTo((fromX + x) / 2, fromY, (fromX + x) / 2, y, x, y);
}

// The mark of a node: a dot, a square, a star or a triangle, by its kind.
function mark(path, kind, x, y, radius) {
  const reach = kind === "pruned" ? radius * 0.75 : kind === "entry" ? radius * 1.25 : radius;
  if (kind === "entry") path.rect(x - reach, y - reach, 2 * reach, 2 * reach);
  else if (kind === "goal") star(path, x, y, radius * 1.9);
  else if (kind === "collapsed") {
    path.moveTo(x - reach * 1.4, y - reach * 1.2);
    path.lineTo(x + reach * 1.6, y);
    path.lineTo(x - reach * 1.4, y + reach * 1.2);
    path.closePath();
  } else if (radius < 1.6) path.rect(x - reach, y - reach, 2 * reach, 2 * reach);
  else {
    path.moveTo(x + reach, y);
    path.arc(x, y, reach, 0, 7);
  }
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
