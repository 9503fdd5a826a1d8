// The plan as a time line, and the goals along it.

// `page` has data, tree(number), groupOf(step), selectStep(index).
function planSection(page) {
  const { plan } = page.data;
  if (!plan) return null;
  let spent = 0;
  const items = plan.slice(1).map((step, index) => {
    spent += step.cost;
    const group = page.groupOf(step);
    const cost = page.data.unitCost ? "" : ` cost ${formatCost(step.cost)}, ${formatCost(spent)} in all`;
    return element(
      "li",
      { "data-step": index + 1 },
      element(
        "button",
        { type: "button", class: "step", onclick: () => page.selectStep(index + 1) },
        element("span", { class: "number" }, String(index + 1)),
        group === null ? null : swatch(group),
        element("code", {}, step.name),
        cost ? element("span", { class: "meta" }, cost) : null,
        group === null ? null : element("span", { class: "quiet" }, ` high-level node ${group}`),
      ),
    );
  });
  return element(
    "section",
    { class: "plan", "aria-labelledby": "plan-heading" },
    element("h2", { id: "plan-heading" }, `Plan: ${counted(plan.length - 1, "step")}, cost ${formatCost(page.data.cost)}`),
    planStrip(page),
    roving(element("ol", { class: "steps" }, items)),
  );
}

function formatCost(cost) {
  return numberFormat.format(cost);
}

// The steps as one strip: the width of a step is its cost, its colour the region it leads to.
function planStrip(page) {
  const { plan } = page.data;
  const total = plan.reduce((sum, step) => sum + step.cost, 0) || plan.length - 1;
  const strip = element("div", { class: "strip", "aria-hidden": "true" });
  plan.slice(1).forEach((step, index) => {
    const part = element("span", { title: `${index + 1}: ${step.name}`, onclick: () => page.selectStep(index + 1) });
    const group = page.groupOf(step);
    part.style.flexGrow = String(Math.max(total > plan.length - 1 || !page.data.unitCost ? step.cost : 1, total / 2000));
    part.style.background = group === null ? regionColour(-1) : regionColour(group);
    part.dataset.step = index + 1;
    strip.append(part);
  });
  return strip;
}

// When each goal became true, and false again.
function goalsSection(page) {
  const { goals, plan } = page.data;
  if (!plan || !goals.length) return null;
  const steps = plan.length - 1;
  const rows = goals.map(({ name, ranges }) => {
    const strip = element("div", { class: "held", "aria-hidden": "true" });
    for (const [first, last] of ranges) {
      const bar = element("span");
      bar.style.left = `${(100 * first) / (steps + 1)}%`;
      bar.style.width = `${(100 * (last - first + 1)) / (steps + 1)}%`;
      strip.append(bar);
    }
    return element(
      "li",
      {},
      element("code", {}, name),
      strip,
      element("span", { class: "meta" }, ranges.length ? `true ${ranges.map((range) => when(range, steps)).join(", ")}` : "never true"),
    );
  });
  return element(
    "section",
    { class: "goals", "aria-labelledby": "goals-heading" },
    element("h2", { id: "goals-heading" }, "Goals along the plan"),
    element("ul", {}, rows),
  );
}

function when([first, last], steps) {
  const from = first === 0 ? "at the start" : `from step ${first}`;
  if (last === steps) return first === 0 ? "all the time" : `${from} to the end`;
  if (first === 0 && last === 0) return from;
  return `${first === 0 ? "from the start" : from} to step ${last}`;
}
