// The record and its replays, put on the page.
"use strict";
import { policyOf } from "./log.js";
import * as show from "./show.js";
import { present } from "./state.js";

const LEVELS = [50, 90, 95, 99];
const $ = (id) => document.getElementById(id);
const late = (run, policy) => show.rows(run, "waiting_time_percentile", { policy, class: null, level: 95 })[0];
const inUnit = (unit) => (unit ? ` In ${unit}.` : "");

export function numbers(shown) {
  const { replays, nearest } = shown;
  const chosen = policyOf(present().spec);
  const any = Object.values(replays.runs)[0];
  if (!any) return show.numbers([]);
  const run = replays.runs[chosen];
  const unit = any.system.time_unit ? ` ${any.system.time_unit}` : "";
  const of = (name, policy) => (policy === undefined ? show.row(any, name, { policy }) : run && show.row(run, name, { policy }));
  const ready = !shown.choosing; // until the policy nearest to the record is known, only the record is shown
  const close = chosen === nearest ? " (nearest to the record)" : "";
  show.numbers([
    { key: "recorded_wait", words: "Mean wait, as recorded", row: of("mean_waiting_time"), unit },
    { key: "recorded_response", words: "Mean response time, as recorded", row: of("mean_response_time"), unit },
    { key: "recorded_late", words: "95 % waited at most, as recorded", row: late(any, undefined), unit },
    { key: "replayed_wait", words: `Mean wait, replayed under ${chosen}${close}`, row: ready && of("mean_waiting_time", chosen), unit },
    { key: "replayed_response", words: `Mean response time, replayed under ${chosen}`, row: ready && of("mean_response_time", chosen), unit },
    { key: "replayed_late", words: `95 % waited at most, replayed under ${chosen}`, row: ready && run && late(run, chosen), unit },
  ]);
}

export function table(shown) {
  const { replays, nearest, log } = shown;
  const any = Object.values(replays.runs)[0];
  const of = (run, policy, name) => show.row(run, name, { policy });
  const line = (name, run, policy) => ({
    name, cells: [of(run, policy, "mean_waiting_time") ?? "–", of(run, policy, "mean_response_time") ?? "–", late(run, policy) ?? "–"],
  });
  const names = Object.keys({ ...replays.runs, ...replays.failed });
  const lines = names.map((policy) => {
    const words = policy === nearest ? `${policy} (nearest to the record)` : policy;
    return policy in replays.runs ? line(words, replays.runs[policy], policy) : { name: words, cells: [replays.failed[policy], "–", "–"] };
  });
  const recorded = any && of(any, undefined, "mean_waiting_time") ? [line("as recorded", any, undefined)] : [];
  show.table(
    "recorded",
    `The ${log.jobs.toLocaleString("en-GB")} jobs of ${log.name} as they were submitted, on the servers, under the cap and at the load set ` +
      `here; needs and durations are the log's. Facts about these jobs, no estimates.${inUnit(any?.system.time_unit)}`,
    ["policy", "mean wait", "mean response time", "95 % wait at most"],
    [...recorded, ...lines],
    "The log is replayed in a moment.",
  );
}

export function waits(shown) {
  const chosen = policyOf(present().spec);
  const run = shown.replays.runs[chosen];
  const found = run ? show.rows(run, "waiting_time_percentile", { policy: chosen }) : [];
  const names = [...new Set(found.map((r) => r.class))];
  show.table(
    "waits", `Waiting times replayed under ${chosen}: the percentile of each column.${inUnit(run?.system.time_unit)}`,
    ["jobs", ...LEVELS.map((level) => `${level} %`)],
    names.map((name) => ({ name: name ?? "all", cells: LEVELS.map((level) => found.find((r) => r.class === name && r.level === level)) })),
    "The percentiles come with the replay.",
  );
}

// Show the parts of the record, hide those of the model.
export function sections(ofLog) {
  for (const id of ["curve", "findings", "where", "changes", "policies"]) if (ofLog) $(id).closest("section").hidden = true;
  for (const id of ["curve", "where", "changes", "policies"]) if (!ofLog) $(id).closest("section").hidden = false;
}
