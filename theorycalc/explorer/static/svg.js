// Drawing: elements of SVG, scales, axes, and lines through points.

const SPACE = "http://www.w3.org/2000/svg";

export function element(name, attributes = {}, text = null) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) made.textContent = text;
  return made;
}

export function short(x, digits = 4) {
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text = size >= 1e-4 && size < 1e6 ? String(Number(x.toPrecision(digits))) : x.toExponential(digits - 1);
  return text.replace("-", "−");
}

// Six digits, trailing zeros kept, so that columns stand still while a slider moves.
export function steady(x) {
  const size = Math.abs(x);
  const text = x === 0 ? "0" : size >= 1e-4 && size < 1e6 ? x.toPrecision(6) : x.toExponential(5);
  return text.replace("-", "−");
}

// Round values that divide an interval, about as many as wanted.
export function ticks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) found.push(i * step);
  return found;
}

function decades(low, high) {
  const found = [];
  for (let k = Math.ceil(Math.log10(low) - 1e-9); k <= Math.log10(high) + 1e-9; k++) found.push(10 ** k);
  if (found.length >= 2) return found.length > 7 ? found.filter((_, i) => i % 2 === 0) : found;
  return [1, 2, 5].flatMap((m) => [m * 10 ** Math.floor(Math.log10(low)), m * 10 ** Math.ceil(Math.log10(low))])
    .filter((x) => x >= low && x <= high).sort((a, b) => a - b);
}

let drawn = 0;

// A frame with axes in a box; x and y map values to places.
export class Frame {
  constructor(box, { x, y, xLabel, yLabel, logX = false, logY = false, label, yTicks = true }) {
    this.width = Math.max(240, box.clientWidth);
    this.height = box.clientHeight;
    this.margin = { left: yTicks ? 50 : 12, right: 12, top: 18, bottom: 36 };
    const { left, right, top, bottom } = this.margin;
    const name = box.parentElement.id;
    this.svg = element("svg", { viewBox: `0 0 ${this.width} ${this.height}`, role: "img", "aria-labelledby": `${name}-title`, "aria-describedby": `${name}-desc` });
    this.svg.append(element("desc", { id: `${name}-desc` }, label));
    this.back = this.svg.appendChild(element("g"));
    this.front = this.svg.appendChild(element("g"));
    this.bottom = this.height - bottom;
    this.top = top;
    this.x = scale(x, [left, this.width - right], logX);
    this.y = scale(y, [this.bottom, top], logY);
    const clip = `clip-${(drawn += 1)}`;
    const shape = this.svg.appendChild(element("clipPath", { id: clip }));
    shape.append(element("rect", { x: left, y: top - 6, width: this.width - left - right + 6, height: this.bottom - top + 12 }));
    this.front.setAttribute("clip-path", `url(#${clip})`);
    this.above = this.svg.appendChild(element("g"));
    const axes = this.svg.appendChild(element("g"));
    axes.append(element("path", { class: "axis", d: `M${left} ${this.bottom}H${this.width - right}` }));
    for (const value of logX ? decades(...x) : ticks(...x, this.width > 380 ? 7 : 5)) {
      const place = this.x(value);
      axes.append(element("path", { class: "tick", d: `M${place} ${this.bottom}v4` }));
      axes.append(element("text", { x: place, y: this.bottom + 17, "text-anchor": "middle" }, logX ? short(value, 1) : short(value, 3)));
    }
    if (yTicks) {
      axes.append(element("path", { class: "axis", d: `M${left} ${top}V${this.bottom}` }));
      for (const value of logY ? decades(...y) : ticks(...y, 5)) {
        const place = this.y(value);
        axes.append(element("path", { class: "tick", d: `M${left - 4} ${place}h4` }));
        axes.append(element("text", { x: left - 8, y: place + 4, "text-anchor": "end" }, short(value, 3)));
      }
    }
    axes.append(element("text", { class: "title", x: this.width - right, y: this.height - 3, "text-anchor": "end" }, xLabel));
    axes.append(element("text", { class: "title", x: yTicks ? 2 : left, y: 10 }, yLabel));
    box.replaceChildren(this.svg);
  }

  add(name, attributes, text = null) {
    return this.front.appendChild(element(name, attributes, text));
  }

  text(x, y, text, attributes = {}) {
    return this.above.appendChild(element("text", { x, y, ...attributes }, text));
  }

  line(xs, ys, kind) {
    const points = xs.map((x, i) => [this.x(x), this.y(ys[i])]).filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b));
    return this.add("path", { class: kind, d: `M${points.map(([a, b]) => `${a.toFixed(2)} ${b.toFixed(2)}`).join("L")}` });
  }

  // Test is round and training is square, as in the figures, so that they differ without colour.
  point(x, y, kind, hollow = false) {
    const [a, b] = [this.x(x), this.y(y)];
    const look = hollow ? `ring ${kind}` : `${kind}-fill`;
    if (kind === "test") return this.add("circle", { class: look, cx: a, cy: b, r: 4.2 });
    return this.add("rect", { class: look, x: a - 4, y: b - 4, width: 8, height: 8 });
  }
}

function scale([low, high], [first, last], log) {
  const f = log ? Math.log : (v) => v;
  return (value) => first + ((last - first) * (f(value) - f(low))) / (f(high) - f(low));
}
