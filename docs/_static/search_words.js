// Searches the sections of all pages and the names of the API: TEXTS, written by _ext/search_words.py, has an entry
// [page, anchor, title, title of the page, kind, text] for each.
"use strict";

// Words that people type, and those of these pages for the same thing; each stands for all others of its line.
const SYNONYMS = [
  "learning rate, eta, η, lr, step size, size of the step",
  "weight decay, ridge, λ, lambda, l2, penalty, regularization, regularizer, tikhonov",
  "initialization, initial weights, init, first layer, kaiming, xavier, glorot, first_scale",
  "overfitting, overfit, double descent, generalization, training error, ridgeless",
  "test error, test loss, generalization error, risk, validation loss",
  "mse, mean squared error",
  "outlier, spike, eigenvalues outside the bulk",
  "batch size, step_samples, batch, minibatch, n₀",
  "width, neurons, hidden units, hidden size",
  "label noise, noise, wrong labels, corrupted labels, corrupt_fit, noisy labels",
  "confidence, confidence interval, error bar, standard error, uncertainty, significance",
  "pandas, data frame, dataframe, to_dataframe",
  "pytorch, torch, nn.linear",
  "sklearn, scikit learn, scikit-learn",
  "dataset, your data, own data, own features, your own features, real data",
  "bias, biases, intercept",
  "activation function, activation, nonlinearity, σ",
  "target function, teacher, labels",
  "figure, plot, chart",
  "epochs, several steps, number of gradient steps",
  "accuracy, error rate, classification, classifier",
  "install, installation, pip",
  "gpu, cluster, dask, workers, parallel",
];
const WEIGHTS = { page: 1.3, name: 0.9, case: 0.8, field: 0.6, record: 0.4 };
const SMALL = new Set("a an and are as at be by do does for from have how i in is it of on or the to what with my".split(" "));

// One word in one form: regularisation, regularizers and regularize are the same.
const stem = (word) => {
  const american = word.replace(/is(e|ed|es|ing|ations?|ers?)$/, "iz$1");
  const short = american.replace(/(ations?|ers?|ings?|ed|es|s|e)$/, "");
  return short.length < 3 ? american : short;
};
const WORD = /[\p{L}\p{N}_]+/gu;
const wordsOf = (text) => (text.toLowerCase().match(WORD) ?? []).flatMap((word) => {
  const parts = word.split("_").filter((part) => part.length > 1);
  return parts.length > 1 ? [word, ...parts] : [word];
});
const stems = (text) => wordsOf(text).map(stem).join(" ");
const phrase = (text) => (text.toLowerCase().match(WORD) ?? []).map(stem).join(" ");

const ENTRIES = TEXTS.map(([page, anchor, title, of, kind, text]) => {
  const fields = [title, of, text].map((part) => ` ${stems(part)} `);
  return { page, anchor, title, of, kind, text, fields, length: fields[2].length };
});
const MEAN = ENTRIES.reduce((sum, entry) => sum + entry.length, 0) / ENTRIES.length;
const GROUPS = SYNONYMS.map((line) => line.split(", ").map(phrase));

const count = (text, part) => {
  let found = 0;
  for (let i = text.indexOf(part); i >= 0; i = text.indexOf(part, i + part.length - 1)) found += 1;
  return found;
};

// How well each entry answers phrases that mean the same: often, in the title, and rarely elsewhere (as in BM25).
const scored = (unit) => {
  const counted = (part) => ENTRIES.map(({ fields: [title, of, text] }) =>
    8 * count(title, part) + 2 * count(of, part) + count(text, part));
  const [typed, ...others] = unit.map((words) => counted(` ${words} `));
  let often = typed.map((times, i) => times + 0.5 * others.reduce((sum, one) => sum + one[i], 0));
  if (!often.some(Boolean)) often = counted(` ${unit[0]}`); // the start of a word
  const rare = Math.log(1 + ENTRIES.length / (1 + often.filter(Boolean).length));
  return often.map((times, i) => rare * times / (times + 0.6 + 0.6 * ENTRIES[i].length / MEAN));
};

// A query as units, each a list of phrases that mean the same; the first is the one that was typed.
const unitsOf = (query) => {
  let rest = ` ${phrase(query)} `;
  const units = [];
  const known = GROUPS.flatMap((group) => group.map((one) => [one, group]));
  for (const [one, group] of known.sort(([a], [b]) => b.length - a.length)) {
    if (!rest.includes(` ${one} `)) continue;
    rest = rest.replace(` ${one} `, "  ");
    units.push([one, ...group.filter((other) => other !== one)]);
  }
  const others = rest.split(" ").filter(Boolean);
  const large = others.filter((word) => !SMALL.has(word));
  return [...units, ...(large.length || units.length ? large : others).map((word) => [word])];
};

const nameOf = (query) => query.trim().toLowerCase().replace(/^(tc|theorycalc)\./, "").replace(/\(.*$/, "");

// The entries that match, best first, by page: [{entry, score, others}].
const search = (query) => {
  const called = nameOf(query);
  const text = called.replaceAll(".", " ");
  const units = unitsOf(text);
  const scores = units.map(scored);
  const whole = units.length > 1 ? scored([phrase(text)]) : null;
  const found = ENTRIES.map((entry, i) => {
    const each = scores.map((unit) => unit[i]);
    const met = each.filter(Boolean).length / each.length;
    let score = each.reduce((sum, one) => sum + one, whole ? whole[i] : 0) * met ** 2 * WEIGHTS[entry.kind];
    if (!entry.anchor) score *= 1.1; // the start of a page
    const name = entry.title.toLowerCase();
    if ((entry.kind === "name" || entry.kind === "field") && called && (name === called || name.endsWith(`.${called}`)))
      score += name === called ? 20 : WEIGHTS[entry.kind];
    return { entry, score };
  }).filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  const pages = new Map();
  for (const one of found) {
    const first = pages.get(one.entry.page);
    if (!first) pages.set(one.entry.page, { ...one, others: [] });
    else if (first.others.length < 3 && one.score > 0.4 * first.others.concat(first)[0].score) {
      first.others.push(one);
      first.score += 0.05 * one.score;
    }
  }
  const wordsIn = (phrases) => new Set(phrases.flatMap((one) => one.split(" ")).filter((word) => !SMALL.has(word)));
  const best = [...pages.values()].sort((a, b) => b.score - a.score).slice(0, 30);
  return { pages: best, typed: wordsIn(units.map(([one]) => one)), marked: wordsIn(units.flat()) };
};

const made = (name, text, where) => {
  const element = document.createElement(name);
  element.textContent = text;
  where.append(element);
  return element;
};

// About 220 letters around the first of the words that were typed, or that mean the same, all of them marked.
const excerpt = (text, typed, marked, where) => {
  const within = (words) => ([word]) => wordsOf(word).some((part) => words.has(stem(part)));
  const hits = [...text.matchAll(WORD)].filter(within(marked));
  const first = (hits.find(within(typed)) ?? hits[0])?.index ?? 0;
  const start = first < 90 ? 0 : text.indexOf(" ", first - 80) + 1;
  const end = text.length < start + 220 ? text.length : text.lastIndexOf(" ", start + 220);
  let place = start;
  if (start) where.append("… ");
  for (const { 0: word, index } of hits) {
    if (index < start || index + word.length > end) continue;
    where.append(text.slice(place, index));
    made("mark", word, where);
    place = index + word.length;
  }
  where.append(text.slice(place, end), end < text.length ? " …" : "");
};

const link = ({ page, anchor, title, of, kind }, where) => {
  const shown = kind === "name" || kind === "field" ? `tc.${title.replace(/^model\.conventions/, "conventions")}` : title;
  const element = made("a", shown, where);
  element.href = `${page}.html${anchor ? `#${anchor}` : ""}`;
  if (anchor && where.tagName === "LI") made("span", ` in ${of}`, where);
};

const show = (query) => {
  const list = document.getElementById("search-results");
  const { pages, typed, marked } = search(query);
  list.replaceChildren();
  for (const { entry, others } of pages) {
    const item = made("li", "", list);
    link(entry, item);
    excerpt(entry.text, typed, marked, made("p", "", item));
    if (!others.length) continue;
    const more = made("p", "also ", item);
    more.className = "also";
    others.forEach((other, i) => {
      if (i) more.append(" · ");
      link(other.entry, more);
    });
  }
  const pagesFound = pages.length === 1 ? "1 page" : `${pages.length} pages`;
  document.getElementById("search-status").textContent = !query.trim() ? "" : pages.length
    ? `${pagesFound} for “${query}”` : `No page has “${query}”. Try another word, or the glossary and the index of names.`;
};

const field = document.querySelector("#search-form input");
field.value = new URLSearchParams(location.search).get("q") ?? "";
field.addEventListener("input", () => show(field.value));
show(field.value);
