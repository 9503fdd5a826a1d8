// The run as a whole: what came out of it, and its searches in order.

// `page` has data, repaint().
function runHeader(page) {
  const { data } = page;
  const counts = [
    `${counted(data.generated, "node")} generated`,
    `${numberFormat.format(data.expanded)} expanded`,
    `${numberFormat.format(data.pruned)} pruned`,
  ];
  if (data.highLevelNodes) counts.push(counted(data.highLevelNodes, "high-level node"));
  if (data.seed !== null) counts.push(`seed ${data.seed}`);
  const outcome = [
    data.goal ? [" goal ", element("code", {}, data.goal)] : null,
    data.plan ? ` ${counted(data.plan.length - 1, "step")}, cost ${formatCost(data.cost)};` : null,
    ` ${counts.join(", ")}. Domain `,
    element("code", {}, data.domain),
    ".",
  ];
  return pageHeader(data, data.problem, outcome, () => page.repaint());
}

// The searches as a time line; their width is the share of nodes. `page` has data, treeNumbers, showTree(number).
function searchesSection(page) {
  const rows = searchRows(page);
  if (rows.length < 2) return null;
  return element(
    "section",
    { class: "stages", "aria-labelledby": "stages-heading" },
    element("h2", { id: "stages-heading" }, "Searches in order"),
    element(
      "ol",
      {},
      rows.map((row) => {
        const item = element(
          "li",
          {},
          element(
            "button",
            {
              type: "button",
              disabled: row.tree < 0,
              title: row.tree < 0 ? "Its tree is not on this page; the option --stage adds it" : "Show its tree",
              "data-tree": row.tree,
              onclick: () => page.showTree(row.tree),
            },
            element("strong", {}, row.planner),
            ` ${row.status}, ${counted(row.generated, "node")}`,
            row.tree < 0 ? element("span", { class: "quiet" }, ", its tree is not on this page") : null,
          ),
          row.reason ? element("span", { class: "meta" }, row.reason) : null,
        );
        item.style.flexGrow = String(Math.max(1, Math.sqrt(row.generated)));
        return item;
      }),
    ),
  );
}

// The stages of a portfolio, or else the searches of one planner, each with the number of its tree or -1.
function searchRows({ data, treeNumbers }) {
  if (data.stages.length)
    return data.stages.map((stage) => ({ ...stage, tree: treeOf(data, treeNumbers, stage.planner) }));
  return data.searches.map((search, number) => ({
    planner: search.planner,
    status: search.reached ? "solved" : "exhausted",
    reason: search.stage === search.planner ? "" : `search ${number + 1} of ${search.stage}`,
    generated: search.generated,
    tree: number in data.trees ? number : -1,
  }));
}

function treeOf(data, treeNumbers, planner) {
  const fits = treeNumbers.filter((number) => {
    const { planner: own, stage } = data.searches[number];
    return own === planner || stage === planner;
  });
  return fits.at(-1) ?? -1;
}
