// The controls: what they show follows the state, what people do changes it.
"use strict";
import * as arrivals from "./arrivals.js";
import * as invalid from "./invalid.js";
import * as log from "./log.js";
import { perUnit } from "./show.js";
import { change, present, shares, undoable, value, withShare } from "./state.js";

const $ = (id) => document.getElementById(id);

export function fill(catalogue) {
  const presets = $("preset");
  presets.append(new Option("as it was opened", ""));
  for (const preset of catalogue.presets) presets.append(new Option(preset.name, preset.name));
  for (const policy of catalogue.policies) $("policy").append(new Option(policy.name, policy.name));
}

const largest = (spec) => Math.max(1, ...spec.classes.map((c) => value(c.need) || 1));

// Put the state into the controls; one that has the focus and means the same is left alone.
export function show(catalogue, naive) {
  const { spec, cap, model } = present();
  invalid.clear($("controls"));
  const ofLog = Boolean(catalogue.log) && spec.name === catalogue.log.name;
  $("model-row").hidden = !ofLog;
  $("model").checked = model === true;
  for (const id of ["arrivals-choice", "classes-box", "downloads"]) $(id).hidden = log.isShown(catalogue); // of the model
  $("log-words").hidden = !log.isShown(catalogue);
  $("classes-title").textContent = `Job classes (${spec.classes.length})`;
  const preset = spec.name === catalogue.start.name ? undefined : catalogue.presets.find((p) => p.spec.name === spec.name);
  set("preset", preset?.name ?? "");
  set("servers", spec.servers);
  const slide = $("servers-slide");
  slide.min = 1;
  if (!(Number(slide.max) >= spec.servers && Number(slide.max) <= 8 * spec.servers)) slide.max = Math.max(8, 2 * spec.servers);
  set("servers-slide", spec.servers);
  const rate = Number.isFinite(value(spec.arrival_rate)) ? value(spec.arrival_rate) : null;
  $("rate-label").textContent = `Arrival rate, jobs ${perUnit(spec.time_unit)}`;
  if (rate !== null) {
    set("rate", Number(rate.toPrecision(6)));
    if (naive) set("rate-slide", rate / naive);
    if (naive) {
      const words = `utilisation ${(100 * rate / naive).toPrecision(3)} %`;
      $("rate-words").textContent = words;
      $("rate-slide").setAttribute("aria-valuetext", words);
    }
  }
  const name = typeof spec.policy === "object" ? spec.policy.name : (spec.policy ?? "fcfs");
  set("policy", name);
  $("policy-words").textContent = catalogue.policies.find((p) => p.name === name)?.summary ?? "";
  const most = largest(spec);
  $("cap-slide").max = $("cap").max = most;
  set("cap", cap ?? most);
  set("cap-slide", cap ?? most);
  $("cap-words").textContent = cap && cap < most ? `jobs keep their work: at most ${cap} servers, for longer` : "no cap";
  $("undo").disabled = !undoable();
  arriving(spec);
  classes(spec);
}

function arriving(spec) {
  const { law, number } = arrivals.found(spec);
  const options = arrivals.options(spec);
  const choice = $("arrivals");
  if (choice.options.length !== options.length) choice.replaceChildren(...options.map(({ key, words }) => new Option(words, key)));
  set("arrivals", law);
  const described = arrivals.described(law);
  $("arrivals-row").hidden = !described?.number || $("arrivals-choice").hidden;
  if (!described?.number) return;
  $("arrivals-label").textContent = described.number;
  Object.assign($("arrivals-number"), { min: described.min, max: described.max });
  set("arrivals-number", number);
}

function set(id, given) {
  const control = $(id);
  if (document.activeElement === control && control.type === "number") return;
  if (String(control.value) !== String(given)) control.value = given;
}

// One group of controls for each class; rebuilt only if there are others.
function classes(spec) {
  const room = $("classes");
  const names = JSON.stringify([spec.time_unit, ...spec.classes.map((c) => c.name)]);
  if (room.dataset.names !== names) {
    room.dataset.names = names;
    room.replaceChildren(...spec.classes.map((c, i) => group(c, i, spec)));
  }
  const found = shares(spec);
  spec.classes.forEach((c, i) => {
    set(`need-${i}`, c.need);
    $(`need-slide-${i}`).max = spec.servers;
    set(`need-slide-${i}`, c.need);
    set(`share-${i}`, Number((100 * found[i]).toPrecision(4)));
    set(`share-slide-${i}`, 100 * found[i]);
    const mean = c.duration?.mean;
    const known = mean !== undefined && Number.isFinite(value(mean)); // not where it is written with a unit of its own
    $(`mean-${i}`).disabled = !known;
    if (known) set(`mean-${i}`, Number(value(mean).toPrecision(6)));
  });
}

function group(c, i, { classes, time_unit: unit }) {
  const field = document.createElement("fieldset");
  const legend = document.createElement("legend");
  legend.textContent = c.name;
  field.append(
    legend,
    row(`need-${i}`, "Servers a job needs", { min: 1, step: 1 }, `Need of ${c.name}`),
    row(`share-${i}`, "Share of the jobs, %", { min: 0, max: 100, step: "any" }, `Share of ${c.name}, per cent`),
  );
  const mean = document.createElement("p");
  const label = document.createElement("label");
  label.htmlFor = `mean-${i}`;
  label.textContent = `Mean duration${unit ? `, ${unit}` : ""} (${c.duration?.law ?? "?"})`;
  const input = Object.assign(document.createElement("input"), { id: `mean-${i}`, type: "number", min: 0, step: "any" });
  input.setAttribute("aria-label", `Mean duration of ${c.name}${unit ? `, ${unit}` : ""}`);
  mean.append(label, input);
  field.append(mean);
  if (classes.length === 1) for (const id of ["share", "share-slide"]) field.querySelector(`#${id}-${i}`).disabled = true;
  return field;
}

function row(id, text, limits, spoken) {
  const p = document.createElement("p");
  const label = document.createElement("label");
  label.htmlFor = id;
  label.textContent = text;
  const pair = document.createElement("span");
  pair.className = "pair";
  const slideId = id.replace("-", "-slide-");
  const slide = Object.assign(document.createElement("input"), { id: slideId, type: "range", ...limits });
  slide.setAttribute("aria-label", `${spoken}, slider`);
  if (limits.step === "any") slide.step = 0.5;
  const number = Object.assign(document.createElement("input"), { id, type: "number", ...limits });
  number.setAttribute("aria-label", spoken);
  pair.append(slide, number);
  p.append(label, pair);
  return p;
}

// Turn what people do into changes of the state; `changed` is called after each.
export function listen(naive, changed) {
  $("controls").addEventListener("submit", (event) => event.preventDefault());
  $("controls").addEventListener("input", (event) => {
    const { id, type } = event.target;
    const given = Number(event.target.value);
    const what = id.replace("-slide", "");
    const [key, part] = what.split("-");
    const index = Number(part);
    if (type === "number") {
      const words = invalid.broken(event.target, key === "rate" || key === "mean");
      invalid.mark(event.target, words);
      if (words) return;
    }
    const changes = {
      servers: (s) => ({ ...s, spec: { ...s.spec, servers: given } }),
      rate: (s) => {
        const rate = id === "rate" ? given : given * naive();
        const spec = { ...s.spec, arrival_rate: rate };
        delete spec.load;
        delete spec.utilisation;
        return { ...s, spec };
      },
      arrivals: (s) => ({
        ...s, spec: id === "arrivals" ? arrivals.changed(s.spec, event.target.value) : arrivals.changed(s.spec, arrivals.found(s.spec).law, given),
      }),
      model: (s) => ({ ...s, model: event.target.checked ? true : undefined }),
      policy: (s) => ({ ...s, spec: { ...s.spec, policy: event.target.value } }),
      cap: (s) => ({ ...s, cap: given < largest(s.spec) ? given : undefined }),
      need: (s) => {
        s.spec.classes[index].need = given;
        return s;
      },
      share: (s) => ({ ...s, spec: withShare(s.spec, index, Math.min(Math.max(given / 100, 0), 1)) }),
      mean: (s) => {
        s.spec.classes[index].duration.mean = given;
        return s;
      },
    };
    if (!changes[key] || event.target.value === "other") return;
    if (key === "rate" && id !== "rate" && !naive()) return;
    change(what, changes[key]);
    changed();
  });
}
