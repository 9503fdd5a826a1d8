"use strict";
// The data of a chart as uPlot takes them, and numbers as texts.
const widthwiseChartData = (() => {
  function number(value) {
    if (value === null || value === undefined) return "-";
    const size = Math.abs(value);
    if (size !== 0 && size < 0.001) return value.toExponential(2);
    return value.toLocaleString("en-US", { maximumFractionDigits: size < 10 ? 3 : size < 1000 ? 2 : 0 });
  }

  function tick(value) {
    if (value === null) return "";
    const size = Math.abs(value);
    if (size >= 1e6) return `${+(value / 1e6).toPrecision(6)}M`;
    if (size !== 0 && size < 0.001) return value.toExponential(0);
    return value.toLocaleString("en-US", { maximumSignificantDigits: 6 });
  }

  // The places of a logarithmic axis that get a label: powers of ten, and 2 and 5 times them on a short axis.
  function rounded(splits, scale) {
    const wanted = scale.max / scale.min < 300 ? [1, 2, 5] : [1];
    return splits.map((value) => {
      const first = value / 10 ** Math.floor(Math.log10(value) + 1e-9);
      return wanted.some((digit) => Math.abs(first - digit) < 1e-6) ? value : null;
    });
  }

  // The last index at which a sorted list is not above a value; -1 if there is none.
  function lastBelow(list, value) {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] <= value) low = middle + 1; else high = middle;
    }
    return low - 1;
  }

  function nearest(list, value) {
    const below = lastBelow(list, value);
    if (below < 0) return 0;
    if (below + 1 < list.length && list[below + 1] - value < value - list[below]) return below + 1;
    return below;
  }

  // The columns of uPlot: all places, then for every curve its values, with the lowest and the highest before them.
  function columns(data) {
    if (data.kind === "points") return scattered(data);
    const places = [...new Set(data.curves.flatMap((curve) => curve.x))].sort((a, b) => a - b);
    const at = new Map(places.map((place, index) => [place, index]));
    const spread = (curve, values) => {
      const column = new Array(places.length).fill(null);
      curve.x.forEach((place, index) => { column[at.get(place)] = values[index]; });
      if (data.kind === "steps") {
        const from = at.get(curve.x[0]), to = at.get(curve.x[curve.x.length - 1]);
        for (let index = from + 1; index <= to; index++) column[index] ??= column[index - 1];
      }
      return column;
    };
    const result = [places];
    let below = new Array(places.length).fill(0);
    for (const curve of data.curves) {
      if (data.kind === "stack") {
        const own = spread(curve, curve.y);
        below = below.map((sum, index) => sum + (own[index] ?? 0));
        result.push(below);
      } else {
        if (curve.low) result.push(spread(curve, curve.low), spread(curve, curve.high));
        result.push(spread(curve, curve.y));
      }
    }
    return result;
  }

  function scattered(data) {
    const points = data.curves.flatMap((curve, number) => curve.x.map((x, index) => [x, curve.y[index], number]));
    points.sort((a, b) => a[0] - b[0]);
    const column = (number) => points.map((point) => (point[2] === number ? point[1] : null));
    return [points.map((point) => point[0]), ...data.curves.map((_, index) => column(index))];
  }

  function range(axis, from, to) {
    let low = axis.low ?? from, high = axis.high ?? to;
    if (low === null || low === undefined) { low = 0; high = 1; }
    if (axis.log) return [Math.max(low, 1e-9), Math.max(high, low * 1.1, 2e-9)];
    return low < high ? [low, high] : [low, low + 1];
  }

  return { number, tick, rounded, lastBelow, nearest, columns, range };
})();
