import { median, relativeSpread } from './statistics.mjs';

/**
 * Turns the samples of one row into figures by contender and ratios of the subject to every other contender; `own` is
 * what has become of a target for the subject's figure itself.
 */
export function summarize(row, samples, subject) {
  const figures = {};
  for (const [name, ofContender] of samples) {
    const values = ofContender.map((sample) => sample[row.key]);
    figures[name] = { median: median(values), spread: relativeSpread(values), values };
  }
  const ratios = {};
  for (const name of samples.has(subject) ? samples.keys() : []) {
    if (name !== subject) ratios[name] = ratioOf(figures[subject].values, figures[name].values, row.targets[name]);
  }
  const own = row.ownTarget && samples.has(subject) ? ownVerdict(figures[subject].median, row.ownTarget) : undefined;
  return { key: row.key, label: row.label, unit: row.unit, figures, ratios, own };
}

function ownVerdict(value, target) {
  return { value, target, verdict: verdictOf(value, target) };
}

function ratioOf(ours, theirs, target) {
  // Within a round both had the same neighbours on the machine, so the rounds are compared one by one.
  const perRound = ours.map((value, round) =>
    target?.timesFaster === undefined ? value / theirs[round] : theirs[round] / value,
  );
  const ratio = median(perRound);
  return { ratio, spread: relativeSpread(perRound), target, verdict: verdictOf(ratio, target) };
}

function verdictOf(ratio, target) {
  if (target === undefined) return undefined;
  const met = target.atMost === undefined ? ratio >= (target.atLeast ?? target.timesFaster) : ratio <= target.atMost;
  return met ? 'ok' : 'short';
}
