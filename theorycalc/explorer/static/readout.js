// The readout of a figure: a slider below it goes from point to point and says its values; so does the pointer.

import { $ } from "./state.js";
import { element } from "./svg.js";

const at = {}; // the point that a figure shows, by its name
const drawn = {}; // what each figure shows

function build(name) {
  const place = document.querySelector(`#${name} .read`);
  place.innerHTML = `<input type="range" id="${name}-cursor" class="cursor" step="1" min="0"><p id="${name}-read"></p>`;
  const cursor = place.firstElementChild;
  cursor.setAttribute("aria-label", `Read values in the figure: ${$(`${name}-title`).textContent.replace(/\.$/, "")}`);
  cursor.addEventListener("input", () => show(name, Number(cursor.value)));
  const chart = document.querySelector(`#${name} .chart`);
  chart.addEventListener("pointermove", (event) => {
    if (!drawn[name]) return;
    const { frame, xs } = drawn[name];
    const place = ((event.clientX - chart.getBoundingClientRect().left) * frame.width) / chart.clientWidth;
    const far = xs.map((x) => Math.abs(frame.x(x) - place));
    show(name, far.indexOf(Math.min(...far)));
  });
  return cursor;
}

function show(name, i) {
  const { frame, xs, tell, act } = drawn[name];
  const cursor = $(`${name}-cursor`);
  at[name] = Math.min(i, xs.length - 1);
  cursor.value = at[name];
  const text = tell(at[name]);
  cursor.setAttribute("aria-valuetext", text);
  $(`${name}-read`).textContent = text;
  if (act) offer(name, act.name(at[name]));
  frame.svg.querySelector(".cursor-line")?.remove();
  const x = frame.x(xs[at[name]]);
  frame.svg.append(element("path", { class: "cursor-line", d: `M${x} ${frame.top}V${frame.bottom}` }));
}

function offer(name, words) {
  const place = $(`${name}-cursor`).parentElement;
  let button = place.querySelector("button");
  if (!button) {
    button = place.appendChild(Object.assign(document.createElement("button"), { type: "button" }));
    button.addEventListener("click", () => drawn[name].act.run(at[name]));
  }
  button.hidden = !words;
  button.textContent = words || "Here";
}

// xs are the places of the points, tell their values in words, and act what a button does at one.
export function readable(name, figure) {
  const cursor = $(`${name}-cursor`) ?? build(name);
  cursor.parentElement.hidden = !figure;
  drawn[name] = figure;
  if (!figure) return;
  cursor.max = figure.xs.length - 1;
  if (name in at) show(name, at[name]);
  else {
    cursor.value = 0;
    cursor.setAttribute("aria-valuetext", "no point chosen");
    $(`${name}-read`).textContent = "Point at the figure, or move the slider, to read values.";
  }
}
