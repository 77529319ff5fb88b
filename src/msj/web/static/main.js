// The page: ask what is known at once; when the controls have come to rest, the curve, what changes would bring, and what
// has to be simulated. A first answer that is quick is let through while a slider moves; all else stops on a change.
"use strict";
import { get, post, stream } from "./ask.js";
import * as controls from "./controls.js";
import * as draw from "./draw.js";
import { paint, shown, theMean, thresholdOf } from "./paint.js";
import * as show from "./show.js";
import * as state from "./state.js";

const LOADS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98];
const SIMULATED_LOADS = [0.2, 0.4, 0.6, 0.8, 0.9];
const REST = 120; // milliseconds without a change before more is asked than the first answer
const LONG = 400; // milliseconds after which a first answer is not waited for if something has changed
const ROOMS = ["numbers", "findings", "waits", "changes", "policies", "recorded", "where", "curve"];
const $ = (id) => document.getElementById(id);

let catalogue = null;
let running = new AbortController(); // what follows the first answer
let first = null; // the first answer under way: {controller, began}
let stale = false; // whether something has changed since it was asked

const request = (given = state.present()) => (given.cap ? { spec: given.spec, largest_need: given.cap } : { spec: given.spec });
// The curve does not depend on how much arrives.
const curveKey = () => {
  const { spec, ...rest } = request();
  const { arrival_rate, load, utilisation, name, ...more } = spec;
  return JSON.stringify([more, rest]);
};
const naive = () => shown.report && show.row(shown.report, "naive_threshold", { section: "capacity", change: undefined })?.value;
const rest = (signal, milliseconds) => new Promise((resolve) => setTimeout(() => resolve(!signal.aborted), milliseconds));

function changed() {
  controls.show(catalogue, naive());
  running.abort();
  document.body.dataset.ready = "no";
  stale = true;
  if (!first) return answer();
  const mine = first;
  setTimeout(() => { if (first === mine && stale) mine.controller.abort(); }, Math.max(mine.began + LONG - performance.now(), 0));
}

// Answer the present setting; while that is under way it may change again, and then the next is asked.
async function answer() {
  let failed = null;
  while (stale) {
    stale = false;
    failed = null;
    const controller = new AbortController();
    first = { controller, began: performance.now() };
    try {
      await glance(controller.signal);
    } catch (error) {
      if (!controller.signal.aborted) failed = error;
    }
  }
  first = null;
  if (failed) return fail(failed);
  document.body.dataset.ready = "first";
  running.abort();
  running = new AbortController();
  await further(running.signal);
}

function fail(error) {
  show.status("");
  show.alert(error.message);
  document.body.dataset.ready = "error";
}

async function glance(signal) {
  const asked = state.present();
  for (const id of ROOMS) $(id).classList.add("old");
  show.status("Computing.");
  const options = { seed: 1, changes: false, percentiles: false };
  const result = await post("/api/answer", { ...request(asked), question: "look", options }, signal);
  const kept = shown.curveOf === curveKey() ? shown.curve : null;
  Object.assign(shown, { report: result, run: null, compared: null, tails: null, replayed: null, curve: kept });
  if (asked === state.present() && result.load && !Number.isFinite(state.value(asked.spec.arrival_rate))) state.settle(result.load.arrival_rate);
  controls.show(catalogue, naive());
  if (!stale) for (const id of ROOMS) $(id).classList.remove("old");
  paint();
}

// One step after the other; one that fails (the time was too short) leaves what is known as it is, and the others go on.
async function further(signal) {
  if (!(await rest(signal, REST))) return;
  const steps = [
    () => curve(signal, false),
    () => catalogue.log && replay(signal),
    () => changes(signal),
    () => percentiles(signal),
    () => shown.report.stable && !theMean() && simulate(signal),
    () => shown.report.load !== null && compare(signal),
    () => shown.curve === null && curve(signal, true),
  ];
  const failed = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      if (!signal.aborted) failed.push(error.message);
    }
    if (signal.aborted) return;
  }
  show.status(failed.length ? `Done, but for this: ${[...new Set(failed)].join("; ")}.` : "Done. Change something, or take it along.");
  document.body.dataset.ready = "yes";
}

async function changes(signal) {
  const options = { seed: 1, percentiles: false };
  show.status("What a change would bring.");
  for await (const { result } of stream({ ...withRate(), question: "look", options }, signal)) {
    if (!result) continue;
    shown.report = result;
    paint();
  }
}

// Percentiles may take seconds and cannot be called off half-way: they are asked for when nothing has moved for a moment.
async function percentiles(signal) {
  if (!(await rest(signal, 300)) || !shown.report.stable || !theMean()) return;
  show.status("Percentiles.");
  const found = await post("/api/answer", { ...request(), question: "analyse" }, signal);
  if (signal.aborted) return;
  shown.tails = found;
  paint();
}

async function curve(signal, simulated) {
  const key = curveKey();
  const { report } = shown;
  if (shown.curveOf === key && shown.curve) return;
  if (!simulated && (thresholdOf(report)?.kind !== "exact" || (report.stable && !theMean()))) return;
  const options = simulated ? { loads: SIMULATED_LOADS, jobs: 50_000, seed: 1 } : { loads: LOADS };
  show.status(simulated ? "Simulating the curve." : "The curve.");
  const found = await post("/api/answer", { ...request(), question: "curve", options }, signal);
  if (signal.aborted) return;
  Object.assign(shown, { curve: found, curveOf: key });
  paint();
}

async function simulate(signal) {
  for await (const { result, progress } of stream({ ...withRate(), question: "simulate", options: { seed: 1 } }, signal)) {
    if (progress) show.status(`Simulating: ${progress.words}.`);
    if (!result) continue;
    shown.run = result;
    paint();
  }
}

async function compare(signal) {
  for await (const { result, progress } of stream({ ...withRate(), question: "compare", options: { seed: 1 } }, signal)) {
    if (progress) show.status(`Policies on the same jobs: ${progress.words}.`);
    if (!result) continue;
    shown.compared = result;
    paint();
  }
}

// The recorded jobs on the servers, under the cap and at the load that are set.
async function replay(signal) {
  const { spec, cap } = state.present();
  const options = { seed: 1 };
  const alike = shown.report.load && spec.time_unit === catalogue.log.time_unit; // else it is another cluster's rate
  if (alike) options.scale_load = shown.report.load.arrival_rate / catalogue.log.arrival_rate;
  if (cap) options.largest_need = cap;
  show.status("Replaying the log.");
  for await (const { result } of stream({ spec, question: "replay", options }, signal)) {
    if (!result) continue;
    shown.replayed = result;
    paint();
  }
}

const withRate = () => {
  const asked = request();
  const spec = { ...asked.spec };
  if (shown.report.load) {
    spec.arrival_rate = shown.report.load.arrival_rate;
    delete spec.load;
    delete spec.utilisation;
  }
  return { ...asked, spec };
};

async function download(form) {
  const words = $("download-words");
  words.textContent = form === "report" ? "The report takes about half a minute." : "";
  try {
    const found = await post("/api/document", { ...request(), form });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([found.text], { type: found.type }));
    link.download = found.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    words.textContent = `${found.name} is written to your downloads.`;
  } catch (error) {
    words.textContent = error.message;
  }
}

async function begin() {
  draw.whenReady();
  catalogue = await get("/api/catalogue");
  if (catalogue.error) throw new Error(catalogue.error);
  shown.log = catalogue.log;
  controls.fill(catalogue);
  state.begin(state.fromAddress() ?? { spec: catalogue.start });
  controls.listen(naive, changed);
  $("preset").addEventListener("change", (event) => {
    const preset = catalogue.presets.find((p) => p.name === event.target.value);
    state.change("preset", () => ({ spec: preset ? preset.spec : catalogue.start }));
    changed();
  });
  $("undo").addEventListener("click", () => { state.undo(); changed(); });
  $("reset").addEventListener("click", () => { state.change("reset", () => ({ spec: catalogue.start })); changed(); });
  for (const button of document.querySelectorAll("[data-form]")) button.addEventListener("click", () => download(button.dataset.form));
  $("skip").addEventListener("click", (event) => { event.preventDefault(); $("results").focus(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => shown.report && paint());
  window.addEventListener("hashchange", () => {
    const found = state.fromAddress();
    if (found && JSON.stringify(found) !== JSON.stringify(state.present())) { state.change("address", () => found); changed(); }
  });
  changed();
}

begin().catch(fail);
