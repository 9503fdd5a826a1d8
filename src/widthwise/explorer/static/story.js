// The story of an incremental search as a slider: at each chapter the tree as it was, with the branch that proposed
// the next feature.

// `page` has data, tree, chapter, setChapter(number), nodeLink(node).
function storySection(page) {
  const { tree } = page;
  if (tree.chapterCount < 2) return null;
  const last = tree.chapterCount - 1;
  const slider = element("input", {
    type: "range",
    id: "chapter",
    min: "0",
    max: String(last),
    value: String(page.chapter),
    "aria-label": "Chapter",
    "aria-describedby": "chapter-text",
  });
  const text = element("div", { id: "chapter-text", "aria-live": "polite" });
  const show = () => {
    slider.value = String(page.chapter);
    slider.setAttribute("aria-valuetext", `chapter ${page.chapter + 1} of ${tree.chapterCount}`);
    replaceContent(text, chapterText(page));
  };
  slider.addEventListener("input", () => page.setChapter(Number(slider.value)));
  const step = (by) => page.setChapter(Math.min(last, Math.max(0, page.chapter + by)));
  const section = element(
    "section",
    { class: "story", "aria-labelledby": "story-heading" },
    element("h2", { id: "story-heading" }, "Story"),
    element(
      "div",
      { class: "slide" },
      element("button", { type: "button", "aria-label": "Chapter before", onclick: () => step(-1) }, "◀"),
      slider,
      element("button", { type: "button", "aria-label": "Next chapter", onclick: () => step(1) }, "▶"),
    ),
    text,
  );
  return { section, show };
}

function chapterText(page) {
  const { tree, chapter } = page;
  const view = tree.view(chapter);
  const chapters = tree.data.chapters;
  const regions = new Set([...view.region].filter((region) => region >= 0)).size;
  const features = (tree.data.levels[0].literals ?? []).slice(0, view.literals[0]).map((literal) => literalName(tree, literal));
  const generated = chapter < chapters.length ? chapters[chapter].nodes : tree.data.total;
  const parts = [
    element(
      "p",
      {},
      element("strong", {}, `Chapter ${chapter + 1} of ${tree.chapterCount}. `),
      features.length
        ? ["High-level features: ", features.map((name, at) => [at ? ", " : "", element("code", {}, name)]), ". "]
        : "No high-level feature yet. ",
      `${counted(generated, "node")} in ${counted(regions, "high-level node")}.`,
    ),
  ];
  if (chapter === chapters.length) {
    parts.push(element("p", {}, `This is how the search ended: ${page.data.status}.`));
    return parts;
  }
  const { added, proposer } = chapters[chapter];
  if (!added.length)
    parts.push(element("p", {}, "No pruned branch proposes another feature: pruned high-level nodes are resumed."));
  else
    parts.push(
      element(
        "p",
        {},
        "The search is exhausted. The branch to ",
        proposer === null || proposer === undefined ? "a pruned node" : ["pruned ", page.nodeLink(proposer)],
        " proposes ",
        added.map((literal) => [element("code", {}, literalName(tree, literal)), " "]),
        "as the next feature.",
      ),
    );
  return parts;
}

function literalName(tree, [feature, sign]) {
  return sign ? tree.features[feature] : `(not ${tree.features[feature]})`;
}
