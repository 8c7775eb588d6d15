import { fileURLToPath } from 'node:url';
import { runForReport } from '../load/processes.mjs';
import { median } from '../statistics.mjs';
import { SHAPES } from './shapes.mjs';

const program = fileURLToPath(new URL('hunks-process.mjs', import.meta.url));

/**
 * hunksOf on 100 000 lines: in a process's first call, and later. A process of its own each, and the time of its thread:
 * other work on the machine would add its own.
 */
export async function hunks({ quick }) {
  const rows = [];
  for (const shape of Object.keys(SHAPES)) {
    const reports = [];
    for (let round = 0; round < (quick ? 3 : 9); round++) reports.push(await runForReport(program, shape, {}));
    const figure = (key) => median(reports.map((report) => report[key]));
    rows.push(
      { label: `hunksOf, 100 000 lines, ${shape}, first call`, value: figure('first'), unit: 'ms', atMost: 100 },
      { label: `hunksOf, 100 000 lines, ${shape}, later`, value: figure('later'), unit: 'ms', atMost: 100 },
    );
  }
  return rows;
}
