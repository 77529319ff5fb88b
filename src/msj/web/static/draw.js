// Pictures by plotly, in the colours of the sheet. Lines differ in dash and bars in pattern, not in colour alone.
"use strict";
import { short } from "./show.js";

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
// plotly's labels understand tags; what users call things is text.
export const safe = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

const waiting = new Map();
function plot(id, data, layout) {
  if (!window.Plotly) return waiting.set(id, [data, layout]);
  return window.Plotly.react(id, data, layout, { displayModeBar: false, responsive: true });
}
// The page is there before plotly is.
export function whenReady() {
  if (window.Plotly) return;
  document.querySelector('script[src="plotly.js"]').addEventListener("load", () => {
    for (const [id, [data, layout]] of waiting) plot(id, data, layout);
  });
}

function layout(height, more) {
  const ink = colour("ink");
  return {
    height, autosize: true, margin: { l: 8, r: 12, t: 12, b: 8, pad: 4 },
    font: { family: "system-ui, sans-serif", size: 13, color: ink },
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    hoverlabel: { bgcolor: colour("soft"), font: { color: ink } },
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" }, ...more,
  };
}
function axis(title, more = {}) {
  return { title: { text: title }, automargin: true, gridcolor: colour("pale"), linecolor: colour("grey"), zeroline: false, ...more };
}

// points: [{x (utilisation), row}], here: {x, row} or null, limit: utilisation or null, load: utilisation, unit of time.
export function curve({ points, here, limit, load, unit }) {
  const [ink, orange, red, grey] = ["ink", "orange", "red", "grey"].map(colour);
  const exact = points.filter((p) => p.row.kind === "exact");
  const seen = points.filter((p) => p.row.kind === "simulated");
  const data = [];
  if (exact.length) {
    data.push({ type: "scatter", mode: "lines", name: "exact", x: exact.map((p) => 100 * p.x), y: exact.map((p) => p.row.value),
      line: { color: ink, width: 2.2 }, hovertemplate: "exact: %{y:.4~g} at %{x:.3~g} %<extra></extra>" });
  }
  if (seen.length) {
    data.push({ type: "scatter", mode: "markers", name: "simulated, 95 % interval", x: seen.map((p) => 100 * p.x), y: seen.map((p) => p.row.value),
      error_y: errors(seen.map((p) => p.row), orange), marker: { symbol: "circle-open", size: 8, color: orange, line: { width: 2 } },
      hovertemplate: "simulated: %{y:.4~g} at %{x:.3~g} %<extra></extra>" });
  }
  if (here) {
    const kind = here.row.kind === "exact" ? ink : orange;
    data.push({ type: "scatter", mode: "markers", name: `now (${here.row.kind})`, x: [100 * here.x], y: [here.row.value],
      error_y: here.row.kind === "exact" ? undefined : errors([here.row], orange),
      marker: { symbol: "diamond", size: 13, color: kind }, hovertemplate: "now: %{y:.4~g} at %{x:.3~g} %<extra></extra>" });
  }
  const shapes = [], annotations = [];
  const line = (x, text, paint, dash, y) => {
    const left = text === "limit" ? x < 90 : x < 50;
    shapes.push({ type: "line", x0: x, x1: x, y0: 0, y1: 1, yref: "paper", line: { color: paint, width: 1.5, dash } });
    annotations.push({ x, y, yref: "paper", text, showarrow: false, xanchor: left ? "left" : "right", xshift: left ? 4 : -4, yanchor: y > 0.5 ? "top" : "bottom", font: { color: paint } });
  };
  if (limit !== null) line(100 * limit, "limit", red, "solid", 0.99);
  if (load !== null) line(100 * load, "now", grey, "dot", 0.01);
  const values = points.concat(here ? [here] : []).map((p) => p.row.value).filter((v) => v > 0);
  const range = [0, Math.max(103, load === null ? 0 : Math.min(105 * load, 150))];
  plot("curve", data, layout(390, {
    xaxis: axis("utilisation (%)", { range }),
    yaxis: axis(`mean response time (${unit ? `${unit}, ` : ""}log)`, values.length ? logTicks(values) : { type: "log", range: [0, 1] }),
    shapes, annotations, hovermode: "closest",
  }));
  const words = [
    limit === null ? "" : `The limit is at a utilisation of ${short(100 * limit, 3)} %.`,
    here ? `Now jobs stay ${short(here.row.value)}${unit ? ` ${unit}` : ""} on average at ${short(100 * here.x, 3)} %.` : "",
  ].join(" ").trim();
  document.getElementById("curve").setAttribute("aria-label", `Mean response time against utilisation. ${words}`);
}

function logTicks(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (high / low > 1e6) return { type: "log" };
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
    for (const step of high / low < 8 ? [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9] : [1, 2, 5]) ticks.push(step * 10 ** power);
  return { type: "log", tickvals: ticks, ticktext: ticks.map((tick) => short(tick)) };
}

function errors(found, paint) {
  return { type: "data", symmetric: false, array: found.map((r) => (r.high === null ? 0 : r.high - r.value)),
    arrayminus: found.map((r) => (r.low === null ? 0 : r.value - r.low)), color: paint, thickness: 1.6, width: 4 };
}

// parts: [{name, value, colour, pattern}] of the servers at the limit, and `now` at the load.
export function where(servers, bars) {
  const names = bars.map((bar) => bar.name);
  const data = bars.flatMap((bar) => bar.parts.map((part) => ({
    type: "bar", orientation: "h", name: safe(part.name), y: [bar.name], x: [part.value], showlegend: false,
    marker: { color: colour(part.colour), line: { color: colour("page"), width: 1 },
      pattern: part.pattern ? { shape: part.pattern, fgcolor: colour("page"), bgcolor: colour(part.colour), size: 7, solidity: 0.25 } : undefined },
    hovertemplate: `%{x:.3~g} servers: ${safe(part.name)}<extra></extra>`,
  })));
  // Labels on a ground of their own: over a hatch, letters cannot be read. What has no room stands in the table below.
  const room = (document.getElementById("where").clientWidth - 130) / servers;
  const annotations = bars.flatMap((bar) => {
    let left = 0;
    return bar.parts.flatMap((part) => {
      const middle = left + part.value / 2;
      left += part.value;
      const label = part.label ?? part.name;
      if (part.value * room < 7.5 * label.length + 10) return [];
      return [{ x: middle, y: bar.name, text: safe(label), showarrow: false, bgcolor: colour("page"), borderpad: 2, font: { color: colour("ink") } }];
    });
  });
  plot("where", data, layout(90 + 60 * bars.length, {
    annotations, barmode: "stack", bargap: 0.3, xaxis: axis("servers", { range: [0, servers] }),
    yaxis: axis("", { categoryorder: "array", categoryarray: [...names].reverse() }),
  }));
  const words = bars.map((bar) => `${bar.name}: ${bar.parts.map((p) => `${short(p.value, 3)} ${p.name}`).join(", ")}`).join(". ");
  document.getElementById("where").setAttribute("aria-label", `Where the servers go. ${words}.`);
}
