"use strict";
// Adds sorting and filtering to the tables of a page. They can be read without it.
const widthwiseTables = (() => {
  const MANY = 8; // rows from which on a table can be filtered
  const states = new WeakMap(); // block -> its order and filter

  const value = (cell) => cell?.dataset.sort ?? cell?.textContent ?? "";

  function numeric(text) {
    const match = /-?\d[\d,]*(\.\d+)?(e[-+]?\d+)?/i.exec(text);
    return match ? parseFloat(match[0].replaceAll(",", "")) : NaN;
  }

  function compare(first, second, asNumbers) {
    if (!asNumbers) return first.localeCompare(second, "en", { numeric: true });
    return numeric(first) - numeric(second);
  }

  function heads(table) {
    return [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  }

  function apply(block) {
    const state = states.get(block), table = block.querySelector("table"), body = table.tBodies[0];
    const rows = [...body.rows];
    rows.forEach((row, index) => { row.dataset.place ??= String(index); });
    const asNumbers = state.column !== null && !heads(table)[state.column].classList.contains("text");
    rows.sort((a, b) => {
      const usual = a.dataset.place - b.dataset.place;
      if (state.column === null) return usual;
      const first = value(a.cells[state.column]), second = value(b.cells[state.column]);
      if (asNumbers) { // values that are not numbers come last in both directions
        const without = Number.isNaN(numeric(first)) - Number.isNaN(numeric(second));
        if (without || Number.isNaN(numeric(first))) return without || usual;
      }
      return state.direction * compare(first, second, asNumbers) || usual;
    });
    const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    body.append(...rows);
    if (state.count) state.count.textContent = words.length ? `${shown} of ${rows.length} rows` : `${rows.length} rows`;
    heads(table).forEach((head, index) => {
      if (index === state.column) head.setAttribute("aria-sort", state.direction > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
  }

  function sortButtons(block, table) {
    heads(table).forEach((head, index) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.addEventListener("click", () => {
        const state = states.get(block), first = head.classList.contains("text") ? 1 : -1;
        if (state.column !== index) Object.assign(state, { column: index, direction: first });
        else if (state.direction === first) state.direction = -first;
        else state.column = null; // the third click restores the usual order
        apply(block);
      });
      head.replaceChildren(button);
    });
  }

  function toolbar(block, table) {
    const bar = document.createElement("div"), label = document.createElement("label");
    const input = document.createElement("input"), count = document.createElement("span");
    const save = document.createElement("button");
    bar.className = "toolbar";
    label.textContent = "Filter ";
    input.type = "search";
    input.placeholder = "words in a row";
    input.addEventListener("input", () => {
      states.get(block).filter = input.value;
      apply(block);
    });
    label.append(input);
    count.className = "count";
    count.setAttribute("role", "status");
    save.type = "button";
    save.textContent = "Save as CSV";
    save.addEventListener("click", () => download(block));
    bar.append(label, count, save);
    table.closest(".scroll").before(bar);
    states.get(block).count = count;
  }

  function download(block) {
    const rows = [...block.querySelector("table").rows].filter((row) => !row.hidden);
    const quote = (cell) => `"${cell.textContent.replaceAll('"', '""')}"${",".repeat(cell.colSpan - 1)}`;
    const text = rows.map((row) => [...row.cells].map(quote).join(",")).join("\r\n") + "\r\n";
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = `${block.id}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function enhance(block) {
    const table = block.querySelector("table");
    if (!table || states.has(block)) return;
    states.set(block, { column: null, direction: 1, filter: "", count: null });
    sortButtons(block, table);
    if (table.tBodies[0].rows.length > MANY) toolbar(block, table);
    apply(block);
  }

  // Puts other rows into a table, with its order and filter kept; false if it has other columns.
  function replaceRows(block, fresh) {
    const before = block.querySelector("table"), after = fresh.querySelector("table");
    if (!states.has(block) || !before || !after) return false;
    const names = (table) => heads(table).map((head) => head.textContent).join("\n");
    if (names(before) !== names(after)) return false;
    before.tBodies[0].replaceWith(after.tBodies[0]);
    before.tFoot?.remove();
    if (after.tFoot) before.append(after.tFoot);
    if (before.tBodies[0].rows.length > MANY && !states.get(block).count) toolbar(block, before);
    apply(block);
    return true;
  }

  document.querySelectorAll(".block.table").forEach(enhance);
  return { enhance, replaceRows };
})();
