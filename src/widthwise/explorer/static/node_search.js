// The search for nodes by operator, atom or number: a field, and the nodes found as a list of links.

const MOST_MATCHES = 40;

class NodeSearch {
  // `page` has data, tree, chapter, select(node), nodeLink(node).
  constructor(page) {
    this.page = page;
    this.matches = [];
    this.field = element("input", {
      type: "search",
      id: "search",
      placeholder: "Operator, atom or node number",
      "aria-label": "Search nodes by operator, atom or number",
      oninput: () => this.find(),
      onkeydown: (event) => {
        if (event.key === "Enter" && this.matches.length) page.select(this.matches[0]);
        if (event.key === "Escape") {
          this.field.value = "";
          this.find();
        }
      },
    });
    this.found = element("div", { class: "found", "aria-live": "polite" });
    this.place = element("div", { class: "searching" }, this.field, this.found);
  }

  focus() {
    this.field.focus();
  }

  find() {
    const text = this.field.value.trim().toLowerCase();
    this.matches = [];
    if (!text) {
      this.found.textContent = "";
      return;
    }
    const { data, tree, chapter } = this.page;
    const view = tree.view(chapter);
    if (/^\d+$/.test(text)) this.matches.push(...[tree.withNumber(Number(text))].filter((node) => node >= 0));
    const operators = tree.data.operators.map((name) => name.toLowerCase().includes(text));
    const atoms = new Set();
    data.features.forEach((name, feature) => name.toLowerCase().includes(text) && atoms.add(feature));
    const fits = tree.data.changes.map(([operator, adds]) => operators[operator] || adds.some((atom) => atoms.has(atom)));
    let total = this.matches.length;
    for (let node = 1; node < view.nodes; node += 1) {
      if (!fits[tree.data.change[node]]) continue;
      total += 1;
      if (this.matches.length < MOST_MATCHES) this.matches.push(node);
    }
    this.list(total);
  }

  list(total) {
    const { page, matches } = this;
    replaceContent(
      this.found,
      element("p", { class: "meta" }, total ? `${counted(total, "node")} found` : "No node found"),
      element(
        "ul",
        {},
        matches.map((node) => element("li", {}, page.nodeLink(node), " ", element("code", {}, page.tree.operator(node)))),
      ),
      total > matches.length ? element("p", { class: "meta" }, `The first ${matches.length} are listed.`) : null,
    );
  }
}
