// What is known, put on the page: words and numbers at once, pictures when the browser has drawn those.
"use strict";
import * as draw from "./draw.js";
import * as logPaint from "./log_paint.js";
import * as show from "./show.js";

const PERCENTILES = [50, 90, 95, 99];
const PATTERNS = ["/", "\\", "x", ".", "+"];
const $ = (id) => document.getElementById(id);

export const shown = {
  report: null, curve: null, curveOf: "", tails: null, run: null, compared: null,
  log: null, ofLog: false, replays: null, nearest: undefined, choosing: false,
};

const here = { section: "response" };
const inCapacity = (report, name) => show.row(report, name, { section: "capacity", change: undefined });
export const thresholdOf = (report) => inCapacity(report, "stability_threshold");
export const theMean = () => shown.report && show.row(shown.report, "mean_response_time", here);
export const stay = () => theMean() || (shown.run && show.row(shown.run, "mean_response_time"));
const unstableNow = () => (shown.report.load && !shown.report.load.stable) || shown.run?.outcome === "unstable";

export function paint() {
  logPaint.sections(shown.ofLog);
  $("recorded").closest("section").hidden = !shown.log || !shown.replays;
  if (shown.log && shown.replays) logPaint.table(shown);
  if (shown.ofLog) return paintLog();
  paintModel();
}

// The record and its replays; nothing is modelled.
function paintLog() {
  $("title").textContent = shown.log.name;
  document.title = `${shown.log.name} – msj explore`;
  show.alert("");
  logPaint.numbers(shown);
  logPaint.waits(shown);
  const notes = Object.values(shown.replays?.runs ?? {}).flatMap((run) => run.notes);
  show.sentences("notes", [...new Set(notes)].map((sentence) => ({ sentence })));
}

function paintModel() {
  const { report } = shown;
  const unstable = unstableNow();
  const unit = report.system.time_unit ?? null;
  $("title").textContent = report.title;
  document.title = `${report.title} – msj explore`;
  const whose = shown.log && report.title === shown.log.name ? "In the model of independent jobs, the queue" : "The queue";
  show.alert(unstable ? `${whose} would grow without bound. ${report.stable ? shown.run.notes[0] : (report.findings[0]?.sentence ?? "")}` : "");
  numbers(report, unstable, unit);
  show.sentences("findings", report.findings);
  waits(unstable, unit);
  changes(report, unit);
  policies(unit);
  const notes = [...report.notes, ...(shown.run?.notes ?? []), ...(shown.curve?.notes ?? [])];
  show.sentences("notes", [...new Set(notes)].map((sentence) => ({ sentence })));
  picturesSoon();
}

let soon = false;
function picturesSoon() {
  if (soon) return;
  soon = true;
  requestAnimationFrame(() => setTimeout(() => {
    soon = false;
    pictures();
  }));
}

export function pictures() {
  if (!shown.report || shown.ofLog) return;
  const unstable = unstableNow();
  where(shown.report, unstable);
  picture(shown.report, unstable);
}

function numbers(report, unstable, unit) {
  const response = (name) => (unstable ? null : show.row(report, name, here) || (shown.run && show.row(shown.run, name)));
  const rate = report.load && { name: "arrival_rate", value: report.load.arrival_rate, kind: "exact", low: null, high: null };
  const [time, perTime] = [unit ? ` ${unit}` : "", show.perUnit(unit)];
  show.numbers([
    { key: "mean_response_time", words: "Mean response time", row: unstable ? null : stay(), unit: time },
    { key: "mean_waiting_time", words: "Mean waiting time", row: response("mean_waiting_time"), unit: time },
    { key: "waiting_probability", words: "Probability of waiting", row: response("waiting_probability"), scale: 100, unit: " %" },
    { key: "arrival_rate", words: `Arrival rate, jobs ${perTime}`, row: rate },
    { key: "stability_threshold", words: `Stability threshold, jobs ${perTime}`, row: thresholdOf(report) || inCapacity(report, "attainable_threshold") },
    { key: "wasted_servers", words: `Wasted servers, of ${report.system.servers.toLocaleString("en-GB")}`, row: inCapacity(report, "wasted_servers") },
  ]);
}

function picture(report, unstable) {
  const all = inCapacity(report, "naive_threshold")?.value;
  const threshold = thresholdOf(report);
  const points = shown.curve
    ? show.rows(shown.curve, "mean_response_time", { class: null }).map((row) => ({ x: row.at.arrival_rate / all, row }))
    : [];
  const load = report.load ? report.load.utilisation : null;
  const mean = unstable ? null : stay();
  draw.curve({
    points, load, unit: report.system.time_unit, limit: threshold && all ? threshold.value / all : null,
    here: mean && load !== null ? { x: load, row: mean } : null,
  });
  $("curve-words").textContent = shown.curve
    ? "The line is exact, circles are simulated with 95 % intervals; the diamond is the present setting."
    : "The curve comes when it is computed; the diamond is the present setting.";
}

function where(report, unstable) {
  const { servers } = report.system;
  const lost = inCapacity(report, "wasted_servers");
  const [bars, lines] = [[], []];
  if (lost) {
    const parts = [{ name: "busy", value: servers - lost.value, colour: "grey" }];
    const blamed = show.rows(report, "blocked_servers", { section: "capacity" }).filter((r) => r.at.change === undefined && r.value > 0.001 * servers);
    blamed.sort((a, b) => b.value - a.value).forEach((r, i) => parts.push({ name: `held empty for '${r.class}'`, label: `for '${r.class}'`, value: r.value, colour: "red", pattern: PATTERNS[i % 5] }));
    const rest = lost.value - blamed.reduce((sum, r) => sum + r.value, 0);
    if (rest > 0.001 * servers) parts.push({ name: "lost", value: rest, colour: "red", pattern: "-" });
    bars.push({ name: "at its limit", parts });
    lines.push({ name: "Busy at the limit", cells: [{ ...lost, name: "busy_at_the_limit", value: servers - lost.value, low: null, high: null }] });
    for (const r of blamed) lines.push({ name: `Held empty for a '${r.class}' job at the head of the line`, cells: [r] });
    if (rest > 0.001 * servers) lines.push({ name: "Lost to jobs that do not fit together", cells: [{ ...lost, name: "wasted_otherwise", value: rest, low: null, high: null }] });
  }
  if (report.load && !unstable) {
    const busy = report.load.utilisation * servers;
    bars.push({ name: "at this load", parts: [{ name: "busy", value: busy, colour: "grey" }, { name: "not busy", value: servers - busy, colour: "pale" }] });
    lines.push({ name: "Busy at this load", cells: [{ name: "busy_servers", value: busy, kind: "exact", low: null, high: null }] });
  }
  draw.where(servers, bars);
  show.table("where-table", `Of ${servers.toLocaleString("en-GB")} servers, on average.`, ["part", "servers"], lines, "Nothing is known about that.");
}

const inUnit = (unit) => (unit ? ` In ${unit}.` : "");

function waits(unstable, unit) {
  const source = shown.tails && show.rows(shown.tails, "waiting_time_percentile").length ? shown.tails : shown.run;
  const found = source && !unstable ? show.rows(source, "waiting_time_percentile") : [];
  const names = [...new Set(found.map((r) => r.class))];
  const cell = (name, level) => found.find((r) => r.class === name && r.level === level);
  show.table(
    "waits", `Waiting-time percentiles: the given share of the jobs waits at most this long. ± is a 95 % interval.${inUnit(unit)}`, ["jobs", ...PERCENTILES.map((level) => `${level} %`)],
    names.map((name) => ({ name: name ?? "all", cells: PERCENTILES.map((level) => cell(name, level)) })),
    unstable ? "Waiting times grow without bound." : "Percentiles come last: they take longest.",
  );
}

function changes(report, unit) {
  const names = [...new Set(report.quantities.filter((r) => r.at.change !== undefined).map((r) => r.at.change))];
  const of = (change, name) => show.row(report, name, { section: "what_if", change });
  const limit = (change) => of(change, "stability_threshold") ?? show.row(report, "stability_threshold", { section: "capacity" });
  const rate = (change) => of(change, "arrival_rate")?.value ?? report.load?.arrival_rate;
  const tooMuch = (change) => limit(change) && rate(change) >= (limit(change).high ?? limit(change).value);
  show.table(
    "changes", `At the same arrival rate, but for the row with more load. A cap keeps the work of a job: fewer servers, longer runs. ± is a 95 % interval.${inUnit(unit)}`,
    ["change", `stability threshold${unit ? `, jobs ${show.perUnit(unit)}` : ""}`, "mean response time", "difference"],
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

function policies(unit) {
  const { compared } = shown;
  const names = compared ? [...new Set([...compared.quantities, ...compared.missing].map((r) => r.at.policy).filter((p) => p !== undefined))] : [];
  const of = (policy, name, more = {}) => show.row(compared, name, { policy, ...more });
  const why = (policy) => compared.missing.find((gap) => gap.at.policy === policy);
  const jobs = compared?.provenance.jobs;
  show.table(
    "policies", `Exact where a method applies; else all serve the same jobs, and differences are from the mean response time shown above${jobs ? `; ${jobs.toLocaleString("en-GB")} jobs` : ""}; ± is a 95 % interval.${inUnit(unit)}`,
    ["policy", "mean response time", "difference from the first", "95th percentile"],
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
