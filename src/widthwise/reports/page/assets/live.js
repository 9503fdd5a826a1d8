"use strict";
// Keeps a page that a server has sent up to date: only what has changed is replaced, so that scrolling, hovering,
// orders and filters stay as they are.
(() => {
  if (!("live" in document.body.dataset)) return;
  const PAUSE = 1500; // milliseconds between two requests
  let tag = null, changed = Date.now(), lost = false;

  const status = document.createElement("p");
  status.className = "live";
  status.setAttribute("role", "status");
  document.querySelector("header").append(status);

  function element(block) {
    const made = document.createElement("div");
    made.id = block.key;
    return made;
  }

  function fill(place, block) {
    const open = [...place.querySelectorAll("details")].map((details) => details.open);
    const fresh = document.createElement("template");
    fresh.innerHTML = block.html; // of this page's own server; every text in it is escaped
    place.className = `block ${block.style}`;
    if (block.chart && block.chart.curves.length && place.querySelector(".plot, .empty")) {
      widthwiseCharts.draw(place, block.chart);
    } else if (!widthwiseTables.replaceRows(place, fresh.content)) {
      place.replaceChildren(fresh.content);
      place.querySelectorAll("details").forEach((details, index) => { details.open = open[index] ?? details.open; });
      if (block.chart) widthwiseCharts.draw(place, block.chart);
      if (block.style.includes("table")) widthwiseTables.enhance(place);
    }
    place.dataset.version = block.version;
  }

  function show(state) {
    document.title = state.title;
    document.querySelector("h1").textContent = state.title;
    document.getElementById("lead").innerHTML = state.lead;
    const keep = new Set();
    for (const section of state.sections) {
      let place = document.getElementById(section.key);
      if (!place) {
        place = document.createElement("section");
        place.id = section.key;
        const title = document.createElement("h2");
        title.textContent = section.title;
        place.append(title);
        document.querySelector("main").append(place);
      }
      keep.add(section.key);
      let before = place.querySelector("h2");
      for (const block of section.blocks) {
        keep.add(block.key);
        let own = document.getElementById(block.key);
        if (!own) own = element(block);
        if (before.nextElementSibling !== own) before.after(own);
        if (own.dataset.version !== block.version) fill(own, block);
        before = own;
      }
    }
    document.querySelectorAll("main > section, main .block").forEach((old) => {
      if (!keep.has(old.id)) old.remove();
    });
  }

  async function ask() {
    try {
      const answer = await fetch("state", { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
      if (answer.status === 200) {
        show(await answer.json());
        tag = answer.headers.get("ETag"); // last: a state that could not be shown is asked for again
        changed = Date.now();
      } else if (answer.status !== 304) {
        throw new Error(`status ${answer.status}`);
      }
      lost = false;
    } catch {
      lost = true;
    }
    setTimeout(ask, lost ? 4 * PAUSE : PAUSE);
  }

  function tell() {
    const seconds = Math.round((Date.now() - changed) / 1000);
    const ago = seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
    status.textContent = lost
      ? "The server has stopped or does not answer. This page shows the last state."
      : `Live. The last change was ${ago} ago.`;
    status.classList.toggle("lost", lost);
  }

  ask();
  setInterval(tell, 1000);
  tell();
})();
