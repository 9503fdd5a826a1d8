"""What a page must have for readers with a keyboard, a screen reader or weak eyes: a list of its faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

#: Faults of a page as lines: names, headings, identifiers, contrast of texts, texts that are cut off.
AUDIT = r"""() => {
  const faults = [];
  const shown = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const about = (element) => `${element.tagName.toLowerCase()}${element.id ? "#" + element.id : ""}` +
    (element.classList.length ? `.${[...element.classList].join(".")}` : "") +
    ` "${element.textContent.trim().slice(0, 40)}"`;
  const named = (element) => {
    const by = (element.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean);
    return element.getAttribute("aria-label") || by.map((id) => document.getElementById(id)?.textContent).join("") ||
      [...(element.labels ?? [])].map((label) => label.textContent).join("") || element.textContent.trim() ||
      element.getAttribute("alt") || element.title;
  };
  const interactive = "a[href], button, input, select, textarea, summary, [tabindex='0'], [role=img]";
  for (const element of document.querySelectorAll(interactive))
    if (shown(element) && !element.closest("[aria-hidden=true]") && !named(element)?.trim())
      faults.push(`no name: ${about(element)}`);
  for (const element of document.querySelectorAll("[aria-hidden=true] :is(button, a[href], input)"))
    faults.push(`can have the focus, but is hidden from screen readers: ${about(element)}`);
  const identifiers = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(identifiers.filter((id, at) => identifiers.indexOf(id) !== at)))
    faults.push(`two elements #${id}`);
  for (const name of ["aria-labelledby", "aria-describedby", "aria-controls"])
    for (const element of document.querySelectorAll(`[${name}]`))
      for (const id of element.getAttribute(name).split(" "))
        if (!document.getElementById(id)) faults.push(`${name}=${id} leads nowhere: ${about(element)}`);
  let before = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
    const level = Number(heading.tagName[1]);
    if (level > before + 1) faults.push(`heading after level ${before}: ${about(heading)}`);
    before = level;
  }
  if (document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
  if (!document.documentElement.lang || !document.title) faults.push("no language or no title");
  if (!document.querySelector("main")) faults.push("no main");
  for (const table of document.querySelectorAll("table"))
    if (!table.querySelector("th")) faults.push(`no head: ${about(table)}`);
  // Contrast of text and background by the rule of WCAG: 4.5, or 3 for large letters.
  const parse = (colour) => {
    const parts = colour.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
    const unit = colour.startsWith("color(srgb") ? 255 : 1;
    return [...parts.slice(0, 3).map((part) => part * unit), parts[3] ?? 1];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((value, at) => value * a + below[at] * (1 - a));
  const light = (colour) => {
    const [r, g, b] = colour
      .map((value) => value / 255)
      .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
    const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
    return layers.reverse().reduce((below, layer) => over(layer, below), dark ? [18, 18, 18] : [255, 255, 255]);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || seen.has(element) || !shown(element)) continue;
    seen.add(element);
    if (element.closest("script, style, noscript, svg, :disabled, .quiet")) continue;
    const style = getComputedStyle(element);
    const back = ground(element);
    const [front, behind] = [light(over(parse(style.color), back)), light(back)];
    const ratio = (Math.max(front, behind) + 0.05) / (Math.min(front, behind) + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) faults.push(`contrast ${ratio.toFixed(1)}: ${about(element)}`);
    const box = element.getBoundingClientRect();
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      const flow = getComputedStyle(at);
      if (flow.overflowX === "auto" || flow.overflowX === "scroll") break;
      if (flow.overflowX === "visible") continue;
      if (flow.textOverflow !== "ellipsis" && box.right > at.getBoundingClientRect().right + 1)
        faults.push(`cut off: ${about(element)}`);
    }
    if (box.left < -1 || box.right > innerWidth + 1) {
      let scrolls = false;
      for (let at = element; at !== document.documentElement; at = at.parentElement)
        scrolls ||= ["auto", "scroll"].includes(getComputedStyle(at).overflowX);
      if (!scrolls) faults.push(`outside of the window: ${about(element)}`);
    }
  }
  // A panel that scrolls in both directions hides what is wide.
  for (const element of document.querySelectorAll("aside"))
    if (element.scrollWidth > element.clientWidth + 1) faults.push(`wider than its frame: ${about(element)}`);
  return faults;
}"""

_FOCUSED = """() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const style = getComputedStyle(element), box = element.getBoundingClientRect();
  const labels = [...(element.labels ?? [])].map((label) => label.textContent).join("");
  const name = element.getAttribute("aria-label") || labels || element.textContent.trim() || element.title;
  window.stops ??= new Map();
  if (!stops.has(element)) stops.set(element, stops.size);
  return {
    number: stops.get(element), tag: element.tagName.toLowerCase(), name: name.slice(0, 80),
    outline: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1 || style.boxShadow !== "none",
    seen: box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
  };
}"""


def faults(page: Page) -> list[str]:
    """The faults of a page as it is now.

    Args:
        page: an open page.

    Returns:
        A line for each; empty if there are none.
    """
    lines: list[str] = page.evaluate(AUDIT)
    return lines


def tab_stops(page: Page, most: int = 400) -> list[dict[str, Any]]:
    """What the tab key stops at, from the beginning of a page to its end.

    Args:
        page: an open page without a focus.
        most: how often the key is pressed at most.

    Returns:
        For each stop its tag, its name, whether its outline is drawn, and whether it is in view.
    """
    stops: list[dict[str, Any]] = []
    for _ in range(most):
        page.keyboard.press("Tab")
        stop = page.evaluate(_FOCUSED)
        for _ in range(500):  # a page may scroll smoothly to where the focus is
            if stop is None or stop["seen"]:
                break
            page.wait_for_timeout(20)
            stop = page.evaluate(_FOCUSED)
        if stop is None or stop["number"] < len(stops):
            return stops
        stops.append(stop)
    raise AssertionError(f"the tab key does not come to the end of the page within {most} stops")
