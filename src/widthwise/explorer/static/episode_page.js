// The page of an episode: a film strip, the tree at each step, the state of the node under the pointer, and how the
// action was chosen.

const LEGEND_STATES = 16;

class EpisodePage {
  constructor(data, host) {
    this.data = data;
    this.host = host;
    this.episode = new EpisodeTree(data);
    this.world = worldOf(this.episode);
    this.selected = -1;
    this.hovered = -1;
    this.build();
    const { step, node } = readAddress();
    this.setStep(Number(step) >= 0 && Number(step) < this.episode.stepCount ? Number(step) : 0);
    if (node !== undefined) this.select(Number(node));
    this.world?.ready.then(() => this.drawPictures());
    addEventListener("hashchange", () => this.follow());
    addEventListener("keydown", (event) => this.key(event));
  }

  build() {
    const { data } = this;
    this.place = element("div", { class: "tree-place" });
    this.tooltip = element("div", { class: "tooltip", "aria-hidden": "true" });
    this.picture = element("canvas", { role: "img" });
    this.caption = element("p", { class: "meta" });
    this.panel = element("div", { class: "details" });
    this.announcer = announcer();
    this.legend = element("ul", { class: "legend", "aria-label": "High-level states" });
    this.table = element("div", { class: "scroll" });
    this.film = data.steps.length ? new Film(this) : null;
    replaceContent(
      this.host,
      this.header(),
      data.steps.length ? this.film.section : element("p", {}, "The episode ended before the first action."),
      data.steps.length
        ? element(
            "div",
            { class: "columns" },
            element(
              "section",
              { class: "tree", "aria-label": "Search tree" },
              this.tools(),
              this.place,
              this.legend,
              this.help(),
            ),
            element(
              "aside",
              { "aria-label": "State and action" },
              this.world ? element("div", { class: "scene" }, this.picture) : null,
              this.caption,
              this.panel,
            ),
          )
        : null,
      data.steps.length
        ? element("section", { "aria-labelledby": "actions-heading" }, element("h2", { id: "actions-heading" }, "How the action was chosen"), this.table)
        : null,
      this.announcer,
      element("footer", {}, `Widthwise ${data.version}`),
    );
    if (!data.steps.length) return;
    this.canvas = new TreeCanvas(
      this.place,
      this.episode.layout,
      {
        colour: (node) => (this.episode.levelCount ? regionColour(this.episode.state(node, this.step)) : regionColour(4)),
        kind: (node) => this.kind(node),
        label: (node) => this.episode.actionName(node),
      },
      { select: (node) => this.select(node), hover: (node) => this.hover(node) },
    );
    this.place.append(this.tooltip);
  }

  header() {
    const { data } = this;
    const outcome =
      ` with score ${numberFormat.format(data.score)} after ${counted(data.steps.length, "step")}; ` +
      `${counted(data.interactions, "interaction")} with the simulator, ${counted(data.restores, "restore")}, seed ${data.seed}.`;
    return pageHeader(data, data.environment, outcome, () => this.repaint());
  }

  tools() {
    const button = (text, action, title) => element("button", { type: "button", onclick: action, title }, text);
    const choice = element("select", { id: "level", onchange: () => this.setLevel(Number(choice.value)) });
    for (let level = 0; level < this.episode.levelCount; level += 1)
      choice.append(element("option", { value: String(level) }, `level ${level + 1}${level ? "" : ", highest"}`));
    this.summary = element("span", { class: "meta", "aria-live": "polite" });
    return element(
      "div",
      { class: "tools" },
      this.summary,
      this.episode.levelCount > 1 ? element("label", {}, "Colours: ", choice) : null,
      button("Fit", () => this.canvas.fit(), "Show the whole tree"),
      button("Turn", () => this.canvas.turn(), "Draw the depth downwards or to the right"),
      button("+", () => this.canvas.zoom(1.6), "Zoom in"),
      button("−", () => this.canvas.zoom(1 / 1.6), "Zoom out"),
    );
  }

  help() {
    return element(
      "details",
      { class: "help" },
      element("summary", {}, "Keys, and what the marks mean"),
      element(
        "p",
        {},
        "The tree is shown as it was when the action was chosen; its root is the state of the agent. Colours are " +
          "high-level states. A square is an end of the episode, an open dot a node without children; the orange line is the " +
          "action that was executed. In a maze the solid line is the path taken, the dashed line the path to the node.",
      ),
      element(
        "dl",
        {},
        [
          [", and .", "previous step, next step"],
          ["p", "play"],
          ["arrow keys in the tree", "parent, child, neighbours; Home is the root"],
          ["arrow keys in the film", "from step to step"],
          ["Enter or double click", "open or close the nodes below"],
          ["f", "fit the tree"],
        ].map(([key, text]) => [element("dt", {}, key), element("dd", {}, text)]),
      ),
    );
  }

  // --- the step

  setStep(step) {
    if (!this.canvas) return;
    this.step = step;
    const { episode, data } = this;
    const now = data.steps[step];
    if (!this.inTree(this.selected)) this.selected = -1;
    episode.arrange(step);
    this.canvas.selected = this.selected;
    this.canvas.paths = [{ nodes: [now.root, ...(now.child >= 0 ? [now.child] : [])], colour: PLAN_COLOUR, width: 3.5 }];
    this.canvas.fit();
    this.film.show(step);
    this.summary.textContent =
      `Step ${step}: ${counted(episode.layout.count, "node")}` +
      (now.highLevelStates.length ? `, ${counted(now.highLevelStates.at(-1), "high-level state")}` : "") +
      `, ${counted(now.interactions, "interaction")}`;
    this.canvas.top.setAttribute(
      "aria-label",
      `Search tree at step ${step}: ${counted(episode.layout.count, "node")}. Arrow keys select nodes.`,
    );
    this.legendItems();
    replaceContent(this.table, actionTable(data, step));
    this.showNode();
    this.address();
  }

  move(by) {
    this.setStep(Math.min(this.episode.stepCount - 1, Math.max(0, this.step + by)));
  }

  showEnd() {
    this.setStep(this.episode.stepCount - 1);
    this.select(this.data.steps.at(-1).child);
  }

  inTree(node) {
    if (node < 0 || node >= this.data.nodes.born.length || this.data.nodes.born[node] > this.step) return false;
    const { root } = this.data.steps[this.step];
    for (let above = node; above >= 0; above = this.data.nodes.parent[above]) if (above === root) return true;
    return false;
  }

  kind(node) {
    if (this.data.nodes.terminal[node]) return this.data.nodes.reward[node] > 0 ? "goal" : "entry";
    const { layout } = this.episode;
    for (const child of layout.children(node)) if (layout.visible(child)) return "kept";
    return "pruned";
  }

  legendItems() {
    const sizes = new Map();
    for (const node of this.episode.nodesAt(this.step)) {
      const state = this.episode.state(node, this.step);
      sizes.set(state, (sizes.get(state) ?? 0) + 1);
    }
    const rows = this.episode.levelCount ? [...sizes].sort(([left], [right]) => left - right) : [];
    replaceContent(
      this.legend,
      rows
        .slice(0, LEGEND_STATES)
        .map(([state, size]) =>
          element("li", { "data-group": state }, swatch(state), `state ${state}`, element("span", { class: "meta" }, ` ${counted(size, "node")} `)),
        ),
      rows.length > LEGEND_STATES ? element("li", { class: "meta" }, `and ${rows.length - LEGEND_STATES} more`) : null,
    );
  }

  // --- the node

  select(node) {
    if (!(node >= 0) || node >= this.data.nodes.born.length) return;
    if (!this.inTree(node)) {
      const step = this.episode.stepOf(node);
      if (step === null) return;
      this.setStep(step);
    }
    this.selected = node;
    this.canvas.select(node);
    this.showNode();
    this.announcer.textContent = `${this.caption.textContent}, ${this.episode.actionName(node)}, reward ${this.data.nodes.reward[node]}`;
    this.address();
  }

  hover(node) {
    this.hovered = node;
    this.tooltip.hidden = node < 0;
    if (node >= 0) {
      this.tooltip.textContent = `${this.episode.actionName(node)}, reward ${this.data.nodes.reward[node]}`;
      const [x, y] = this.canvas.spot(node);
      this.tooltip.style.left = `${Math.min(Math.max(4, x + 12), Math.max(4, this.canvas.size[0] - 200))}px`;
      this.tooltip.style.top = `${y + 14}px`;
    }
    this.showNode();
  }

  showNode() {
    const { root } = this.data.steps[this.step];
    const node = this.hovered >= 0 ? this.hovered : this.selected >= 0 ? this.selected : root;
    if (this.world) {
      paint(this.picture, this.world, Math.min(520, this.picture.parentElement.clientWidth || 320), node, this.step, true);
      this.picture.setAttribute("aria-label", `The state of node ${node}`);
    }
    this.caption.textContent =
      node === root ? `The agent at step ${this.step}` : `Node ${node}, ${counted(this.episode.layout.level(node), "step")} ahead`;
    if (this.hovered < 0) replaceContent(this.panel, this.nodeText(node, root));
  }

  nodeText(node, root) {
    const { nodes, texts } = this.data;
    const path = this.episode.layout.path(node);
    const ahead = path.slice(path.indexOf(root) + 1).map((step) => this.episode.actionName(step));
    const state = this.episode.state(node, this.step);
    const rows = [
      ["action", this.episode.actionName(node)],
      ["reward", String(nodes.reward[node])],
      ["sum of rewards from the current state", numberFormat.format(this.episode.gain(node, this.step))],
      ["generated at step", String(nodes.born[node])],
    ];
    if (state >= 0) rows.push(["high-level state", [swatch(state), String(state)]]);
    if (nodes.value[node] !== null) rows.push(["network's value", String(nodes.value[node])]);
    if (nodes.terminal[node]) rows.push(["end", "the episode ends here"]);
    if (texts[node]) rows.push(["observation", element("code", {}, texts[node])]);
    if (ahead.length) rows.push(["path from the agent", ahead.slice(0, 80).join(", ")]);
    return [
      element("h2", {}, node === root ? "The agent" : `Node ${node}`),
      element("dl", { class: "change" }, rows.map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
    ];
  }

  address() {
    writeAddress({ step: this.step, node: this.selected >= 0 ? this.selected : null });
  }

  follow() {
    const { step, node } = readAddress();
    if (Number(step) >= 0 && Number(step) < this.episode.stepCount && Number(step) !== this.step) this.setStep(Number(step));
    if (node !== undefined && Number(node) !== this.selected) this.select(Number(node));
  }

  setLevel(level) {
    this.episode.level = level;
    this.repaint();
  }

  repaint() {
    if (!this.canvas) return;
    this.canvas.redraw();
    this.legendItems();
    this.showNode();
  }

  drawPictures() {
    if (!this.world || !this.canvas) return;
    this.film.drawPictures();
    this.showNode();
    this.film.scroll();
  }

  key(event) {
    if (inField(event) || !this.canvas) return;
    if (event.key === ",") this.move(-1);
    else if (event.key === ".") this.move(1);
    else if (event.key === "p") this.film.play();
    else if (event.key === "f") this.canvas.fit();
    else return;
    event.preventDefault();
  }
}

// The one name that the page defines, for those who want to look closer in the console of the browser.
window.explorer = new EpisodePage(JSON.parse(document.getElementById("data").textContent), document.getElementById("page"));
