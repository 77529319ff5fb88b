// When jobs come: a few laws with one number each, as tables of the spec file. Whatever else a file has stays as it is.
"use strict";

const LAWS = {
  poisson: { words: "independently (Poisson)", make: () => undefined },
  gaps: {
    words: "with gaps of another variation", number: "Coefficient of variation of a gap (independent: 1)", usual: 2, min: 0.1, max: 20,
    make: (cv) => ({ law: "renewal", gap: { law: "fit", mean: 1, cv } }),
  },
  batches: {
    words: "several at a time", number: "Jobs in a batch, on average", usual: 4, min: 1.01, max: 1000,
    make: (jobs) => ({ law: "batch", size: { law: "exponential", mean: -1 / Math.log(1 - 1 / jobs) } }), // rounded up
  },
  bursts: {
    words: "in bursts", number: "How many times as fast in a burst", usual: 9, min: 1, max: 1000,
    make: (times) => ({ law: "mmpp", rates: [1, times], switching: [[0, 0.1], [0.4, 0]] }),
  },
};

// Which of them a spec has, with its number; "other" where it is none of these.
export function found(spec) {
  const given = spec.arrivals;
  const close = (one, two) => JSON.stringify(one) === JSON.stringify(two);
  if (!given || given.law === "poisson") return { law: "poisson" };
  if (given.law === "renewal" && given.gap?.law === "fit") return { law: "gaps", number: given.gap.cv };
  if (given.law === "batch" && given.size?.law === "exponential" && given.size.mean)
    return { law: "batches", number: Number((1 / (1 - Math.exp(-1 / given.size.mean))).toPrecision(6)) };
  if (given.law === "mmpp" && close(given.switching, [[0, 0.1], [0.4, 0]]) && given.rates[0] === 1) return { law: "bursts", number: given.rates[1] };
  return { law: "other", words: `as in the file (${given.law})` };
}

export function options(spec) {
  const now = found(spec);
  const known = Object.entries(LAWS).map(([key, law]) => ({ key, words: law.words }));
  return now.law === "other" ? [{ key: "other", words: now.words }, ...known] : known;
}

export const described = (law) => LAWS[law];

// The spec with another law, or another number of the same one.
export function changed(spec, law, number) {
  const next = { ...spec };
  const made = LAWS[law]?.make(number ?? LAWS[law].usual);
  if (made === undefined) delete next.arrivals;
  else next.arrivals = made;
  return next;
}
