// The page of a run on a task: puts the parts together and connects them.

class TaskPage {
  constructor(data, host) {
    this.data = data;
    this.host = host;
    this.falsehoods = new Set(data.falsehoods);
    this.level = 0;
    this.showPruned = true;
    this.details = new Details(this);
    this.treeNumbers = Object.keys(data.trees).map(Number);
    this.panel = element("div", { class: "details" });
    this.announcer = announcer();
    this.build();
    const wanted = readAddress();
    const used = data.plan?.at(-1).tree ?? this.treeNumbers.at(-1);
    if (this.treeNumbers.length) this.showTree(wanted.tree in data.trees ? Number(wanted.tree) : used);
    this.follow();
    addEventListener("hashchange", () => this.follow());
    addEventListener("keydown", (event) => this.key(event));
  }

  // --- the frame of the page

  build() {
    this.stage = element("div", { class: "tree-place" });
    this.storyPlace = element("div");
    this.levelPlace = element("span");
    this.legend = element("ul", { class: "legend", "aria-label": "High-level nodes" });
    this.tooltip = element("div", { class: "tooltip", "aria-hidden": "true" });
    this.planPlace = element("div", { class: "below" });
    replaceContent(this.host, 
      runHeader(this),
      searchesSection(this),
      this.treeNumbers.length
        ? element(
            "div",
            { class: "columns" },
            element("section", { class: "tree", "aria-label": "Search tree" }, this.storyPlace, this.tools(), this.stage, this.legend, this.help()),
            element("aside", { "aria-label": "Selected node" }, this.panel),
          )
        : null,
      this.planPlace,
      this.announcer,
      element("footer", {}, `Widthwise ${this.data.version}`),
    );
  }

  tools() {
    this.search = new NodeSearch(this);
    const pruned = element("input", {
      type: "checkbox",
      id: "pruned",
      checked: true,
      onchange: () => this.setPruned(pruned.checked),
    });
    const button = (text, action, title) => element("button", { type: "button", onclick: action, title }, text);
    return element(
      "div",
      { class: "tools" },
      this.search.place,
      this.levelPlace,
      element("label", {}, pruned, " pruned nodes"),
      button("Fit", () => this.canvas.fit(), "Show the whole tree"),
      button("Turn", () => this.canvas.turn(), "Draw the depth downwards or to the right"),
      button("+", () => this.canvas.zoom(1.6), "Zoom in"),
      button("−", () => this.canvas.zoom(1 / 1.6), "Zoom out"),
    );
  }

  help() {
    const keys = [
      ["arrow keys in the tree", "parent, child, neighbours; Home is the root"],
      ["Enter or double click", "open or close the nodes below"],
      ["+ and −, wheel, two fingers", "zoom"],
      ["/", "search"],
      ["f", "fit the tree"],
      ["g", "the goal"],
      ["[ and ]", "previous chapter, next chapter"],
    ];
    return element(
      "details",
      { class: "help" },
      element("summary", {}, "Keys, and what the marks mean"),
      element(
        "p",
        {},
        "A filled dot is a kept node, an open dot a pruned one, a square begins a high-level node, a star is the goal, " +
          "a triangle stands for closed nodes. Colours are high-level nodes. The orange line is the plan, the violet " +
          "line the pruned branch that proposed a feature. Where nodes are closer than a pixel, a subtree is one line.",
      ),
      element("dl", {}, keys.map(([key, text]) => [element("dt", {}, key), element("dd", {}, text)])),
    );
  }

  // --- the tree

  showTree(number) {
    this.treeNumber = number;
    this.tree = new SearchTree(this.data.trees[number], this.data.features);
    this.reasons = new Reasons(this.tree);
    this.chapter = this.tree.chapterCount - 1;
    this.level = Math.max(0, this.tree.levelCount - 1);
    this.layout = new Layout(this.tree.parent);
    this.selected = -1;
    this.stage.textContent = "";
    this.canvas = new TreeCanvas(
      this.stage,
      this.layout,
      { colour: (node) => this.colour(node), kind: (node) => this.kind(node), label: (node) => this.tree.operator(node) },
      { select: (node) => this.select(node), hover: (node) => this.hover(node) },
    );
    this.stage.append(this.tooltip);
    this.story = storySection(this);
    replaceContent(this.storyPlace, this.story?.section);
    replaceContent(this.levelPlace, this.levels());
    for (const button of this.host.querySelectorAll("[data-tree]"))
      button.setAttribute("aria-pressed", String(Number(button.dataset.tree) === number));
    this.arrange();
    this.welcome();
  }

  levels() {
    if (this.tree.levelCount < 2) return null;
    const choice = element("select", { id: "level", onchange: () => this.setLevel(Number(choice.value)) });
    for (let level = 0; level < this.tree.levelCount; level += 1)
      choice.append(element("option", { value: String(level), selected: level === this.level }, `level ${level + 1}${level ? "" : ", highest"}`));
    return element("label", {}, "Colours: ", choice);
  }

  arrange() {
    const view = this.tree.view(this.chapter);
    const hidden = (node) => !this.showPruned && (view.flags[node] & PRUNED) !== 0 && !(view.flags[node] & EXPANDED);
    this.layout.arrange((node) => node < view.nodes && !hidden(node));
    this.canvas.paths = this.paths();
    this.canvas.fit();
    this.describe();
    this.story?.show();
    replaceContent(this.legend, regionLegend(this));
    replaceContent(this.planPlace, planSection(this), goalsSection(this));
  }

  paths() {
    const paths = [];
    const proposer = this.tree.data.chapters[this.chapter]?.proposer;
    const { goal } = this.tree.data;
    if (goal !== null && goal < this.tree.view(this.chapter).nodes)
      paths.push({ nodes: this.layout.path(goal), colour: PLAN_COLOUR, width: 2.5 });
    if (proposer !== null && proposer !== undefined)
      paths.push({ nodes: this.layout.path(proposer), colour: PROPOSED_COLOUR, width: 3.5 });
    return paths;
  }

  groupNumbers() {
    return this.tree.groups(this.tree.view(this.chapter), this.level);
  }

  colour(node) {
    const view = this.tree.view(this.chapter);
    if (!this.tree.levelCount) return regionColour(view.flags[node] & PRUNED ? -1 : 4);
    return regionColour(this.tree.groups(view, this.level)[node]);
  }

  kind(node) {
    const view = this.tree.view(this.chapter);
    const flags = view.flags[node];
    if (flags & GOAL) return "goal";
    if (flags & PRUNED) return "pruned";
    return this.tree.isEntry(view, node) ? "entry" : "kept";
  }

  describe() {
    const { layout, tree } = this;
    const text = `Search tree of ${tree.data.planner}: ${counted(layout.count, "node")} drawn, depth ${layout.levelCount - 1}.`;
    this.canvas.top.setAttribute("aria-label", `${text} Arrow keys select nodes; the panel describes the selected node.`);
  }

  welcome() {
    replaceContent(
      this.panel,
      element("h2", {}, "Select a node"),
      element(
        "p",
        {},
        this.tree.data.widths.length
          ? "Click a node of the tree. The panel shows its state, and why it was kept or pruned: which node showed each of its atoms first."
          : "Click a node of the tree. The panel shows its state and what its operator changed.",
      ),
      this.tree.data.goal === null
        ? null
        : element("p", {}, "The goal is ", this.nodeLink(this.tree.data.goal), "."),
    );
  }

  // --- what the reader does

  nodeLink(node) {
    const number = this.tree.number(node);
    return element(
      "a",
      {
        href: `#node=${number}`,
        onclick: (event) => {
          event.preventDefault();
          this.select(node);
        },
      },
      `node ${number}`,
    );
  }

  select(node) {
    if (node === undefined || node < 0) return;
    if (node >= this.tree.view(this.chapter).nodes) this.setChapter(this.tree.chapterCount - 1);
    if (!this.layout.shown[node] && !this.showPruned) this.setPruned(true);
    this.selected = node;
    this.canvas.select(node);
    replacePanel(this.panel, this.details.of(node));
    this.announcer.textContent = this.details.sentence(node);
    for (const step of this.host.querySelectorAll("[data-step]")) {
      const { tree, node: at } = this.data.plan[step.dataset.step];
      const current = tree === this.treeNumber && at === node;
      step.classList.toggle("current", current);
      step.querySelector("button")?.setAttribute("aria-current", current ? "step" : "false");
    }
    const last = this.tree.chapterCount - 1;
    writeAddress({
      node: this.tree.number(node),
      tree: this.treeNumbers.length > 1 ? this.treeNumber : null,
      chapter: this.chapter < last ? this.chapter + 1 : null,
    });
  }

  selectStep(index) {
    const { tree, node } = this.data.plan[index];
    if (tree === undefined) return;
    if (tree !== this.treeNumber) this.showTree(tree);
    this.select(node);
  }

  // The region of a step of the plan at the chosen chapter and level; null where there are no regions.
  groupOf({ tree, node }) {
    if (tree !== this.treeNumber || !this.tree?.levelCount) return null;
    return this.groupNumbers()[node];
  }

  setChapter(chapter) {
    this.chapter = chapter;
    this.arrange();
    if (this.selected >= 0 && this.selected < this.tree.view(chapter).nodes) this.select(this.selected);
  }

  setLevel(level) {
    this.level = level;
    this.repaint();
  }

  setPruned(shown) {
    this.showPruned = shown;
    this.host.querySelector("#pruned").checked = shown;
    this.arrange();
  }

  toggle(node) {
    this.canvas.toggle(node);
    this.select(node);
  }

  repaint() {
    if (this.canvas) {
      this.canvas.redraw();
      replaceContent(this.legend, regionLegend(this));
      if (this.selected >= 0) this.select(this.selected);
    }
    replaceContent(this.planPlace, planSection(this), goalsSection(this));
  }

  hover(node) {
    this.tooltip.hidden = node < 0;
    if (node < 0) return;
    const { tree } = this;
    const view = tree.view(this.chapter);
    const group = tree.levelCount ? tree.groups(view, this.level)[node] : null;
    this.tooltip.textContent = `${tree.number(node)}: ${tree.operator(node)}${view.flags[node] & PRUNED ? ", pruned" : ""}${group === null ? "" : group < 0 ? ", in no high-level node" : `, high-level node ${group}`}`;
    const [x, y] = this.canvas.spot(node);
    const [width] = this.canvas.size;
    this.tooltip.style.left = `${Math.min(Math.max(4, x + 12), Math.max(4, width - 260))}px`;
    this.tooltip.style.top = `${y + 14}px`;
  }

  // Goes to what the address says: #node=17, with &tree= and &chapter=.
  follow() {
    const { node, tree, chapter } = readAddress();
    if (!this.tree) return;
    if (tree !== undefined && tree in this.data.trees && Number(tree) !== this.treeNumber) this.showTree(Number(tree));
    const wanted = Number(chapter) - 1;
    if (chapter !== undefined && wanted >= 0 && wanted < this.tree.chapterCount && wanted !== this.chapter)
      this.setChapter(wanted);
    if (node === undefined) return;
    const place = this.tree.withNumber(Number(node));
    if (place >= 0) {
      if (place !== this.selected) this.select(place);
    } else
      replacePanel(this.panel, element("h2", {}, "Node not shown"), element("p", {}, `Node ${node} is not on this page.`));
  }

  key(event) {
    if (inField(event) || !this.tree) return;
    const last = this.tree.chapterCount - 1;
    if (event.key === "/") this.search.focus();
    else if (event.key === "f") this.canvas.fit();
    else if (event.key === "g" && this.tree.data.goal !== null) this.select(this.tree.data.goal);
    else if (event.key === "[") this.setChapter(Math.max(0, this.chapter - 1));
    else if (event.key === "]") this.setChapter(Math.min(last, this.chapter + 1));
    else return;
    event.preventDefault();
  }
}

// The one name that the page defines, for those who want to look closer in the console of the browser.
window.explorer = new TaskPage(JSON.parse(document.getElementById("data").textContent), document.getElementById("page"));
