// The page: ask what is known at once, then the curve, then what has to be simulated; stop all of it on a change.
"use strict";
import { get, post, stream } from "./ask.js";
import * as controls from "./controls.js";
import * as draw from "./draw.js";
import * as show from "./show.js";
import * as state from "./state.js";

const LOADS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98];
const SIMULATED_LOADS = [0.2, 0.4, 0.6, 0.8, 0.9];
const PERCENTILES = [50, 90, 95, 99];
const $ = (id) => document.getElementById(id);

let catalogue = null;
let running = new AbortController();
let shown = { report: null, curve: null, curveOf: "", tails: null, run: null, compared: null };

const request = () => {
  const { spec, cap } = state.present();
  return cap ? { spec, largest_need: cap } : { spec };
};
// The curve does not depend on how much arrives.
const curveKey = () => {
  const { spec, ...rest } = request();
  const { arrival_rate, load, utilisation, name, ...more } = spec;
  return JSON.stringify([more, rest]);
};
const naive = () => shown.report && show.row(shown.report, "naive_threshold", { section: "capacity", change: undefined })?.value;

async function refresh() {
  running.abort();
  const mine = (running = new AbortController());
  const signal = mine.signal;
  controls.show(catalogue, naive());
  shown = { ...shown, run: null, compared: null, tails: null, curve: shown.curveOf === curveKey() ? shown.curve : null };
  document.body.dataset.ready = "no";
  for (const id of ["numbers", "findings", "waits", "changes", "policies", "where", "curve"]) $(id).classList.add("old");
  show.status("Computing.");
  try {
    await look(signal);
    await curve(signal, false);
    await percentiles(signal);
    const { report } = shown;
    if (report.stable && !exactMean()) await simulate(signal);
    if (report.load !== null) await compare(signal);
    if (!exactCurve()) await curve(signal, true);
    show.status("Done. Change something, or take it along.");
    document.body.dataset.ready = "yes";
  } catch (error) {
    if (signal.aborted) return;
    show.status("");
    show.alert(error.message);
    document.body.dataset.ready = "error";
  }
}

async function look(signal) {
  let first = true;
  for await (const { result } of stream({ ...request(), question: "look", options: { seed: 1, percentiles: false } }, signal)) {
    if (!result) continue;
    shown.report = result;
    if (first && result.load) {
      if (!Number.isFinite(state.value(state.present().spec.arrival_rate))) state.settle(result.load.arrival_rate);
      controls.show(catalogue, naive());
      curve(signal, false).catch(() => {}); // beside it; the same error is met again below
    }
    first = false;
    paint();
    document.body.dataset.ready = "first";
  }
}

// Percentiles may take seconds and cannot be called off half-way: they are asked for when nothing has moved for a moment.
async function percentiles(signal) {
  await new Promise((resolve) => setTimeout(resolve, 600));
  if (signal.aborted || !shown.report.stable || !exactMean()) return;
  show.status("Percentiles.");
  const found = await post("/api/answer", { ...request(), question: "analyse" }, signal);
  if (signal.aborted) return;
  shown.tails = found;
  paint();
}

let asked = { key: "", signal: null, answer: null };
async function curve(signal, simulated) {
  const key = curveKey();
  const report = shown.report;
  const kind = show.row(report, "stability_threshold", { section: "capacity", change: undefined })?.kind;
  if (shown.curveOf === key && shown.curve) return;
  if (!simulated && (kind !== "exact" || (report.stable && !exactMean()))) return;
  if (asked.key !== key || asked.signal !== signal) {
    const options = simulated ? { loads: SIMULATED_LOADS, jobs: 50_000, seed: 1 } : { loads: LOADS };
    asked = { key, signal, answer: post("/api/answer", { ...request(), question: "curve", options }, signal) };
  }
  if (simulated) show.status("Simulating the curve.");
  const answer = await asked.answer;
  if (signal.aborted) return;
  shown.curve = answer;
  shown.curveOf = key;
  paint();
}

async function simulate(signal) {
  const settled = withRate();
  for await (const { result, progress } of stream({ ...settled, question: "simulate", options: { seed: 1 } }, signal)) {
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

const withRate = () => {
  const asked = request();
  const spec = { ...asked.spec, arrival_rate: shown.report.load.arrival_rate };
  delete spec.load;
  delete spec.utilisation;
  return { ...asked, spec };
};
const here = { section: "response" };
const exactMean = () => shown.report && show.row(shown.report, "mean_response_time", here);
const exactCurve = () => shown.curve !== null;
const stay = () => exactMean() || (shown.run && show.row(shown.run, "mean_response_time"));

function paint() {
  const { report } = shown;
  for (const id of ["numbers", "findings", "waits", "changes", "policies", "where", "curve"]) $(id).classList.remove("old");
  const at = (name, where) => show.row(report, name, { section: "capacity", change: undefined, ...where });
  const servers = report.system.servers;
  const unstable = (report.load && !report.load.stable) || shown.run?.outcome === "unstable";
  $("title").textContent = report.title;
  document.title = `${report.title} – msj explore`;
  show.alert(unstable ? `The queue would grow for ever. ${report.stable ? shown.run.notes[0] : (report.findings[0]?.sentence ?? "")}` : "");
  const simulated = (name) => shown.run && show.row(shown.run, name);
  const response = (name) => show.row(report, name, here) || simulated(name);
  const rate = report.load && { name: "arrival_rate", value: report.load.arrival_rate, kind: "exact", low: null, high: null };
  show.numbers([
    { key: "mean_response_time", words: "A job stays, on average", row: unstable ? null : stay() },
    { key: "mean_waiting_time", words: "of which it waits", row: unstable ? null : response("mean_waiting_time") },
    { key: "waiting_probability", words: "Jobs that have to wait", row: unstable ? null : response("waiting_probability"), scale: 100, unit: " %" },
    { key: "arrival_rate", words: "Jobs that arrive per unit of time", row: rate },
    { key: "stability_threshold", words: "Most the cluster takes", row: at("stability_threshold") || at("attainable_threshold") },
    { key: "wasted_servers", words: `Servers lost, of ${servers.toLocaleString("en-GB")}`, row: at("wasted_servers") },
  ]);
  show.sentences("findings", report.findings);
  where(report, at, servers, unstable);
  waits(unstable);
  changes(report);
  policies();
  picture(report, at, unstable);
  const notes = [...report.notes, ...(shown.run?.notes ?? []), ...(shown.curve?.notes ?? [])];
  show.sentences("notes", [...new Set(notes)].map((sentence) => ({ sentence })));
}

function picture(report, at, unstable) {
  const all = at("naive_threshold")?.value;
  const threshold = at("stability_threshold");
  const points = shown.curve
    ? show.rows(shown.curve, "mean_response_time", { class: null }).map((row) => ({ x: row.at.arrival_rate / all, row }))
    : [];
  const load = report.load ? report.load.utilisation : null;
  const mean = unstable ? null : stay();
  draw.curve({
    points, load, limit: threshold && all ? threshold.value / all : null,
    here: mean && load !== null ? { x: load, row: mean } : null,
  });
  $("curve-words").textContent = shown.curve
    ? "The line is exact, circles are simulated with 95 % intervals; the diamond is the present setting."
    : "The curve comes when it is computed; the diamond is the present setting.";
}

function where(report, at, servers, unstable) {
  const lost = at("wasted_servers");
  const bars = [];
  const lines = [];
  if (lost) {
    const parts = [{ name: "busy", value: servers - lost.value, colour: "grey" }];
    const blamed = show.rows(report, "blocked_servers", { section: "capacity" }).filter((r) => r.at.change === undefined && r.value > 0.001 * servers);
    const patterns = ["/", "\\", "x", ".", "+"];
    blamed.sort((a, b) => b.value - a.value).forEach((r, i) => parts.push({ name: `held empty for '${r.class}'`, value: r.value, colour: "red", pattern: patterns[i % 5] }));
    const rest = lost.value - blamed.reduce((sum, r) => sum + r.value, 0);
    if (rest > 0.001 * servers) parts.push({ name: "lost", value: rest, colour: "red", pattern: "-" });
    bars.push({ name: "at its limit", parts });
    lines.push({ name: "Busy at the limit", cells: [{ ...lost, value: servers - lost.value, low: null, high: null }] });
    for (const r of blamed) lines.push({ name: `Held empty for a '${r.class}' job at the head of the line`, cells: [r] });
    if (rest > 0.001 * servers) lines.push({ name: "Lost to jobs that do not fit together", cells: [{ ...lost, value: rest, low: null, high: null }] });
  }
  if (report.load && !unstable) {
    const busy = report.load.utilisation * servers;
    bars.push({ name: "at this load", parts: [{ name: "busy", value: busy, colour: "grey" }, { name: "not busy", value: servers - busy, colour: "pale" }] });
    lines.push({ name: "Busy at this load", cells: [{ value: busy, kind: "exact", low: null, high: null }] });
  }
  draw.where(servers, bars);
  show.table("where-table", `Of ${servers.toLocaleString("en-GB")} servers, on average.`, ["", "servers"], lines, "Nothing is known about that.");
}

function waits(unstable) {
  const source = shown.tails && show.rows(shown.tails, "waiting_time_percentile").length ? shown.tails : shown.run;
  const found = source && !unstable ? show.rows(source, "waiting_time_percentile") : [];
  const names = [...new Set(found.map((r) => r.class))];
  const cell = (name, level) => found.find((r) => r.class === name && r.level === level);
  show.table(
    "waits", "So many of the jobs wait at most so long; ± is a 95 % interval.", ["jobs", ...PERCENTILES.map((level) => `${level} %`)],
    names.map((name) => ({ name: name ?? "all", cells: PERCENTILES.map((level) => cell(name, level)) })),
    unstable ? "Waits grow for ever." : "Percentiles come last: they take longest.",
  );
}

function changes(report) {
  const names = [...new Set(report.quantities.filter((r) => r.at.change !== undefined).map((r) => r.at.change))];
  const of = (change, name) => show.row(report, name, { section: "what_if", change });
  const limit = (change) => of(change, "stability_threshold") ?? show.row(report, "stability_threshold", { section: "capacity" });
  const rate = (change) => of(change, "arrival_rate")?.value ?? report.load?.arrival_rate;
  const tooMuch = (change) => limit(change) && rate(change) >= (limit(change).high ?? limit(change).value);
  show.table(
    "changes", "At the same arrival rate, but for the row with more load. A cap keeps the work of a job: fewer servers, longer runs. ± is a 95 % interval.",
    ["change", "most it takes", "a job stays", "difference"],
    names.map((change) => ({
      name: change,
      cells: [
        of(change, "stability_threshold") ?? "–",
        of(change, "mean_response_time") ?? (tooMuch(change) ? "the queue grows" : "not known"),
        of(change, "mean_response_time_difference") ?? "–",
      ],
    })),
    "What a change would bring comes in a moment.",
  );
}

function policies() {
  const { compared } = shown;
  const names = compared ? [...new Set([...compared.quantities, ...compared.missing].map((r) => r.at.policy).filter((p) => p !== undefined))] : [];
  const of = (policy, name, more = {}) => show.row(compared, name, { policy, ...more });
  const why = (policy) => compared.missing.find((gap) => gap.at.policy === policy);
  const jobs = compared?.provenance.jobs;
  show.table(
    "policies", `All serve the very same jobs, so differences are surer than the means${jobs ? `; ${jobs.toLocaleString("en-GB")} jobs` : ""}; ± is a 95 % interval.`,
    ["policy", "a job stays", "difference from the first", "95 % stay at most"],
    names.map((policy) => ({
      name: policy,
      cells: [
        of(policy, "mean_response_time") ?? (why(policy)?.failure === "unstable" ? "the queue grows" : "not settled"),
        of(policy, "mean_response_time_difference") ?? "–",
        show.rows(compared, "response_time_percentile", { policy, class: null, level: 95 })[0] ?? "–",
      ],
    })),
    "Policies are simulated once the rest is there.",
  );
}

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

let due = 0;
function changed() {
  controls.show(catalogue, naive());
  running.abort();
  document.body.dataset.ready = "no";
  clearTimeout(due);
  due = setTimeout(refresh, 15);
}

async function begin() {
  draw.whenReady();
  catalogue = await get("/api/catalogue");
  if (catalogue.error) throw new Error(catalogue.error);
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
  await refresh();
}

begin().catch((error) => show.alert(error.message));
