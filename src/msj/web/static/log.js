// The page of a log: the record and its replays come first; the model of independent jobs is an option.
"use strict";
import { post } from "./ask.js";
import { shown } from "./paint.js";
import * as show from "./show.js";
import * as state from "./state.js";

// Whether the page shows the log itself: it was opened with one, the cluster is still the log's, no model is asked for.
export const isShown = (catalogue) => Boolean(catalogue.log) && !state.present().model && state.present().spec.name === catalogue.log.name;
export const naive = (catalogue) => catalogue.log.jobs_per_server * state.value(state.present().spec.servers);
export const policyOf = (spec) => (typeof spec.policy === "object" ? spec.policy.name : (spec.policy ?? "fcfs"));

const rate = (spec) => state.value(spec.arrival_rate);
// Jobs per hour relative to the log; a cluster with another unit of time has another rate, which says nothing about the log.
const scale = ({ log }, spec) => (spec.time_unit === log.time_unit && Number.isFinite(rate(spec)) ? rate(spec) / log.arrival_rate : 1);
const asRecorded = (catalogue, { spec, cap }) =>
  state.value(spec.servers) === catalogue.log.servers && !cap && Math.abs(scale(catalogue, spec) - 1) < 1e-9;

// Replay under the chosen policy first, then under the others, and paint after each; one that fails is named in its row.
export async function* replay(catalogue, signal) {
  const { spec, cap } = state.present();
  const found = { runs: {}, failed: {}, original: asRecorded(catalogue, { spec, cap }) };
  shown.replays = found;
  for (const policy of new Set([policyOf(spec), ...catalogue.log.policies])) {
    show.status(`Replaying the log under ${policy}.`);
    const options = { seed: 1, policies: [policy], scale_load: scale(catalogue, spec), ...(cap ? { largest_need: cap } : {}) };
    try {
      found.runs[policy] = await post("/api/answer", { spec, question: "replay", options }, signal);
    } catch (error) {
      if (signal.aborted) return;
      found.failed[policy] = `not replayed: ${error.message}`;
    }
    yield policy;
  }
  if (found.original) shown.nearest = nearest(found.runs);
}

// The policy whose replay is nearest to the record: by the mean wait, its 95th percentile and the share that waits.
function nearest(runs) {
  const measures = (run, policy) => {
    const row = (name, level = null) => show.rows(run, name, { class: null, level, policy })[0]?.value;
    return [row("mean_waiting_time"), row("waiting_time_percentile", 95), row("waiting_probability")];
  };
  const distance = ([policy, run]) => {
    const recorded = measures(run, undefined);
    return measures(run, policy).reduce((sum, each, i) => sum + Math.abs((each ?? 0) - (recorded[i] ?? 0)) / (Math.abs(recorded[i]) || 1), 0);
  };
  const recorded = Object.entries(runs).filter(([, run]) => measures(run, undefined)[0] !== undefined);
  return recorded.sort((a, b) => distance(a) - distance(b))[0]?.[0];
}
