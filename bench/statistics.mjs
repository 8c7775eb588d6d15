export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Half the distance between the quartiles, as a part of the median. */
export function relativeSpread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part) => sorted[Math.round(part * (sorted.length - 1))];
  return (at(0.75) - at(0.25)) / 2 / median(values);
}

/** The value below which this part of the values is. */
export function quantile(values, part) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.round(part * (sorted.length - 1))];
}
