// The fields of the page: their words and controls, and how a text and a place on a slider become one another.

import { $, FIRST, PARAMETERS } from "./state.js";

const TEACHERS = ["H1", "H1 + H2/2", "H1 + H2/sqrt(2)", "H1 + H3/6", "H1 + H2/2 + H3/6 + H4/24", "t1 + t1*t2", "tanh(2*x)", "sin(2*x)", "relu", "sign(x)"];

// Sliders from low to high; a logarithmic one moves in powers of ten, and some say what follows from their value.
export const SLIDERS = [
  { name: "alpha", low: 0, high: 0.6, step: 0.005, says: true },
  { name: "n", low: 2, high: 5, step: 0.02, log: true, digits: 3, whole: true, says: true },
  { name: "phi", low: -1.3, high: 1, step: 0.01, log: true, digits: 3, says: true },
  { name: "psi", low: -1.3, high: 1, step: 0.01, log: true, digits: 3, says: true },
  { name: "ridge", low: -5, high: 2, step: 0.02, log: true, digits: 3 },
  { name: "noise", low: 0, high: 2, step: 0.01 },
];

// The other fields, by the place where they stand; rare ones are folded away.
const PLACES = {
  "problem-fields": ["activation", "teacher"],
  "code-fields": ["gradient", "intercept", "centred"],
  "network-fields": ["first_scale", "second_scale", "first_layer", "second_layer", "biases", "inputs", "steps", "step_samples"],
  "label-fields": ["centred_labels", "corrupt_step", "corrupt_fit", "flip_step", "flip_fit"],
};
const LAYERS = ["first_layer", "second_layer", "first_scale", "second_scale"];
const EMPTY = { biases: "none", inputs: "none", step_samples: "n" }; // what no text means

const isFlag = (name) => ["yes", "no"].includes(FIRST[name]);
const words = (text) => text[0].toUpperCase() + text.slice(1);

function made(html) {
  const template = document.createElement("template"); // markup of ours: words are added as text
  template.innerHTML = html;
  return template.content.firstElementChild;
}

// The label of a field: everyday words, the symbol of its parameter, and what that equals.
function labelled(place, name) {
  const { words: said, symbol, index, formula } = PARAMETERS[name];
  const [start, ...raised] = words(said).split("^");
  const span = document.createElement("span");
  span.append(start, ...raised.flatMap((text) => [made(`<sup>${text[0]}</sup>`), text.slice(1)]));
  place.append(span, " ", made("<i></i>"), made("<sub></sub>"), " ", made(`<span class="unit"></span>`));
  for (const [what, text] of [["i", symbol], ["sub", index], [".unit", formula && `= ${formula}`]]) place.querySelector(what).textContent = text;
}

function controlOf(name) {
  const typed = `spellcheck="false" autocapitalize="off" maxlength="500"`;
  const { options } = PARAMETERS[name];
  const area = `<textarea id="${name}" rows="1" ${typed} placeholder="${EMPTY[name] ?? ""}"></textarea>`;
  if (name === "activation" || name === "teacher") {
    return `<div class="field"><label for="${name}"></label><div class="pair">${area}
      <select id="${name}-choice" aria-label="Choose ${name === "teacher" ? "a function to learn" : "an activation function"}"><option value="">choose</option></select></div>`;
  }
  const slider = SLIDERS.find((s) => s.name === name);
  if (slider) {
    return `<div class="field slider"><div class="head"><label for="${name}"></label> ${slider.says ? `<output id="${name}-now" for="${name}" class="unit" aria-live="off"></output>` : ""}</div>
      <input type="range" id="${name}-slider" min="${slider.low}" max="${slider.high}" step="${slider.step}"><input type="text" id="${name}" ${typed}>`;
  }
  if (name === "biases" || name === "inputs") return `<div class="field"><label for="${name}"></label>${area}`;
  if (isFlag(name)) return `<div class="field check"><input type="checkbox" id="${name}"><label for="${name}"></label>`;
  if (name === "gradient") {
    const choices = options.map(([word]) => `<label><input type="radio" name="${name}" value="${word}"> <span></span></label>`);
    return `<fieldset class="field radios" id="${name}"><legend></legend>${choices.join("")}`;
  }
  if (options.length) return `<div class="field"><label for="${name}"></label><select id="${name}"></select>`;
  return `<div class="field short"><label for="${name}"></label><input id="${name}" type="text" ${typed} placeholder="${EMPTY[name] ?? ""}">`;
}

function fieldOf(name, set) {
  const { options, help } = PARAMETERS[name];
  const field = made(`${controlOf(name)}<p class="help" id="${name}-help" role="tooltip"></p><p class="error" id="${name}-error" role="alert"></p>`);
  const place = field.id === name ? field : field.querySelector(`[id="${name}"]`);
  field.querySelector(".help").textContent = help;
  labelled(field.querySelector(`legend, label[for="${name}"]`), name);
  place.setAttribute("aria-describedby", `${name}-help`);
  if (place.matches("select")) place.append(...options.map(([word, meaning]) => new Option(meaning, word)));
  field.querySelectorAll("label > input + span").forEach((span, i) => { span.textContent = options[i][1]; });
  place.addEventListener("input", ({ target }) => {
    const text = target.type === "checkbox" ? (target.checked ? "yes" : "no") : target.value.replace(/\s*\n\s*/g, " ");
    set(name, text, { typed: target.matches("[type=text], textarea") });
  });
  if (place.matches("textarea")) place.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
  const slider = SLIDERS.find((s) => s.name === name);
  if (slider) {
    const range = field.querySelector("[type=range]");
    range.setAttribute("aria-label", `${field.querySelector("label").textContent.trim().replace(/\s+/g, " ")}, slider`);
    range.addEventListener("input", () => set(name, textAt(slider, Number(range.value)), { slid: true }));
  }
  return field;
}

// All fields; set is called with a name, its new text and how it was given.
export function build(set) {
  for (const name of ["eta", ...SLIDERS.map((slider) => slider.name)]) $("sliders").append(fieldOf(name, set));
  for (const [place, names] of Object.entries(PLACES)) for (const name of names) $(place).append(fieldOf(name, set));
  $("code-fields").append(made(`<div class="field"><label for="initialisation">Initialisation and scales <i>g<sub>w</sub>, g<sub>a</sub></i></label><select id="initialisation" aria-describedby="initialisation-note"></select>
    <p class="note" id="initialisation-note"></p></div>`));
  for (const name of ["activation", "teacher"]) {
    $(`${name}-choice`).addEventListener("change", ({ target }) => {
      if (target.value) set(name, target.value);
      target.value = "";
    });
  }
  for (const text of TEACHERS) $("teacher-choice").append(new Option(text));
  document.addEventListener("keydown", (event) => event.key === "Escape" && document.body.classList.add("quiet")); // hides help
  document.addEventListener("focusin", () => document.body.classList.remove("quiet"));
}

// Show the text of a field in its control; a slider that is being moved stays where the hand has it.
export function put(name, text, slid = false) {
  const place = $(name);
  if (place.matches("fieldset")) for (const radio of place.querySelectorAll("[type=radio]")) radio.checked = radio.value === text;
  else if (place.type === "checkbox") place.checked = text === "yes";
  else if (place.value !== text) place.value = text;
  if (place.matches("textarea")) grow(place);
  const slider = SLIDERS.find((s) => s.name === name);
  if (!slider) return;
  const range = $(`${name}-slider`);
  const at = placeOf(slider, text);
  if (at !== null && !slid) range.value = at;
  range.setAttribute("aria-valuetext", text);
}

// Of η and its exponent α one is given, and the other shows the value that follows from it.
export function putStep(typed, { alpha }, eta) {
  const [given, other, value] = typed ? ["eta", "alpha", alpha] : ["alpha", "eta", eta];
  $(given).classList.remove("follows");
  $(other).classList.add("follows");
  if (document.activeElement !== $(other)) put(other, value === null ? "" : String(Number(value.toPrecision(6))));
}

// A text that is longer than its field wraps, and the field grows.
export function grow(area) {
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight + 2}px`;
}

// How libraries draw layers: a choice that fills four fields.
export function offer(initialisations, set) {
  const names = Object.keys(initialisations);
  const name = (key) => (key === "theory" ? "The theory’s own" : words(key.replace("_", " ")));
  const place = $("initialisation");
  place.replaceChildren(...names.map((key) => new Option(name(key), key)), new Option("other scales and laws", ""));
  place.onchange = async () => place.value && set(place.value);
}

export const layersOf = (found) => Object.fromEntries(LAYERS.map((name) => [name, found.fields[name]]));

// A number as the library reads it, for the place of a slider only; NaN where it is none.
export function valueOf(text) {
  const parts = text.split("/").map((part) => part.trim());
  if (parts.length > 2 || parts.some((part) => !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(part))) return NaN;
  return parts.length === 2 ? Number(parts[0]) / Number(parts[1]) : Number(parts[0]);
}

function textAt(slider, place) {
  if (!slider.log) return String(Number(place.toFixed(4)));
  const value = Number((10 ** place).toPrecision(slider.digits));
  return String(slider.whole ? Math.round(value) : value);
}

function placeOf(slider, text) {
  const value = valueOf(text);
  const place = slider.log ? Math.log10(value) : value;
  return Number.isNaN(place) ? null : Math.min(slider.high, Math.max(slider.low, place));
}
