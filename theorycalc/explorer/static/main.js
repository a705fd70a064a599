// The page: fields change the state, the state asks the server, and the answers are drawn.

import { ask, forgive, token } from "./asking.js";
import * as charts from "./charts.js";
import { build, grow, layersOf, offer, put } from "./fields.js";
import { buildTable, drawNotes, drawNumbers, networks, sizeText } from "./numbers.js";
import { readable } from "./readout.js";
import { drawSimulation, drawSlow, simulation, slowPart } from "./slow.js";
import { $, withField, current, FIRST, fragmentOf, here, stateOf } from "./state.js";
import { short } from "./svg.js";

const REST = 90; // milliseconds without a change, after which the curve is asked for
const SOON = 150; // milliseconds, after which a part that has not come is shown as old
const TYPING = 200; // milliseconds without a key, after which what was typed is read

const { shown } = here;
const timers = {};

// ---- changes

function set(name, text, { typed = false, slid = false } = {}) {
  here.state = withField(here.state, name, text);
  here.change += 1;
  put(name, text, slid);
  clearTimeout(timers.typing);
  if (typed) timers.typing = setTimeout(changed, TYPING);
  else changed();
}

let scheduled = false;

function changed() {
  stopTraining("Stopped: the problem has changed.");
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    refresh();
  });
}

function refresh() {
  clearTimeout(timers.now);
  timers.now = setTimeout(() => $("results").classList.add("stale"), SOON);
  now();
  unlessSlow("finite");
  clearTimeout(timers.rest);
  timers.rest = setTimeout(rested, REST);
}

async function now() {
  const answer = await ask("now");
  if (!answer) return;
  if (answer.change === here.change) {
    clearTimeout(timers.now);
    forgive();
    $("results").classList.remove("stale");
    for (const button of document.querySelectorAll("[id^=copy-]")) button.disabled = false;
  }
  draw();
  if (shown.formulas?.key !== answer.formulas) {
    const key = answer.formulas;
    const found = await ask("formulas", { fields: answer.fields });
    if (found) drawFormulas(Object.assign(found, { key }));
  }
}

// What took too long waits for its button.
async function unlessSlow(kind) {
  if (!here.slow[kind] && (await ask(kind))) draw();
}

async function rested() {
  history.replaceState(null, "", `#${fragmentOf(here.state)}`);
  unlessSlow("outliers");
  await unlessSlow("curve");
  clearTimeout(timers.say);
  timers.say = setTimeout(say, 500);
}

function say() {
  if (shown.now?.change !== here.change) return;
  const { theorem, literal } = shown.now.limit;
  const own = current("finite");
  const gains = [theorem ? `Λ = ${short(theorem.test_gain, 4)} by the theorem` : "no limit"];
  if (literal && !literal.refused) gains.push(`${short(literal.test_gain, 4)} in the limit of ${networks()}`);
  if (own && !own.refused) gains.push(`${short(own.test_gain, 4)} at ${sizeText()}`);
  $("live").textContent = `${$("summary-title").textContent}: ${gains.join(", ")}`;
}

// ---- drawing

function draw() {
  const data = shown.now;
  if (!data) return;
  const own = current("finite");
  const figure = (name, part, drawn) => {
    const box = document.querySelector(`#${name} .chart`);
    if (part.refused) box.replaceChildren();
    readable(name, part.refused ? null : drawn(box));
  };
  const choose = (step) => set("alpha", String(Number(((step.window[0] + step.window[1]) / 2).toFixed(4))));
  figure("staircase", data.staircase, (box) => charts.staircase(box, data, choose));
  figure("gain", data.staircase, (box) => charts.gain(box, data, own, shown.curve, !current("curve")));
  figure("spectrum", data.spectrum, (box) => charts.spectrum(box, data, shown.outliers, !current("outliers")));
  figure("weights", data.weights, (box) => charts.weights(box, data));
  figure("path", data.path, (box) => charts.path(box, data, own));
  drawNumbers(data, own);
  drawNotes(data, own);
  drawSlow();
  drawSimulation();
  $("initialisation").value = data.initialisation ?? "";
  $("initialisation-note").textContent = data.initialisation ? offered[data.initialisation]?.words ?? "" : "the scales and laws below, under “More about the network and the step”";
}

function drawFormulas(found) {
  const place = $("formula-lines");
  document.querySelector("#formulas .note").textContent = found.refused ?? "";
  if (found.refused) {
    place.replaceChildren();
    return;
  }
  const row = ([left, right]) => `<tr><td>${left}</td><td>${right}</td></tr>`;
  const part = ([left, right]) => `<span class="part">${left} ${right}</span>`;
  const made = document.createElement("template"); // our own formulas: no text of a user is in them
  made.innerHTML = `<table>${found.statement.map(row).join("")}</table><p>where</p><div class="where">${found.where.map(part).join("")}</div>`;
  place.replaceChildren(made.content);
}

// ---- the page

// Scales of an initialisation may follow d and N, and are asked for when it is chosen.
async function initialise(name) {
  const found = await ask("choices");
  if (found?.initialisations) load({ ...here.state, ...layersOf(found.initialisations[name]) });
}

let offered = {};

async function choices() {
  const found = await ask("choices", { fields: {} });
  for (const name of found?.activations ?? []) $("activation-choice").append(new Option(name));
  offered = found?.initialisations ?? {};
  offer(offered, initialise);
  draw();
}

async function copy(what, texts) {
  const text = texts.filter(Boolean).join("");
  if (!text) {
    $("copied").textContent = `There is no ${what} here: ${shown.formulas?.refused ?? "not yet computed"}`;
    return;
  }
  try {
    await navigator.clipboard.writeText(text);
    $("copied").textContent = `The ${what} is on the clipboard.`;
  } catch {
    $("copied").textContent = `The browser does not allow copying; this is the ${what}:\n${text}`;
  }
}

// Each part of the page brings the code that gives its numbers.
const codeOf = (kind) => ["now", "finite", "simulate"].map((part) => current(part)?.[kind]);

function load(next) {
  here.state = next;
  here.slow = {};
  here.change += 1;
  for (const name of Object.keys(FIRST)) put(name, next[name]);
  changed();
}

function arrive() {
  const found = stateOf(location.hash.slice(1));
  token(found.token);
  history.replaceState(null, "", `#${fragmentOf(found.state)}`);
  load(found.state);
  for (const name of Object.keys(FIRST)) if (found.state[name] !== FIRST[name]) $(name).closest("details")?.setAttribute("open", "");
}

build(set);
buildTable();
slowPart("finite", "Compute the network of n samples", draw);
slowPart("curve", "Compute the curve", draw);
slowPart("outliers", "Search for outliers", draw);
const stopTraining = simulation();
$("eta").addEventListener("blur", draw);
$("controls").addEventListener("submit", (event) => event.preventDefault());
$("reset").addEventListener("click", () => load({ ...FIRST }));
$("copy-link").addEventListener("click", () => copy("link", [`${location.origin}/#${fragmentOf(here.state)}`]));
$("copy-python").addEventListener("click", () => copy("Python", codeOf("python")));
$("copy-command").addEventListener("click", () => copy("command", codeOf("command")));
$("copy-latex").addEventListener("click", () => copy("LaTeX", [shown.formulas?.latex]));
addEventListener("hashchange", arrive);
addEventListener("toggle", (event) => event.target.querySelectorAll("textarea").forEach(grow), true); // folded, they have no height
addEventListener("storage", changed); // the token has come, in another tab
let width = 0;
new ResizeObserver(([entry]) => {
  if (entry.contentRect.width !== width) {
    draw();
    for (const area of document.querySelectorAll("textarea")) grow(area);
  }
  width = entry.contentRect.width;
}).observe($("results"));
arrive();
choices();
