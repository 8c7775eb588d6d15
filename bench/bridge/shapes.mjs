const COUNT = 100_000;

/** Pairs of an old and a new text, as lines. */
export const SHAPES = {
  'few changes': () => edited((line, at) => [at % 20_000 === 777 ? `${line} // changed` : line]),
  'a change every 10 lines': () => edited((line, at) => [at % 10 === 3 ? `${line} // changed` : line]),
  'a line added every 7': () => edited((line, at) => (at % 7 === 3 ? [line, `  added(${at});`] : [line])),
  'all indented': () => edited((line) => [`  ${line}`]),
  'halves swapped': () => [code(1), [...code(1).slice(COUNT / 2), ...code(1).slice(0, COUNT / 2)]],
  'fully shuffled': () => [code(1), shuffled(code(1))],
  'nothing in common': () => [code(1), code(2).map((line) => `x${line}`)],
  'few different lines': () => [repeated(1), repeated(2)],
};

function edited(change) {
  const lines = code(1);
  return [lines, lines.flatMap(change)];
}

/** Lines as in source code, some of them the same. */
function code(seed) {
  const random = seeded(seed);
  return Array.from({ length: COUNT }, (_, line) => {
    const kind = random(10);
    if (kind === 0) return '';
    if (kind === 1) return '  }';
    if (kind === 2) return '    return undefined;';
    return `${'  '.repeat(random(4))}const value${random(1e6)} = compute(${line}, ${random(1000)});`;
  });
}

function repeated(seed) {
  const random = seeded(seed);
  return Array.from({ length: COUNT }, () => `line ${random(50)}`);
}

function shuffled(lines) {
  const random = seeded(7);
  const mixed = [...lines];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = random(at + 1);
    [mixed[at], mixed[other]] = [mixed[other], mixed[at]];
  }
  return mixed;
}

function seeded(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) % limit;
  };
}
