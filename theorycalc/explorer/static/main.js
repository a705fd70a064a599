// The page: fields change the state, the state asks the server, and the answers are drawn.

import * as charts from "./charts.js";
import { FIRST, fieldOf, fragmentOf, labelOf, MORE, placeOf, SLIDERS, stateOf, TEACHERS, textAt } from "./fields.js";
import { short, steady } from "./svg.js";

const $ = (id) => document.getElementById(id);
const REST = 90; // milliseconds without a change, after which the curve is asked for
const SOON = 150; // milliseconds, after which a part that has not come is shown as old
const TYPING = 200; // milliseconds without a key, after which what was typed is read
const PAGE = crypto.randomUUID();

let state = { ...FIRST };
let change = 0; // counts changes of the state
const shown = {}; // the last good answer of each kind, with the change it belongs to
const timers = {};

// ---- the token: taken from the address that the terminal printed, kept for this origin, never in a link

function token(given) {
  if (given) localStorage.setItem("token", given);
  return localStorage.getItem("token") ?? "";
}

// ---- asking

async function ask(kind, fields = state) {
  const mine = change;
  let answer;
  try {
    const response = await fetch(`api/${kind}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Theorycalc-Token": token() },
      body: JSON.stringify({ page: PAGE, fields }),
    });
    if (!response.ok) throw new Error((await response.text()).trim());
    answer = await response.json();
  } catch (error) {
    const gone = error instanceof TypeError; // what fetch throws where nobody answers
    complain(null, gone ? "the explorer has ended; start it again with theorycalc explore" : error.message);
    return null;
  }
  if (answer.overtaken || mine < (shown[kind]?.change ?? 0)) return null;
  if (answer.error && (kind === "now" || answer.error.field !== null)) {
    if (mine === change) complain(answer.error.field, answer.error.message);
    return null;
  }
  // another part that was given up says so in its own place
  return (shown[kind] = { ...(answer.error ? { refused: answer.error.message } : answer), change: mine, fields });
}

function complain(field, message) {
  forgive();
  const place = field === null ? null : $(field);
  if (place) {
    place.setAttribute("aria-invalid", "true");
    place.setAttribute("aria-describedby", `${field}-error`);
    place.closest("details")?.setAttribute("open", "");
  }
  $(place ? `${field}-error` : "page-error").textContent = message;
  clearTimeout(timers.now);
  $("results").classList.add("stale");
  for (const button of document.querySelectorAll("[id^=copy-]")) button.disabled = true;
}

function forgive() {
  for (const place of document.querySelectorAll(".error")) place.textContent = "";
  for (const place of document.querySelectorAll("[aria-invalid]")) {
    place.removeAttribute("aria-invalid");
    place.removeAttribute("aria-describedby");
  }
}

// ---- changes

let scheduled = false;

function changed() {
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
  finite();
  clearTimeout(timers.rest);
  timers.rest = setTimeout(rested, REST);
}

async function now() {
  const answer = await ask("now");
  if (!answer) return;
  if (answer.change === change) {
    clearTimeout(timers.now);
    forgive();
    $("results").classList.remove("stale");
    for (const button of document.querySelectorAll("[id^=copy-]")) button.disabled = false;
  }
  draw();
  if (shown.formulas?.key !== answer.formulas) {
    const key = answer.formulas;
    const found = await ask("formulas", answer.fields);
    if (found) drawFormulas(Object.assign(found, { key }));
  }
}

async function finite() {
  if (await ask("finite")) draw();
}

async function outliers() {
  if (await ask("outliers")) draw();
}

async function rested() {
  history.replaceState(null, "", `#${fragmentOf(state)}`);
  outliers();
  if (await ask("curve")) draw();
  clearTimeout(timers.say);
  timers.say = setTimeout(say, 500);
}

function say() {
  if (shown.now?.change !== change) return;
  const { theorem, literal } = shown.now.limit;
  const own = current("finite");
  const gains = [theorem ? `Λ = ${short(theorem.test_gain, 4)} by the theorem` : "no limit"];
  if (literal && !literal.refused) gains.push(`${short(literal.test_gain, 4)} in the limit of ${networks()}`);
  if (own && !own.refused) gains.push(`${short(own.test_gain, 4)} at ${sizeText()}`);
  $("live").textContent = `${$("summary-title").textContent}: ${gains.join(", ")}`;
}

// ---- drawing

const current = (kind) => (shown[kind]?.change === shown.now?.change ? shown[kind] : null);
const networks = () => (shown.now.gradient === "residual" ? "literal networks" : "networks, step on labels");
const sizeText = () => `n = ${shown.now.sizes.n.toLocaleString("en").replaceAll(",", "\u202f")}`;

function draw() {
  const data = shown.now;
  if (!data) return;
  const own = current("finite");
  const picture = (id) => document.querySelector(`#${id} .chart`);
  charts.staircase(picture("staircase"), data, (step) => set("alpha", String(Number(((step.window[0] + step.window[1]) / 2).toFixed(4)))));
  charts.gain(picture("gain"), data, own, shown.curve, !current("curve"));
  if (data.spectrum.refused) picture("spectrum").replaceChildren();
  else charts.spectrum(picture("spectrum"), data, shown.outliers, !current("outliers"));
  if (data.weights.refused) picture("weights").replaceChildren();
  else charts.weights(picture("weights"), data);
  if (!data.path.refused) charts.path(picture("path"), data, own);
  drawNumbers(data, own);
  drawNotes(data, own);
}

function drawNumbers(data, own) {
  const write = (id, value) => {
    $(id).textContent = value === undefined ? "–" : steady(value);
  };
  $("at-alpha").textContent = data.alpha;
  $("at-ell").textContent = data.ell === null ? "" : `, in window ℓ = ${data.ell}`;
  $("at-sizes").textContent = `d = ${data.sizes.d}, N = ${data.sizes.N}`;
  $("at-gradient").textContent = data.gradient === "residual" ? "the residual y − f₀" : "the labels alone";
  for (const place of document.querySelectorAll(".at-n")) place.textContent = sizeText();
  for (const place of document.querySelectorAll(".at-network")) place.textContent = networks();
  const found = { limit: data.limit.theorem, literal: data.limit.literal, ...(own && { finite: own }) };
  for (const [kind, name] of [["train", "train_loss"], ["error", "train_error"], ["test", "test_loss"], ["clean", "test_loss_clean"]]) {
    write(`${kind}-before`, data.staircase.theorem.steps[0][`${name}_initial`]);
    for (const [step, values] of Object.entries(found)) write(`${kind}-${step}`, values?.[name]);
  }
  for (const kind of ["train", "test"]) {
    for (const [step, values] of Object.entries(found)) write(`${kind}-${step}-gain`, values?.[`${kind}_gain`]);
  }
  const [start] = data.staircase.theorem.steps;
  $("clean-row").hidden = start.test_loss_clean_initial === start.test_loss_initial; // no label of the fit is corrupted
  $("rates").hidden = !data.rates.before;
  for (const step of ["before", "limit", "literal"]) write(`rate-${step}`, data.rates[step]?.error_rate);
  if (own) write("rate-finite", own.rate?.error_rate);
  for (const place of document.querySelectorAll(".finite")) place.classList.toggle("stale", !own);
}

function drawNotes(data, own) {
  const note = (id, ...lines) => {
    document.querySelector(`#${id} .note`).textContent = lines.filter(Boolean).join(" · ");
  };
  const { theorem, literal } = data.limit;
  const { theorem: stairs, literal: dashed } = data.staircase;
  const unrated = [...Object.values(data.rates), own?.rate].find((rate) => rate?.refused)?.refused;
  const unsure = own && !own.refused && !own.converged && "the finite step has NOT converged";
  const fails = theorem?.fails.map((statement) => `the theorem's condition fails: ${statement}`) ?? [];
  const warnings = [data.no_limit, ...fails, dashed.refused && `no limit of ${networks()}: ${dashed.refused}`, own?.refused && `no finite step: ${own.refused}`, own?.warning, unsure, unrated && `no error rate: ${unrated}`];
  $("warnings").replaceChildren(...warnings.filter(Boolean).map(item));
  const { notes = [], assumed = [] } = (literal?.refused ? theorem : literal) ?? {};
  note("summary", ...notes, ...assumed.map((statement) => `assumed: ${statement}`));
  const ceilings = [stairs.ceiling.refused, dashed.ceiling?.refused].filter(Boolean).map((reason) => `no ceiling ℓ = ∞: ${reason}`);
  note("staircase", dashed.refused && `no limit of ${networks()}: the reason is above`, ...new Set(ceilings));
  const old = !shown.curve ? "the curve is on its way" : current("curve") ? "" : "pale curve: of the values before";
  const wavering = current("curve") && !shown.curve.refused && !shown.curve.converged.every(Boolean) && "the curve has NOT converged";
  note("gain", shown.curve?.refused ?? old, wavering, ...(own?.notes ?? []));
  const found = current("outliers");
  const coming = shown.outliers ? "pale outliers: of the values before" : "the outliers are on their way";
  const none = found && !found.refused && !found.places.length && "the step drives none out of the bulk";
  const atom = data.spectrum.atom > 0 && `a share ${short(data.spectrum.atom, 3)} of the eigenvalues is 0`;
  note("spectrum", found ? found.refused : coming, none, ...(found?.notes ?? []), atom);
  note("weights", data.weights.refused, ...(data.weights.notes ?? []));
  note("path", data.path.refused);
}

function item(text) {
  const made = document.createElement("li");
  made.textContent = text;
  return made;
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

// ---- fields

// A slider that is being moved stays where the hand has it: its text is rounded.
function set(name, text, { wait = 0, slid = false } = {}) {
  state = { ...state, [name]: text };
  change += 1;
  show(name, slid);
  clearTimeout(timers.typing);
  if (wait) timers.typing = setTimeout(changed, wait);
  else changed();
}

function show(name, slid = false) {
  const field = $(name);
  if (field.value !== state[name]) field.value = state[name];
  const slider = SLIDERS.find((s) => s.name === name);
  if (!slider) return;
  const range = $(`${name}-slider`);
  const place = placeOf(slider, state[name]);
  if (place !== null && !slid) range.value = place;
  range.setAttribute("aria-valuetext", state[name]);
}

function build() {
  for (const slider of SLIDERS) {
    const { name, low, high, step } = slider;
    const made = document.createElement("template");
    made.innerHTML = `<div class="field slider"><label for="${name}"></label>
      <input type="range" id="${name}-slider" min="${low}" max="${high}" step="${step}"><input type="text" id="${name}" inputmode="text" spellcheck="false" maxlength="500">
      <p class="error" id="${name}-error" role="alert"></p></div>`;
    $("sliders").append(made.content);
    $(name).labels[0].append(labelOf(name));
    $(`${name}-slider`).setAttribute("aria-label", `${$(name).labels[0].textContent.trim().replace(/\s+/g, " ")}, slider`);
    $(`${name}-slider`).addEventListener("input", (event) => set(name, textAt(slider, Number(event.target.value)), { slid: true }));
  }
  for (const [place, names] of Object.entries(MORE)) for (const name of names) $(place).append(fieldOf(name));
  for (const name of ["activation", "teacher", ...Object.values(MORE).flat()]) $(name).labels[0].append(labelOf(name));
  for (const name of Object.keys(FIRST)) $(name).addEventListener("input", (event) => set(name, event.target.value, { wait: TYPING }));
  for (const name of ["activation", "teacher"]) {
    $(`${name}-choice`).addEventListener("change", (event) => {
      if (event.target.value) set(name, event.target.value);
      event.target.value = "";
    });
  }
  for (const text of TEACHERS) $("teacher-choice").append(new Option(text));
  $("controls").addEventListener("submit", (event) => event.preventDefault());
  $("reset").addEventListener("click", () => load({ ...FIRST }));
  $("copy-link").addEventListener("click", () => copy("link", `${location.origin}/#${fragmentOf(state)}`));
  $("copy-python").addEventListener("click", () => copy("Python", shown.now.python));
  $("copy-command").addEventListener("click", () => copy("command", shown.now.command));
  $("copy-latex").addEventListener("click", () => copy("LaTeX", shown.formulas?.latex));
  addEventListener("hashchange", arrive);
  addEventListener("storage", changed); // the token has come, in another tab
  let width = 0;
  new ResizeObserver(([entry]) => {
    if (entry.contentRect.width !== width) draw();
    width = entry.contentRect.width;
  }).observe($("results"));
}

async function copy(what, text) {
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

function load(next) {
  state = next;
  change += 1;
  for (const name of Object.keys(FIRST)) show(name);
  changed();
}

function arrive() {
  const found = stateOf(location.hash.slice(1));
  token(found.token);
  history.replaceState(null, "", `#${fragmentOf(found.state)}`);
  load(found.state);
}

build();
arrive();
ask("choices").then((found) => found?.activations?.forEach((name) => $("activation-choice").append(new Option(name))));
