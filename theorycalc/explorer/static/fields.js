// The fields of the page: their sliders, and how a text and a place on a slider become one another.

// The first values, and what each parameter is, are the library's: the server has them.
const [first, parameters] = await Promise.all(["first.json", "parameters.json"].map(async (name) => (await fetch(name)).json()));
export const FIRST = first;

export const TEACHERS = ["H1", "H1 + H2/2", "H1 + H2/sqrt(2)", "H1 + H3/6", "H1 + H2/2 + H3/6 + H4/24", "tanh(2*x)", "sin(2*x)", "relu", "sign(x)"];

// Sliders from low to high; a logarithmic one moves in powers of ten.
export const SLIDERS = [
  { name: "alpha", low: 0, high: 0.6, step: 0.005 },
  { name: "n", low: 2, high: 5, step: 0.02, log: true, digits: 3, whole: true },
  { name: "phi", low: -1.3, high: 1, step: 0.01, log: true, digits: 3 },
  { name: "psi", low: -1.3, high: 1, step: 0.01, log: true, digits: 3 },
  { name: "ridge", low: -5, high: 2, step: 0.02, log: true, digits: 3 },
  { name: "noise", low: 0, high: 2, step: 0.01 },
];

// The fields that are folded away, by the place where they stand.
export const MORE = {
  "network-fields": ["first_layer", "second_layer", "first_scale", "second_scale", "biases", "inputs", "centred", "gradient", "steps", "step_samples"],
  "label-fields": ["intercept", "centred_labels", "corrupt_step", "corrupt_fit", "flip_step", "flip_fit"],
};

// The field of a parameter: a choice between its words, or a text.
export function fieldOf(name) {
  const made = document.createElement("template");
  const choice = parameters[name].options.length > 0;
  made.innerHTML = `<div class="field ${choice ? "wide" : "short"}"><label for="${name}"></label>
    ${choice ? `<select id="${name}"></select>` : `<input id="${name}" type="text" spellcheck="false" maxlength="500">`}
    <p class="error" id="${name}-error" role="alert"></p></div>`;
  if (choice) made.content.querySelector("select").append(...parameters[name].options.map(([word, meaning]) => new Option(meaning, word)));
  else if (!FIRST[name]) made.content.querySelector("input").placeholder = "share of n: 1";
  return made.content;
}

// The label of a field: the words of its parameter, its symbol, and what that equals.
export function labelOf(name) {
  const { words, symbol, index, formula } = parameters[name];
  const made = document.createElement("template");
  made.innerHTML = `<span></span> <i></i><sub></sub> <span class="unit"></span>`;
  const parts = [words[0].toUpperCase() + words.slice(1), symbol, index, formula && `= ${formula}`];
  for (const [i, part] of [...made.content.children].entries()) part.textContent = parts[i];
  return made.content;
}

// A number as the library reads it, for the place of a slider only; NaN where it is none.
export function valueOf(text) {
  const parts = text.split("/").map((part) => part.trim());
  if (parts.length > 2 || parts.some((part) => !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(part))) return NaN;
  return parts.length === 2 ? Number(parts[0]) / Number(parts[1]) : Number(parts[0]);
}

export function textAt(slider, place) {
  if (!slider.log) return String(Number(place.toFixed(4)));
  const value = Number((10 ** place).toPrecision(slider.digits));
  return String(slider.whole ? Math.round(value) : value);
}

export function placeOf(slider, text) {
  const value = valueOf(text);
  const place = slider.log ? Math.log10(value) : value;
  return Number.isNaN(place) ? null : Math.min(slider.high, Math.max(slider.low, place));
}

// The state in the address: only what differs from the first values, so that a link is short.
export function fragmentOf(state) {
  const changed = Object.entries(state).filter(([name, text]) => text !== FIRST[name]);
  return new URLSearchParams(changed).toString();
}

export function stateOf(fragment) {
  const given = new URLSearchParams(fragment);
  const state = { ...FIRST };
  for (const name of Object.keys(FIRST)) if (given.has(name)) state[name] = given.get(name);
  return { state, token: given.get("token") };
}
