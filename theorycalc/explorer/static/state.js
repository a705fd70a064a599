// The state of the page: the texts of the fields, and the last good answers.

// The first values, and the words of every parameter, are the library's: the server has them.
const [first, parameters] = await Promise.all(["first.json", "parameters.json"].map(async (name) => (await fetch(name)).json()));
export const FIRST = first;
export const PARAMETERS = parameters;

export const $ = (id) => document.getElementById(id);

export const here = {
  state: { ...FIRST },
  change: 0, // counts changes of the state
  shown: {}, // the last good answer of each kind, with the change it belongs to
  slow: {}, // the kinds that took too long to start by themselves
};

export const current = (kind) => (here.shown[kind]?.change === here.shown.now?.change ? here.shown[kind] : null);

// A field with a new text: of α and η the one that was given last is the step, and without η the α that is shown.
export function withField(state, name, text) {
  const step = name === "alpha" ? { eta: "" } : name === "eta" && !text.trim() ? { alpha: $("alpha").value } : {};
  return { ...state, ...step, [name]: text };
}

// The state in the address: only what differs from the first values, so that a link is short.
export function fragmentOf(state) {
  const changed = Object.entries(state).filter(([name, text]) => text !== FIRST[name] && !(name === "alpha" && state.eta));
  return new URLSearchParams(changed).toString();
}

export function stateOf(fragment) {
  const given = new URLSearchParams(fragment);
  const state = { ...FIRST };
  for (const name of Object.keys(FIRST)) if (given.has(name)) state[name] = given.get(name);
  return { state, token: given.get("token") };
}
