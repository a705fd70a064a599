// Slow work: its button starts it, it shows how far it is, and the same button stops it.

import { ask, stop } from "./asking.js";
import { $, current, here } from "./state.js";
import { short } from "./svg.js";

const MOST = 60; // seconds that the server gives to an answer
const DRAWS = [2, 3, 5, 8, 12, 16, 20]; // after which a simulation is shown

function widget(kind, words) {
  const place = $(`${kind}-slow`);
  place.innerHTML = `<button type="button"></button> <progress value="0" hidden></progress> <span class="unit" role="status"></span>`;
  const [button, bar, said] = place.children;
  bar.setAttribute("aria-label", words);
  button.textContent = words;
  return { place, button, bar, said };
}

// The work is given a function that says how far it is, and one that tells whether it was stopped.
function startable(kind, words, work) {
  const { button, bar, said } = widget(kind, words);
  let run = 0; // its number, and 0 where nothing runs
  let last = 0;
  const end = (text) => {
    run = 0;
    button.textContent = words;
    bar.hidden = true;
    said.textContent = text;
  };
  button.addEventListener("click", async () => {
    if (run) {
      end("Stopped.");
      stop(kind);
      return;
    }
    const mine = (run = last += 1);
    button.textContent = "Stop";
    bar.hidden = false;
    const far = (value, most, text) => {
      if (run === mine) Object.assign(bar, { value, max: most }) && (said.textContent = text);
    };
    const text = await work(far, () => run !== mine);
    if (run === mine) end(text ?? "");
  });
  return (text) => {
    if (!run) return;
    end(text);
    stop(kind);
  };
}

// A part of the page that starts by itself while it is quick; where it was not, its button does.
export function slowPart(kind, words, draw) {
  startable(kind, words, async (far) => {
    const start = performance.now();
    const seconds = () => Math.round((performance.now() - start) / 1000);
    const clock = setInterval(() => far(seconds(), MOST, `${seconds()} s of at most ${MOST} s`), 250);
    const found = await ask(kind, { pressed: true });
    clearInterval(clock);
    if (found && seconds() < 2) here.slow[kind] = false;
    draw();
    return found ? "" : "There is no answer.";
  });
}

export function drawSlow() {
  for (const kind of ["finite", "curve", "outliers"]) $(`${kind}-slow`).hidden = !here.slow[kind] || !here.shown.now;
}

// Networks are trained draw after draw, until all are there, or it is stopped, or the problem changes: the function
// that is returned stops them then.
export function simulation() {
  return startable("simulate", `Train ${DRAWS.at(-1)} networks`, async (far, stopped) => {
    const most = DRAWS.at(-1);
    far(0, most, "Drawing the first networks.");
    for (const draws of DRAWS) {
      const found = await ask("simulate", { more: { draws }, pressed: true });
      if (stopped()) return null;
      if (!found) return "There is no answer.";
      drawSimulation();
      if (found.refused) return "";
      far(draws, most, `${draws} of ${most} networks`);
    }
    return "";
  });
}

// A mean with as many decimals as its standard error has with two digits.
function withError(mean, error) {
  const decimals = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(error))));
  if (!(error > 0) || error < 1e-10) return `${short(mean)} ± ${short(error, 2)}`;
  return `${mean.toFixed(decimals).replace("-", "−")} ± ${error.toFixed(decimals)}`;
}

export function drawSimulation() {
  const found = here.shown.simulate;
  const place = $("simulated");
  if (!found) return;
  place.classList.toggle("stale", !current("simulate"));
  if (found.refused) {
    place.textContent = found.refused;
    return;
  }
  const cells = ({ observed, error, predicted, z }) => [withError(observed, error), predicted === undefined ? "–" : short(predicted), z === null || z === undefined ? "–" : short(z, 2)];
  const table = document.createElement("table");
  table.innerHTML = `<thead><tr><th scope="col"><span class="hidden">quantity</span></th><th scope="col">networks, mean ± standard error</th><th scope="col">theory</th><th scope="col">apart, in standard errors</th></tr></thead><tbody></tbody>`;
  for (const row of found.rows) {
    const line = table.tBodies[0].insertRow();
    const head = line.appendChild(Object.assign(document.createElement("th"), { scope: "row" }));
    head.textContent = row.words;
    for (const text of cells(row)) line.insertCell().textContent = text;
  }
  const verdict = Object.assign(document.createElement("p"), { textContent: `${found.draws} of ${found.of} networks. ${found.verdict}${current("simulate") ? "" : " These are of the values before."}` });
  place.replaceChildren(table, verdict);
}
