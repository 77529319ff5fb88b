// The page: ask what is known at once; when the controls have come to rest, the curve, what changes would bring, and what
// has to be simulated. A first answer that is quick is let through while a slider moves; all else stops on a change.
"use strict";
import { get, post, stream } from "./ask.js";
import * as controls from "./controls.js";
import * as draw from "./draw.js";
import * as log from "./log.js";
import { paint, pictures, shown, stay, theMean, thresholdOf } from "./paint.js";
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
const naive = () => (log.isShown(catalogue) ? log.naive(catalogue) : shown.report && show.row(shown.report, "naive_threshold", { section: "capacity", change: undefined })?.value);
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
  show.status("There is no answer for this setting.");
  show.alert(error.message);
  show.numbers([]);
  document.body.dataset.ready = "error";
}

async function glance(signal) {
  const asked = state.present();
  for (const id of ROOMS) $(id).classList.add("old");
  show.status("Computing.");
  show.noProblems();
  shown.ofLog = log.isShown(catalogue);
  $("model-warning").hidden = !(asked.model && catalogue.log);
  Object.assign(shown, { run: null, compared: null, tails: null, replays: null });
  if (shown.ofLog) await firstReplay(signal);
  else await firstAnswer(asked, signal);
  controls.show(catalogue, naive());
  if (!stale) for (const id of ROOMS) $(id).classList.remove("old");
  paint();
}

async function firstAnswer(asked, signal) {
  const options = { seed: 1, changes: false, percentiles: false };
  const result = await post("/api/answer", { ...request(asked), question: "look", options }, signal);
  Object.assign(shown, { report: result, curve: shown.curveOf === curveKey() ? shown.curve : null });
  if (asked === state.present() && result.load && !Number.isFinite(state.value(asked.spec.arrival_rate))) state.settle(result.load.arrival_rate);
}

// Under the chosen policy; when the page is opened, under all of them, to choose the one nearest to the record.
let replays = null;
async function firstReplay(signal) {
  replays = log.replay(catalogue, signal);
  do {
    if ((await replays.next()).done) break;
    paint();
  } while (shown.choosing);
  if (!shown.choosing || signal.aborted) return;
  shown.choosing = false;
  if (shown.nearest) state.choosePolicy(shown.nearest);
}

// One part after the other. One that fails is named, in its place and at the end; the others go on.
async function further(signal) {
  if (!(await rest(signal, REST))) return;
  const model = !shown.ofLog;
  const replayed = async () => {
    if (model) replays = log.replay(catalogue, signal);
    for await (const _ of replays) paint();
  };
  const parts = [
    ["curve", "the curve", () => model && curve(signal, false)],
    ["recorded", "the replay of the log", () => catalogue.log && replayed()],
    ["numbers", "the simulated response time", () => model && shown.report.stable && !theMean() && simulate(signal)],
    ["changes", "the effects of changes", () => model && changes(signal)],
    ["waits", "the percentiles", () => model && percentiles(signal)],
    ["policies", "the comparison of policies", () => model && shown.report.load !== null && policies(signal)],
    ["curve", "the simulated curve", () => model && shown.curve === null && curve(signal, true)],
  ];
  const missing = [];
  for (const [id, words, ask] of parts) {
    try {
      await ask();
    } catch (error) {
      if (signal.aborted) return;
      missing.push(`${words} (${error.message})`);
      show.problem(id, `Not complete: ${words}. ${error.message}.`);
      paint();
    }
    if (signal.aborted) return;
  }
  for (const [policy, words] of Object.entries(shown.replays?.failed ?? {})) missing.push(`${policy}: ${words}`);
  show.status(missing.length ? `Not complete: ${missing.join("; ")}.` : "Done. Change something, or take it along.");
  paint();
  document.body.dataset.ready = "yes";
}

async function changes(signal) {
  const options = { seed: 1, percentiles: false, reference: reference() };
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
  const found = await post("/api/answer", { ...withRate(), question: "analyse" }, signal);
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

async function policies(signal) {
  const late = shown.tails && show.rows(shown.tails, "response_time_percentile", { class: null, level: 95 })[0];
  const options = { seed: 1, reference: reference(), percentile_95: late ? bare(late) : null };
  for await (const { result, progress } of stream({ ...withRate(), question: "policies", options }, signal)) {
    if (progress) show.status(`Policies on the same jobs: ${progress.words}.`);
    if (!result) continue;
    shown.compared = result;
    paint();
  }
}

// The mean response time that is shown: differences are from it.
const reference = () => {
  const row = shown.report.stable ? stay() : null;
  return row ? bare(row) : null;
};
const bare = ({ value, kind, low, high }) => ({ value, kind, low, high });

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

function addressProblem(problem) {
  $("address-problem").hidden = !problem;
  if (problem) $("address-problem").textContent = `What stands behind # in the address is not a cluster: ${problem}. The page shows another one.`;
}

async function begin() {
  draw.whenReady();
  catalogue = await get("/api/catalogue");
  if (catalogue.error) throw new Error(catalogue.error);
  shown.log = catalogue.log;
  controls.fill(catalogue);
  const found = state.fromAddress();
  state.begin(found.state ?? { spec: catalogue.start });
  shown.choosing = !found.state && log.isShown(catalogue);
  addressProblem(found.problem);
  if (matchMedia("(max-width: 56rem)").matches || state.present().spec.classes.length > 6) $("classes-box").open = false;
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
  for (const [event, onPaper] of [["beforeprint", true], ["afterprint", false]]) {
    window.addEventListener(event, () => { document.documentElement.classList.toggle("paper", onPaper); pictures(); }); // paper is light
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => shown.report && paint());
  window.addEventListener("hashchange", () => {
    const { state: found, problem } = state.fromAddress();
    addressProblem(problem);
    if (found && JSON.stringify(found) !== JSON.stringify(state.present())) { state.change("address", () => found); changed(); }
  });
  changed();
}

begin().catch(fail);
