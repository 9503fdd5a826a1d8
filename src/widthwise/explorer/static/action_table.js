// How the action of a step was chosen: behaviour and target per action, with what they were made from.

function actionTable(data, step) {
  const now = data.steps[step];
  const share = (value) => (value === null || value === undefined ? "" : value.toFixed(3));
  const columns = [
    ["return", (action) => (now.returns[action] === null ? "-" : Number(now.returns[action].toPrecision(4)))],
    ["nodes below", (action) => numberFormat.format(now.counts[action])],
    ["behaviour", (action) => share(now.behaviour[action])],
    ["target", (action) => share(now.target[action])],
  ];
  if (now.prior) columns.push(["network's policy", (action) => share(now.prior[action])]);
  const extra = [`Reward ${numberFormat.format(now.reward)}.`];
  if (now.value !== null) extra.push(`The network's value of the state is ${now.value.toPrecision(4)}.`);
  if (now.asPlanned !== null) extra.push(now.asPlanned ? "The step had the planned outcome." : "The outcome of the step differed from the planned one.");
  return [
    element("p", {}, `Step ${step}: the agent chose `, element("strong", {}, data.actions[now.action]), `. ${extra.join(" ")}`),
    element(
      "table",
      { class: "actions" },
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "action"), columns.map(([name]) => element("th", { scope: "col" }, name)))),
      element(
        "tbody",
        {},
        data.actions.map((name, action) =>
          element(
            "tr",
            { class: action === now.action ? "chosen" : null },
            element("th", { scope: "row" }, name),
            columns.map(([, value]) => element("td", {}, String(value(action)))),
          ),
        ),
      ),
    ),
  ];
}
