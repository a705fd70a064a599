// Questions to the server, and what is said beside a field when one has no answer.

import { $, here } from "./state.js";

const PAGE = crypto.randomUUID();
const SIDE = 17; // columns of an expression that an error shows on either side of its caret

// The token is taken from the address that the terminal printed, kept for this origin, and never in a link.
export function token(given) {
  if (given) localStorage.setItem("token", given);
  return localStorage.getItem("token") ?? "";
}

async function post(kind, fields, pressed) {
  const response = await fetch(`api/${kind}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Theorycalc-Token": token() },
    body: JSON.stringify({ page: PAGE, fields, pressed }),
  });
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.json();
}

// Ask, and keep the answer; null where there is none, or where it came too late.
export async function ask(kind, { fields = here.state, more = {}, pressed = false } = {}) {
  const mine = here.change;
  let answer;
  try {
    answer = await post(kind, { ...fields, ...more }, pressed);
  } catch (error) {
    const gone = error instanceof TypeError; // what fetch throws where nobody answers
    complain({ field: null, message: gone ? "the explorer has ended; start it again with theorycalc explore" : error.message });
    return null;
  }
  if (answer.overtaken || mine < (here.shown[kind]?.change ?? 0)) return null;
  if (answer.error && (kind === "now" || answer.error.field !== null)) {
    if (mine === here.change) complain(answer.error);
    return null;
  }
  if (answer.slow) here.slow[kind] = true;
  // another part that was given up says so in its own place
  return (here.shown[kind] = { ...(answer.error ? { refused: answer.error.message } : answer), change: mine, fields });
}

export const stop = (kind) => post("stop", { kind }, false).catch(() => null);

// An error stands beside its field, which it describes; an expression has a caret under the column.
export function complain({ field, message, shown }) {
  forgive();
  const place = field === null ? null : $(field);
  if (place) {
    place.setAttribute("aria-invalid", "true");
    place.setAttribute("aria-describedby", `${field}-error ${field}-help`);
    place.closest("details")?.setAttribute("open", "");
  }
  const said = $(place ? `${field}-error` : "page-error");
  said.textContent = message;
  if (shown) said.append(caretOf(shown));
  $("results").classList.add("stale");
  for (const button of document.querySelectorAll("[id^=copy-]")) button.disabled = true;
}

function caretOf(shown) {
  const [text, caret] = shown.split("\n");
  const start = Math.max(0, caret.length - 1 - SIDE);
  const made = document.createElement("code");
  const cut = text.slice(start, caret.length + SIDE);
  made.textContent = `${start ? "…" : ""}${cut}${caret.length + SIDE < text.length ? "…" : ""}\n${" ".repeat(caret.length - 1 - start + (start ? 1 : 0))}^`;
  return made;
}

export function forgive() {
  for (const place of document.querySelectorAll(".error")) place.textContent = "";
  for (const place of document.querySelectorAll("[aria-invalid]")) {
    place.removeAttribute("aria-invalid");
    place.setAttribute("aria-describedby", `${place.id}-help`);
  }
}
