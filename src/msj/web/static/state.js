// What is shown: a spec as the spec file has it, and a cap. Frozen values in a row, so that undo is a step back.
"use strict";

let now = null;
const before = [];

export const present = () => now;
export const undoable = () => before.length > 0;

export function begin(state) {
  now = state;
  remember();
}

// Change the state; what comes within a second of the same control is one step of undo.
let last = { what: "", at: 0 };
export function change(what, make) {
  const next = make(structuredClone(now));
  const at = performance.now();
  if (what !== last.what || at - last.at > 1000) before.push(now);
  if (before.length > 200) before.shift();
  last = { what, at };
  now = next;
  remember();
}

export function undo() {
  if (before.length) now = before.pop();
  last = { what: "", at: 0 };
  remember();
}

// A load that was a share of the limit is an arrival rate once the limit is known; that is no step of its own.
export function settle(rate) {
  const spec = { ...now.spec, arrival_rate: rate };
  delete spec.load;
  delete spec.utilisation;
  now = { ...now, spec };
  remember();
}

// A policy that the page chose by itself is no step of undo.
export function choosePolicy(policy) {
  now = { ...now, spec: { ...now.spec, policy } };
  remember();
}

function remember() {
  history.replaceState(null, "", location.pathname + "#" + encodeURIComponent(JSON.stringify(now)));
}

// The state in the address bar: {state}, or {problem} if it is not a cluster. Values are checked by the server.
const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
export function fromAddress() {
  const text = location.hash.slice(1);
  if (text === "") return {};
  try {
    const found = JSON.parse(decodeURIComponent(text));
    if (!isTable(found) || !isTable(found.spec)) return { problem: "it has no spec" };
    const { classes } = found.spec;
    if (!Array.isArray(classes) || !classes.length || !classes.every(isTable)) return { problem: "its classes are not a list of tables" };
    return { state: { spec: found.spec, ...(Number.isFinite(found.cap) ? { cap: found.cap } : {}), ...(found.model === true ? { model: true } : {}) } };
  } catch {
    return { problem: "it is not JSON" };
  }
}

// Numbers may be written as fractions.
export function value(number) {
  if (typeof number !== "string") return Number(number);
  const [top, bottom] = number.split("/");
  return bottom === undefined ? Number(top) : Number(top) / Number(bottom);
}

export function shares(spec) {
  const given = spec.classes.map((c) => value(c.share ?? c.count));
  const all = given.reduce((sum, each) => sum + each, 0);
  return given.map((each) => each / all);
}

// One class gets another share; the others keep their ratios.
export function withShare(spec, index, share) {
  const old = shares(spec);
  const rest = 1 - old[index];
  const found = old.map((each, i) => (i === index ? share : rest > 0 ? (each * (1 - share)) / rest : (1 - share) / (old.length - 1)));
  spec.classes.forEach((c, i) => {
    delete c.count;
    c.share = found[i];
  });
  return spec;
}
