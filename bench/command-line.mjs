import { parseArgs } from 'node:util';

/** Reads the arguments of mcp.mjs; throws an Error that says what is wrong with them. */
export function readCommandLine(args, { contenders, measures }) {
  const { values } = parseArgs({
    args,
    options: {
      contenders: { type: 'string' },
      measures: { type: 'string' },
      subject: { type: 'string', default: 'hawser' },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
    throw new Error(`--rounds wants a whole number above 0, not ${values.rounds}`);
  }
  return {
    ...values,
    rounds,
    contenders: pick('--contenders', values.contenders, contenders),
    measures: pick('--measures', values.measures, measures),
  };
}

function pick(option, names, all) {
  if (names === undefined) return all;
  return names.split(',').map((name) => {
    const found = all.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`${option}: ${name} is none of ${namesOf(all)}`);
    return found;
  });
}

export function helpText({ contenders, measures }) {
  const measureLines = measures.map(({ name, title }) => `  ${name.padEnd(18)}${title}`).join('\n');
  return `npm run bench -- [options]

Measures @hawser/mcp beside other MCP servers and beside a raw floor (a transport, JSON.parse and a Map), all in one
run: in each round every contender has its turn, in the next round in the opposite order. Medians are printed, and the
ratio of hawser to each contender, which is the median of the ratios within the rounds, next to its target. Only these
ratios mean something; figures of different runs, or of a busy machine, do not compare.

Options
  --contenders A,B  who takes part: ${namesOf(contenders)}
  --measures A,B    what is measured (see below)
  --subject A       whose ratios are printed instead of hawser's
  --rounds N        rounds of every measure, instead of each measure's own number
  --quick           a minute and a half instead of thirteen; enough to see that everything works
  --json FILE       also write every single figure to FILE
  --strict          end with code 2 when a target is missed
  --help            this text

Measures
${measureLines}

Over HTTP each call in flight has a keep-alive connection to itself. The rows JSON and SSE are the two ways to answer a
call. Libraries that take web Requests sit behind one small bridge to node:http, bench/wire/fetch-listen.mjs, in place
of their own ones, which cost more. The memory target is about hawser alone; the others are asked less often.

Needs Linux, because processor time and memory are read from /proc, and the built package: npm run build.
Ends with code 1 when something could not be measured.`;
}

const namesOf = (list) => list.map(({ name }) => name).join(', ');
