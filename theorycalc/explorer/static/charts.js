// The five pictures. Each is drawn anew from the answers; nothing is computed here but places. Each function returns
// what its readout needs: the frame, the places of points, and their values in words.

import { element, Frame, short } from "./svg.js";

const KINDS = ["train", "test"];
const NAMES = { train: "Δ, training loss", test: "Λ, test loss" };

const isGiven = (part) => Boolean(part) && !part.refused;

function top(values) {
  const largest = Math.max(...values.filter(Number.isFinite), 0);
  return largest > 0 ? largest * 1.12 : 1;
}

function legend(frame, names) {
  let x = frame.width - frame.margin.right;
  for (const kind of [...KINDS].reverse()) {
    const text = frame.text(x, 10, names[kind], { class: `${kind}-text`, "text-anchor": "end" });
    x -= text.getComputedTextLength() + 6;
    const mark = kind === "test" ? element("circle", { class: "test-fill", cx: x - 4, cy: 6, r: 4 }) : element("rect", { class: "train-fill", x: x - 8, y: 2, width: 8, height: 8 });
    frame.above.append(mark);
    x -= 22;
  }
}

// The stairs that are given, the theorem's first: how they look, their steps, and their ceiling.
function stairsOf({ theorem, literal }) {
  return [[theorem, "stem"], [literal, "dashes"]].filter(([found]) => isGiven(found))
    .map(([found, look]) => ({ look, steps: found.steps, ceiling: isGiven(found.ceiling) ? found.ceiling : null }));
}

const heightsOf = (stairs) => stairs.flatMap(({ steps, ceiling }) => [...steps, ...(ceiling ? [ceiling] : [])]).flatMap((s) => [s.train_gain, s.test_gain]);

export function staircase(box, { staircase: data, ell }, choose) {
  const stairs = stairsOf(data);
  const { steps } = data.theorem;
  const last = steps.length - 1;
  const gains = (s) => `Δ ${short(s.train_gain, 3)}, Λ ${short(s.test_gain, 3)}`;
  const literal = isGiven(data.literal) ? data.literal.steps : [];
  const frame = new Frame(box, {
    x: [-0.4, last + 0.5], y: [0, top(heightsOf(stairs))], xLabel: "ℓ", yLabel: "gain, n → ∞",
    label: `Gains for ℓ = 0 to ${last}, by the theorem and in the limit of networks: ` + steps.map((s, i) => `${s.ell}: ${gains(s)}${literal[i] ? ` and ${gains(literal[i])}` : ""}`).join("; "),
  });
  const half = (frame.x(1) - frame.x(0)) / 2;
  if (ell !== null && ell <= last) frame.back.append(element("rect", { class: "chosen", x: frame.x(ell) - half, y: frame.top, width: 2 * half, height: frame.bottom - frame.top }));
  for (const kind of KINDS) {
    const value = (s) => s[`${kind}_gain`];
    for (const { look, steps: own, ceiling } of stairs) {
      if (ceiling) frame.line([-0.4, last + 0.5], [value(ceiling), value(ceiling)], `${kind} ceiling`);
      frame.line(own.flatMap((s) => [s.ell - 0.5, s.ell + 0.5]), own.flatMap((s) => [value(s), value(s)]), `${kind} ${look}`);
    }
    for (const s of steps) frame.point(s.ell, value(s), kind);
  }
  for (const s of steps.slice(1)) {
    const hit = element("rect", { class: "hit", x: frame.x(s.ell) - half, y: frame.top, width: 2 * half, height: frame.bottom - frame.top });
    const other = literal[s.ell] ? `\nlimit of networks: ${gains(literal[s.ell])}` : "";
    hit.append(element("title", {}, `ℓ = ${s.ell}\ntheorem: ${gains(s)}${other}`));
    hit.addEventListener("click", () => choose(s));
    frame.svg.append(hit);
  }
  legend(frame, NAMES);
  const both = (i) => `${gains(steps[i])} by the theorem${literal[i] ? `; ${gains(literal[i])} in the limit of networks` : ""}`;
  return {
    frame, xs: steps.map((s) => s.ell), tell: (i) => `ℓ = ${steps[i].ell}: ${both(i)}`,
    act: { name: (i) => i > 0 && steps[i].ell !== ell && `Set α to window ℓ = ${steps[i].ell}`, run: (i) => choose(steps[i]) },
  };
}

export function gain(box, { staircase: data, ell, numbers }, finite, curve, curveIsOld) {
  const stairs = stairsOf(data);
  const steps = data.theorem.steps.slice(1);
  const drawn = isGiven(curve) ? curve : null;
  const values = heightsOf(stairs);
  if (drawn) values.push(...drawn.train_gain, ...drawn.test_gain);
  const right = 0.6;
  const low = Math.min(0, ...(drawn ? drawn.test_gain : []));
  const frame = new Frame(box, {
    x: [0, right], y: [low < 0 ? low * 1.1 : 0, top(values) * 1.06], xLabel: "α", yLabel: "gain",
    label: `Gains against α from 0 to ${right}; α is ${short(numbers.alpha, 3)}`,
  });
  for (const s of steps) {
    const [a, b] = s.window.map(frame.x);
    const kind = s.ell === ell ? "chosen" : s.ell % 2 ? "shade" : null;
    if (kind) frame.back.append(element("rect", { class: kind, x: a, y: frame.top, width: b - a, height: frame.bottom - frame.top }));
    if (b - a > 13) frame.back.append(element("text", { x: (a + b) / 2, y: frame.top + 12, "text-anchor": "middle" }, b - a > 34 ? `ℓ = ${s.ell}` : s.ell));
  }
  frame.back.append(element("path", { class: "axis", d: `M${frame.margin.left} ${frame.y(0)}H${frame.width - frame.margin.right}`, opacity: 0.25 }));
  for (const kind of KINDS) {
    const level = (x, s, look) => frame.line(x, [s[`${kind}_gain`], s[`${kind}_gain`]], `${kind} ${look}`);
    for (const { look, steps: own, ceiling } of stairs) {
      for (const s of own.slice(1)) level(s.window, s, look);
      if (ceiling) level([steps.at(-1).window[1], 0.5], ceiling, "ceiling");
    }
    if (drawn) frame.line(drawn.alpha, drawn[`${kind}_gain`], `${kind} curve${curveIsOld ? " stale" : ""}`);
  }
  if (numbers.alpha >= 0 && numbers.alpha <= right) {
    frame.add("path", { class: "marker", d: `M${frame.x(numbers.alpha)} ${frame.top + 17}V${frame.bottom}` }); // below the windows' numbers
    if (isGiven(finite)) for (const kind of KINDS) frame.point(numbers.alpha, finite[`${kind}_gain`], kind, true);
  }
  legend(frame, NAMES);
  const xs = drawn ? drawn.alpha : Array.from({ length: 31 }, (_, i) => i / 50);
  const said = (values, whose) => `Δ ${short(values.train_gain, 3)}, Λ ${short(values.test_gain, 3)} ${whose}`;
  const within = ([low, high], x) => low < x && x < high;
  return {
    frame, xs, tell(i) {
      const parts = stairs.flatMap(({ look, steps: own }) => own.slice(1).filter((s) => within(s.window, xs[i])).map((s) => said(s, look === "stem" ? "by the theorem" : "in the limit of networks")));
      if (drawn) parts.unshift(said({ train_gain: drawn.train_gain[i], test_gain: drawn.test_gain[i] }, `in the network of n samples${curveIsOld ? " of the values before" : ""}`));
      return `α = ${short(xs[i], 3)}: ${parts.join("; ") || "no gain is known"}`;
    },
  };
}

// The outliers may be those of the values before, and then they are pale.
export function spectrum(box, { spectrum: bulk }, found, isOld) {
  const outliers = isGiven(found) ? found : { places: [], overlaps: [], edge: null };
  const { places, edge } = outliers;
  const lows = bulk.parts.map((part) => part.z[0]);
  const ends = [...bulk.edges.map(([, high]) => high), ...places, edge ?? 0];
  const x = [Math.min(...lows, ...places) / 1.25, Math.max(...ends) * 1.6];
  const highest = Math.max(...bulk.parts.flatMap((part) => part.density));
  const frame = new Frame(box, {
    x, y: [0, highest * 1.2], logX: true, xLabel: "eigenvalue z", yLabel: "density of ln z", yTicks: false,
    label: `Bulk ${bulk.edges.map(([a, b]) => `${short(a, 3)} to ${short(b, 3)}`).join(" and ")}; outliers ${places.map((z) => short(z, 4)).join(", ") || "none"}`,
  });
  for (const part of bulk.parts) area(frame, part.z, part.density);
  const pale = isOld ? " stale" : "";
  if (edge !== null) frame.add("path", { class: `marker${pale}`, "data-edge": edge, d: `M${frame.x(edge)} ${frame.top}V${frame.bottom}` });
  places.forEach((z, i) => {
    const most = outliers.overlaps[i].indexOf(Math.max(...outliers.overlaps[i]));
    spike(frame, z, 0.62 - 0.16 * (i % 3), [...between(outliers.deviations, i), `H${"₀₁₂₃₄₅₆₇₈₉"[most] ?? "…"} ${outliers.overlaps[i][most].toFixed(2)}`], pale);
  });
  const z = bulk.parts.flatMap((part) => part.z);
  const dense = bulk.parts.flatMap((part) => part.density);
  const seen = places.map((place, i) => [place, `outlier z = ${short(place)}, squared overlaps ${outliers.overlaps[i].map((x, k) => `${x.toFixed(2)} with H${k}`).filter((text) => !text.startsWith("0.00")).join(", ")}`]);
  return points(frame, [...z.map((x, i) => [x, `eigenvalue z = ${short(x, 3)}: density of ln z ${short(dense[i], 3)}`]), ...seen]);
}

function points(frame, pairs) {
  const sorted = pairs.sort(([a], [b]) => a - b);
  return { frame, xs: sorted.map(([x]) => x), tell: (i) => sorted[i][1] };
}

export function weights(box, { weights: found }) {
  const { sigma, density, outliers, deviations } = found;
  const [low, high] = found.edges;
  const frame = new Frame(box, {
    x: [sigma[0] / 1.25, (outliers[0]?.place ?? high) * 1.6], y: [0, Math.max(...density) * 1.2], logX: true, xLabel: "singular value σ", yLabel: "density of ln σ", yTicks: false,
    label: `Bulk ${short(low, 3)} to ${short(high, 3)}; outliers ${outliers.map(({ place }) => short(place, 4)).join(", ") || "none"}`,
  });
  area(frame, sigma, density);
  const seen = outliers.map((one, i) => {
    const [a, step, teacher] = [one.overlap_a, one.overlap_direction, one.overlap_teacher].map((overlap) => overlap.toFixed(2));
    spike(frame, one.place, 0.42, [...between(deviations, i), `a ${a}`, `step ${step}`, `β⋆ ${teacher}`]);
    return [one.place, `outlier σ = ${short(one.place)}, squared overlaps: ${a} with a, ${step} with the step, ${teacher} with β⋆`];
  });
  return points(frame, [...sigma.map((x, i) => [x, `singular value σ = ${short(x, 3)}: density of ln σ ${short(density[i], 3)}`]), ...seen]);
}

function area(frame, x, density) {
  const d = x.map((z, i) => `${frame.x(z).toFixed(2)} ${frame.y(density[i]).toFixed(2)}`).join("L");
  frame.add("path", { class: "bulk", d: `M${frame.x(x[0])} ${frame.bottom}L${d}L${frame.x(x.at(-1))} ${frame.bottom}Z` });
}

// How much the mean of the initial output moves an outlier from network to network, where it does.
const between = (deviations, i) => (deviations ? [`± ${short(deviations[i], 2)}`] : []);

// An outlier: a stem of some share of the height, its place, and lines below it.
function spike(frame, z, share, lines, pale = "") {
  const height = frame.bottom - (frame.bottom - frame.top) * share;
  frame.add("path", { class: `spike${pale}`, d: `M${frame.x(z)} ${frame.bottom}V${height}` });
  frame.add("circle", { class: `spike-head${pale}`, cx: frame.x(z), cy: height, r: 3.6 });
  const right = frame.x(z) > frame.width - 70;
  const what = { class: `spike-label${pale}`, "text-anchor": right ? "end" : "middle" };
  const x = frame.x(z) + (right ? 6 : 0);
  const first = height - 7 - 13 * lines.length;
  frame.text(x, first, short(z, 4), what);
  lines.forEach((line, i) => frame.text(x, first + 13 * (i + 1), line, { ...what, class: pale.trim() }));
}

export function path(box, { path: data, numbers, limit }, finite) {
  const { theorem, literal } = data;
  const before = theorem.test_loss_initial;
  const after = [[theorem, "stem"], [literal, "dashes"]].filter(([found]) => limit.theorem && isGiven(found));
  const lines = KINDS.flatMap((kind) => [[kind, theorem[`${kind}_loss_initial`], "pale"], ...after.map(([found, look]) => [kind, found[`${kind}_loss`], look])]);
  const far = Math.max(before.at(-1), before[(data.ridge.length - 1) / 2]);
  const most = Math.max(...lines.flatMap(([, values]) => values));
  const frame = new Frame(box, {
    x: [data.ridge[0], data.ridge.at(-1)], y: [0, Math.min(most * 1.08, far * 2)], logX: true, xLabel: "ridge λ", yLabel: "loss",
    label: `Training loss, penalty included, and test loss against the ridge from ${short(data.ridge[0], 2)} to ${short(data.ridge.at(-1), 2)}`,
  });
  for (const [kind, values, look] of lines) frame.line(data.ridge, values, `${kind} ${look}`);
  if (numbers.ridge > 0) {
    frame.add("path", { class: "marker", d: `M${frame.x(numbers.ridge)} ${frame.top}V${frame.bottom}` });
    if (limit.theorem) for (const kind of KINDS) frame.point(numbers.ridge, limit.theorem[`${kind}_loss`], kind);
    if (isGiven(finite)) for (const kind of KINDS) frame.point(numbers.ridge, finite[`${kind}_loss`], kind, true);
  }
  legend(frame, { train: "training loss, penalty included", test: "test loss" });
  const said = (found, i, after = "") => `training ${short(found[`train_loss${after}`][i], 3)}, test ${short(found[`test_loss${after}`][i], 3)}`;
  const all = (i) => [`before the step ${said(theorem, i, "_initial")}`, ...after.map(([found, look]) => `${look === "stem" ? "theorem" : "limit of networks"} ${said(found, i)}`)];
  return { frame, xs: data.ridge, tell: (i) => `λ = ${short(data.ridge[i], 3)}: ${all(i).join("; ")}` };
}
