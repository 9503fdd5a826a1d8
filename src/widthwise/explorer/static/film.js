// The film of an episode: one picture for each step, a slider, and a button that plays it.

const STRIP_PICTURES = 240; // of a longer episode the strip shows every nth step
const SECONDS_PER_STEP = 0.35;

class Film {
  // `page` has data, episode, world (or null), step, setStep(step), move(by), showEnd().
  constructor(page) {
    this.page = page;
    const { data, world } = page;
    const count = page.episode.stepCount;
    const every = Math.ceil(count / STRIP_PICTURES);
    this.slider = element("input", { type: "range", id: "step", min: "0", max: String(count - 1), "aria-label": "Step" });
    this.slider.addEventListener("input", () => page.setStep(Number(this.slider.value)));
    this.playing = element("button", { type: "button", onclick: () => this.play() }, "Play");
    this.pictures = []; // a step that is not among them is reached by the slider
    for (let step = 0; step < count; step += every) {
      const canvas = world ? element("canvas", { "aria-hidden": "true" }) : null;
      const button = element(
        "button",
        { type: "button", "data-step": step, onclick: () => page.setStep(step) },
        canvas,
        element("span", {}, `${step} ${data.actions[data.steps[step].action]}`),
      );
      this.pictures.push([step, button, canvas]);
    }
    this.end = world && data.steps.at(-1).child >= 0 ? element("canvas", { "aria-hidden": "true" }) : null;
    const end = this.end ? element("button", { type: "button", onclick: () => page.showEnd() }, this.end, element("span", {}, "end")) : null;
    this.strip = element("div", { class: "film", role: "group", "aria-label": "Steps" }, this.pictures.map(([, button]) => button), end);
    this.section = element(
      "section",
      { "aria-label": "Film" },
      roving(this.strip),
      element(
        "div",
        { class: "slide" },
        element("button", { type: "button", "aria-label": "Step before", onclick: () => page.move(-1) }, "◀"),
        this.slider,
        element("button", { type: "button", "aria-label": "Next step", onclick: () => page.move(1) }, "▶"),
        this.playing,
      ),
    );
  }

  show(step) {
    this.slider.value = String(step);
    this.slider.setAttribute("aria-valuetext", `step ${step} of ${this.page.episode.stepCount}`);
    for (const [at, button] of this.pictures) {
      const current = at <= step && (this.pictures.find(([next]) => next > at)?.[0] ?? Infinity) > step;
      button.setAttribute("aria-pressed", String(current));
      button.tabIndex = current ? 0 : -1;
    }
    this.scroll();
  }

  // Moves the strip so that the picture of the present step is in the middle.
  scroll() {
    const button = this.strip.querySelector("[aria-pressed=true]");
    this.strip.scrollLeft = button.offsetLeft - this.strip.offsetLeft - (this.strip.clientWidth - button.offsetWidth) / 2;
  }

  play() {
    const { page } = this;
    const last = page.episode.stepCount - 1;
    if (this.timer) {
      clearInterval(this.timer);
      this.timer = null;
    } else {
      if (page.step === last) page.setStep(0);
      this.timer = setInterval(() => {
        page.move(1);
        if (page.step === last) this.play();
      }, SECONDS_PER_STEP * 1000);
    }
    this.playing.textContent = this.timer ? "Stop" : "Play";
  }

  drawPictures() {
    const { data, episode, world } = this.page;
    for (const [step, , canvas] of this.pictures) paint(canvas, world, 64, data.steps[step].root, step, false);
    if (this.end) paint(this.end, world, 64, data.steps.at(-1).child, episode.stepCount - 1, false);
  }
}
