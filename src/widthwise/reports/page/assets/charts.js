"use strict";
// Draws the charts of a page with uPlot: legend, hover, keyboard, a table of values, light and dark.
const widthwiseCharts = (() => {
  const COLOURS = 8;
  const HEIGHT = 300;
  const { number, tick, rounded, lastBelow, nearest, columns, range } = widthwiseChartData;
  const drawn = new Map(); // block id -> what is drawn there

  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const colour = (number) => css(`--series-${number % COLOURS}`);

  function make(tag, className, text) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  // A chart that is drawn into a block.
  class Drawing {
    constructor(block, data) {
      this.block = block;
      this.figure = block.querySelector("figure");
      this.hidden = new Set();
      this.zoomed = false;
      this.data = data;
      this.legend = make("div", "legend");
      this.plot = make("div", "plot");
      this.plot.tabIndex = 0;
      this.plot.setAttribute("role", "img");
      this.tip = make("div", "tip");
      this.tip.hidden = true;
      this.spoken = make("p", "spoken");
      this.spoken.setAttribute("aria-live", "polite");
      this.values = make("details", "values");
      this.values.append(make("summary", "", "Values as a table"));
      this.values.addEventListener("toggle", () => this.listValues());
      this.plot.addEventListener("keydown", (event) => this.key(event));
      this.plot.addEventListener("blur", () => this.leave());
      this.figure.append(this.legend, this.plot, this.spoken, this.values);
      this.build();
      new ResizeObserver(() => this.resize()).observe(this.plot);
    }

    build() {
      const data = this.data;
      this.uplot?.destroy();
      this.plot.replaceChildren();
      this.figure.querySelector(".empty")?.remove();
      this.plot.setAttribute("aria-label",
        `${data.title}: ${data.y.label} over ${data.x.label}, ${data.curves.map((curve) => curve.label).join(", ")}. ` +
        "Arrow keys read the values.");
      this.buildLegend();
      this.uplot = new uPlot(this.options(), columns(data), this.plot);
      this.plot.append(this.tip);
      this.listValues();
    }

    buildLegend() {
      this.legend.hidden = this.data.kind === "points" && this.data.curves.length === 1;
      this.legend.replaceChildren(...this.data.curves.map((curve, index) => {
        const button = make("button", "", "");
        const swatch = make("span", curve.dashed ? "swatch dashed" : "swatch");
        swatch.style.setProperty("--colour", colour(curve.colour));
        button.append(swatch, document.createTextNode(curve.label));
        button.type = "button";
        button.setAttribute("aria-pressed", String(!this.hidden.has(index)));
        button.addEventListener("click", () => {
          if (!this.hidden.delete(index)) this.hidden.add(index);
          button.setAttribute("aria-pressed", String(!this.hidden.has(index)));
          for (const series of this.seriesOf[index]) this.uplot.setSeries(series, { show: !this.hidden.has(index) });
        });
        return button;
      }));
    }

    options() {
      const data = this.data, series = [{}], bands = [];
      this.seriesOf = []; // by curve, the columns that belong to it
      const line = {
        spanGaps: true,
        paths: data.kind === "steps" ? uPlot.paths.stepped({ align: 1 }) : uPlot.paths.linear(),
      };
      data.curves.forEach((curve, index) => {
        const show = !this.hidden.has(index), ink = colour(curve.colour), own = [];
        if (curve.low && data.kind !== "stack") {
          own.push(series.length, series.length + 1);
          bands.push({ series: [series.length + 1, series.length], fill: ink + "2b" });
          for (let side = 0; side < 2; side++) {
            series.push({ ...line, show, stroke: ink + "00", width: 0, points: { show: false } });
          }
        }
        if (data.kind === "stack" && index > 0) {
          bands.push({ series: [series.length, series.length - 1], fill: ink + "b0" });
        }
        own.push(series.length);
        this.seriesOf.push(own);
        const scatter = data.kind === "points";
        series.push({
          ...line, show, stroke: ink, width: 2,
          ...(curve.dashed ? { dash: [7, 5] } : {}),
          ...(data.kind === "stack" && index === 0 ? { fill: ink + "b0" } : {}),
          ...(scatter ? { paths: () => null } : {}),
          points: scatter
            ? { show: true, size: 5, width: 0, fill: ink + "66" }
            : { show: data.kind === "lines" && curve.x.length <= 30, size: 5, fill: ink },
        });
      });
      const axis = (side) => ({
        stroke: () => css("--muted"),
        grid: { stroke: () => css("--grid"), width: 1 },
        ticks: { stroke: () => css("--grid"), width: 1, size: 5 },
        font: "12px system-ui, sans-serif",
        labelFont: "12px system-ui, sans-serif",
        label: data[side].label,
        labelSize: 20,
        values: (u, splits) => splits.map(tick),
        ...(data[side].log ? { filter: (u, splits) => rounded(splits, u.scales[side]) } : {}),
        ...(side === "y"
          ? { size: (u, values) => 16 + 7 * Math.max(3, ...(values ?? []).map((text) => (text ?? "").length)) }
          : { size: 34, space: 70 }),
      });
      const scale = (side) => ({
        time: false,
        distr: data[side].log ? 3 : 1,
        range: (u, from, to) => {
          const whole = range(this.data[side], from, to);
          return side === "x" && this.zoomed && from !== null ? [from, to] : whole;
        },
      });
      return {
        width: this.width(), height: this.height(), series, bands,
        padding: [12, 26, 0, 0],
        legend: { show: false },
        scales: { x: scale("x"), y: scale("y") },
        axes: [axis("x"), axis("y")],
        focus: { alpha: 0.35 },
        cursor: {
          y: false,
          drag: { x: true, y: false },
          points: { show: data.kind === "lines" || data.kind === "steps", size: 7 },
          dataIdx: (u, own, index) => this.nearestKnown(u.data[own], index),
          ...(data.sync ? { sync: { key: data.sync, setSeries: false } } : {}),
        },
        hooks: {
          setCursor: [() => this.hover()],
          setSelect: [(u) => { this.zoomed = this.zoomed || u.select.width > 0; }],
          ready: [(u) => u.over.addEventListener("dblclick", () => { this.zoomed = false; })],
          drawAxes: data.diagonal ? [(u) => this.diagonal(u)] : [],
        },
      };
    }

    nearestKnown(column, index) {
      for (let away = 0; away < column.length; away++) {
        if (column[index - away] != null) return index - away;
        if (column[index + away] != null) return index + away;
      }
      return index;
    }

    diagonal(u) {
      const low = Math.max(u.scales.x.min, u.scales.y.min), high = Math.min(u.scales.x.max, u.scales.y.max);
      const at = (value) => [u.valToPos(value, "x", true), u.valToPos(value, "y", true)];
      u.ctx.save();
      u.ctx.strokeStyle = css("--muted");
      u.ctx.beginPath();
      u.ctx.moveTo(...at(low));
      u.ctx.lineTo(...at(high));
      u.ctx.stroke();
      u.ctx.restore();
    }

    width() { return Math.max(240, this.plot.clientWidth || this.figure.clientWidth); }
    height() { return Math.round(Math.min(HEIGHT + 80, Math.max(HEIGHT - 60, this.width() * 0.5))); }

    resize() {
      if (this.uplot.width !== this.width()) this.uplot.setSize({ width: this.width(), height: this.height() });
    }

    // What is under the cursor: a heading and a line for every curve that is shown.
    under() {
      const u = this.uplot, data = this.data, left = u.cursor.left;
      if (left === undefined || left < 0 || !u.data[0].length) return null;
      if (data.kind === "points") return this.pointUnder();
      const place = u.data[0][u.cursor.idx ?? nearest(u.data[0], u.posToVal(left, "x"))];
      const rows = [];
      data.curves.forEach((curve, index) => {
        if (this.hidden.has(index)) return;
        const own = data.kind === "steps" ? lastBelow(curve.x, place) : nearest(curve.x, place);
        if (own < 0) return;
        const differ = curve.low && curve.low[own] !== curve.high[own];
        const spread = differ ? ` [${number(curve.low[own])}, ${number(curve.high[own])}]` : "";
        rows.push([curve.colour, curve.label, number(curve.y[own]) + spread, curve.notes?.[own] ?? ""]);
      });
      return { heading: `${data.x.label}: ${number(place)}`, rows };
    }

    pointUnder() {
      const u = this.uplot, data = this.data;
      let best = null, least = 30 * 30;
      data.curves.forEach((curve, index) => {
        if (this.hidden.has(index)) return;
        curve.x.forEach((x, number) => {
          const dx = u.valToPos(x, "x") - u.cursor.left, dy = u.valToPos(curve.y[number], "y") - u.cursor.top;
          if (dx * dx + dy * dy < least) { least = dx * dx + dy * dy; best = [curve, number]; }
        });
      });
      if (best === null) return null;
      const [curve, index] = best;
      return {
        heading: curve.notes?.[index] ?? curve.label,
        rows: [
          [curve.colour, data.x.label, number(curve.x[index]), ""],
          [curve.colour, data.y.label, number(curve.y[index]), ""],
        ],
      };
    }

    hover() {
      const found = this.under();
      this.tip.hidden = found === null || !found.rows.length;
      if (this.tip.hidden) return;
      this.tip.replaceChildren(make("b", "", found.heading), ...found.rows.slice(0, 14).map((row) => {
        const line = make("div");
        const swatch = make("span", "swatch");
        swatch.style.setProperty("--colour", colour(row[0]));
        line.append(swatch, make("span", "name", row[1]), make("span", "value", row[2]));
        if (row[3]) line.append(make("span", "aside", row[3]));
        return line;
      }));
      const u = this.uplot, offset = u.over.offsetLeft + u.cursor.left;
      const left = offset + 14 + this.tip.offsetWidth > this.plot.clientWidth
        ? Math.max(0, offset - 14 - this.tip.offsetWidth) : offset + 14;
      this.tip.style.transform = `translate(${left}px, ${u.over.offsetTop + 6}px)`;
    }

    leave() {
      this.uplot.setCursor({ left: -10, top: -10 });
      this.tip.hidden = true;
    }

    key(event) {
      const places = this.uplot.data[0], step = event.shiftKey ? 10 : 1;
      if (!places.length) return;
      const moves = { ArrowLeft: -step, ArrowRight: step, Home: -Infinity, End: Infinity };
      if (event.key === "Escape") { this.leave(); return; }
      if (!(event.key in moves)) return;
      event.preventDefault();
      const now = this.uplot.cursor.left >= 0 ? this.uplot.cursor.idx ?? 0 : event.key === "ArrowLeft" ? places.length : -1;
      const index = Math.max(0, Math.min(places.length - 1, now + moves[event.key]));
      const column = this.uplot.data.slice(1).find((values) => values[index] != null);
      this.uplot.setCursor({
        left: this.uplot.valToPos(places[index], "x"),
        top: column ? this.uplot.valToPos(column[index], "y") : 0,
      });
      const found = this.under();
      if (found) this.spoken.textContent = [found.heading, ...found.rows.map((row) => `${row[1]} ${row[2]}`)].join("; ");
    }

    listValues() {
      if (!this.values.open) return;
      const table = make("table"), head = make("tr"), body = make("tbody");
      for (const name of ["series", this.data.x.label, this.data.y.label, "lowest", "highest"]) {
        const cell = make("th", "", name);
        cell.scope = "col";
        head.append(cell);
      }
      for (const curve of this.data.curves) {
        const every = Math.ceil(curve.x.length / 200);
        curve.x.forEach((place, index) => {
          if (index % every && index !== curve.x.length - 1) return;
          const row = make("tr");
          const texts = [curve.label, number(place), number(curve.y[index]),
            number(curve.low?.[index] ?? curve.y[index]), number(curve.high?.[index] ?? curve.y[index])];
          row.append(...texts.map((text, column) => make("td", column ? "" : "text", text)));
          body.append(row);
        });
      }
      const top = make("thead");
      top.append(head);
      table.append(top, body);
      const scroll = make("div", "scroll");
      scroll.append(table);
      this.values.querySelector(".scroll")?.remove();
      this.values.append(scroll);
    }

    update(data) {
      const shape = (own) => JSON.stringify([own.kind, own.x.label, own.y.label,
        own.curves.map((curve) => [curve.label, curve.colour, !!curve.low, curve.x.length <= 30])]);
      const same = shape(this.data) === shape(data);
      this.data = data;
      if (!same) {
        this.build();
        return;
      }
      const { left, top } = this.uplot.cursor;
      this.uplot.setData(columns(data), true);
      if (left >= 0) this.uplot.setCursor({ left, top });
      this.listValues();
    }
  }

  function draw(block, data) {
    if (!data.curves.length) return;
    const known = drawn.get(block.id);
    if (known && known.block === block) known.update(data);
    else drawn.set(block.id, new Drawing(block, data));
  }

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const drawing of drawn.values()) drawing.build();
  });

  const texts = JSON.parse(document.getElementById("charts").textContent);
  for (const [key, data] of Object.entries(texts)) draw(document.getElementById(key), data);
  return { draw, drawn };
})();
