// One colour for each region or high-level state; neighbouring numbers differ as much as possible.

function hueOf(number) {
  return (32 + number * 222.49) % 360; // the golden angle: hues never crowd
}

function regionColour(number) {
  if (number < 0) return isDark() ? "#6b7280" : "#9aa1ac";
  const step = Math.floor(number / 8) % 3;
  const light = isDark() ? [62, 72, 54][step] : [44, 34, 54][step];
  return `hsl(${hueOf(number).toFixed(0)} 62% ${light}%)`;
}

function ink() {
  return isDark() ? "#e6e8ec" : "#1d2129";
}

function paper() {
  return isDark() ? "#14171c" : "#ffffff";
}

const PLAN_COLOUR = "#e0562b";
const PROPOSED_COLOUR = "#b02fc4";

function swatch(number) {
  const made = element("span", { class: "swatch", "aria-hidden": "true" });
  made.style.background = regionColour(number);
  made.dataset.region = number;
  return made;
}
