// The legend of a search tree: the high-level nodes at the chosen chapter and level, by their colours.

const LEGEND_ENTRIES = 14;

// `page` has tree, chapter, groupNumbers(), select(node).
function regionLegend(page) {
  const view = page.tree.view(page.chapter);
  const groups = page.groupNumbers();
  const sizes = new Map();
  const firsts = new Map();
  for (let node = 0; node < view.nodes && page.tree.levelCount; node += 1) {
    sizes.set(groups[node], (sizes.get(groups[node]) ?? 0) + 1);
    if (!firsts.has(groups[node])) firsts.set(groups[node], node);
  }
  const rows = [...sizes].sort(([left], [right]) => left - right);
  const dormant = rows.filter(([group]) => group < 0);
  const named = rows.filter(([group]) => group >= 0);
  const item = ([group, size]) =>
    element(
      "li",
      {},
      element(
        "button",
        { type: "button", "data-group": group, onclick: () => page.select(firsts.get(group)) },
        swatch(group),
        group < 0 ? "in none" : `high-level node ${group}`,
        element("span", { class: "meta" }, ` ${counted(size, "node")}`),
      ),
    );
  return [
    named.slice(0, LEGEND_ENTRIES).map(item),
    named.length > LEGEND_ENTRIES
      ? element("li", { class: "meta" }, `and ${counted(named.length - LEGEND_ENTRIES, "more high-level node")}`)
      : null,
    dormant.map(item),
  ];
}
