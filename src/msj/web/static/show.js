// Numbers, sentences and tables. Everything goes in as text, never as markup; each number says how sure it is.
"use strict";

const $ = (id) => document.getElementById(id);
const SURE = { exact: "exact", asymptotic: "prediction, right near saturation", bound: "bound", simulated: "simulated", recorded: "recorded", replayed: "replayed" };

export function short(number, digits = 4) {
  if (number === null || number === undefined || !Number.isFinite(number)) return "–";
  if (number !== 0 && !(Math.abs(number) >= 1e-4 && Math.abs(number) < 1e7)) return number.toPrecision(digits);
  return Number(number.toPrecision(digits)).toLocaleString("en-GB", { maximumFractionDigits: 10 }).replace("-", "−");
}

export const perUnit = (unit) => `per ${unit ? unit.replace(/s$/, "") : "unit of time"}`;

export function rows(result, name, where = {}) {
  return result.quantities.filter(
    (row) => row.name === name && Object.entries(where).every(([key, wanted]) => (key in row ? row[key] : row.at[key]) === wanted),
  );
}
export const row = (result, name, where = {}) => rows(result, name, { class: null, level: null, ...where })[0];

// A number with its interval, and in words how sure it is.
export function measured(found, scale = 1, unit = "") {
  if (!found || found.value === null || found.value === undefined) return "–";
  const number = scale * found.value;
  const half = interval(found) === null ? null : scale * interval(found);
  if (half === null) return `${found.kind === "simulated" && number !== 0 ? "≈ " : ""}${short(number)}${unit}`;
  const digits = half > 0 && number !== 0 ? Math.max(1, Math.min(6, Math.floor(Math.log10(Math.abs(number))) - Math.floor(Math.log10(half)) + 2)) : 4;
  return `${short(number, digits)}${unit} ± ${short(half, 2)}`;
}
function interval(found) {
  if (found.low === null || found.high === null || found.kind === "exact") return null;
  return Math.max(found.value - found.low, found.high - found.value);
}
// The ends of an interval are in the unit of the number they belong to, with digits enough to tell them apart.
export function sure(found, scale = 1, unit = "") {
  if (!found) return "";
  if (interval(found) === null) return found.kind === "simulated" ? "simulated, too short for an interval" : SURE[found.kind];
  const [low, high] = [scale * found.low, scale * found.high];
  const digits = high > low ? Math.max(3, Math.min(6, Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / (high - low))) + 2)) : 3;
  return `${SURE[found.kind]}, ${found.bracket ? "range" : "95 % interval"} ${short(low, digits)} to ${short(high, digits)}${unit}`;
}
function badge(found, words = sure(found)) {
  const mark = document.createElement("span");
  mark.className = "sure";
  mark.dataset.kind = found?.kind ?? "";
  mark.textContent = words;
  return mark;
}

// Say which fact a number is, so that the same fact can be found wherever it is shown.
function identify(element, found) {
  element.dataset.value = found.value;
  element.dataset.low = found.low ?? "";
  element.dataset.fact = JSON.stringify([found.name, found.class ?? null, found.level ?? null]);
  const source = ["recorded", "replayed"].includes(found.kind) ? found.kind : undefined;
  element.dataset.at = JSON.stringify({ policy: found.at?.policy, change: found.at?.change, source });
}

export function numbers(list) {
  $("numbers").replaceChildren(
    ...list.filter((each) => each.row).map(({ key, words, row: found, scale, unit = "" }) => {
      const box = document.createElement("div");
      const [term, text] = [document.createElement("dt"), document.createElement("dd")];
      term.textContent = words;
      text.textContent = measured(found, scale, unit);
      text.dataset.key = key;
      identify(text, found);
      text.append(badge(found, sure(found, scale, unit.trim() === "%" ? " %" : "")));
      box.append(term, text);
      return box;
    }),
  );
}

export function sentences(id, list) {
  $(id).replaceChildren(
    ...list.map(({ sentence, quantity }) => {
      const item = document.createElement("li");
      item.textContent = sentence;
      if (quantity) item.append(badge(quantity));
      return item;
    }),
  );
  $(id).closest("section").hidden = list.length === 0;
}

// Why a part of the page is missing, by its id; said in its place.
const problems = new Map();
export const problem = (id, words) => (words ? problems.set(id, words) : problems.delete(id));
export const noProblems = () => problems.clear();

// A table: heads, and rows of a name with cells, each a text or a quantity.
export function table(id, caption, heads, lines, empty) {
  const room = $(id);
  if (!lines.length) {
    const words = document.createElement("p");
    words.className = "small";
    words.textContent = problems.get(id) ?? empty;
    room.replaceChildren(words);
    return;
  }
  const made = document.createElement("table");
  made.createCaption().textContent = caption;
  const head = made.createTHead().insertRow();
  for (const text of heads) head.append(cell("th", text, "col"));
  const body = made.createTBody();
  for (const { name, cells } of lines) {
    const line = body.insertRow();
    line.append(cell("th", name, "row"));
    for (const each of cells) line.append(cell("td", each));
  }
  room.replaceChildren(made);
  if (problems.has(id)) {
    const words = document.createElement("p");
    words.className = "small problem";
    words.textContent = problems.get(id);
    room.append(words);
  }
}
function cell(tag, given, scope) {
  const found = document.createElement(tag);
  if (scope) found.scope = scope;
  if (given && typeof given === "object") {
    found.textContent = measured(given);
    identify(found, given);
    // The caption says what ± is; a row of intervals in words would be a wall.
    found.append(badge(given, interval(given) === null ? sure(given) : given.bracket ? "bracket" : given.kind));
  } else found.textContent = given ?? "–";
  return found;
}

export function status(words) {
  if ($("status").textContent !== words) $("status").textContent = words;
}
export function alert(words) {
  $("alert").hidden = !words;
  if ($("alert").textContent !== words) $("alert").textContent = words;
}
