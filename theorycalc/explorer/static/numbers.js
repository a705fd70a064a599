// The table of losses, its warnings, and the notes under the figures.

import { putStep } from "./fields.js";
import { $, current, here } from "./state.js";
import { short, steady } from "./svg.js";

// The rows of the table: the name in its ids, the quantity, its words, what tells it apart, and its key.
const LOSSES = [
  ["train", "train_loss", "training loss,", "ridge objective, penalty included", "train"],
  ["error", "train_error", "training error,", "without the penalty", ""],
  ["test", "test_loss", "test loss", "", "test"],
  ["clean", "test_loss_clean", "test loss", "on clean labels", "test"],
];
const GAINS = [["train", "gain Δ", "of the training loss"], ["test", "gain Λ", "of the test loss"]];
const COLUMNS = ["before", "limit", "literal", "finite"];
const FEW = 100; // samples

export const networks = () => (here.shown.now.gradient === "residual" ? "literal networks" : "networks, step on labels");
export const sizeText = () => `n = ${grouped(here.shown.now.sizes.n)}`;
const grouped = (n) => n.toLocaleString("en").replaceAll(",", "\u202f");

// The network's numbers have the spread of one run beside them.
const cell = (id) => (id.includes("finite") ? `<td role="cell" class="finite"><span id="${id}" class="finite"></span> <span id="${id}-spread" class="spread"></span></td>`
  : `<td role="cell"${id ? ` id="${id}"` : ""}></td>`);

// The roles are said, since on narrow screens rows and cells are laid out as a grid.
export function buildTable() {
  const body = $("losses").tBodies[0];
  const row = (id, words, which, key, ids) => {
    const made = body.insertRow();
    made.innerHTML = `<th scope="row" role="rowheader"><span class="key ${key}"></span>${words} <span class="which">${which}</span></th>${ids.map(cell).join("")}`;
    made.id = id;
    return made;
  };
  for (const [name, , words, which, key] of LOSSES) row(`${name}-row`, words, which, key, COLUMNS.map((column) => `${name}-${column}`));
  for (const [name, words, which] of GAINS) row(`${name}-gain-row`, words, which, name, COLUMNS.map((column) => (column === "before" ? "" : `${name}-${column}-gain`)));
  row("rates", "error rate,", "share of wrong signs", "", COLUMNS.map((column) => `rate-${column}`));
  for (const id of ["train-gain-row", "rates"]) $(id).classList.add("gains");
  const table = $("losses");
  table.setAttribute("role", "table");
  for (const part of [table.tHead, body]) part.setAttribute("role", "rowgroup");
  for (const one of table.rows) one.setAttribute("role", "row");
  for (const head of table.tHead.querySelectorAll("th")) head.setAttribute("role", "columnheader");
}

export function drawNumbers(data, own) {
  const write = (id, value) => {
    $(id).textContent = value === undefined ? "–" : steady(value);
  };
  $("at-alpha").textContent = data.alpha;
  $("at-ell").textContent = data.ell === null ? "" : `, in window ℓ = ${data.ell}`;
  $("at-sizes").textContent = `d = ${grouped(data.sizes.d)} inputs, N = ${grouped(data.sizes.N)} neurons`;
  $("at-gradient").textContent = data.gradient === "residual" ? "the residual y − f₀" : "the labels alone";
  for (const place of document.querySelectorAll(".at-n")) {
    place.textContent = sizeText();
    place.classList.toggle("long", sizeText().length > 16);
  }
  for (const place of document.querySelectorAll(".at-network")) place.textContent = networks();
  const few = data.sizes.n < FEW;
  $("few").hidden = !few;
  putStep(here.state.eta, data.numbers, data.eta);
  $("alpha-now").textContent = data.eta === null ? "η is too large for floats" : "";
  $("n-now").textContent = few ? "! few: rough" : "";
  $("n-now").classList.toggle("bad", few);
  $("phi-now").textContent = `d = ${grouped(data.sizes.d)}`;
  $("psi-now").textContent = `N = ${grouped(data.sizes.N)}`;
  const found = { limit: data.limit.theorem, literal: data.limit.literal, ...(own && { finite: own }) };
  const [start] = data.staircase.theorem.steps;
  for (const [kind, name] of LOSSES) {
    write(`${kind}-before`, start[`${name}_initial`]);
    for (const [step, values] of Object.entries(found)) write(`${kind}-${step}`, values?.[name]);
  }
  for (const [kind] of GAINS) {
    for (const [step, values] of Object.entries(found)) write(`${kind}-${step}-gain`, values?.[`${kind}_gain`]);
  }
  const about = (id, value) => { $(`${id}-spread`).textContent = value === undefined ? "" : `± ${short(value, 2)}`; };
  for (const [kind, name] of LOSSES) if (own) about(`${kind}-finite`, own.spread?.[name]);
  for (const [kind] of GAINS) if (own) about(`${kind}-finite-gain`, own.spread?.[`${kind}_gain`]);
  $("clean-row").hidden = start.test_loss_clean_initial === start.test_loss_initial; // no label of the fit is corrupted
  $("rates").hidden = !data.rates.before;
  for (const [step, rate] of [["before", "before"], ["limit", "theorem"], ["literal", "literal"]]) write(`rate-${step}`, data.rates[rate]?.error_rate);
  if (own) write("rate-finite", own.rate?.error_rate);
  for (const place of document.querySelectorAll(".finite")) place.classList.toggle("stale", !own);
}

export function drawNotes(data, own) {
  const note = (id, ...lines) => {
    document.querySelector(`#${id} .note`).textContent = lines.filter(Boolean).join(" · ");
  };
  const { shown } = here;
  const { theorem, literal } = data.limit;
  const { theorem: stairs, literal: dashed } = data.staircase;
  const unrated = [...Object.values(data.rates), own?.rate].find((rate) => rate?.refused)?.refused;
  const unsure = own && !own.refused && !own.converged && "the finite step has NOT converged";
  const warnings = [own?.warning, own?.refused && `no finite step: ${own.refused}`, unsure, unrated && `no error rate: ${unrated}`, data.no_limit, dashed.refused && `no limit of ${networks()}: ${dashed.refused}`];
  $("warnings").replaceChildren(...warnings.filter(Boolean).map(item));
  const fails = theorem?.fails ?? [];
  $("conditions").hidden = !fails.length;
  $("conditions-count").textContent = `${fails.length} ${fails.length === 1 ? "condition" : "conditions"} of the theorem ${fails.length === 1 ? "fails" : "fail"} here`;
  $("failing").replaceChildren(...fails.map(item));
  const { notes = [], assumed = [] } = (literal?.refused ? theorem : literal) ?? {};
  note("summary", ...notes, ...assumed.map((statement) => `assumed: ${statement}`));
  const ceilings = [stairs.ceiling.refused, dashed.ceiling?.refused].filter(Boolean).map((reason) => `no ceiling ℓ = ∞: ${reason}`);
  note("staircase", dashed.refused && `no limit of ${networks()}: the reason is above`, ...new Set(ceilings));
  const coming = (kind, words) => (here.slow[kind] ? `${words} would take long: ${shown[kind] && !shown[kind].refused ? "pale, those of the values before" : "the button starts it"}`
    : shown[kind] ? `pale: ${words} of the values before` : `${words} is on its way`);
  const curve = current("curve");
  const wavering = curve && !curve.refused && !curve.converged.every(Boolean) && "the curve has NOT converged";
  note("gain", curve ? curve.refused : coming("curve", "the curve"), wavering, ...(own?.notes ?? []));
  const found = current("outliers");
  const none = found && !found.refused && !found.places.length && "the step drives none out of the bulk";
  const atom = data.spectrum.atom > 0 && `a share ${short(data.spectrum.atom, 3)} of the eigenvalues is 0`;
  note("spectrum", found ? found.refused : coming("outliers", "the search for outliers"), none, ...(found?.notes ?? []), atom);
  note("weights", data.weights.refused, ...(data.weights.notes ?? []));
  note("path", data.path.refused);
}

function item(text) {
  const made = document.createElement("li");
  made.textContent = text;
  return made;
}
