// Elements of the page. Names come from files of others: they become text nodes, never markup.

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  append(made, children);
  return made;
}

function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : String(child));
  }
}

function replaceContent(parent, ...children) {
  parent.textContent = "";
  append(parent, children);
}

const numberFormat = new Intl.NumberFormat("en");

function counted(number, singular, plural = `${singular}s`) {
  return `${numberFormat.format(number)} ${number === 1 ? singular : plural}`;
}

// The beginning of a page: its subject, the planner, what came out of it, and notes on what the page leaves out.
function pageHeader(data, subject, outcome, repaint) {
  return element(
    "header",
    {},
    element(
      "div",
      { class: "title" },
      element("h1", {}, subject, " ", element("small", {}, `by ${data.planner}`)),
      themeButton(repaint),
    ),
    element("p", {}, element("span", { class: `status ${data.status}` }, data.status), outcome),
    data.reason ? element("p", {}, `${data.reason[0].toUpperCase()}${data.reason.slice(1)}.`) : null,
    data.notes.map((note) => element("p", { class: "note" }, note)),
  );
}

// What a screen reader announces; it is not seen.
function announcer() {
  return element("p", { class: "quiet", role: "status" });
}

// Makes a row of many buttons one stop of the tab key; the arrow keys, Home and End go from one to the next.
function roving(row) {
  const buttons = () => [...row.querySelectorAll("button:not(:disabled)")];
  const stopAt = (chosen) => buttons().forEach((button) => (button.tabIndex = button === chosen ? 0 : -1));
  row.addEventListener("keydown", (event) => {
    const all = buttons();
    const at = all.indexOf(document.activeElement);
    const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 };
    if (at < 0 || !(event.key in next) || event.ctrlKey || event.metaKey || event.altKey) return;
    all[Math.min(Math.max(next[event.key], 0), all.length - 1)].focus();
    event.preventDefault();
  });
  row.addEventListener("focusin", (event) => stopAt(event.target.closest("button")));
  stopAt(buttons()[0]);
  return row;
}

// Replaces the content of a panel. A reader whose focus is in it stays there, at its heading.
function replacePanel(panel, ...children) {
  const inside = panel.contains(document.activeElement);
  replaceContent(panel, ...children);
  const heading = panel.querySelector("h2");
  heading?.setAttribute("tabindex", "-1");
  if (inside) heading?.focus();
}

// Light or dark as the system says, unless the reader chooses.
function themeButton(onchange) {
  const button = element("button", { type: "button", class: "theme" });
  const show = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Use ${isDark() ? "light" : "dark"} colours`);
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    show();
    onchange();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    show();
    onchange();
  });
  show();
  return button;
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

// The part of the address behind #, as names and values: #node=17&chapter=2.
function readAddress() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

function writeAddress(values) {
  const kept = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  const hash = `#${new URLSearchParams(kept)}`;
  try {
    history.replaceState(null, "", hash);
  } catch {
    // A page inside the frame of a notebook has no separate address.
  }
}

// Whether a key press is meant for a field of the page and not for the tree.
function inField(event) {
  return event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input[type=search], select, textarea");
}
